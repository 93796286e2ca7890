#include "operator.h"

#include "backend/backend.h"
#include "error.h"
#include "molecules.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    DIRECTIONS = 3 * KN_OPERATOR_FACE * KN_OPERATOR_FACE,
    PARTS = 16 /* sums that are formed apart, at most */
};

/* Three nodes and a place for a fourth, so that a line is one vector. */
typedef double line __attribute__((vector_size(32), aligned(8)));

/* Also compiled for processors with wider vectors, where the compiler can. */
#if defined __x86_64__ && defined __GNUC__ && !defined __clang__
#define KN_CLONED __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define KN_CLONED
#endif

/* ------------------------------------------------------------------------ stencils */

/* A velocity after a collision: octant, and by |v| the values of the nodes around it
 * whose sum is that of a quadratic there. */
struct stencil {
    int octant;
    int first;                 /* node of the lowest corner */
    double value[KN_LINES][4]; /* the fourth is 0 */
    double error[3];           /* what the sum lacks of the cube of a component */
};

static inline struct stencil stencil_after(const struct kn_assembly *g, const struct kn_pair *p,
                                           const struct kn_direction *direction, int particle)
{
    double weight[3][KN_POINTS];
    int first[3];
    struct stencil s = {.octant = 0};
    for (int d = 0; d < 3; d++) {
        const double v = kn_pair_after(p, direction, d, particle);
        s.octant |= v < 0 ? 1 << d : 0;
        first[d] = kn_interpolate_axis(g->node[d], g->half[d], fabs(v), weight[d]);
        s.error[d] = kn_interpolate_lack(g->node[d], first[d], v);
    }
    s.first = (first[0] * g->half[1] + first[1]) * g->half[2] + first[2];
    for (int i = 0; i < KN_LINES; i++) {
        for (int k = 0; k < KN_POINTS; k++)
            s.value[i][k] = weight[0][i / KN_POINTS] * weight[1][i % KN_POINTS] * weight[2][k];
        s.value[i][KN_POINTS] = 0;
    }
    return s;
}

static inline int line_of(const struct kn_assembly *g, const struct stencil *s, int i)
{
    return s->first + kn_interpolate_line(g->half, i);
}

/* -------------------------------------------------------------------- directions */

/* Gauss-Legendre points and weights on (-1, 1), by Newton's method. */
static void fill_gauss(int n, double *at, double *weight)
{
    for (int i = 0; i < n; i++) {
        double x = cos(M_PI * (i + 0.75) / (n + 0.5)), slope = 1;
        for (int turn = 0; turn < 12; turn++) {
            double before = 1, p = x;
            for (int k = 2; k <= n; k++) {
                const double next = ((2 * k - 1) * x * p - (k - 1) * before) / k;
                before = p;
                p = next;
            }
            slope = n * (x * p - before) / (x * x - 1);
            x -= p / slope;
        }
        at[i] = x;
        weight[i] = 2 / ((1 - x * x) * slope * slope);
    }
}

/* Half of the sphere, three faces of a cube: opposite directions exchange the two
 * particles.  Gauss points in the angles of each face; no axis is preferred. */
static void fill_directions(struct kn_direction *directions)
{
    double at[KN_OPERATOR_FACE], gauss[KN_OPERATOR_FACE], total = 0;
    fill_gauss(KN_OPERATOR_FACE, at, gauss);
    for (int n = 0; n < DIRECTIONS; n++) {
        const int face = n / (KN_OPERATOR_FACE * KN_OPERATOR_FACE),
                  i = n / KN_OPERATOR_FACE % KN_OPERATOR_FACE, j = n % KN_OPERATOR_FACE;
        const double x = tan(M_PI / 4 * at[i]), y = tan(M_PI / 4 * at[j]), r = sqrt(1 + x * x + y * y);
        struct kn_direction *d = &directions[n];
        d->k[face] = 1 / r;
        d->k[(face + 1) % 3] = x / r;
        d->k[(face + 2) % 3] = y / r;
        d->weight = gauss[i] * gauss[j] * (1 + x * x) * (1 + y * y) / (r * r * r);
        total += d->weight;
    }
    for (int n = 0; n < DIRECTIONS; n++)
        directions[n].weight /= total;
}

