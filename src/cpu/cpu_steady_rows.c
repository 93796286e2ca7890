/* The loops of the steady-state solver over the velocities of cells, in double precision, theory section
 * 16. */
#include "cpu/cpu_kernels.h"
#include "cpu/cpu_steady.h"
#include "cpu/cpu_steady_faces.h"

#include <string.h>

enum { BLOCK = KN_STEADY_BLOCK };

/* out += |v| / width (x on the upwind face - x on the downwind face) */
static void stream(const struct kn_steady_pass *s, struct kn_site p, int axis, double *restrict out,
                   double *scratch)
{
    const int n = s->mesh.stride;
    const struct kn_site up = kn_mesh_walk(&s->mesh, p, axis, 0);
    const float *restrict speed = s->plan->problem->velocity->speed[axis];
    const double per_width = 1 / (double)kn_mesh_width(&s->mesh, p.cell, axis);
    double *restrict to = scratch, *inflow = scratch + n;
    const double *restrict from = inflow;
    kn_steady_face_row(s, p, axis, to);
    if (up.cell < 0)
        from = kn_steady_source(s, up);
    else
        kn_steady_face_row(s, up, axis, inflow);
#pragma omp simd
    for (int k = 0; k < n; k++)
        out[k] += per_width * speed[k] * (from[k] - to[k]);
}

/* Sums and differences over pairs of octants, from octants to parities; twice is the identity times the
 * number of octants.  `n` doubles per octant. */
static void to_parities(int octants, size_t n, double *block)
{
    for (int bit = 1; bit < octants; bit *= 2)
        for (int o = 0; o < octants; o++) {
            if (o & bit)
                continue;
            double *restrict low = block + (size_t)o * n, *restrict high = low + (size_t)bit * n;
#pragma omp simd
            for (size_t i = 0; i < n; i++) {
                const double a = low[i], b = high[i];
                low[i] = a + b;
                high[i] = a - b;
            }
        }
}

KN_SPECIALISED void multiply_rows(int rows, int n, const double *restrict matrix, const double *restrict in,
                                  double *restrict out)
{
    double sum[4][BLOCK] = {{0}};
    for (int k = 0; k < n; k++)
        for (int r = 0; r < rows; r++) {
            const double m = matrix[(size_t)r * (size_t)n + (size_t)k];
#pragma omp simd
            for (int i = 0; i < BLOCK; i++)
                sum[r][i] += m * in[(size_t)k * BLOCK + (size_t)i];
        }
    memcpy(out, sum, (size_t)rows * sizeof sum[0]);
}

/* out <- matrix in, for a block of cells. */
static void multiply(int n, const double *matrix, const double *in, double *out)
{
    int row = 0;
    for (; row + 4 <= n; row += 4)
        multiply_rows(4, n, matrix + (size_t)row * (size_t)n, in, out + (size_t)row * BLOCK);
    for (; row < n; row++)
        multiply_rows(1, n, matrix + (size_t)row * (size_t)n, in, out + (size_t)row * BLOCK);
}

/* A model equation: the part of one parity along the trial functions. */
static void relax(const struct kn_steady_plan *p, int parity, const double *restrict in, double *restrict out)
{
    const struct kn_velocity *v = p->problem->velocity;
    for (int i = 0; i < v->size * BLOCK; i++)
        out[i] = -p->loss * in[i];
    for (int f = 0; f < p->functions; f++) {
        const double *phi = p->trial + (size_t)f * (size_t)v->size;
        double sum[BLOCK] = {0};
        if (p->parity[f] != parity || p->gain[f] == 0)
            continue;
        for (int k = 0; k < v->size; k++)
            for (int i = 0; i < BLOCK; i++)
                sum[i] += v->mass[k] * phi[k] * in[k * BLOCK + i];
        for (int i = 0; i < BLOCK; i++)
            sum[i] *= p->gain[f] * v->octants;
        for (int k = 0; k < v->size; k++)
            for (int i = 0; i < BLOCK; i++)
                out[k * BLOCK + i] += phi[k] * sum[i];
    }
}

