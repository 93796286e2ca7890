/* Collisions of a finite disturbance in the residual of steady states. */
#include "cpu/cpu_kernels.h"
#include "cpu/cpu_steady.h"

#include "point/moments.h"
#include "point/steady_model.h"

#include <string.h>

/* Signs of velocity components in an octant; odd moments of a folded axis vanish. */
static void signs_of(const struct kn_velocity *v, int octant, double sign[3])
{
    for (int d = 0; d < 3; d++)
        sign[d] = v->bit[d] ? kn_velocity_sign(v, octant, d) : 0;
}

static void find_moments(const struct kn_velocity *v, const double *row, double m[KN_MOMENTS])
{
    memset(m, 0, KN_MOMENTS * sizeof *m);
    for (int octant = 0; octant < v->octants; octant++) {
        double sign[3];
        signs_of(v, octant, sign);
        for (int k = 0; k < v->size; k++) {
            const double wh = v->mass[k] * row[octant * v->stride + k], x = v->speed[0][k],
                         y = v->speed[1][k], z = v->speed[2][k], vv = x * x + y * y + z * z;
            const double part[KN_MOMENTS] = {1,
                                             sign[0] * x,
                                             sign[1] * y,
                                             sign[2] * z,
                                             x * x,
                                             y * y,
                                             z * z,
                                             sign[0] * sign[1] * x * y,
                                             sign[0] * sign[2] * x * z,
                                             sign[1] * sign[2] * y * z,
                                             sign[0] * x * vv,
                                             sign[1] * y * vv,
                                             sign[2] * z * vv};
            for (int i = 0; i < KN_MOMENTS; i++)
                m[i] += wh * part[i];
        }
    }
}

/* change <- Q of a model equation, for one row. */
static void relax(const struct kn_steady_plan *p, const double *row, double *change)
{
    const struct kn_velocity *v = p->problem->velocity;
    const struct kn_case *c = p->problem->c;
    double m[KN_MOMENTS], field[KN_FIELDS];
    find_moments(v, row, m);
    kn_moments_to_fields(m, v->basis.eps, field);
    const struct kn_steady_model model =
        kn_steady_model_make(c->collision.method, &v->basis, c->collision.prandtl, field);
    for (int octant = 0; octant < v->octants; octant++)
        for (int k = 0; k < v->size; k++) {
            double at[3];
            for (int i = 0; i < 3; i++)
                at[i] = kn_velocity_sign(v, octant, v->basis.axes[i]) * (double)v->speed[v->basis.axes[i]][k];
            change[octant * v->stride + k] =
                kn_steady_model_at(&model, &v->basis, at, row[octant * v->stride + k]);
        }
}

/* Take the invariants out of a change, or all trial functions. */
static void conserve(const struct kn_steady_plan *p, bool all, double *change)
{
    const struct kn_velocity *v = p->problem->velocity;
    for (int f = 0; f < p->functions; f++) {
        const double *phi = p->trial + (size_t)f * (size_t)v->size;
        double sum = 0;
        if (!all && p->gain[f] != p->loss)
            continue;
        for (int pass = 0; pass < 2; pass++)
            for (int octant = 0; octant < v->octants; octant++) {
                const double sign = __builtin_parity((unsigned)(octant & p->parity[f])) ? -1 : 1;
                double *row = change + (size_t)octant * (size_t)v->stride;
                for (int k = 0; k < v->size; k++)
                    if (pass == 0)
                        sum += sign * v->mass[k] * phi[k] * row[k];
                    else
                        row[k] -= sign * phi[k] * sum;
            }
    }
}

/* The local Maxwellian of a row; false if it is too cold or too hot for the nodes. */
static bool find_maxwellian(const struct kn_velocity *v, const double *row, struct kn_steady_gaussian *g)
{
    double m[KN_MOMENTS], field[KN_FIELDS], u[3], sigma[6] = {0};
    find_moments(v, row, m);
    kn_moments_to_fields(m, v->basis.eps, field);
    const double density = 1 + v->basis.eps * field[0], temperature = 1 + v->basis.eps * field[4];
    for (int i = 0; i < 3; i++) {
        u[i] = field[1 + v->basis.axes[i]];
        sigma[kn_gaussian_entry(i, i)] = field[4];
    }
    if (!(density > 0.05 && temperature > 0.15 && temperature < 4))
        return false;
    *g = kn_steady_gaussian_make(&v->basis, field[0], u, sigma);
    return true;
}

void KN_CPU_NAME(steady_lift)(const struct kn_steady_plan *p, const double *x, const double *by, bool all,
                              double *to, double *scratch)
{
    const struct kn_velocity *v = p->problem->velocity;
    struct kn_steady_gaussian before, after;
    double *row = scratch;
    for (int i = 0; i < v->nnodes; i++)
        row[i] = x[i] + to[i];
    if (!find_maxwellian(v, row, &before))
        return;
    for (int i = 0; i < v->nnodes; i++)
        row[i] += by[i];
    if (!find_maxwellian(v, row, &after))
        return;
    memset(row, 0, (size_t)v->nnodes * sizeof *row);
    for (int octant = 0; octant < v->octants; octant++)
        for (int k = 0; k < v->size; k++) {
            double at[3], parts[3];
            for (int i = 0; i < 3; i++)
                at[i] = kn_velocity_sign(v, octant, v->basis.axes[i]) * (double)v->speed[v->basis.axes[i]][k];
            row[octant * v->stride + k] = kn_steady_gaussian_at(&after, &v->basis, at, parts) -
                                          kn_steady_gaussian_at(&before, &v->basis, at, parts);
        }
    conserve(p, all, row);
    for (int i = 0; i < v->nnodes; i++)
        to[i] += row[i];
}

/* Changes of rows in a short step of the operator, per unit time. */
static void operate(const struct kn_steady_pass *s, const double *x, int count, double *change, float *rows)
{
    const size_t nnodes = (size_t)s->mesh.nnodes;
    float *scratch = rows + KN_STEADY_BLOCK * nnodes;
    for (size_t i = 0; i < (size_t)count * nnodes; i++)
        rows[i] = (float)x[i];
    for (int i = 0; i < count; i += s->kernels->lanes)
        s->kernels->changes(s->step, rows + (size_t)i * nnodes,
                            count - i < s->kernels->lanes ? count - i : s->kernels->lanes, scratch);
    for (size_t i = 0; i < (size_t)count * nnodes; i++)
        change[i] = rows[i] / s->step->dt;
}

void KN_CPU_NAME(steady_collide)(const struct kn_steady_pass *s, const double *x, int count, double *out,
                                 double *scratch)
{
    const struct kn_steady_plan *p = s->plan;
    const size_t nnodes = (size_t)s->mesh.nnodes;
    double *change = scratch;
    memset(change, 0, (size_t)count * nnodes * sizeof *change);
    if (s->step)
        operate(s, x, count, change, (float *)(scratch + kn_steady_rows_size(p->problem->velocity)));
    for (int i = 0; i < count; i++) {
        double *of = change + (size_t)i * nnodes, *to = out + (size_t)i * nnodes;
        if (!s->step)
            relax(p, x + (size_t)i * nnodes, of);
        conserve(p, false, of);
        for (size_t k = 0; k < nnodes; k++)
            to[k] += p->rate * of[k];
    }
}
