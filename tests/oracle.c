/* Plain loops in double precision, with which the kernels of all backends are compared. */
#include "oracle.h"

#include <math.h>

static void invariants(const struct kn_velocity *v, const float *row, double m[KN_INVARIANTS])
{
    for (int i = 0; i < KN_INVARIANTS; i++)
        m[i] = 0;
    for (int octant = 0; octant < v->octants; octant++)
        for (int k = 0; k < v->size; k++) {
            const double wh = (double)v->w[k] * row[octant * v->stride + k];
            m[0] += wh;
            for (int d = 0; d < 3; d++)
                m[1 + d] += v->bit[d] ? wh * kn_velocity_sign(v, octant, d) * v->speed[d][k] : 0;
            m[4] += wh * v->square[k];
        }
}

static void apply(const struct kn_sample *s, float eps, bool symmetric, float *row)
{
    const float a = row[s->node[0]], b = row[s->node[1]], c = row[s->node[2]], d = row[s->node[3]];
    float g = a + b + eps * a * b;
    if (symmetric)
        g -= c + d + eps * c * d;
    row[s->node[0]] = a + s->gain[0] * g;
    row[s->node[1]] = b + s->gain[1] * g;
    row[s->node[2]] = c + s->gain[2] * g;
    row[s->node[3]] = d + s->gain[3] * g;
}

void oracle_collide(const struct kn_problem *p, const struct kn_sample *samples, float *row)
{
    const struct kn_velocity *v = p->velocity;
    double before[KN_INVARIANTS], after[KN_INVARIANTS], x[KN_INVARIANTS] = {0};
    invariants(v, row, before);
    for (int i = 0; i < p->c->collision.samples; i++)
        apply(&samples[i], (float)p->c->disturbance, p->c->collision.estimator == KN_ESTIMATOR_SYMMETRIC,
              row);
    invariants(v, row, after);
    for (int i = 0; i < KN_INVARIANTS; i++)
        for (int j = 0; j < KN_INVARIANTS; j++)
            x[i] += p->collision->inverse[i][j] * (before[j] - after[j]);
    for (int octant = 0; octant < v->octants; octant++)
        for (int k = 0; k < v->size; k++) {
            double sum = x[0] + x[4] * v->square[k];
            for (int d = 0; d < 3; d++)
                sum += v->bit[d] ? x[1 + d] * kn_velocity_sign(v, octant, d) * v->speed[d][k] : 0;
            row[octant * v->stride + k] += (float)sum;
        }
}

/* ------------------------------------------------------------------ streaming */

struct look {
    const struct kn_problem *p;
    const float *h;
    const double *density;
    double dt;
};

/* A cell by its three indices, and a velocity by its octant and its position in it. */
struct spot {
    int at[3], octant, k;
};

static double value(const struct look *l, struct spot s)
{
    const struct kn_space *x = l->p->space;
    const struct kn_velocity *v = l->p->velocity;
    return l->h[(size_t)((s.at[2] * x->cells[1] + s.at[1]) * x->cells[0] + s.at[0]) * v->nnodes +
                s.octant * v->stride + s.k];
}

static double width(const struct look *l, struct spot s, int axis)
{
    const double *e = l->p->space->edges[axis] + s.at[axis];
    return e[1] - e[0];
}

static double courant(const struct look *l, struct spot s, int axis)
{
    return l->p->velocity->speed[axis][s.k] * l->dt / width(l, s, axis);
}

/* Move one cell along the axis, +1 downwind, -1 upwind; false at a wall that emits. */
static bool move(const struct look *l, struct spot *s, int axis, int with, int *side)
{
    const int sign = (s->octant & l->p->velocity->bit[axis]) ? -1 : 1, n = l->p->space->cells[axis];
    const int to = s->at[axis] + with * sign;
    *side = 2 * axis + (with * sign > 0);
    if (to >= 0 && to < n) {
        s->at[axis] = to;
        return true;
    }
    if (l->p->c->walls[*side].kind == KN_WALL_PERIODIC) {
        s->at[axis] = (to + n) % n;
        return true;
    }
    if (l->p->boundary->patches[*side].emits)
        return false;
    s->octant ^= l->p->velocity->bit[axis];
    return true;
}