/* ----------------------------------------------------------------------- assembly */

/* Sums of c d d^T, d = interpolation after the collision less that before, theory (44):
 * [size][size] for each way in which the octants of the two nodes differ.  With what d
 * lacks of the cubes, e = D v^3 - d.v^3 along each axis: sums of c e d and c e e. */
struct sums {
    double *part[KN_PARITIES];
    double *lack[3]; /* [size] */
    double *square;  /* [3] */
};

/* coefficient * a b^T, without the symmetric half where a and b differ. */
static inline void add_product(const struct kn_assembly *g, const struct stencil *a, const struct stencil *b,
                               double coefficient, double *sum)
{
    for (int i = 0; i < KN_STENCIL; i++) {
        const size_t row = (size_t)(line_of(g, a, i / KN_POINTS) + i % KN_POINTS) * (size_t)g->size;
        const double scaled = coefficient * a->value[i / KN_POINTS][i % KN_POINTS];
        for (int j = 0; j < KN_LINES; j++) {
            line *to = (line *)(sum + row + line_of(g, b, j));
            *to += scaled * *(const line *)b->value[j];
        }
    }
}

/* coefficient * a times the unit vector of node k. */
static inline void add_column(const struct kn_assembly *g, const struct stencil *a, double coefficient, int k,
                              double *sum)
{
    for (int i = 0; i < KN_STENCIL; i++)
        sum[(size_t)(line_of(g, a, i / KN_POINTS) + i % KN_POINTS) * (size_t)g->size + (size_t)k] +=
            coefficient * a->value[i / KN_POINTS][i % KN_POINTS];
}

static inline double signed_in(int octant, int axis, double value)
{
    return (octant >> axis & 1) ? -value : value;
}

/* coefficient * e times d, and times e, for a collision that ends in x and y. */
static inline void add_lack(const struct kn_assembly *g, const struct stencil *x, const struct stencil *y,
                            double coefficient, const struct kn_pair *p, struct sums *s)
{
    for (int d = 0; d < 3; d++) {
        const double error = x->error[d] + y->error[d], scaled = coefficient * error;
        const double at_x = signed_in(x->octant, d, scaled), at_y = signed_in(y->octant, d, scaled);
        for (int i = 0; i < KN_LINES; i++) {
            *(line *)(s->lack[d] + line_of(g, x, i)) += at_x * *(const line *)x->value[i];
            *(line *)(s->lack[d] + line_of(g, y, i)) += at_y * *(const line *)y->value[i];
        }
        s->lack[d][p->a] -= scaled;
        s->lack[d][p->b] -= signed_in(p->octant, d, scaled);
        s->square[d] += scaled * error;
    }
}

/* All collisions of a pair of nodes. */
KN_CLONED static void add_pair(const struct kn_assembly *g, int a, int b, int octant, struct sums *s)
{
    const struct kn_pair p = kn_pair_of(g, a, b, octant);
    const size_t n = (size_t)g->size;
    if (p.relative == 0)
        return; /* nothing changes */
    for (int i = 0; i < g->ndirections; i++) {
        const struct kn_direction *direction = &g->directions[i];
        const struct stencil x = stencil_after(g, &p, direction, 0), y = stencil_after(g, &p, direction, 1);
        const double c = p.rate * direction->weight;
        add_lack(g, &x, &y, c, &p, s);
        add_product(g, &x, &x, c, s->part[0]);
        add_product(g, &y, &y, c, s->part[0]);
        add_product(g, &x, &y, 2 * c, s->part[x.octant ^ y.octant]);
        add_column(g, &x, -2 * c, a, s->part[x.octant]);
        add_column(g, &y, -2 * c, a, s->part[y.octant]);
        add_column(g, &x, -2 * c, b, s->part[x.octant ^ octant]);
        add_column(g, &y, -2 * c, b, s->part[y.octant ^ octant]);
    }
    s->part[0][(size_t)a * n + (size_t)a] += p.rate;
    s->part[0][(size_t)b * n + (size_t)b] += p.rate;
    s->part[octant][(size_t)a * n + (size_t)b] += 2 * p.rate;
}

