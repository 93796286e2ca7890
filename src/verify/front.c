#include "verify/front.h"

#include <math.h>
#include <string.h>

bool kn_front_is(const struct kn_case *c)
{
    return c->space.cells[1] == 1 && c->space.cells[2] == 1 && c->initial.shape == KN_SHAPE_BETWEEN &&
           c->walls[KN_LEFT].kind == KN_WALL_INFLOW &&
           c->walls[KN_LEFT].density != c->walls[KN_RIGHT].density;
}

static double find_front(const struct kn_record *r, const double *fields)
{
    const struct kn_wall *walls = r->c.walls;
    const double middle = (walls[KN_LEFT].density + walls[KN_RIGHT].density) / 2;
    const double sign = walls[KN_RIGHT].density > walls[KN_LEFT].density ? 1 : -1;
    for (int64_t i = 1; i < r->ncells; i++) {
        const double before = sign * (fields[(i - 1) * KN_FIELDS + KN_RHO] - middle),
                     after = sign * (fields[i * KN_FIELDS + KN_RHO] - middle);
        if (before < 0 && after >= 0)
            return kn_record_centre(r, 0, i - 1) +
                   (kn_record_centre(r, 0, i) - kn_record_centre(r, 0, i - 1)) * before / (before - after);
    }
    return NAN;
}

/* All fields of a place, linear between centres, constant beyond the last. */
static void sample(const struct kn_record *r, const double *fields, double x, double *to)
{
    int64_t i = 0;
    while (i + 2 < r->ncells && kn_record_centre(r, 0, i + 1) < x)
        i++;
    const double share = fmin(
        fmax((x - kn_record_centre(r, 0, i)) / (kn_record_centre(r, 0, i + 1) - kn_record_centre(r, 0, i)),
             0),
        1);
    for (int f = 0; f < KN_FIELDS; f++)
        to[f] = (1 - share) * fields[i * KN_FIELDS + f] + share * fields[(i + 1) * KN_FIELDS + f];
}

double kn_front_centre(const struct kn_record *r, const double *fields, double *moved)
{
    const double at = find_front(r, fields), shift = at - r->edges[0][r->cells[0]] / 2;
    if (isnan(at)) {
        memcpy(moved, fields, (size_t)r->ncells * KN_FIELDS * sizeof *moved);
        return at;
    }
    for (int64_t i = 0; i < r->ncells; i++)
        sample(r, fields, kn_record_centre(r, 0, i) + shift, moved + i * KN_FIELDS);
    return at;
}