static int face_of(const struct look *l, struct spot s, int side)
{
    const struct kn_space *x = l->p->space;
    const int cell = (s.at[2] * x->cells[1] + s.at[1]) * x->cells[0] + s.at[0];
    for (int face = 0; face < x->nfaces; face++)
        if (x->faces[face].cell == cell && x->faces[face].side == side)
            return face;
    return -1;
}

static double limit(enum kn_limiter limiter, double a, double b)
{
    if (limiter == KN_LIMITER_NONE)
        return (a + b) / 2;
    if (a * b <= 0)
        return 0;
    if (limiter == KN_LIMITER_VAN_LEER)
        return 2 * a * b / (a + b);
    const double least = fmin(fabs(a), fabs(b)) * (limiter == KN_LIMITER_MC ? 2 : 1);
    return copysign(limiter == KN_LIMITER_MC ? fmin(least, fabs(a + b) / 2) : least, a);
}

static double outflow(const struct look *l, struct spot s, int axis);

/* Mean of the parabola with the means up, here, down of cells of widths w[0], w[1], w[2] over the last part
 * of the middle cell, `part` of its width: from the cubic through the integrals up to the edges. */
static double parabola_mean(double up, double here, double down, const double w[3], double part)
{
    const double x[4] = {-w[0], 0, w[1], w[1] + w[2]},
                 integral[4] = {-w[0] * up, 0, w[1] * here, w[1] * here + w[2] * down};
    const double at = w[1] * (1 - part);
    double cubic = 0;
    for (int i = 0; i < 4; i++) {
        double term = integral[i];
        for (int k = 0; k < 4; k++)
            term *= k == i ? 1 : (at - x[k]) / (x[i] - x[k]);
        cubic += term;
    }
    return (integral[2] - cubic) / (w[1] * part);
}

/* The same for the parabola with the value `wall` at the upwind edge of the first of two cells. */
static double parabola_at_wall(double wall, double here, double down, const double w[2], double part)
{
    const double m[2][2] = {{w[0] / 2, w[0] * w[0] / 3},
                            {w[0] + w[1] / 2, w[0] * w[0] + w[0] * w[1] + w[1] * w[1] / 3}},
                 det = m[0][0] * m[1][1] - m[0][1] * m[1][0],
                 c0 = ((here - wall) * m[1][1] - (down - wall) * m[0][1]) / det,
                 c1 = ((down - wall) * m[0][0] - (here - wall) * m[1][0]) / det;
    return wall + c0 * w[0] * (1 - part / 2) + c1 * w[0] * w[0] * (1 - part + part * part / 3);
}

/* h that a wall emits at velocity s. */
static double emission(const struct look *l, struct spot s, int axis, int side)
{
    const struct kn_patch *patch = &l->p->boundary->patches[side];
    const double e = patch->emission[s.octant * l->p->velocity->stride + s.k];
    const double rho = l->density[face_of(l, s, side)], eps = l->p->c->disturbance;
    struct spot mirrored = s;
    mirrored.octant ^= l->p->velocity->bit[axis];
    const enum kn_wall_kind kind = l->p->c->walls[side].kind;
    const double share = l->p->c->walls[side].accommodation;
    if (kind == KN_WALL_INFLOW)
        return e;
    if (kind == KN_WALL_FAR_FIELD)
        return e + outflow(l, mirrored, axis);
    return share * (rho * (1 + eps * e) + e) + (share < 1 ? (1 - share) * outflow(l, mirrored, axis) : 0);
}

