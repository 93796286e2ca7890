/* Assembles and diagonalises the linear collision operator, theory section 12. */
#include "collision/operator.h"

#include "collision/images.h"
#include "collision/molecules.h"
#include "collision/operator_sums.h"
#include "collision/polynomials.h"
#include "collision/rules.h"
#include "error.h"

#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIRECTIONS = 3 * KN_OPERATOR_FACE * KN_OPERATOR_FACE, ISOTROPIC_DEGREE = 10 };

static enum kn_status no_memory(void)
{
    return kn_error_set(KN_EMEMORY, "collision.method: no memory for the operator");
}

/* Half of the sphere, as three faces of a cube: opposite directions exchange the two particles. Gauss
 * points in the angles of each face; no axis is preferred. */
static enum kn_status fill_directions(struct kn_direction *directions)
{
    double at[KN_OPERATOR_FACE], gauss[KN_OPERATOR_FACE], total = 0;
    KN_TRY(kn_rules_legendre(KN_OPERATOR_FACE, at, gauss));
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
    return KN_OK;
}

/* The matrices of all parities, memory[KN_PARITIES][size][size]: sums over the differences of octants with
 * signs, symmetrised, times -1/4 between W^(-1/2). */
static void combine(const struct kn_assembly *g, int threads, double *memory)
{
    const size_t n = (size_t)g->size, square = n * n;
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double difference[KN_PARITIES], scale = -0.25 / sqrt(g->weight[i] * g->weight[j]);
            double *above = memory + i * n + j, *below = memory + j * n + i;
            for (size_t x = 0; x < KN_PARITIES; x++)
                difference[x] = 0.5 * (above[x * square] + below[x * square]);
            for (size_t p = 0; p < KN_PARITIES; p++) {
                double sum = 0;
                for (size_t x = 0; x < KN_PARITIES; x++)
                    sum += __builtin_popcount((unsigned)(p & x)) % 2 ? -difference[x] : difference[x];
                above[p * square] = below[p * square] = scale * sum;
            }
        }
}

/* The sums by the assembler of the first rank, which takes about a second. */
static enum kn_status assemble_there(struct kn_operator *o, const struct kn_assembly *g,
                                     const struct kn_assembler *assembler,
                                     const struct kn_progress_callback *progress, double *sums, bool *made)
{
    const enum kn_status status = assembler->assemble(g, progress, sums);
    *made = status == KN_OK;
    if (*made)
        snprintf(o->origin, sizeof o->origin, "%s", assembler->name);
    if (*made || status == KN_EINTERRUPTED)
        return status;
    snprintf(o->note, sizeof o->note, "the collision operator is assembled on the CPU: %s",
             kn_error_message());
    return KN_OK;
}

/* The sums for all ranks, by the assembler or by the CPUs; if the assembler fails, a note gives the
 * reason. */
static enum kn_status assemble(struct kn_operator *o, const struct kn_assembly *g, const struct kn_comm *comm,
                               int threads, const struct kn_assembler *assembler,
                               const struct kn_progress_callback *progress, double *sums)
{
    enum kn_status status = KN_OK;
    bool made = false;
    snprintf(o->origin, sizeof o->origin, "cpu");
    if (comm->rank == 0 && assembler)
        status = assemble_there(o, g, assembler, progress, sums, &made);
    kn_comm_barrier(comm); /* other ranks sleep here */
    if ((status = kn_comm_agree(comm, status)) != KN_OK)
        return status;
    kn_comm_broadcast(comm, 0, &made, sizeof made);
    if (!made)
        return kn_operator_sums_add(g, comm, threads, progress, sums);
    kn_comm_broadcast(comm, 0, sums, kn_operator_sums_length(g) * sizeof *sums);
    return KN_OK;
}

/* The only axis along which functions of this parity are odd, or -1. */
static int axis_of(int parity)
{
    return parity == 1 ? 0 : parity == 2 ? 1 : parity == 4 ? 2 : -1;
}

/* Exact matrix elements between polynomials, minus those of the matrix. `rows` and `images` are
 * [count][size], `difference` is [count][count]. */