/* out += L x */
static void collide(const struct kn_steady_plan *p, const double *restrict x, int count, double *restrict out,
                    double *scratch)
{
    const struct kn_velocity *v = p->problem->velocity;
    const size_t n = (size_t)v->nnodes, octant = (size_t)v->stride * BLOCK;
    double *in = scratch, *result = scratch + n * BLOCK;
    if (p->problem->c->collision.method == KN_METHOD_NONE)
        return;
    memset(in, 0, 2 * n * BLOCK * sizeof *in);
    for (size_t k = 0; k < n; k++)
        for (int i = 0; i < count; i++)
            in[k * BLOCK + (size_t)i] = x[(size_t)i * n + k];
    to_parities(v->octants, octant, in);
    for (int odd = 0; odd < v->octants; odd++) {
        double *from = in + (size_t)odd * octant, *to = result + (size_t)odd * octant;
        if (p->matrix[odd])
            multiply(v->size, p->matrix[odd], from, to);
        else
            relax(p, odd, from, to);
    }
    to_parities(v->octants, octant, result);
    const double scale = 1.0 / v->octants;
    for (int i = 0; i < count; i++)
        for (size_t k = 0; k < n; k++)
            out[(size_t)i * n + k] += scale * result[k * BLOCK + (size_t)i];
}

static void cells(const struct kn_steady_pass *s, int first, int count, double *out, double *scratch)
{
    const struct kn_problem *p = s->plan->problem;
    const size_t nnodes = (size_t)s->mesh.nnodes;
    const float *source = p->collision->source;
    const uint8_t *solid = p->space->solid;
    const double rate = s->data * s->plan->rate;
    for (int i = 0; i < count; i++) {
        double *row = out + (size_t)i * nnodes;
        const struct kn_volume *own = kn_volumes_own(&p->space->volumes, first + i);
        for (size_t k = 0; k < nnodes; k++)
            row[k] = solid && solid[first + i] ? 0 : rate * source[k];
        if (own)
            KN_CPU_NAME(steady_balance)(s, own, row);
        for (int octant = 0; octant < s->mesh.octants && !own; octant++)
            for (int a = 0; a < s->mesh.naxes; a++)
                stream(s, (struct kn_site){first + i, octant}, s->mesh.axes[a],
                       row + (size_t)octant * (size_t)s->mesh.stride, scratch);
    }
    if (s->data != 0 && p->c->disturbance > 0 && p->c->collision.method != KN_METHOD_NONE)
        KN_CPU_NAME(steady_collide)(s, s->x + (size_t)first * nnodes, count, out, scratch);
    else
        collide(s->plan, s->x + (size_t)first * nnodes, count, out, scratch);
    for (size_t k = 0; k < (size_t)count * nnodes && s->data == 0; k++)
        out[k] = -out[k];
}

/* One cell: the rows that flow in, and the speeds per width. */
struct inflow {
    const double *up[3][2]; /* [stride] real and imaginary part */
    const float *speed[3];
    double per_width[3];
};

KN_SPECIALISED void sweep_row(const struct kn_steady_sweep *s, int naxes, bool complex_,
                              const struct inflow *f, int first, int count, int64_t row)
{
    const double *restrict nu = s->frequency;
    const double *restrict re = s->from[0] + row, *restrict im = complex_ ? s->from[1] + row : re;
    double *restrict to_re = s->to[0] + row, *restrict to_im = complex_ ? s->to[1] + row : to_re;
    const double omega = s->omega;
#pragma omp simd
    for (int k = first; k < first + count; k++) {
        double diagonal = nu[k], a = re[k], b = complex_ ? im[k] : 0;
        for (int i = 0; i < naxes; i++) {
            const double flow = f->per_width[i] * f->speed[i][k];
            diagonal += flow;
            a += flow * f->up[i][0][k];
            if (complex_)
                b += flow * f->up[i][1][k];
        }
        if (complex_) {
            const double inverse = 1 / (diagonal * diagonal + omega * omega);
            to_re[k] = inverse * (diagonal * a + omega * b);
            to_im[k] = inverse * (diagonal * b - omega * a);
        } else {
            to_re[k] = a / diagonal;
        }
    }
}

