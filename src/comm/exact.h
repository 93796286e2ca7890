/* Exact sums of doubles: the same bits for any order of the terms, any threads and any ranks.
 *
 * A finite double is an integer below 2^2098 times 2^-1074.  A sum is stored as such an integer, in digits of
 * 32 bits in words of 64 bits, so that carries can be postponed. */
#ifndef KN_EXACT_H
#define KN_EXACT_H

#include "comm/comm.h"

#include <string.h>

enum {
    KN_EXACT_BITS = 32,   /* of a digit */
    KN_EXACT_DIGITS = 66, /* the last has the sign, and room for 2^45 terms of any size */
    KN_EXACT_TERMS = 1024 /* between two carries: a term adds at most 2^52 to a digit */
};

/* All zero: an empty sum.  All members are int64_t: sums of ranks are added word by word. */
struct kn_exact {
    int64_t digits[KN_EXACT_DIGITS]; /* the lowest first; their signs may differ */
    int64_t odd;                     /* terms that are not finite */
    int64_t waiting;                 /* terms since the last carry */
};

/* Normalise: all digits except the last are in 0..2^32-1.  This form of a sum is unique. */
void kn_exact_carry(struct kn_exact *sum);

static inline void kn_exact_add(struct kn_exact *sum, double term)
{
    uint64_t bits;
    memcpy(&bits, &term, sizeof bits);
    const unsigned exponent = bits >> 52 & 0x7ff, normal = exponent > 0;
    if (exponent == 0x7ff) {
        sum->odd++;
        return;
    }
    const int64_t sign = -(int64_t)(bits >> 63); /* 0 or -1: (x ^ sign) - sign is x or -x */
    const int64_t mantissa = (int64_t)((bits & 0xfffffffffffffu) | (uint64_t)normal << 52),
                  value = (mantissa ^ sign) - sign;
    /* value * 2^place, split between two digits; >> keeps the sign and rounds down, as the unsigned low part
     * requires */
    const unsigned place = exponent - normal, shift = place % KN_EXACT_BITS;
    int64_t *digit = sum->digits + place / KN_EXACT_BITS;
    digit[0] += (int64_t)(uint32_t)((uint64_t)value << shift);
    digit[1] += value >> (KN_EXACT_BITS - shift);
    if (++sum->waiting == KN_EXACT_TERMS)
        kn_exact_carry(sum);
}

/* Add many terms; several times as fast as adding each. */
void kn_exact_add_all(struct kn_exact *sum, const double *terms, int count);

/* Add another sum, which is normalised. */
void kn_exact_merge(struct kn_exact *sum, struct kn_exact *other);

/* Sums over the ranks; all ranks call this and receive them. */
void kn_exact_sum_ranks(const struct kn_comm *comm, struct kn_exact *sums, int count);

/* The nearest double, ties to even; NaN if a term was not finite. */
double kn_exact_value(const struct kn_exact *sum);

#endif