/* Doubles of one set of sums.  A line may reach one beyond the end of its sum. */
static size_t sums_length(const struct kn_assembly *g)
{
    return KN_PARITIES * (size_t)g->size * (size_t)g->size + 3 * (size_t)g->size + 3;
}

/* Sums are formed apart and added in order, whatever the number of threads: as many as
 * threads may want, but no more than 2 GB. */
static int parts_of(const struct kn_assembly *g)
{
    const double most = 2e9 / ((double)sums_length(g) * sizeof(double));
    return most < 1 ? 1 : most > PARTS ? PARTS : (int)most;
}

static struct sums carve(const struct kn_assembly *g, double *memory)
{
    const size_t n = (size_t)g->size;
    struct sums s;
    for (size_t x = 0; x < KN_PARITIES; x++)
        s.part[x] = memory + x * n * n;
    for (size_t d = 0; d < 3; d++)
        s.lack[d] = memory + KN_PARITIES * n * n + d * n;
    s.square = memory + KN_PARITIES * n * n + 3 * n;
    return s;
}

/* The matrices of all parities into memory[KN_PARITIES][size][size]: sums over the
 * differences of octants with signs, symmetric, times -1/4 between W^(-1/2). */
static void combine(const struct kn_assembly *g, int threads, double *memory)
{
    const size_t n = (size_t)g->size;
    const struct sums s = carve(g, memory);
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double difference[KN_PARITIES], scale = -0.25 / sqrt(g->weight[i] * g->weight[j]);
            for (int x = 0; x < KN_PARITIES; x++)
                difference[x] = 0.5 * (s.part[x][i * n + j] + s.part[x][j * n + i]);
            for (int p = 0; p < KN_PARITIES; p++) {
                double sum = 0;
                for (int x = 0; x < KN_PARITIES; x++)
                    sum += __builtin_popcount((unsigned)(p & x)) % 2 ? -difference[x] : difference[x];
                s.part[p][i * n + j] = s.part[p][j * n + i] = scale * sum;
            }
        }
}

static bool tell(const struct kn_listener *listener, double part)
{
    return !listener || listener->hear(listener->to, part);
}

/* The sums on the CPU. */
static enum kn_status add_pairs(const struct kn_assembly *g, int threads, const struct kn_listener *listener,
                                double *sums)
{
    const size_t length = sums_length(g);
    const int parts = parts_of(g);
    double *memory = calloc((size_t)parts * length, sizeof *memory);
    if (!memory)
        return kn_error_set(KN_EMEMORY, "collision.method: no memory to assemble the operator (%.2g GB)",
                            (double)parts * (double)(length * sizeof *memory) / 1e9);
    double done = 0;
    bool wanted = tell(listener, 0);
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (int part = 0; part < parts; part++) {
        struct sums s = carve(g, memory + (size_t)part * length);
        for (int a = part; a < g->size; a += parts) {
            bool go_on;
#pragma omp atomic read
            go_on = wanted;
            for (int b = a; b < g->size && go_on; b++)
                for (int octant = 0; octant < KN_PARITIES; octant++)
                    add_pair(g, a, b, octant, &s);
#pragma omp critical
            {
                done += 2.0 * (g->size - a) / (g->size * (g->size + 1.0));
                go_on = go_on && tell(listener, done);
            }
            if (!go_on) {
#pragma omp atomic write
                wanted = false;
            }
        }
    }
    if (!wanted) {
        free(memory);
        return kn_error_set(KN_EINTERRUPTED, "interrupted while the collision operator was assembled");
    }
    memset(sums, 0, length * sizeof *sums);
    for (int part = 0; part < parts; part++)
        for (size_t i = 0; i < length; i++)
            sums[i] += memory[(size_t)part * length + i];
    free(memory);
    return KN_OK;
}

/* The sums on a machine that can, else here; where it fails, a note says why. */
static enum kn_status assemble(struct kn_operator *o, const struct kn_assembly *g, int threads,
                               const struct kn_backend *machine, const struct kn_listener *listener,
                               double *sums)
{
    if (machine && machine->assemble) {
        const enum kn_status status = machine->assemble(g, listener, sums);
        o->origin = machine->name;
        if (status == KN_OK || status == KN_EINTERRUPTED)
            return status;
        snprintf(o->note, sizeof o->note, "the collision operator is assembled on the CPU: %s",
                 kn_error_message());
    }
    o->origin = kn_backend_cpu.name;
    return add_pairs(g, threads, listener, sums);
}