/* h on the downwind face half a step ahead. */
static double outflow(const struct look *l, struct spot s, int axis)
{
    struct spot up = s, down = s;
    int side;
    const double here = value(l, s), dx = width(l, s, axis);
    if (l->p->c->space.order == 1)
        return here;
    const bool has_down = move(l, &down, axis, 1, &side), has_up = move(l, &up, axis, -1, &side);
    const double before = has_up     ? value(l, up)
                          : has_down ? emission(l, s, axis, side)
                                     : here,
                 before_width = has_up ? width(l, up, axis) : 0, cu = courant(l, s, axis),
                 a = (here - before) * 2 * dx / (dx + before_width);
    double face = here + (1 - cu) * a / 2, transverse = 0;
    if (has_down) {
        const double after = value(l, down), w[3] = {before_width, dx, width(l, down, axis)},
                     b = (after - here) * 2 * dx / (dx + w[2]);
        face = l->p->c->space.order == 2 ? here + (1 - cu) * limit(l->p->c->space.limiter, a, b) / 2
               : has_up                  ? parabola_mean(before, here, after, w, cu)
                                         : parabola_at_wall(before, here, after, w + 1, cu);
    }
    for (int i = 0; i < l->p->space->naxes; i++) {
        const int other = l->p->space->axes[i];
        struct spot beside = s;
        if (other != axis && move(l, &beside, other, -1, &side))
            transverse += courant(l, s, other) * (here - value(l, beside));
    }
    return face - transverse / 2;
}

static struct spot spot_of(const struct kn_problem *p, int cell, int octant, int k)
{
    const int *n = p->space->cells;
    return (struct spot){{cell % n[0], cell / n[0] % n[1], cell / (n[0] * n[1])}, octant, k};
}

static double emission_density(const struct look *l, int face)
{
    const struct kn_velocity *v = l->p->velocity;
    const struct kn_face *f = &l->p->space->faces[face];
    const struct kn_patch *patch = &l->p->boundary->patches[f->patch];
    double flux = 0;
    for (int octant = 0; octant < v->octants; octant++)
        for (int k = 0; k < v->size && ((octant & v->bit[f->side / 2]) == 0) == (f->side & 1); k++)
            flux += v->w[k] * v->speed[f->side / 2][k] *
                    outflow(l, spot_of(l->p, f->cell, octant, k), f->side / 2);
    return (flux - patch->emission_flux) / patch->unit_flux;
}

void oracle_stream(const struct kn_problem *p, double dt, const float *h, float *next, double *density)
{
    const struct kn_velocity *v = p->velocity;
    const struct look l = {p, h, density, dt};
    for (int face = 0; face < p->space->nfaces; face++)
        if (p->boundary->patches[p->space->faces[face].patch].emits)
            density[face] = emission_density(&l, face);
    for (int cell = 0; cell < p->space->ncells; cell++)
        for (int octant = 0; octant < v->octants; octant++)
            for (int k = 0; k < v->size; k++) {
                const struct spot s = spot_of(p, cell, octant, k);
                double sum = value(&l, s);
                for (int i = 0; i < p->space->naxes; i++) {
                    const int axis = p->space->axes[i];
                    struct spot up = s;
                    int side;
                    const double in =
                        move(&l, &up, axis, -1, &side) ? outflow(&l, up, axis) : emission(&l, s, axis, side);
                    sum -= courant(&l, s, axis) * (outflow(&l, s, axis) - in);
                }
                next[(size_t)cell * v->nnodes + octant * v->stride + k] = (float)sum;
            }
}

void oracle_linear_bgk(const struct kn_velocity *v, double dt, float *row)
{
    double rho = 0, u[3] = {0, 0, 0}, energy = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int o = 0; o < v->octants; o++)
            for (int k = 0; k < v->size; k++) {
                float *h = &row[o * v->stride + k];
                double at[3], square = 0, target = 0;
                for (int d = 0; d < 3; d++) {
                    at[d] = kn_velocity_sign(v, o, d) * (double)v->speed[d][k];
                    square += at[d] * at[d];
                }
                for (int d = 0; d < 3; d++) {
                    if (pass == 0 && v->bit[d])
                        u[d] += v->w[k] * at[d] * *h;
                    target += 2 * u[d] * at[d];
                }
                if (pass == 0) {
                    rho += (double)v->w[k] * *h;
                    energy += v->w[k] * square * *h;
                } else {
                    const double theta = 2.0 / 3.0 * energy - rho;
                    target += rho + theta * (square - 1.5);
                    *h += (float)(-expm1(-dt) * (target - *h));
                }
            }
}
