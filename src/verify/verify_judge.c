#include "verify/verify_judge.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double SIGMAS = 3, COARSE = 0.1;

static const char *unsigned_name(const struct kn_verify_result *r)
{
    const char *quantity = r->reference->quantity;
    return quantity + (*quantity == '-');
}

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), wanted = strlen(end);
    return length >= wanted && strcmp(text + length - wanted, end) == 0;
}

/* Points of one profile: the same of the same field, but for the place. */
static bool is_profile(const struct kn_verify_result *r, const struct kn_verify_result *s)
{
    const char *a = unsigned_name(r), *b = unsigned_name(s);
    const size_t length = strcspn(a, "(");
    const char *after = strchr(a, ')'), *other = strchr(b, ')');
    return after && other && strncmp(a, b, length + 1) == 0 && strcmp(after, other) == 0;
}

static bool is_phase(const struct kn_verify_result *r)
{
    return ends_with(r->reference->quantity, ".phase");
}

/* Amplitude and phase of one signal. */
static bool is_swing(const struct kn_verify_result *r, const struct kn_verify_result *s)
{
    const char *a = unsigned_name(r), *b = unsigned_name(s);
    const size_t length = (size_t)(strrchr(a, '.') ? strrchr(a, '.') - a : 0);
    return is_phase(r) != is_phase(s) && ends_with(is_phase(r) ? b : a, ".amplitude") &&
           strncmp(a, b, length + 1) == 0 && !strchr(b + length + 1, '.');
}

/* The size that an error is relative to: that of a phase is 1. */
static double scale(const struct kn_verify_result *r)
{
    return is_phase(r) ? 1 : fabs(r->value);
}

static void share(struct kn_verify_result *to, const struct kn_verify_result *from, double ratio)
{
    to->space = fmax(to->space, ratio * from->space);
    to->velocity = fmax(to->velocity, ratio * from->velocity);
}

/* Profiles of two grids cross, and where they do their difference says nothing: points of a profile
 * share the largest of their errors.  So do amplitude and phase, which are one complex number, relative
 * to its size; these first, so that the order of the rows does not matter. */
static void share_errors(struct kn_verify_result *results, int count)
{
    for (int i = 0; i < count; i++)
        for (int k = 0; k < count; k++)
            if (is_swing(&results[i], &results[k]))
                share(&results[i], &results[k], scale(&results[i]) / fmax(scale(&results[k]), DBL_MIN));
    for (int i = 0; i < count; i++)
        for (int k = 0; k < count; k++)
            if (is_profile(&results[i], &results[k]))
                share(&results[i], &results[k], 1);
}

/* The size of what is compared: of a profile its largest value. */
static double size(const struct kn_verify_result *results, int count, const struct kn_verify_result *r)
{
    double most = is_phase(r) ? 1 : fabs(r->reference->value);
    for (int k = 0; k < count && !is_phase(r); k++)
        if (is_profile(r, &results[k]))
            most = fmax(most, fabs(results[k].reference->value));
    return most;
}

static void judge(struct kn_verify_result *r, double most)
{
    const struct kn_reference_row *row = r->reference;
    r->tolerance =
        row->uncertainty + r->space + r->velocity + r->unsteady + r->rounding + SIGMAS * r->statistical;
    r->pass = fabs(r->deviation) <= r->tolerance && !(fabs(r->deviation) > row->bar);
    r->open = r->pass && isnan(row->bar) && !(r->tolerance <= COARSE * most);
}

void kn_verify_judge(struct kn_verify_result *results, int count)
{
    share_errors(results, count);
    for (int i = 0; i < count; i++)
        judge(&results[i], size(results, count, &results[i]));
}

bool kn_verify_is_superseded(const struct kn_reference *f, const struct kn_reference_row *row)
{
    for (int i = 0; i < f->rows; i++)
        if (f->row[i].check == KN_CHECK_FULL && strcmp(f->row[i].quantity, row->quantity) == 0 &&
            strcmp(f->row[i].conditions, row->conditions) == 0 && strcmp(f->row[i].source, row->source) == 0)
            return true;
    return false;
}
