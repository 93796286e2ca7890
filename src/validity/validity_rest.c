/* Measures the part of a distribution that the polynomials of the quadratic part do not hold, theory (47d).
 */
#include "validity/validity.h"

#include "collision/operator.h"
#include "collision/polynomials.h"
#include "point/hermite.h"

#include <math.h>

/* One axis: its signed nodes relative to the velocity of the gas, their weights with the factor of the local
 * Maxwellian, and the polynomials there. */
struct axis {
    int count;
    double x[KN_VELOCITY_LINE], w[KN_VELOCITY_LINE], p[KN_HERMITE_TERMS][KN_VELOCITY_LINE];
};

/* A distribution on the signed nodes, z fastest. */
struct distribution {
    const struct kn_velocity *grid;
    int nodes[3];
    double *f, *rest; /* relative to the Maxwellian at rest */
    double n, u[3], T;
    struct axis axis[3];
};

/* The signed velocity of node k of an axis. */
static double node_of(const struct kn_velocity *v, int d, int k)
{
    return k < v->half[d] ? v->node[d][k] : -v->node[d][k - v->half[d]];
}

/* Place i of the signed nodes, along each axis. */
static void place_of(const struct distribution *s, int i, int at[3])
{
    at[0] = i / (s->nodes[1] * s->nodes[2]);
    at[1] = i / s->nodes[2] % s->nodes[1];
    at[2] = i % s->nodes[2];
}

/* Signed nodes of all axes. */
static int count_of(const struct distribution *s)
{
    return s->nodes[0] * s->nodes[1] * s->nodes[2];
}

static double weight_of(const struct distribution *s, const int at[3])
{
    double w = 1;
    for (int d = 0; d < 3; d++)
        w *= s->grid->weight[d][at[d] % s->grid->half[d]];
    return w;
}

/* The local Maxwellian relative to that at rest. */
static double maxwellian_of(const struct distribution *s, const int at[3])
{
    return s->n * s->axis[0].w[at[0]] * s->axis[1].w[at[1]] * s->axis[2].w[at[2]] / weight_of(s, at);
}

static void load(struct distribution *s, double eps, const float *row)
{
    const struct kn_velocity *v = s->grid;
    double m[5] = {0};
    for (int i = 0; i < count_of(s); i++) {
        int at[3], octant = 0, k = 0;
        place_of(s, i, at);
        for (int d = 0; d < 3; d++) {
            octant |= at[d] >= v->half[d] ? v->bit[d] : 0;
            k = k * v->half[d] + at[d] % v->half[d];
        }
        s->f[i] = 1 + eps * (double)row[octant * v->stride + k];
        const double part = weight_of(s, at) * s->f[i];
        m[0] += part;
        for (int d = 0; d < 3; d++) {
            const double c = node_of(v, d, at[d]);
            m[1 + d] += v->bit[d] ? part * c : 0;
            m[4] += part * c * c;
        }
    }
    s->n = m[0];
    s->T = 2.0 / 3 * m[4] / m[0];
    for (int d = 0; d < 3; d++) {
        s->u[d] = m[1 + d] / m[0];
        s->T -= 2.0 / 3 * s->u[d] * s->u[d];
    }
}

/* theory (47c) */
static void fill_axis(const struct distribution *s, int d, struct axis *a)
{
    const struct kn_velocity *v = s->grid;
    double mass = 0, before = 0;
    a->count = s->nodes[d];
    for (int k = 0; k < a->count; k++) {
        const double c = node_of(v, d, k);
        a->x[k] = c - s->u[d];
        a->w[k] = v->weight[d][k % v->half[d]] * exp(c * c - a->x[k] * a->x[k] / s->T) / sqrt(s->T);
        mass += a->w[k];
    }
    for (int k = 0; k < a->count; k++)
        a->p[0][k] = 1 / sqrt(mass);
    for (int n = 0; n + 1 < KN_HERMITE_TERMS; n++) {
        double first = 0, second = 0;
        for (int k = 0; k < a->count; k++) {
            const double part = a->w[k] * a->x[k] * a->p[n][k] * a->p[n][k];
            first += v->bit[d] ? part : 0;
            second += a->x[k] * part;
        }
        const double next = kn_hermite_norm(n, (float)s->T, (float)first, (float)before, (float)second);
        for (int k = 0; k < a->count; k++)
            a->p[n + 1][k] =
                next > 0 ? ((a->x[k] - first) * a->p[n][k] - (n > 0 ? before * a->p[n - 1][k] : 0)) / next
                         : 0;
        before = next;
    }
}

/* rest -= the part of f along one product of polynomials */
static void take_out(struct distribution *s, const int degree[3])
{
    double along = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < count_of(s); i++) {
            int at[3];
            place_of(s, i, at);
            double product = 1;
            for (int d = 0; d < 3; d++)
                product *= s->axis[d].p[degree[d]][at[d]];
            if (pass == 0)
                along += weight_of(s, at) * s->f[i] * product;
            else
                s->rest[i] -= along / s->n * maxwellian_of(s, at) * product;
        }
}

double kn_validity_rest(const struct kn_velocity *v, double eps, const float *row, double *space)
{
    struct distribution s = {.grid = v};
    for (int d = 0; d < 3; d++)
        s.nodes[d] = v->bit[d] ? 2 * v->half[d] : v->half[d];
    s.f = space;
    s.rest = space + count_of(&s);
    load(&s, eps, row);
    if (!(s.n > 0 && s.T > 0))
        return 0; /* reported separately */
    for (int d = 0; d < 3; d++)
        fill_axis(&s, d, &s.axis[d]);
    for (int i = 0; i < count_of(&s); i++) {
        int at[3];
        place_of(&s, i, at);
        s.f[i] -= maxwellian_of(&s, at);
        s.rest[i] = s.f[i];
    }
    for (int parity = 0; parity < v->octants; parity++) {
        struct kn_hermite list[KN_POLYNOMIALS_TERMS];
        const int count =
            kn_elements_list(kn_polynomials_degree(v->half), kn_operator_parity(v, parity), list);
        for (int i = 0; i < count; i++)
            take_out(&s, list[i].degree);
    }
    double energy = 0;
    for (int i = 0; i < count_of(&s); i++) {
        int at[3];
        place_of(&s, i, at);
        for (int d = 0; d < 3; d++)
            energy += weight_of(&s, at) * fabs(s.rest[i]) * s.axis[d].x[at[d]] * s.axis[d].x[at[d]];
    }
    return energy / (1.5 * s.n * s.T);
}

double kn_validity_rest_error(double rest)
{
    return 0.03 * pow(rest, 2) + 0.1 * pow(rest, 4);
}
