/* What can be drawn: fields by name, columns of the history, and their units. */
#ifndef KN_PLOT_QUANTITY_H
#define KN_PLOT_QUANTITY_H

#include "plot/plot_data.h"
#include "plot/plot_sheet.h"

/* A field, or something made of fields. */
struct kn_plot_quantity {
    const char *name;      /* as on the command line */
    const char *words;     /* "velocity" */
    const char *symbol;    /* marked up, in SI units */
    const char *deviation; /* marked up, over the unit of the results; NULL: as the symbol */
    enum kn_dimension dimension;
    int first, components; /* enum kn_field; more than one: their length, or the mean of a pressure */
    bool is_signed;
};

extern const struct kn_plot_quantity kn_plot_quantity_table[]; /* ends with a NULL name */

/* The quantity of that name, or NULL. */
const struct kn_plot_quantity *kn_plot_quantity_find(const char *name);

/* Its value in a cell. */
double kn_plot_quantity_value(const struct kn_plot_quantity *q, const double fields[KN_FIELDS]);

/* KN_EINPUT and a sentence: what was meant, and the names there are, columns of this run among them. */
enum kn_status kn_plot_quantity_unknown(const char *word, const struct kn_plot_run *r);

/* From numbers of the results to those that are drawn: offset + factor * number. */
struct kn_plot_scale {
    double factor, offset;
    bool is_si;
    char unit[64]; /* marked up; "" of a pure number */
};

/* In SI units where `si` is given, with a prefix that suits values up to `largest` (of the results). */
struct kn_plot_scale kn_plot_quantity_scale(enum kn_dimension dimension, const struct kn_scales *si,
                                            double largest);

/* The same unit for another run, whose scales may differ. */
struct kn_plot_scale kn_plot_quantity_rescale(const struct kn_plot_scale *scale, enum kn_dimension dimension,
                                              const struct kn_scales *from, const struct kn_scales *to);

/* Axis label of a field: words, symbol and unit. */
void kn_plot_quantity_label(char text[KN_PLOT_TEXT], const struct kn_plot_quantity *q,
                            const struct kn_plot_scale *scale);

/* Of a column of history.csv. */
void kn_plot_quantity_column_label(char text[KN_PLOT_TEXT], const char *column,
                                   const struct kn_plot_scale *scale);

#endif
