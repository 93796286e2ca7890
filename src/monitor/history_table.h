/* A table of the history of a run: named columns over time. */
#ifndef KN_HISTORY_TABLE_H
#define KN_HISTORY_TABLE_H

#include <stdint.h>
#include <string.h>

struct kn_history_table {
    int columns;
    char **names; /* [columns] */
    int64_t rows;
    double *values; /* [rows][columns] */
};

/* The number of a column, or -1. */
static inline int kn_history_column(const struct kn_history_table *h, const char *name)
{
    for (int i = 0; i < h->columns; i++)
        if (strcmp(h->names[i], name) == 0)
            return i;
    return -1;
}

static inline double kn_history_at(const struct kn_history_table *h, int64_t row, int column)
{
    return h->values[row * h->columns + column];
}

#endif
