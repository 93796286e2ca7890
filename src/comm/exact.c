/* Addition, normalisation and rounding of exact sums. */
#include "comm/exact.h"

#include <math.h>

enum { WORDS = sizeof(struct kn_exact) / sizeof(int64_t), LAST = KN_EXACT_DIGITS - 1 };

#define BASE     ((int64_t)1 << KN_EXACT_BITS)
#define SMALLEST (-1074) /* exponent of the least significant bit */

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

enum { BLOCK = 64, CUT = 47 };

/* Adding and subtracting `cutter`, 1.5 * 2^p, rounds a term below 2^(p-6) to a multiple of 2^(p-52).  The sum
 * of 64 rounded terms has less than 54 bits, so that doubles add them without rounding, in any order.  The
 * remainder of a term is at most 2^(p-53), that is 2^-CUT of 2^(p-6), and is rounded likewise; the second
 * remainder is zero unless a term is 2^40 times smaller than others.  `left` detects it, and NaN. */
static double cut(double term, double cutter)
{
    return (term + cutter) - cutter;
}

static void add_block(struct kn_exact *sum, const double *terms, int count, double cutter)
{
    const double fine = cutter * (1.0 / ((int64_t)1 << CUT));
    double high = 0, low = 0, left = 0;
#pragma omp simd reduction(+ : high, low, left)
    for (int i = 0; i < count; i++) {
        const double first = cut(terms[i], cutter), rest = terms[i] - first, second = cut(rest, fine);
        high += first;
        low += second;
        left += fabs(rest - second);
    }
    kn_exact_add(sum, high);
    kn_exact_add(sum, low);
    for (int i = 0; i < count && left != 0; i++) {
        const double rest = terms[i] - cut(terms[i], cutter);
        kn_exact_add(sum, rest - cut(rest, fine));
    }
}

void kn_exact_add_all(struct kn_exact *sum, const double *terms, int count)
{
    for (; count > 0; count -= BLOCK, terms += BLOCK) {
        const int now = count < BLOCK ? count : BLOCK;
        double most = 0, cutter;
#pragma omp simd reduction(max : most)
        for (int i = 0; i < now; i++)
            most = fabs(terms[i]) > most ? fabs(terms[i]) : most;
        if (most == 0 ||
            (most > 0x1p-900 && most < 0x1p1000)) { /* the cutters neither overflow nor underflow */
            uint64_t bits;
            memcpy(&bits, &most, sizeof bits);
            bits = ((bits >> 52) + 7) << 52 | (uint64_t)1 << 51; /* 2^(p-6) is the next larger power of two */
            memcpy(&cutter, &bits, sizeof cutter);
            add_block(sum, terms, now, cutter);
        } else
            for (int i = 0; i < now; i++)
                kn_exact_add(sum, terms[i]);
    }
}

void kn_exact_merge(struct kn_exact *sum, struct kn_exact *other)
{
    kn_exact_carry(other);
    for (int i = 0; i < KN_EXACT_DIGITS; i++)
        sum->digits[i] += other->digits[i];
    sum->odd += other->odd;
    if (++sum->waiting == KN_EXACT_TERMS) /* digits below 2^32 count as one term */
        kn_exact_carry(sum);
}

/* Digits below 2^32 cannot overflow for any number of ranks. */
void kn_exact_sum_ranks(const struct kn_comm *comm, struct kn_exact *sums, int count)
{
    for (int i = 0; i < count; i++)
        kn_exact_carry(&sums[i]);
    kn_comm_sum(comm, (int64_t *)sums, count * WORDS);
}

/* The 64 leading bits, and the place of the lowest of them.  The last bit is also set if any omitted bit is
 * set: it decides a tie in the rounding. */
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
    /* Only the conversion rounds: a value so small that ldexp would round has fewer than 53 bits. */
    const uint64_t bits = leading_bits(&size, &place);
    const double value = ldexp((double)bits, place + SMALLEST);
    return negative ? -value : value;
}