static void find_differences(const struct kn_assembly *g, const struct kn_elements *e,
                             const struct kn_polynomials *p, const double *matrix, const double *rows,
                             double *images, double *difference)
{
    static const struct kn_hermite one = {{0, 0, 0}};
    const int n = g->size;
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, p->count, n, n, 1, rows, n, matrix, n, 0, images,
                n);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, p->count, p->count, n, -1, images, n, rows, n, 0,
                difference, p->count);
    for (int a = 0; a < p->nterms; a++)
        for (int b = 0; b < p->nterms; b++)
            difference[p->of[a] * p->count + p->of[b]] +=
                2 * p->coefficient[a] * p->coefficient[b] * kn_elements_value(e, p->term[a], p->term[b], one);
}

/* Make collisions of polynomials exact, theory (44a); isotropic ones, which relax a uniform gas, up to the
 * degree of the elements. */
static enum kn_status make_exact(const struct kn_assembly *g, const struct kn_elements *e, int degree,
                                 int parity, double *matrix)
{
    struct kn_polynomials p = kn_polynomials_of(degree, parity);
    for (int even = degree / 2 * 2 + 2; parity == 0 && even <= e->degree; even += 2)
        kn_polynomials_add_isotropic(&p, even);
    const int n = g->size;
    const size_t length = (size_t)p.count * (size_t)n;
    double *rows = calloc(2 * length + (size_t)(p.count * p.count) + 1, sizeof *rows);
    if (!rows)
        return no_memory();
    double *images = rows + length, *difference = images + length;
    kn_polynomials_fill(g, &p, rows);
    kn_polynomials_orthonormalise(p.count, n, rows);
    if (p.count > 0) {
        find_differences(g, e, &p, matrix, rows, images, difference);
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, p.count, n, p.count, 1, difference, p.count,
                    rows, n, 0, images, n);
        cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, n, n, p.count, 1, rows, n, images, n, 1, matrix,
                    n);
    }
    free(rows);
    return KN_OK;
}

/* x -= its part in the span of orthonormal rows, x[count][n]; `inner` is [count][count]. */
static void take_rows_out(int count, int n, const double *rows, double *inner, double *x)
{
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, count, count, n, 1, x, n, rows, n, 0, inner, count);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, count, n, count, -1, inner, count, rows, n, 1, x,
                n);
}

/* Give polynomials their images at every node, theory (44b). `images`, [count][size], is overwritten. */
static enum kn_status insert_images(const struct kn_assembly *g, int degree, int parity, double *images,
                                    double *matrix)
{
    const struct kn_polynomials p = kn_polynomials_of(degree, parity);
    const int n = g->size;
    const size_t length = (size_t)p.count * (size_t)n;
    double *rows = calloc(2 * length + (size_t)(p.count * p.count) + 1, sizeof *rows);
    if (!rows)
        return no_memory();
    double *raw = rows + length, *inner = raw + length;
    kn_polynomials_fill(g, &p, rows);
    memcpy(raw, rows, length * sizeof *raw);
    kn_polynomials_orthonormalise(p.count, n, rows);
    for (int i = 0; i < p.count * n; i++)
        images[i] *= sqrt(8 * g->weight[i % n]);
    if (p.count > 0) {
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, p.count, p.count, n, 1, raw, n, rows, n, 0,
                    inner, p.count);
        cblas_dtrsm(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, p.count, n, 1, inner,
                    p.count, images, n);
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, p.count, n, n, -1, rows, n, matrix, n, 1,
                    images, n);
        take_rows_out(p.count, n, rows, inner, images);
        cblas_dsyr2k(CblasRowMajor, CblasUpper, CblasTrans, n, p.count, 1, rows, n, images, n, 1, matrix, n);
    }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            matrix[i * n + j] = matrix[j * n + i];
    free(rows);
    return KN_OK;
}

/* An invariant of this parity as a vector in the inner product of the octant, if there is one: 1 and v.v
 * are even, a component of the velocity is odd along its axis only. */
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

/* Project an invariant, normalised and orthogonal to `before`, out of a symmetric matrix: (1 - u u^T) A (1
 * - u u^T). Returns its residual. */
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

/* Make the null space contain the invariants exactly; returns their largest residual before. */
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

