/* The standard error of the mean of a series whose terms are correlated. */
#ifndef KN_BATCHES_H
#define KN_BATCHES_H

#include <stdbool.h>

enum { KN_BATCHES = 128 };

/* A series cut into at most KN_BATCHES batches of equal length, which doubles
 * whenever they are full: the memory does not grow with the series.  All members
 * are doubles, so that a checkpoint can hold it as it stands; all zero is empty. */
struct kn_batches {
    double length;           /* terms of a batch */
    double count;            /* batches that are whole */
    double begun;            /* terms of the batch that is not */
    double sum;              /* of these */
    double mean[KN_BATCHES]; /* [count] */
};

void kn_batches_add(struct kn_batches *b, double term);

/* Whether kn_batches_add can leave this state behind.  A state from a file must be checked. */
bool kn_batches_is_valid(const struct kn_batches *b);

/* Standard error of the mean of all terms, theory (48) to (50); NaN where the
 * series is too short against the time over which it is correlated. */
double kn_batches_error(const struct kn_batches *b);

#endif