/* The row that flows in from an upwind site: zeros if it is not computed before.  Behind a link is the row of
 * a control volume, which is zero before it is computed. */
static const double *inflow_of(const struct kn_steady_sweep *s, struct kn_site up, int part)
{
    const struct kn_space *x = s->plan->problem->space;
    const struct kn_link *link = up.cell < 0 ? kn_volumes_link(&x->volumes, x->nfaces, ~up.cell) : NULL;
    if (link)
        up.cell = kn_volumes_cell(link->beyond);
    if (up.cell < x->ncells)
        return up.cell < 0 ? s->nothing : s->to[part] + kn_mesh_row(&s->mesh, up);
    up.cell -= x->ncells;
    return s->halo[part] + kn_mesh_row(&s->mesh, up);
}

/* Control volumes may depend on each other in a circle: rows that are not computed yet must be zero. */
static void clear_volumes(const struct kn_steady_sweep *s, int octant, int first, int count)
{
    const struct kn_volumes *v = &s->plan->problem->space->volumes;
    for (int part = 0; part <= (s->omega != 0); part++)
        for (int i = 0; i < v->count + v->nlinks; i++) {
            const int32_t cell = i < v->count ? v->list[i].cell : v->links[i - v->count].cell;
            memset(s->to[part] + kn_mesh_row(&s->mesh, (struct kn_site){cell, octant}) + first, 0,
                   (size_t)count * sizeof(double));
        }
}

static void sweep(const struct kn_steady_sweep *s, int octant, int first, int count)
{
    const struct kn_problem *p = s->plan->problem;
    const int32_t *route = s->plan->route + (size_t)octant * (size_t)p->space->ncells;
    const bool complex_ = s->omega != 0;
    const int naxes = s->mesh.naxes;
    clear_volumes(s, octant, first, count);
    for (int i = 0; i < p->space->ncells; i++) {
        const struct kn_site here = {route[i], octant};
        const struct kn_volume *own = kn_volumes_own(&p->space->volumes, here.cell);
        struct inflow f;
        if (own) {
            KN_CPU_NAME(steady_sweep_volume)(s, own, octant, first);
            continue;
        }
        for (int a = 0; a < 3; a++) { /* axes without cells are not read */
            f.speed[a] = p->velocity->speed[a];
            f.per_width[a] = 0;
            f.up[a][0] = f.up[a][1] = s->nothing;
        }
        for (int a = 0; a < naxes; a++) {
            const int axis = s->mesh.axes[a];
            const struct kn_site up = kn_mesh_walk(&s->mesh, here, axis, 0);
            f.speed[a] = p->velocity->speed[axis];
            f.per_width[a] = 1 / (double)kn_mesh_width(&s->mesh, here.cell, axis);
            for (int part = 0; part <= complex_; part++)
                f.up[a][part] = inflow_of(s, up, part);
        }
        const int64_t row = kn_mesh_row(&s->mesh, here);
        if (complex_)
            sweep_row(s, naxes, true, &f, first, count, row);
        else if (naxes == 1)
            sweep_row(s, 1, false, &f, first, count, row);
        else if (naxes == 2)
            sweep_row(s, 2, false, &f, first, count, row);
        else
            sweep_row(s, 3, false, &f, first, count, row);
    }
}

