/* Sums over all collisions, on the CPU. They are computed in parts, each in a fixed order, and the parts
 * are added in order: the bits depend neither on threads nor on ranks. */
#include "collision/operator_sums.h"

#include "error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS = 16, TOLD = 32 }; /* parts at most; pairs between two reports of progress */

/* Three nodes and padding, so that a line is one vector. */
typedef double line __attribute__((vector_size(32), aligned(8)));

/* Also compiled for wider vectors, if the compiler supports it. */
#if defined __x86_64__ && defined __GNUC__ && !defined __clang__
#define KN_CLONED __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define KN_CLONED
#endif

/* A velocity after a collision: its octant, and the interpolation of a quadratic function from the nodes
 * around it. */
struct stencil {
    int octant;
    int first;                 /* node of the lowest corner */
    double value[KN_LINES][4]; /* the fourth is 0 */
};

static inline struct stencil stencil_after(const struct kn_assembly *g, const struct kn_pair *p,
                                           const struct kn_direction *direction, int particle)
{
    double weight[3][KN_STENCIL_POINTS];
    int first[3];
    struct stencil s = {.octant = 0};
    for (int d = 0; d < 3; d++) {
        const double v = kn_pair_after(p, direction, d, particle);
        s.octant |= v < 0 ? 1 << d : 0;
        first[d] = kn_interpolate_axis(g->node[d], g->half[d], fabs(v), weight[d]);
    }
    s.first = (first[0] * g->half[1] + first[1]) * g->half[2] + first[2];
    for (int i = 0; i < KN_LINES; i++) {
        for (int k = 0; k < KN_STENCIL_POINTS; k++)
            s.value[i][k] =
                weight[0][i / KN_STENCIL_POINTS] * weight[1][i % KN_STENCIL_POINTS] * weight[2][k];
        s.value[i][KN_STENCIL_POINTS] = 0;
    }
    return s;
}

static inline int line_of(const struct kn_assembly *g, const struct stencil *s, int i)
{
    return s->first + kn_interpolate_line(g->half, i);
}

/* coefficient * a b^T, without the symmetric half if a and b differ. On small grids the padding of a line
 * is the first element of the next, which would wait for the store: every other line comes first. */
