/* Data of the CUDA kernels in device memory, and the functions that launch them. */
#ifndef KN_CUDA_KERNELS_H
#define KN_CUDA_KERNELS_H

#include <cuda_runtime.h>

extern "C" {
#include "grid/space.h"
}

#include "cuda/cuda_quadratic.h"
#include "point/collide.h"
#include "point/mesh.h"
#include "point/sample.h"
#include "point/wall.h"

/* Tiles of cells for the march.  They end at walls that reflect nothing, or two cells before other
 * boundaries; cell (x, y) has the number x + across y. */
enum { KN_CUDA_COLUMNS = 4, KN_CUDA_ROWS = 2 }; /* cells of a tile */

struct kn_cuda_inner {
    int32_t first[2], tiles[2]; /* in the whole space, of all ranks */
    int32_t across;             /* in the box of this rank */
    int32_t walls;              /* bit mask of the sides where tiles end at a wall */
};

/* A tile of a list: its lowest cell, and the sides that are walls. */
struct kn_cuda_tile {
    int32_t cell, walls;
};

/* Kernels that stream cells, alone or fused with collisions. */
enum kn_cuda_sweep {
    KN_CUDA_LINEAR,     /* linear_kernel: rows in registers */
    KN_CUDA_MODEL,      /* model_kernel: rows that are too long for it, with model equations */
    KN_CUDA_MONTE_CARLO /* monte_carlo_kernel: Monte Carlo, rows of several cells in shared memory */
};

/* Collisions of cells that linear_kernel or a march streams. */
enum kn_cuda_collisions {
    KN_CUDA_FREE,    /* none */
    KN_CUDA_PROJECT, /* linearised BGK, in the same kernel */
    KN_CUDA_RELAX,   /* model equations and sources: relax_kernel */
    KN_CUDA_OPERATE  /* the operator: operator_kernel */
};

/* Which kernel computes which cells, filled by kn_cuda_choose. */
struct kn_cuda_choice {
    enum kn_cuda_sweep sweep; /* of the cells outside the march */
    enum kn_cuda_collisions collisions;
    bool marches;        /* march_kernel computes the tiles of kn_cuda_problem.inner, */
    bool march_collides; /* with their collisions; relax_kernel or operator_kernel has all other cells */
    bool short_rows;     /* short_march_kernel instead of march_kernel */
    bool staged;         /* model_kernel keeps rows in shared memory */
    int32_t together;    /* cells per block of monte_carlo_kernel; 0: rows in global memory */
};

/* Tables of the factors of Gaussians, one set per cell in shared memory: entries for the signed nodes at each
 * place (struct kn_basis). */
struct kn_cuda_tables {
    const float *line[3];  /* [nodes] v > 0 and, unless folded, v < 0 */
    const int32_t *places; /* [stride] positions of a node on the half axes, in bytes from place 0 */
    int32_t nodes[3], half[3];
    int32_t share;   /* as many consecutive nodes have the same velocity at places 0 and 1: 1, 2 or 4 */
    int32_t crossed; /* factors depend on the velocities at earlier places, and have no tables */
    int32_t skipped; /* entries at places that have no tables */
    int32_t entries; /* in the tables of a cell */
};

/* The members of struct kn_patch that kernels use, except for the emission. */
struct kn_cuda_patch {
    double emission_flux, unit_flux, prescribed_flux;
    float alpha, replaces;
    int32_t emits, drifts;
    struct kn_drift_port port;
    int32_t matrices; /* position in kn_cuda_problem.matrices; -1: none */
};

/* The constant data of a problem; passed to kernels by value. */
struct kn_cuda_problem {
    struct kn_mesh mesh;
    int32_t ncells, nfaces, size;
    int32_t centre; /* a cell away from the walls */
    int32_t box[2]; /* along x: first cell of the box of this rank in the whole space, number of its cells */
    int32_t multiprocessors;
    const float *speed[3];      /* [stride] */
    const float *along[3];      /* the same by place */
    const float *square;        /* [stride] */
    const float *w;             /* [stride] */
    const int32_t *sweep_order; /* [ncells] cells in an order that keeps neighbours together */
    struct kn_cuda_inner inner;
    struct kn_cuda_choice choice;
    int32_t uniform;        /* all cells have the same width along each axis */
    float uniform_width[2]; /* this width, from the first cell of all ranks */
    const uint8_t *runs;    /* [ncells] octants that a single rank would stream as a run; NULL: single rank */
    const struct kn_face *faces;       /* [nfaces] */
    const float *emission;             /* [patches][nnodes] */
    const struct kn_cuda_patch *patch; /* [patches] */
    const float *matrices;             /* of the Cercignani-Lampis kernel, struct kn_boundary */
    int32_t half[3];                   /* nodes on the positive half axes */
    float eps;
    struct kn_basis basis;
    struct kn_cuda_tables tables;
    int32_t order;
    enum kn_limiter limiter;
    struct kn_weight between_cells, behind_wall; /* of cells of equal width */
    int32_t symmetric;                           /* estimator */
    size_t shared_limit;                         /* bytes of shared memory available to a block */
    size_t shared_whole;                         /* that a multiprocessor has */
    enum kn_method method;
    enum kn_conservation conservation;
    float prandtl;
    double gram[KN_INVARIANTS][KN_INVARIANTS], inverse[KN_INVARIANTS][KN_INVARIANTS];
    const float *source; /* [nnodes], or NULL */
    float *outgoing;     /* [nfaces][nnodes] h that leaves a face that emits, in the octants away from it */
    float *lost;         /* [nfaces] mass flux that is missing in `outgoing` due to round-off */
    double *fluxes;      /* [nfaces][KN_FLUXES] */
    long long *cycles;   /* [2] of one block: streaming, collisions */
};