/* ------------------------------------------------------------------- the spectrum */

/* The axis along which alone functions of this parity are odd, or -1. */
static int axis_of(int parity)
{
    return parity == 1 ? 0 : parity == 2 ? 1 : parity == 4 ? 2 : -1;
}

/* d + e phi in place of d, which makes the cubes of an axis exact; phi = v^3 - a v is
 * orthogonal to v, and to all other polynomials of third degree, theory (44a).  Not with
 * three nodes on the half axis, which do not integrate phi^2. */
static void correct_cubes(const struct kn_assembly *g, int axis, const struct sums *s, double *matrix,
                          double *phi)
{
    const double *lack = s->lack[axis];
    const size_t n = (size_t)g->size;
    double second = 0, fourth = 0, norm = 0, v[3];
    if (g->half[axis] <= KN_POINTS)
        return;
    for (size_t k = 0; k < n; k++) {
        kn_pair_velocity(g, (int)k, 0, v);
        second += g->weight[k] * v[axis] * v[axis];
        fourth += g->weight[k] * pow(v[axis], 4);
    }
    for (size_t k = 0; k < n; k++) {
        kn_pair_velocity(g, (int)k, 0, v);
        phi[k] = g->weight[k] * (pow(v[axis], 3) - fourth / second * v[axis]);
        norm += phi[k] * pow(v[axis], 3);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            matrix[i * n + j] -= 0.25 / sqrt(g->weight[i] * g->weight[j]) *
                                 ((lack[i] + 0.5 * s->square[axis] / norm * phi[i]) * phi[j] / norm +
                                  (lack[j] + 0.5 * s->square[axis] / norm * phi[j]) * phi[i] / norm);
}

/* An invariant of this parity as a vector in the product of the octant, if there is one:
 * 1 and v.v are even, a component of the velocity is odd along its axis alone. */
static bool invariant(const struct kn_assembly *g, int parity, int which, double *vector)
{
    const int axis = axis_of(parity);
    if ((parity == 0 && which > 1) || (parity != 0 && (axis < 0 || which > 0)))
        return false;
    for (int k = 0; k < g->size; k++) {
        double v[3];
        kn_pair_velocity(g, k, 0, v);
        const double square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
        vector[k] = sqrt(g->weight[k]) * (axis >= 0 ? v[axis] : which == 0 ? 1 : square);
    }
    return true;
}

static double product(int n, const double *a, const double *b)
{
    double sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[k] * b[k];
    return sum;
}

/* Take an invariant, made a unit vector orthogonal to `before`, out of a symmetric
 * matrix; returns its residual.  (1 - u u^T) A (1 - u u^T). */
static double take_out(int n, double *u, const double *before, double *image, double *matrix)
{
    double residual = 0;
    const double along = before ? product(n, u, before) : 0;
    for (int k = 0; k < n && before; k++)
        u[k] -= along * before[k];
    const double length = sqrt(product(n, u, u));
    for (int k = 0; k < n; k++)
        u[k] /= length;
    for (int i = 0; i < n; i++) {
        image[i] = product(n, matrix + (size_t)i * (size_t)n, u);
        residual = fmax(residual, fabs(image[i]));
    }
    const double inner = product(n, image, u);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            matrix[(size_t)i * (size_t)n + (size_t)j] +=
                inner * u[i] * u[j] - image[i] * u[j] - u[i] * image[j];
    return residual;
}

/* The invariants exactly in the null space; returns their largest residual before. */
static double clean(const struct kn_assembly *g, int parity, double *matrix, double *space)
{
    const int n = g->size;
    double *first = space, *second = space + n, *image = space + 2 * (size_t)n, residual = 0;
    if (invariant(g, parity, 0, first))
        residual = take_out(n, first, NULL, image, matrix);
    if (invariant(g, parity, 1, second))
        residual = fmax(residual, take_out(n, second, first, image, matrix));
    return residual;
}

/* Eigenvectors and rates of a parity.  The matrix is a sum of -d d^T: rates above 0
 * are rounding. */
static enum kn_status diagonalise(struct kn_operator *o, int parity, const double *matrix)
{
    const size_t n = (size_t)o->size;
    memcpy(o->vector[parity], matrix, n * n * sizeof *matrix);
    /* by columns: the vectors come out as rows of ours */
    const int failed =
        LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'U', o->size, o->vector[parity], o->size, o->rate[parity]);
    if (failed)
        return kn_error_set(KN_ENUMERIC, "collision.method: no eigenvalues of the operator (LAPACK %d)",
                            failed);
    for (size_t i = 0; i < n; i++)
        o->rate[parity][i] = fmin(o->rate[parity][i], 0);
    return KN_OK;
}