/* Eigenvectors and rates of a parity. The matrix is a sum of -d d^T: rates above 0 are round-off. */
static enum kn_status diagonalise(struct kn_operator *o, int parity, const double *matrix)
{
    const size_t n = (size_t)o->size;
    memcpy(o->vector[parity], matrix, n * n * sizeof *matrix);
    /* column-major: the vectors are rows of our matrix */
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

/* The parities of this rank, one of comm->size. `images` are those of all products up to `degree`. */
static enum kn_status decompose(struct kn_operator *o, const struct kn_assembly *g,
                                const struct kn_comm *comm, int degree, double *images, double *matrices,
                                double *space)
{
    struct kn_elements elements;
    enum kn_status status =
        kn_elements_create(&elements, ISOTROPIC_DEGREE, false, (struct kn_kernel){o->strength, o->exponent});
    for (int p = 0; p < KN_PARITIES && status == KN_OK; p++) {
        double *matrix = matrices + (size_t)p * (size_t)g->size * (size_t)g->size;
        if (p % comm->size == comm->rank) {
            if ((status = make_exact(g, &elements, o->degree, p, matrix)) != KN_OK ||
                (status = insert_images(g, degree, p, images, matrix)) != KN_OK)
                break;
            const double residual = clean(g, p, matrix, space);
            status = diagonalise(o, p, matrix);
            o->defect = fmax(o->defect, residual / -o->rate[p][0]);
        }
        images += (size_t)kn_elements_list(degree, p, NULL) * (size_t)g->size;
    }
    kn_elements_destroy(&elements);
    return status;
}

/* Broadcast parity p from rank p % owners. */
static void share_parities(struct kn_operator *o, const struct kn_comm *comm, int owners)
{
    const size_t n = (size_t)o->size;
    for (int p = 0; p < KN_PARITIES; p++) {
        kn_comm_broadcast(comm, p % owners, o->rate[p], n * sizeof *o->rate[p]);
        kn_comm_broadcast(comm, p % owners, o->vector[p], n * n * sizeof *o->vector[p]);
    }
}

/* Broadcast the other results of the first rank. */
static void share_facts(struct kn_operator *o, const struct kn_comm *comm)
{
    kn_comm_broadcast(comm, 0, &o->viscosity, sizeof o->viscosity);
    kn_comm_broadcast(comm, 0, &o->prandtl, sizeof o->prandtl);
    kn_comm_broadcast(comm, 0, &o->defect, sizeof o->defect);
    kn_comm_broadcast(comm, 0, o->origin, sizeof o->origin);
    kn_comm_broadcast(comm, 0, o->note, sizeof o->note);
}

/* The maximum over all ranks. */
static void find_defect(struct kn_operator *o, const struct kn_comm *comm)
{
    for (int rank = 0; rank < comm->size && rank < KN_PARITIES; rank++) {
        double defect = o->defect;
        kn_comm_broadcast(comm, rank, &defect, sizeof defect);
        o->defect = fmax(o->defect, defect);
    }
}

/* The spectrum of the matrices. Each number is computed by one rank: different processors may round
 * differently, and all ranks must have the same operator. */
static enum kn_status find_spectrum(struct kn_operator *o, const struct kn_assembly *g,
                                    const struct kn_comm *comm, int threads, double *matrices, double *space)
{
    const int degree = kn_images_degree(g->half);
    double *images = calloc((size_t)kn_images_count(degree) * (size_t)g->size, sizeof *images);
    enum kn_status status = images ? kn_images_fill(g, degree, threads, images) : no_memory();
    if (status == KN_OK && images)
        status = decompose(o, g, comm, degree, images, matrices, space);
    free(images);
    kn_comm_barrier(comm);
    if ((status = kn_comm_agree(comm, status)) == KN_OK) {
        share_parities(o, comm, comm->size);
        find_defect(o, comm);
        if (comm->rank == 0)
            find_transport(o, g, space);
        share_facts(o, comm);
    }
    return status;
}

static enum kn_status allocate(struct kn_operator *o)
{
    const size_t n = (size_t)o->size;
    bool whole = (o->weight = calloc(n, sizeof *o->weight)) != NULL;
    for (int p = 0; p < KN_PARITIES; p++) {
        o->vector[p] = calloc(n * n, sizeof *o->vector[p]);
        o->rate[p] = calloc(n, sizeof *o->rate[p]);
        whole = whole && o->vector[p] && o->rate[p];
    }
    return whole ? KN_OK : no_memory();
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

static enum kn_status make(struct kn_operator *o, const struct kn_assembly *g, const struct kn_comm *comm,
                           int threads, const struct kn_assembler *assembler,
                           const struct kn_progress_callback *progress)
{
    const size_t length = kn_operator_sums_length(g);
    double *matrices = malloc((length + 3 * (size_t)g->size) * sizeof *matrices);
    enum kn_status status = kn_comm_agree(comm, matrices ? KN_OK : no_memory());
    if (status == KN_OK && matrices && /* one implies the other */
        (status = assemble(o, g, comm, threads, assembler, progress, matrices)) == KN_OK) {
        const int usual = openblas_get_num_threads();
        combine(g, threads, matrices);
        openblas_set_num_threads(1); /* the same bits for any number of threads */
        status = find_spectrum(o, g, comm, threads, matrices, matrices + length);
        openblas_set_num_threads(usual);
    }
    free(matrices);
    return status;
}

/* Read the cache of the first rank; false on all ranks if it has no entry. */
static bool recall(struct kn_operator *o, const struct kn_velocity *v, const struct kn_comm *comm)
{
    bool found = comm->rank == 0 && kn_operator_load(o, v);
    kn_comm_broadcast(comm, 0, &found, sizeof found);
    if (!found)
        return false;
    share_parities(o, comm, 1);
    share_facts(o, comm);
    return true;
}

enum kn_status kn_operator_create(struct kn_operator *o, const struct kn_case *c, const struct kn_velocity *v,
                                  const struct kn_comm *comm, const struct kn_assembler *assembler,
                                  const struct kn_progress_callback *progress)
{
    struct kn_direction directions[DIRECTIONS];
    const struct kn_kernel kernel = kn_molecules_kernel(c);
    *o = (struct kn_operator){.size = v->size,
                              .scale = 1,
                              .degree = kn_polynomials_degree(v->half),
                              .strength = kernel.strength,
                              .exponent = kernel.exponent,
                              .origin = "cache"};
    for (int d = 0; d < 3; d++)
        if (v->half[d] < KN_STENCIL_POINTS || 2 * v->half[d] > KN_OPERATOR_NODES)
            return kn_error_set(KN_EINPUT,
                                "velocity.nodes: %d, but the operator needs %d to %d along an axis",
                                2 * v->half[d], 2 * KN_STENCIL_POINTS, KN_OPERATOR_NODES);
    KN_TRY(kn_comm_agree(comm, allocate(o)));
    unfold(v, o->weight);
    KN_TRY(kn_comm_agree(comm, fill_directions(directions)));
    const struct kn_assembly g = {{v->half[0], v->half[1], v->half[2]},
                                  v->size,
                                  {v->node[0], v->node[1], v->node[2]},
                                  o->weight,
                                  o->strength,
                                  o->exponent,
                                  directions,
                                  DIRECTIONS};
    const int threads = c->run.threads > 0 ? c->run.threads : kn_comm_processors(comm);
    const bool known = recall(o, v, comm);
    if (!known && progress && progress->hollow) {
        snprintf(o->origin, sizeof o->origin, "none");
        o->viscosity = 1;
    } else if (!known) {
        KN_TRY(make(o, &g, comm, threads, assembler, progress));
        if (comm->rank == 0)
            kn_operator_save(o, v);
        (void)kn_progress_report(progress, 1); /* the operator is complete */
    }
    o->scale = c->collision.rescale ? o->viscosity : 1;
    return KN_OK;
}

double kn_operator_memory(const struct kn_velocity *v, const struct kn_comm *comm)
{
    const struct kn_assembly g = {.size = v->size};
    return kn_operator_sums_memory(&g, comm) + 2 * (double)kn_operator_sums_length(&g) * sizeof(double);
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

void kn_operator_change(const struct kn_operator *o, int parity, double dt, double *space, float *matrix)
{
    const size_t n = (size_t)o->size;
    double *scaled = space, *change = space + n * n;
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
}

void kn_operator_apply(const struct kn_operator *o, int parity, double dt, const double *from, double *to)
{
    const size_t n = (size_t)o->size;
    for (size_t k = 0; k < n; k++)
        to[k] = 0;
    for (size_t i = 0; i < n; i++) {
        const double *vector = o->vector[parity] + i * n;
        double along = 0;
        for (size_t k = 0; k < n; k++)
            along += vector[k] * sqrt(o->weight[k]) * from[k];
        along *= expm1(o->scale * o->rate[parity][i] * dt);
        for (size_t k = 0; k < n; k++)
            to[k] += along * vector[k] / sqrt(o->weight[k]);
    }
}