/* moments[f] <- <table_f, x> of one row, for functions of the parities of the trial functions, and <1, x>. */
static void integrate(const struct kn_steady_plan *p, const double *table, const double *row, double *moments,
                      double *scratch)
{
    const struct kn_velocity *v = p->problem->velocity;
    memcpy(scratch, row, (size_t)v->nnodes * sizeof *row);
    to_parities(v->octants, (size_t)v->stride, scratch);
    for (int f = 0; f <= p->functions; f++) {
        const bool last = f == p->functions;
        const double *restrict x = scratch + (size_t)(last ? 0 : p->parity[f] * v->stride);
        const double *restrict phi = table + (size_t)(last ? 0 : f) * (size_t)v->size;
        double sum = 0;
        for (int k = 0; k < v->size; k++)
            sum += v->mass[k] * (last ? 1 : phi[k]) * x[k];
        moments[f] = sum;
    }
}

static void exceed(const struct kn_steady_pass *s, const double *g, int first, int count, double *moments,
                   double *scratch)
{
    const size_t nnodes = (size_t)s->mesh.nnodes, size = (size_t)count * nnodes, at = (size_t)first * nnodes;
    double *sum = scratch, *result = sum + size;
    scratch = result + size;
    for (size_t i = 0; i < size; i++) {
        sum[i] = s->x[at + i];
        result[i] = 0;
    }
    KN_CPU_NAME(steady_collide)(s, sum, count, result, scratch);
    for (size_t i = 0; i < size; i++) {
        result[i] = -result[i];
        sum[i] = -g[at + i];
    }
    collide(s->plan, sum, count, result, scratch);
    for (size_t i = 0; i < size; i++)
        sum[i] = s->x[at + i] + g[at + i];
    KN_CPU_NAME(steady_collide)(s, sum, count, result, scratch);
    for (int i = 0; i < count; i++)
        integrate(s->plan, s->plan->trial, result + (size_t)i * nnodes,
                  moments + (size_t)(first + i) * (size_t)(s->plan->functions + 1), scratch);
}

static void project(const struct kn_steady_plan *p, const double *row, double *moments, double *scratch)
{
    integrate(p, p->lagged, row, moments, scratch);
}

static void prolong(const struct kn_steady_plan *p, const double *coefficients, double *row)
{
    const struct kn_velocity *v = p->problem->velocity;
    for (int octant = 0; octant < v->octants; octant++)
        for (int f = 0; f < p->functions; f++) {
            const double *restrict phi = p->trial + (size_t)f * (size_t)v->size;
            const double c =
                __builtin_parity((unsigned)(octant & p->parity[f])) ? -coefficients[f] : coefficients[f];
            double *restrict to = row + (size_t)octant * (size_t)v->stride;
#pragma omp simd
            for (int k = 0; k < v->size; k++)
                to[k] += c * phi[k];
        }
}

static double product(const struct kn_velocity *v, const double *restrict weight, const double *restrict a,
                      const double *restrict x)
{
    double total = 0;
    for (int octant = 0; octant < v->octants; octant++) {
        const size_t at = (size_t)octant * (size_t)v->stride;
        double sum = 0;
#pragma omp simd reduction(+ : sum)
        for (int k = 0; k < v->size; k++)
            sum += weight[k] * a[at + (size_t)k] * x[at + (size_t)k];
        total += sum;
    }
    return total;
}

static void combine(int n, double scale, double *restrict to, double factor, const double *restrict x)
{
    if (!x) {
        for (int k = 0; k < n; k++)
            to[k] *= scale;
        return;
    }
#pragma omp simd
    for (int k = 0; k < n; k++)
        to[k] = scale * to[k] + factor * x[k];
}

const struct kn_cpu_steady_kernels KN_CPU_NAME(steady) = {.reconstruct = KN_CPU_NAME(steady_reconstruct),
                                                          .wall = KN_CPU_NAME(steady_wall),
                                                          .link = KN_CPU_NAME(steady_link),
                                                          .facet = KN_CPU_NAME(steady_facet),
                                                          .flux = KN_CPU_NAME(steady_flux),
                                                          .cells = cells,
                                                          .sweep = sweep,
                                                          .exceed = exceed,
                                                          .lift = KN_CPU_NAME(steady_lift),
                                                          .project = project,
                                                          .prolong = prolong,
                                                          .product = product,
                                                          .combine = combine};