/* A set of samples in the order of application, in batches (point/sample.h). The 32 samples that a warp
 * applies are contiguous: nodes[32], gains[32]. If rows fit into shared memory, nodes are 16-bit slots,
 * and an idle sample has its own slot after the row; otherwise all its bits are set. Idle batches follow
 * the last batch, because batches are prefetched. */
enum { KN_CUDA_WARP = 32, KN_CUDA_AHEAD = 4, KN_CUDA_BESIDE = 4 };
#define KN_CUDA_IDLE UINT32_MAX

struct kn_cuda_set {
    const int32_t *batches; /* how many */
    const char *samples;
};

/* The assembled operator for one length of collision step. The matrices exp(L dt) - 1 of all parities,
 * divided by the number of octants, are stored as in kn_cuda_propagator_place: four elements, divided by
 * `unit`, as four numbers of 11 bits and their four rests. A polynomial in the velocity removes round-off
 * errors of mass, momentum and energy. */
enum { KN_CUDA_SHORT = 64 }; /* nodes per octant, at most, of rows to which a march can apply the operator */

struct kn_cuda_correction {
    float even[2][2]; /* of 1, v.v per mass, energy */
    float odd[3];     /* of the velocity per momentum, by octant bit */
};

struct kn_cuda_operator {
    const float *propagator;
    float unit; /* a power of 2 */
    struct kn_cuda_correction correction;
    float *scratch; /* kn_cuda_operator_scratch */
    /* Of the quadratic part, or NULL: coefficients and errors of struct kn_cuda_quadratic. The matrices have
     * one more step of the sum, which is what the linear step adds to the polynomials: nodes from
     * coefficients. */
    const float *coefficients, *errors;
};

/* Steps of 16 nodes of the sum over an octant, which is padded to 16, and over the coefficients of the
 * quadratic part. */
static __host__ __device__ inline int kn_cuda_operator_sum(int size, bool quadratic)
{
    return (size + 15) / 16 + (quadratic ? KN_CUDA_PLACES / 16 : 0);
}

/* Division of the nodes of a matrix product: tiles of 8 nodes, `tiles` per share. */
struct kn_cuda_shares {
    int32_t tiles, shares;
};

/* One step from h to next; dt_stream 0 omits streaming (then h == next is allowed). */
struct kn_cuda_step {
    const float *h;
    float *next;
    float dt_stream;
    double dt_collide;
    bool behind_walls; /* the preceding kernel in the stream is the wall pass, or a march, whose blocks wait
                          for the wall pass */
    /* linear_kernel computes the first `cells` cells of p.sweep_order. Other sweeps compute p.ncells cells:
     * the first of p.sweep_order if `listed`, otherwise those with the lowest numbers. */
    int32_t cells;
    bool listed;
    bool rim;                         /* cells of other ranks surround the tiles */
    int32_t ntiles;                   /* of `tiles` */
    const struct kn_cuda_tile *tiles; /* computed by the march; NULL: all tiles of p.inner */
    int32_t heavy;                    /* the node to which mass lost by round-off is returned */
    struct kn_cuda_set set;
    struct kn_cuda_operator op;
    struct kn_cuda_quadratic quadratic;
};

/* Collisions alone: they act on the rows `from` and change the rows `h`, which may be the same; model
 * equations use `h` alone. */
struct kn_cuda_operation {
    const float *from;
    float *h;
    const int32_t *list; /* [total] cells; NULL: the first `total` */
    int32_t total;
    double before, after; /* time over which sources act before and after the collisions */
    int32_t octant;       /* of the node to which mass lost by round-off is returned */
};

/* The quadratic part in some cells, before the operator. */
struct kn_cuda_deviation {
    const float *h;      /* rows; those of `to` may be the same */
    float *to;           /* rows with the gain of the polynomials */
    float *rest;         /* [ncells][nnodes] the rest of the deviation, on which the operator acts */
    const int32_t *list; /* [total] cells; NULL: the first `total` */
    int32_t total;
    float before; /* time over which sources act before */
};