/* -<f, L^-1 f> for a function of this parity that is orthogonal to the invariants. */
static double resistance(const struct kn_operator *o, int parity, const double *f)
{
    const double slowest = 1e-6 * o->rate[parity][0]; /* invariants are slower */
    double sum = 0;
    for (int i = 0; i < o->size; i++) {
        const double part = product(o->size, o->vector[parity] + (size_t)i * (size_t)o->size, f);
        sum -= o->rate[parity][i] < slowest ? part * part / o->rate[parity][i] : 0;
    }
    return sum;
}

/* Viscosity and Prandtl number of the grid, theory (45). */
static void find_transport(struct kn_operator *o, const struct kn_assembly *g, double *f)
{
    for (int k = 0; k < g->size; k++) {
        double v[3];
        kn_pair_velocity(g, k, 0, v);
        f[k] = sqrt(8 * g->weight[k]) * v[0] * v[1];
    }
    o->viscosity = 4 * resistance(o, 1 | 2, f);
    for (int k = 0; k < g->size; k++) {
        double v[3];
        kn_pair_velocity(g, k, 0, v);
        f[k] = sqrt(8 * g->weight[k]) * v[0] * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2] - 2.5);
    }
    o->prandtl = 1.25 * o->viscosity / resistance(o, 1, f);
}

static enum kn_status decompose(struct kn_operator *o, const struct kn_assembly *g, double *matrices)
{
    enum kn_status status = KN_OK;
    double *space = malloc(3 * (size_t)g->size * sizeof *space);
    const struct sums s = carve(g, matrices);
    if (!space)
        return kn_error_set(KN_EMEMORY, "collision.method: no memory for the operator");
    for (int p = 0; p < KN_PARITIES && status == KN_OK; p++) {
        if (axis_of(p) >= 0)
            correct_cubes(g, axis_of(p), &s, s.part[p], space);
        const double residual = clean(g, p, s.part[p], space);
        status = diagonalise(o, p, s.part[p]);
        o->defect = fmax(o->defect, residual / -o->rate[p][0]);
    }
    if (status == KN_OK)
        find_transport(o, g, space);
    free(space);
    return status;
}

/* ------------------------------------------------------------------ the whole thing */

static enum kn_status allocate(struct kn_operator *o)
{
    const size_t n = (size_t)o->size;
    bool whole = (o->weight = calloc(n, sizeof *o->weight)) != NULL;
    for (int p = 0; p < KN_PARITIES; p++) {
        o->vector[p] = calloc(n * n, sizeof *o->vector[p]);
        o->rate[p] = calloc(n, sizeof *o->rate[p]);
        whole = whole && o->vector[p] && o->rate[p];
    }
    return whole ? KN_OK : kn_error_set(KN_EMEMORY, "collision.method: no memory for the operator");
}

/* The weights of the grid without folding. */
static void unfold(const struct kn_velocity *v, double *weight)
{
    for (int k = 0; k < v->size; k++) {
        int at[3];
        kn_interpolate_place(v->half, k, at);
        weight[k] = 1;
        for (int d = 0; d < 3; d++)
            weight[k] *= v->weight[d][at[d]] / (v->bit[d] ? 1 : 2);
    }
}

