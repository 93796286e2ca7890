#include "exact.h"

#include <math.h>

enum { WORDS = sizeof(struct kn_exact) / sizeof(int64_t), LAST = KN_EXACT_DIGITS - 1 };

#define BASE     ((int64_t)1 << KN_EXACT_BITS)
#define SMALLEST (-1074) /* exponent of the lowest bit */

void kn_exact_carry(struct kn_exact *sum)
{
    int64_t carry = 0;
    for (int i = 0; i < LAST; i++) {
        const int64_t digit = sum->digits[i] + carry;
        carry = digit >> KN_EXACT_BITS; /* rounds down, also below zero */
        sum->digits[i] = digit & (BASE - 1);
    }
    sum->digits[LAST] += carry;
    sum->waiting = 0;
}

void kn_exact_merge(struct kn_exact *sum, struct kn_exact *other)
{
    kn_exact_carry(other);
    for (int i = 0; i < KN_EXACT_DIGITS; i++)
        sum->digits[i] += other->digits[i];
    sum->odd += other->odd;
    kn_exact_carry(sum);
}

/* Digits below 2^32 leave room for more ranks than there are. */
void kn_exact_sum_ranks(const struct kn_comm *comm, struct kn_exact *sums, int count)
{
    for (int i = 0; i < count; i++)
        kn_exact_carry(&sums[i]);
    if (comm->size > 1)
        kn_comm_sum(comm, (int64_t *)sums, count * WORDS);
}

/* The 64 bits that begin with the highest one, and the place of the lowest of them.  Where bits are left
 * out, the last says whether any is set: that decides between halves, and rounding sees nothing else. */
static uint64_t leading_bits(const struct kn_exact *sum, int *place)
{
    int top = LAST;
    while (top > 1 && sum->digits[top] == 0)
        top--;
    uint64_t bits = (uint64_t)sum->digits[top] << KN_EXACT_BITS | (uint64_t)sum->digits[top - 1];
    *place = (top - 1) * KN_EXACT_BITS;
    if (top < 2)
        return bits;
    const uint64_t next = (uint64_t)sum->digits[top - 2];
    const int room = __builtin_clzll(bits); /* below 32: the top digit is not 0 */
    bool more = (uint32_t)(next << room) != 0;
    for (int i = top - 3; i >= 0 && !more; i--)
        more = sum->digits[i] != 0;
    *place -= room;
    return bits << room | next >> (KN_EXACT_BITS - room) | more;
}

double kn_exact_value(const struct kn_exact *sum)
{
    struct kn_exact size = *sum;
    int place;
    if (sum->odd != 0)
        return NAN;
    kn_exact_carry(&size);
    const bool negative = size.digits[LAST] < 0;
    if (negative) {
        for (int i = 0; i < KN_EXACT_DIGITS; i++)
            size.digits[i] = -size.digits[i];
        kn_exact_carry(&size);
    }
    if (size.digits[LAST] >= BASE)
        return negative ? -INFINITY : INFINITY;
    /* The conversion rounds, once: what is small enough for ldexp to round has fewer than 53 bits. */
    const uint64_t bits = leading_bits(&size, &place);
    const double value = ldexp((double)bits, place + SMALLEST);
    return negative ? -value : value;
}
