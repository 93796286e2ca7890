/* The inner loops of the CPU backend, compiled once per instruction set. */
#ifndef KN_CPU_KERNELS_H
#define KN_CPU_KERNELS_H

#include "backend/backend.h"
#include "collision/sampling.h"
#include "point/mesh.h"

/* Data of one streaming sweep. */
struct kn_stream_sweep {
    uint64_t number; /* of the sweep */
    const struct kn_velocity *velocity;
    const struct kn_space *space;
    const struct kn_boundary *boundary;
    struct kn_mesh mesh;
    float eps, dt;
    int order;
    enum kn_limiter limiter;
    const float *h;  /* [ncells][nnodes] before the sweep */
    float *outgoing; /* [kn_volumes_rows][nnodes] h that leaves a face that emits, in the octants away from
                        it; then h on the pieces of control volumes */
    float *lost;     /* [kn_volumes_rows] mass flux that is missing in `outgoing` due to round-off */
    double *fluxes;  /* [kn_space_fluxes][KN_FLUXES], or NULL */
};

/* Memory traffic during the computation of one cell: prefetching the next cell, and writing the finished
 * row of the preceding one without the caches. */
struct kn_traffic {
    int ahead;         /* cell; -1: nothing to read */
    const float *done; /* [nnodes] */
    float *to;         /* [nnodes]; NULL: nothing to write */
};

/* One collision sweep. */
struct kn_collisions {
    uint64_t number; /* of the sweep */
    const struct kn_case *c;
    const struct kn_velocity *velocity;
    const struct kn_collision_plan *plan;
    double dt;
    int nsamples;
    const struct kn_sample *samples;            /* [nsamples] */
    const struct kn_cpu_propagator *propagator; /* of the operator */
    const struct kn_cpu_quadratic *quadratic;
};

/* A packed matrix has its rows interleaved in groups of KN_OPERATOR_ROWS, which are multiplied together:
 * element (i, k) is at [i / KN_OPERATOR_ROWS][k][i % KN_OPERATOR_ROWS]. Missing rows are zero. */
enum { KN_OPERATOR_ROWS = 8 };

static inline int kn_cpu_packed_rows(int rows)
{
    return (rows + KN_OPERATOR_ROWS - 1) / KN_OPERATOR_ROWS * KN_OPERATOR_ROWS;
}

/* Packed matrices of the operator for one length of collision step, by parity. */
struct kn_cpu_propagator {
    double dt;                  /* -1: none */
    float *change[KN_PARITIES]; /* size x size: exp(L dt) - 1, divided by the number of octants */
    /* How the step changes polynomials, theory (47e): coefficients x coefficients, nodes x coefficients. */
    float *relaxed[KN_PARITIES], *beyond[KN_PARITIES];
    float *memory;
};

/* The quadratic part for steps of any length, by parity. Coefficients of polynomials have places: those of
 * each parity are padded to whole groups of rows. */
struct kn_cpu_quadratic {
    const struct kn_quadratic *plan;
    int count; /* places; 0: no quadratic part */
    int most_pairs;
    int polynomials[KN_PARITIES], place[KN_PARITIES];      /* their number, and the place of the first */
    struct kn_quadratic_line lines[3][KN_QUADRATIC_LINES]; /* of places */
    struct kn_quadratic_pair *pairs;                       /* of places */
    float *project[KN_PARITIES]; /* packed, polynomials x nodes: coefficients from a row */
    float *value[KN_PARITIES];   /* packed, nodes x polynomials: a row from coefficients */
    float *tensor[KN_PARITIES];  /* packed, polynomials x pairs */
    void *memory;
};

/* The propagators of the two lengths of collision step used last.  All memory is allocated at creation. */
struct kn_cpu_propagators {
    const struct kn_problem *problem;
    struct kn_cpu_propagator of[2];
    struct kn_cpu_quadratic quadratic;
    int oldest;
    float *plain;  /* [size][size] */
    double *space; /* [2][size][size] */
};

enum kn_status kn_cpu_propagators_create(struct kn_cpu_propagators *p, const struct kn_problem *problem);
void kn_cpu_propagators_destroy(struct kn_cpu_propagators *p);
double kn_cpu_propagators_memory(const struct kn_problem *p); /* bytes */

/* The matrices for a step; NULL for other methods than the operator. */
const struct kn_cpu_propagator *kn_cpu_propagators_find(struct kn_cpu_propagators *p, double dt);

