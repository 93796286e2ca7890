/* The standard error of the mean of a correlated series. */
#ifndef KN_BATCHES_H
#define KN_BATCHES_H

#include <stdbool.h>

enum { KN_BATCHES = 128 };

/* A series in at most KN_BATCHES batches of equal length, which doubles when all are full: the memory does
 * not grow with the series.  All members are doubles, which a checkpoint stores as they are; all zero: empty.
 */
struct kn_batches {
    double length;           /* terms per batch */
    double count;            /* complete batches */
    double begun;            /* terms of the incomplete batch */
    double sum;              /* of the incomplete batch */
    double mean[KN_BATCHES]; /* [count] */
};

void kn_batches_add(struct kn_batches *b, double term);

/* Can kn_batches_add produce this state?  A state from a file must be checked. */
bool kn_batches_is_valid(const struct kn_batches *b);

/* Standard error of the mean of all terms, theory (48) to (50); NaN if the series is too short for its
 * correlation time. */
double kn_batches_error(const struct kn_batches *b);

#endif