/* One pass over the wall faces. */
struct kn_cuda_wall_pass {
    const int32_t *list; /* [count] faces; NULL: the first `count` */
    int32_t count;
    const float *h;
    float dt;
    bool fluxes;   /* also record the fluxes through the faces */
    bool overlaps; /* may start before the preceding sweep has ended */
};

extern "C" {
/* Set the rows of a list of cells to 0. */
cudaError_t kn_cuda_clear(const struct kn_cuda_problem *p, const int32_t *list, int count, float *h,
                          cudaStream_t stream);
cudaError_t kn_cuda_walls(const struct kn_cuda_problem *p, const struct kn_cuda_wall_pass *w,
                          cudaStream_t stream);
/* Sweeps over cells: the tiles of the march; all other cells by one of three kernels. */
cudaError_t kn_cuda_march(const struct kn_cuda_problem *p, const struct kn_cuda_step *s, cudaStream_t stream);
/* The march with model equations and sources, and bytes of shared memory of a block. */
cudaError_t kn_cuda_march_relax(const struct kn_cuda_problem *p, const struct kn_cuda_step *s,
                                cudaStream_t stream);
size_t kn_cuda_march_relax_bytes(const struct kn_cuda_problem *p);
cudaError_t kn_cuda_linear(const struct kn_cuda_problem *p, const struct kn_cuda_step *s,
                           cudaStream_t stream);
cudaError_t kn_cuda_model(const struct kn_cuda_problem *p, const struct kn_cuda_step *s, cudaStream_t stream);
cudaError_t kn_cuda_monte_carlo(const struct kn_cuda_problem *p, const struct kn_cuda_step *s,
                                cudaStream_t stream);
cudaError_t kn_cuda_relax(const struct kn_cuda_problem *p, const struct kn_cuda_operation *what,
                          cudaStream_t stream);
cudaError_t kn_cuda_operate(const struct kn_cuda_problem *p, const struct kn_cuda_operator *op,
                            const struct kn_cuda_operation *what, cudaStream_t stream);
cudaError_t kn_cuda_deviate(const struct kn_cuda_problem *p, const struct kn_cuda_quadratic *q,
                            const struct kn_cuda_deviation *d, cudaStream_t stream);
struct kn_cuda_shares kn_cuda_operator_shares(const struct kn_cuda_problem *p);
/* Bytes of scratch memory on the device. */
size_t kn_cuda_operator_scratch(const struct kn_cuda_problem *p);
/* Bytes of shared memory for the tiles of a block of the march, and for the rows of `cells` cells of the
 * Monte Carlo step. */
size_t kn_cuda_march_bytes(const struct kn_cuda_problem *p, const struct kn_cuda_quadratic *q);
size_t kn_cuda_monte_carlo_bytes(const struct kn_cuda_problem *p, int cells);
/* Moments [ncells][KN_MOMENTS], then the fluxes [nfaces][KN_FLUXES] and the cycles [2] of the last step. */
cudaError_t kn_cuda_moments(const struct kn_cuda_problem *p, const float *h, double *to, cudaStream_t stream);
}

/* Tiles of 8 nodes of an octant. */
static __host__ __device__ inline int kn_cuda_operator_tiles(int size)
{
    return (size + 7) / 8;
}

/* Offset of a share, counted over all parities, in the matrices: tiles of 8 nodes x 16 nodes. */
static __host__ __device__ inline int64_t kn_cuda_propagator_share(int steps, int tiles, int share)
{
    return (int64_t)share * steps * tiles * 8 * 16;
}

/* Offset of the matrix element for the effect of node k on node n; the elements of a lane are contiguous. */
static inline int64_t kn_cuda_propagator_place(struct kn_cuda_shares s, int steps, int parity, int n, int k)
{
    const int share = n / 8 / s.tiles, tile = n / 8 % s.tiles, lane = n % 8 * 4 + k % 16 / 4;
    return kn_cuda_propagator_share(steps, s.tiles, parity * s.shares + share) +
           (((int64_t)(k / 16) * s.tiles + tile) * KN_CUDA_WARP + lane) * 4 + k % 4;
}

/* Slot of node k in a tile of shared memory with the rows of `beside` cells side by side. Rows and columns
 * of groups of nodes are exchanged, so that threads with four nodes each write to different banks. */
static __host__ __device__ inline uint32_t kn_cuda_slot(uint32_t k, uint32_t beside)
{
    const uint32_t quads = 32 / beside;
    return (k & ~(4 * quads - 1)) | (k & 3u) * quads | (k >> 2 & (quads - 1));
}

/* Number of slots of a row in shared memory. */
static __host__ __device__ inline int kn_cuda_slots(int nnodes, int beside)
{
    const int group = 128 / beside;
    return (nnodes + group - 1) / group * group;
}

/* Number of cells side by side in a tile of `cells` cells. */
static inline int kn_cuda_beside(int cells)
{
    return cells < KN_CUDA_BESIDE ? cells : KN_CUDA_BESIDE;
}

#endif