/* The blocks of a collision step with the operator, one cell per lane: vectors of lanes. */
enum kn_cpu_block {
    KN_BLOCK_H,      /* nodes */
    KN_BLOCK_CHANGE, /* nodes: the function on which the linear step acts, then its change */
    KN_BLOCK_SPACE,  /* nodes of an octant */
    /* Of the quadratic part: */
    KN_BLOCK_MAXWELL,  /* nodes: the local Maxwellians */
    KN_BLOCK_GAIN,     /* nodes: change of the polynomials in the local frame */
    KN_BLOCK_LOCAL,    /* coefficients of the deviation from the local Maxwellians */
    KN_BLOCK_RELAXED,  /* coefficients: their change by the linear step */
    KN_BLOCK_MIDDLE,   /* coefficients: in the middle of the linear step */
    KN_BLOCK_SUM,      /* coefficients: their whole change */
    KN_BLOCK_PRODUCTS, /* pairs */
    KN_BLOCK_FACTORS,  /* [2 half] along each axis: factors of the local Maxwellians */
    KN_BLOCK_MAPS,     /* [3][KN_HERMITE_TERMS][KN_HERMITE_TERMS] */
    KN_BLOCKS
};

/* Lengths of the blocks in vectors. */
void kn_cpu_block_sizes(const struct kn_quadratic *q, const struct kn_velocity *v, size_t size[KN_BLOCKS]);

/* Whole pages, huge ones for large arrays.  KN_CPU_PAGE: the largest normal page size. */
enum { KN_CPU_PAGE = 1 << 16, KN_CPU_HUGE_PAGE = 1 << 21 };
size_t kn_cpu_page_bytes(size_t bytes);

/* Memory that starts at a page, a huge one if it is large; freed by free. */
void *kn_cpu_aligned(size_t count, size_t size);

struct kn_cpu_steady_kernels;

struct kn_cpu_kernels {
    const char *name;
    int lanes; /* cells that one vector holds */

    /* Samples first..first+count-1 of set `draw`. */
    void (*sample)(const struct kn_sample_plan *p, uint64_t draw, int first, int count,
                   struct kn_sample *samples);
    /* The wall pass: h that leaves one face.  All faces come before the other kernels. */
    void (*wall)(const struct kn_stream_sweep *s, int face, float *scratch);
    /* The fluxes through one wall face. */
    void (*flux)(const struct kn_stream_sweep *s, int face, float *scratch);
    /* h on the surface of a control volume; before the wall pass. Then, after it, what flows into the volume
     * through a link. */
    void (*reconstruct)(const struct kn_stream_sweep *s, int volume, float *scratch);
    void (*link)(const struct kn_stream_sweep *s, int link, float *scratch);
    /* The fluxes through one facet of a control volume. */
    void (*facet_flux)(const struct kn_stream_sweep *s, int facet);
    /* One control volume after streaming, into out[nnodes]. */
    void (*balance)(const struct kn_stream_sweep *s, int volume, float *out, float *scratch);
    /* One cell after streaming, into out[nnodes]. */
    void (*stream)(const struct kn_stream_sweep *s, int cell, const struct kn_traffic *t, float *out,
                   float *scratch);
    /* Collide `count` <= lanes neighbouring cells in place. */
    void (*collide)(const struct kn_collisions *s, float *rows, int count, float *scratch);
    /* Replace rows by their changes in a collision step with the operator, without restoring invariants. */
    void (*changes)(const struct kn_collisions *s, float *rows, int count, float *scratch);
    void (*moments)(const struct kn_velocity *v, const float *row, double moments[KN_MOMENTS]);
    /* Copy n floats (whole cache lines) to memory without the caches. */
    void (*store)(const float *from, int n, float *to);
    /* Makes these stores visible to threads that synchronise afterwards. */
    void (*fence)(void);
    const struct kn_cpu_steady_kernels *steady;
};

/* A loop that is copied for each value of its constant arguments: it is inlined before branches are
 * optimised, so that every copy is vectorised. */
#define KN_SPECIALISED static inline __attribute__((always_inline))

/* Return mass lost by round-off to a row: to one heavy node, in which it is not rounded away, and to a
 * different one in each sweep. */