static enum kn_status make(struct kn_operator *o, const struct kn_assembly *g, int threads,
                           const struct kn_backend *machine, const struct kn_listener *listener)
{
    double *matrices = malloc(sums_length(g) * sizeof *matrices);
    if (!matrices)
        return kn_error_set(KN_EMEMORY, "collision.method: no memory for the operator");
    const int usual = openblas_get_num_threads();
    enum kn_status status = assemble(o, g, threads, machine, listener, matrices);
    if (status == KN_OK)
        combine(g, threads, matrices);
    openblas_set_num_threads(1); /* the same bits for any number of threads */
    if (status == KN_OK)
        status = decompose(o, g, matrices);
    openblas_set_num_threads(usual);
    free(matrices);
    return status;
}

enum kn_status kn_operator_create(struct kn_operator *o, const struct kn_case *c, const struct kn_velocity *v,
                                  const struct kn_backend *machine, const struct kn_listener *listener)
{
    struct kn_direction directions[DIRECTIONS];
    enum kn_status status;
    const struct kn_kernel kernel = kn_molecules_kernel(c);
    *o = (struct kn_operator){.size = v->size,
                              .scale = 1,
                              .strength = kernel.strength,
                              .exponent = kernel.exponent,
                              .origin = "cache"};
    for (int d = 0; d < 3; d++)
        if (v->half[d] < KN_POINTS || 2 * v->half[d] > KN_OPERATOR_NODES)
            return kn_error_set(KN_EINPUT,
                                "velocity.nodes: %d, but the operator needs %d to %d along an axis",
                                2 * v->half[d], 2 * KN_POINTS, KN_OPERATOR_NODES);
    if ((status = allocate(o)) != KN_OK)
        return status;
    unfold(v, o->weight);
    fill_directions(directions);
    const struct kn_assembly g = {{v->half[0], v->half[1], v->half[2]},
                                  v->size,
                                  {v->node[0], v->node[1], v->node[2]},
                                  o->weight,
                                  o->strength,
                                  o->exponent,
                                  directions,
                                  DIRECTIONS};
    const int threads = c->run.threads > 0 ? c->run.threads : omp_get_max_threads();
    if (!kn_operator_load(o, v)) {
        if ((status = make(o, &g, threads, machine, listener)) != KN_OK)
            return status;
        kn_operator_save(o, v);
        (void)tell(listener, 1); /* only now it is whole */
    }
    o->scale = c->collision.rescale ? o->viscosity : 1;
    return KN_OK;
}

double kn_operator_memory(const struct kn_velocity *v)
{
    const struct kn_assembly g = {.size = v->size};
    return (double)(parts_of(&g) + 2) * (double)sums_length(&g) * sizeof(double);
}

void kn_operator_destroy(struct kn_operator *o)
{
    for (int p = 0; p < KN_PARITIES; p++) {
        free(o->vector[p]);
        free(o->rate[p]);
    }
    free(o->weight);
    *o = (struct kn_operator){0};
}

int kn_operator_parity(const struct kn_velocity *v, int odd)
{
    int parity = 0;
    for (int d = 0; d < 3; d++)
        parity |= (v->bit[d] & odd) != 0 ? 1 << d : 0;
    return parity;
}

enum kn_status kn_operator_change(const struct kn_operator *o, int parity, double dt, float *matrix)
{
    const size_t n = (size_t)o->size;
    double *scaled = calloc(2 * n * n, sizeof *scaled);
    if (!scaled)
        return kn_error_set(KN_EMEMORY, "collision.method: no memory for a step of the operator");
    double *change = scaled + n * n;
    for (size_t i = 0; i < n; i++) {
        const double factor = expm1(o->scale * o->rate[parity][i] * dt);
        for (size_t k = 0; k < n; k++)
            scaled[i * n + k] = factor * o->vector[parity][i * n + k];
    }
    const int usual = openblas_get_num_threads();
    openblas_set_num_threads(1);
    cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, o->size, o->size, o->size, 1, o->vector[parity],
                o->size, scaled, o->size, 0, change, o->size);
    openblas_set_num_threads(usual);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            matrix[i * n + j] = (float)(change[i * n + j] * sqrt(o->weight[j] / o->weight[i]));
    free(scaled);
    return KN_OK;
}