static inline void add_product(const struct kn_assembly *g, const struct stencil *a, const struct stencil *b,
                               double coefficient, double *sum)
{
    static const int order[KN_LINES] = {0, 2, 4, 6, 8, 1, 3, 5, 7};
    for (int i = 0; i < KN_STENCIL; i++) {
        const size_t row =
            (size_t)(line_of(g, a, i / KN_STENCIL_POINTS) + i % KN_STENCIL_POINTS) * (size_t)g->size;
        const double scaled = coefficient * a->value[i / KN_STENCIL_POINTS][i % KN_STENCIL_POINTS];
        for (int k = 0; k < KN_LINES; k++) {
            const int j = order[k];
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
        sum[(size_t)(line_of(g, a, i / KN_STENCIL_POINTS) + i % KN_STENCIL_POINTS) * (size_t)g->size +
            (size_t)k] += coefficient * a->value[i / KN_STENCIL_POINTS][i % KN_STENCIL_POINTS];
}

/* The sums of one difference of the octants of two nodes, [size][size]. */
static inline double *part_of(const struct kn_assembly *g, double *sums, int difference)
{
    return sums + (size_t)difference * (size_t)g->size * (size_t)g->size;
}

/* All collisions of a pair of nodes. */
KN_CLONED static void add_pair(const struct kn_assembly *g, int a, int b, int octant, double *sums)
{
    const struct kn_pair p = kn_pair_of(g, a, b, octant);
    const size_t n = (size_t)g->size;
    if (p.relative == 0)
        return; /* nothing changes */
    for (int i = 0; i < g->ndirections; i++) {
        const struct kn_direction *direction = &g->directions[i];
        const struct stencil x = stencil_after(g, &p, direction, 0), y = stencil_after(g, &p, direction, 1);
        const double c = p.rate * direction->weight;
        add_product(g, &x, &x, c, sums);
        add_product(g, &y, &y, c, sums);
        add_product(g, &x, &y, 2 * c, part_of(g, sums, x.octant ^ y.octant));
        add_column(g, &x, -2 * c, a, part_of(g, sums, x.octant));
        add_column(g, &y, -2 * c, a, part_of(g, sums, y.octant));
        add_column(g, &x, -2 * c, b, part_of(g, sums, x.octant ^ octant));
        add_column(g, &y, -2 * c, b, part_of(g, sums, y.octant ^ octant));
    }
    sums[(size_t)a * n + (size_t)a] += p.rate;
    sums[(size_t)b * n + (size_t)b] += p.rate;
    part_of(g, sums, octant)[(size_t)a * n + (size_t)b] += 2 * p.rate;
}

size_t kn_operator_sums_length(const struct kn_assembly *g)
{
    return KN_PARITIES * (size_t)g->size * (size_t)g->size +
           1; /* a line extends one element beyond the end */
}

/* As many as there may be threads, but at most 2 GB. */
static int parts_of(const struct kn_assembly *g)
{
    const double most = 2e9 / ((double)kn_operator_sums_length(g) * sizeof(double));
    return most < 1 ? 1 : most > PARTS ? PARTS : (int)most;
}

/* Node a, with all later nodes, belongs to part a % parts. */
static double pairs_of(const struct kn_assembly *g, int part)
{
    double pairs = 0;
    for (int a = part; a < g->size; a += parts_of(g))
        pairs += g->size - a;
    return pairs;
}

/* Consecutive parts of a rank; ranks from `ranks` on have none. */
struct share {
    int ranks, first, count;
    double pairs;
};

/* The first part of a rank, chosen so that all ranks have about the same number of pairs. */
static int first_of(const struct kn_assembly *g, int rank, int ranks)
{
    const double all = 0.5 * g->size * (g->size + 1.0);
    double before = 0;
    for (int part = 0; part < parts_of(g); part++) {
        const double pairs = pairs_of(g, part);
        if (before + pairs / 2 >= all * rank / ranks)
            return part;
        before += pairs;
    }
    return parts_of(g);
}

static struct share share_of(const struct kn_assembly *g, int rank, int size)
{
    const int parts = parts_of(g);
    struct share share = {.ranks = size < parts ? size : parts};
    if (rank < share.ranks) {
        share.first = first_of(g, rank, share.ranks);
        share.count = first_of(g, rank + 1, share.ranks) - share.first;
    }
    for (int part = 0; part < share.count; part++)
        share.pairs += pairs_of(g, share.first + part);
    return share;
}

double kn_operator_sums_memory(const struct kn_assembly *g, const struct kn_comm *comm)
{
    int most = 0;
    for (int rank = 0; rank < comm->size && rank < PARTS; rank++) {
        const int count = share_of(g, rank, comm->size).count;
        most = count > most ? count : most;
    }
    return (double)most * (double)kn_operator_sums_length(g) * sizeof(double);
}

/* Compute the parts of this rank, memory[count][length]. */
static enum kn_status form_parts(const struct kn_assembly *g, const struct share *share, int threads,
                                 const struct kn_progress_callback *progress, double *memory)
{
    const size_t length = kn_operator_sums_length(g);
    const int parts = parts_of(g);
    double done = 0;
    bool wanted = kn_progress_report(progress, 0);
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (int part = 0; part < share->count; part++) {
        double *sums = memory + (size_t)part * length;
        for (int a = share->first + part; a < g->size; a += parts)
            for (int from = a; from < g->size; from += TOLD) {
                const int end = from + TOLD < g->size ? from + TOLD : g->size;
                bool go_on;
#pragma omp atomic read
                go_on = wanted;
                for (int b = from; b < end && go_on; b++)
                    for (int octant = 0; octant < KN_PARITIES; octant++)
                        add_pair(g, a, b, octant, sums);
#pragma omp critical
                {
                    done += end - from;
                    go_on = go_on && kn_progress_report(progress, done / share->pairs);
                }
                if (!go_on) {
#pragma omp atomic write
                    wanted = false;
                }
            }
    }
    return wanted ? KN_OK
                  : kn_error_set(KN_EINTERRUPTED, "interrupted while the collision operator was assembled");
}

/* Add part by part, from rank to rank; the last rank has the total. */
static void add_parts(const struct kn_assembly *g, const struct share *share, const struct kn_comm *comm,
                      const double *memory, double *sums)
{
    const size_t length = kn_operator_sums_length(g), bytes = length * sizeof *sums;
    const int next = comm->rank + 1;
    if (comm->rank == 0)
        memset(sums, 0, bytes);
    else if (comm->rank < share->ranks)
        kn_comm_receive(comm, comm->rank - 1, sums, bytes);
    for (int part = 0; part < share->count; part++)
        for (size_t i = 0; i < length; i++)
            sums[i] += memory[(size_t)part * length + i];
    if (next < share->ranks)
        kn_comm_send(comm, next, sums, bytes);
    kn_comm_broadcast(comm, share->ranks - 1, sums, bytes);
}

enum kn_status kn_operator_sums_add(const struct kn_assembly *g, const struct kn_comm *comm, int threads,
                                    const struct kn_progress_callback *progress, double *sums)
{
    const struct share share = share_of(g, comm->rank, comm->size);
    const size_t length = kn_operator_sums_length(g);
    double *memory = calloc((size_t)share.count * length + 1, sizeof *memory); /* never of nothing */
    enum kn_status status =
        memory ? form_parts(g, &share, threads, progress, memory)
               : kn_error_set(KN_EMEMORY, "collision.method: no memory to assemble the operator (%.2g GB)",
                              kn_operator_sums_memory(g, comm) / 1e9);
    kn_comm_barrier(comm);                                         /* other ranks sleep here */
    if ((status = kn_comm_agree(comm, status)) == KN_OK && memory) /* one implies the other */
        add_parts(g, &share, comm, memory, sums);
    free(memory);
    return status;
}