static inline void kn_cpu_restore_mass(const struct kn_velocity *v, uint64_t number, float lost, float *row)
{
    const int k = v->heavy[number % (uint64_t)v->nheavy];
    const uint64_t octant = number / (uint64_t)v->nheavy % (uint64_t)v->octants;
    row[octant * (uint64_t)v->stride + (uint64_t)k] += kn_stream_restored(lost, v->w[k]);
}

/* Scratch memory for streaming and for model equations, in octants. */
enum { KN_STREAM_SCRATCH_ROWS = 2, KN_RELAX_ROWS = 14 };

/* The order in which cells, blocks of consecutive cells, wall faces, control volumes or links are processed:
 * those that do not depend on other ranks come first. */
struct kn_route {
    int *stop; /* [count] the cell, the first of a block, the face, ... */
    int count;
    int inner; /* of them */
};

struct kn_routes {
    struct kn_route cells, faces, volumes, links;
};

/* Cells in blocks of this size. */
enum kn_status kn_cpu_routes_create(struct kn_routes *r, const struct kn_problem *p, int block);
void kn_cpu_routes_destroy(struct kn_routes *r);

/* The two copies of the state of a CPU backend, in separate pages. */
void kn_cpu_state(void *machine, void **h, void **next, size_t *bytes);

enum { KN_CPU_MOST_LANES = 16 }; /* of any kernels */

/* Floats of scratch memory per thread for any kernel. */
size_t kn_cpu_scratch_size(const struct kn_case *c, const struct kn_velocity *v, int lanes);

/* The best set of kernels for this processor, or the named one; NULL if it does not exist or cannot run
 * here. */
const struct kn_cpu_kernels *kn_cpu_kernels_find(const char *name);

/* Those of KNUDSEN_ISA, or of the widest vectors. */
enum kn_status kn_cpu_kernels_choose(const struct kn_cpu_kernels **kernels);

/* The name of the processor, from the operating system if available; the same with the instruction set of
 * the kernels in use. */
void kn_cpu_processor(char *name, size_t size);
void kn_cpu_device(char *text, size_t size);

/* Names contain the instruction set: kn_cpu_stream_v3. */
#define KN_CPU_PASTE(name, isa)   kn_cpu_##name##_##isa
#define KN_CPU_NAME_OF(name, isa) KN_CPU_PASTE(name, isa)
#define KN_CPU_NAME(name)         KN_CPU_NAME_OF(name, KN_ISA)
#define KN_CPU_DECLARE(isa)                                                                                  \
    void kn_cpu_sample_##isa(const struct kn_sample_plan *p, uint64_t draw, int first, int count,            \
                             struct kn_sample *samples);                                                     \
    void kn_cpu_wall_##isa(const struct kn_stream_sweep *s, int face, float *scratch);                       \
    void kn_cpu_flux_##isa(const struct kn_stream_sweep *s, int face, float *scratch);                       \
    void kn_cpu_reconstruct_##isa(const struct kn_stream_sweep *s, int volume, float *scratch);              \
    void kn_cpu_link_##isa(const struct kn_stream_sweep *s, int link, float *scratch);                       \
    void kn_cpu_facet_flux_##isa(const struct kn_stream_sweep *s, int facet);                                \
    void kn_cpu_balance_##isa(const struct kn_stream_sweep *s, int volume, float *out, float *scratch);      \
    void kn_cpu_stream_##isa(const struct kn_stream_sweep *s, int cell, const struct kn_traffic *t,          \
                             float *out, float *scratch);                                                    \
    void kn_cpu_collide_##isa(const struct kn_collisions *s, float *rows, int count, float *scratch);        \
    void kn_cpu_relax_##isa(const struct kn_collisions *s, float *row, float *scratch);                      \
    void kn_cpu_operate_##isa(const struct kn_collisions *s, float *rows, int count, float *scratch);        \
    void kn_cpu_changes_##isa(const struct kn_collisions *s, float *rows, int count, float *scratch);        \
    void kn_cpu_quadratic_##isa(const struct kn_collisions *s, int count,                                    \
                                double(*invariants)[KN_INVARIANTS], float *const block[KN_BLOCKS]);          \
    void kn_cpu_moments_##isa(const struct kn_velocity *v, const float *row, double moments[KN_MOMENTS]);    \
    void kn_cpu_store_##isa(const float *from, int n, float *to);                                            \
    void kn_cpu_fence_##isa(void);
KN_CPU_DECLARE(baseline)
KN_CPU_DECLARE(v3)
KN_CPU_DECLARE(v4)

#endif
