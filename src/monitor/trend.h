/* The approach of a quantity to its limit: its ranges over equal spans of time, and its remaining change. */
#ifndef KN_TREND_H
#define KN_TREND_H

#include <stdbool.h>

enum { KN_TREND_SPANS = 64 };

/* Spans of equal numbers of rows; when all are full, neighbours are merged.  The memory does not grow with
 * the run.  All members are doubles, so that a checkpoint stores the struct as it is; all zero is empty. */
struct kn_trend {
    double length;               /* rows in a span */
    double count;                /* spans that are full */
    double begun;                /* rows in the next one */
    double low[KN_TREND_SPANS];  /* [count + 1] least value in each span */
    double high[KN_TREND_SPANS]; /* [count + 1] largest */
};

void kn_trend_add(struct kn_trend *t, double value);

/* Can kn_trend_add produce this state?  A state from a file must be checked. */
bool kn_trend_is_valid(const struct kn_trend *t);

/* True if these counts are possible for spans whose length doubles when `most` are full. */
bool kn_trend_are_counts(double length, double count, double begun, int most);

struct kn_trend_rest {
    double change;   /* estimated remaining change; INFINITY: no approach to a limit; NaN: too few rows */
    double observed; /* largest distance from the latest value in the last half of the rows */
    double ratio;    /* of that distance in the last quarter to that in the quarter before */
    bool crosses;    /* in both quarters values lie above and below the latest one: an oscillation */
    double rate;     /* the remaining change decays as exp(-rate * rows) */
};

/* `latest` is the value of the latest row. */
struct kn_trend_rest kn_trend_rest(const struct kn_trend *t, double latest);

#endif
