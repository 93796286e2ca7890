/* What the CUDA kernels work on, in the memory of the device. */
#ifndef KN_CUDA_KERNELS_H
#define KN_CUDA_KERNELS_H

#include <cuda_runtime.h>

extern "C" {
#include "grid/space.h"
}

#include "point/collide.h"
#include "point/mesh.h"
#include "point/sample.h"
#include "point/wall.h"

/* Tiles of cells that can be marched through: they end at walls that take everything
 * up, or two cells before other boundaries; cell (x, y) is number x + across y. */
enum { KN_CUDA_COLUMNS = 4, KN_CUDA_ROWS = 2 }; /* cells of a tile */

struct kn_cuda_inner {
    int32_t first[2], tiles[2]; /* in the whole space, of all ranks */
    int32_t across;             /* in the box of this rank */
    int32_t walls;              /* bit mask of the sides where tiles end at a wall */
};

/* A tile by itself, where they are listed: its lowest cell, and the sides that are walls. */
struct kn_cuda_tile {
    int32_t cell, walls;
};

/* Kernels that stream cells, alone or fused with collisions. */
enum kn_cuda_sweep {
    KN_CUDA_LINEAR,   /* linear_kernel: free flight or linearised BGK, rows in registers */
    KN_CUDA_MODEL,    /* model_kernel: model equations, one block per cell */
    KN_CUDA_COLLISION /* collision_kernel: Monte Carlo, rows of several cells in shared memory */
};

/* Which kernel computes which cells, filled by kn_cuda_choose. */
struct kn_cuda_choice {
    enum kn_cuda_sweep sweep; /* of the cells outside the march */
    bool marches;             /* march_kernel computes the tiles of kn_cuda_problem.inner */
    bool march_operates;      /* and applies the operator to them; operator_kernel to all other cells */
    bool short_rows;          /* short_march_kernel takes the place of march_kernel */
    bool staged;              /* model_kernel keeps rows in shared memory */
    int32_t together;         /* cells per block of collision_kernel; 0: rows in global memory */
};

/* The constant side of a problem; passed to kernels by value. */
struct kn_cuda_problem {
    struct kn_mesh mesh;
    int32_t ncells, nfaces, size;
    int32_t centre; /* a cell away from the walls */
    int32_t multiprocessors;
    const float *speed[3]; /* [stride] */
    const float *odd[3];   /* the same by octant bit; NULL beyond the last */
    const float *square;   /* [stride] */
    const float *w;        /* [stride] */
    const int32_t *tiled;  /* [ncells]: cells in an order that keeps neighbours together */
    struct kn_cuda_inner inner;
    struct kn_cuda_choice choice;
    int32_t uniform;             /* cells are of one width along every axis */
    float alike[2];              /* that width, as the first cell of all ranks has it */
    const uint8_t *runs;         /* [ncells] octants that one rank alone would stream as a run; NULL: alone */
    const struct kn_face *faces; /* [nfaces] */
    const float *emission;       /* [KN_SIDES][nnodes] by patch */
    const double *patch;         /* [KN_SIDES][3]: excess, unit, through of struct kn_patch */
    float alpha[KN_SIDES], takes[KN_SIDES];
    int32_t emits; /* bit mask of the patches that emit */
    float eps;
    int32_t order;
    enum kn_limiter limiter;
    int32_t symmetric;   /* estimator */
    size_t shared_limit; /* bytes of shared memory a block may ask for */
    size_t shared_whole; /* that a multiprocessor has */
    enum kn_method method;
    enum kn_conservation conservation;
    float prandtl;
    double gram[KN_INVARIANTS][KN_INVARIANTS], inverse[KN_INVARIANTS][KN_INVARIANTS];
    const float *source; /* [nnodes], or NULL */
    float
        *outgoing; /* [nfaces][nnodes] h that leaves each wall face that emits, in the octants away from it */
    float *lost;   /* [nfaces] mass flux that is missing in `outgoing` due to round-off */
    double *fluxes;    /* [nfaces][KN_FLUXES] */
    long long *cycles; /* [2] of one block: streaming, collisions */
};

/* A set of samples in the order of application, in batches as point/sample.h says.
 * Each warp of those that apply a batch finds its 32 samples together: nodes [32],
 * gains [32].  Where rows fit into shared memory nodes are slots in 16 bits; an
 * idle sample has one behind the row for itself, or else all bits set.  Idle batches
 * follow the last, so that it may be read ahead of. */
enum { KN_CUDA_WARP = 32, KN_CUDA_AHEAD = 4, KN_CUDA_BESIDE = 4 };
#define KN_CUDA_IDLE UINT32_MAX

struct kn_cuda_set {
    const int32_t *batches; /* how many */
    const char *samples;
};

/* The assembled operator in a collision step of one length.  The matrices exp(L dt) - 1
 * of all parities, divided by the number of octants, lie as kn_cuda_propagator_place says.
 * Mass, momentum and energy that rounding has brought are taken back by a polynomial in the
 * velocity. */
enum { KN_CUDA_SHORT = 64 }; /* nodes an octant, at most, of rows that a march can operate on */

struct kn_cuda_correction {
    float even[2][2]; /* of 1, v.v per mass, energy */
    float odd[3];     /* of the velocity per momentum, by octant bit */
};

struct kn_cuda_operator {
    const float *propagator;
    struct kn_cuda_correction correction;
    float *scratch; /* kn_cuda_operator_scratch */
};

/* Nodes that the matrices yield: in tiles of 8, so many a share, so many shares. */
struct kn_cuda_shares {
    int32_t tiles, shares;
};

/* One step: h into next; dt_stream 0 leaves streaming out (h == next allowed). */
struct kn_cuda_step {
    const float *h;
    float *next;
    float dt_stream;
    double dt_collide;
    bool behind_walls; /* kn_cuda_walls has been called for it, and nothing since but a march, whose
                        * blocks wait for the walls before they end */
    int32_t cells;     /* of p.tiled, the first so many, that the linear sweep covers */
    bool listed;       /* all sweeps cover these only: the p.ncells first of p.tiled */
    bool rim;          /* tiles have cells of other ranks around them */
    int32_t ntiles;    /* of `tiles` */
    const struct kn_cuda_tile *tiles; /* the march covers these; NULL: all of p.inner */
    int32_t heavy;                    /* the node of a row that gets back what rounding has lost */
    struct kn_cuda_set set;
    struct kn_cuda_operator op;
};

/* The operator alone, in place. */
struct kn_cuda_operation {
    float *h;
    const int32_t *list; /* [total] cells; NULL: the first `total` */
    int32_t total;
    double before, after; /* time over which sources act before and after the operator */
    int32_t octant;       /* of the node to which mass lost by round-off is returned */
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
cudaError_t kn_cuda_walls(const struct kn_cuda_problem *p, const struct kn_cuda_wall_pass *w,
                          cudaStream_t stream);
/* One sweep over cells: the tiles of the march, or the others by one of three kernels. */
cudaError_t kn_cuda_march(const struct kn_cuda_problem *p, const struct kn_cuda_step *s, cudaStream_t stream);
cudaError_t kn_cuda_linear(const struct kn_cuda_problem *p, const struct kn_cuda_step *s,
                           cudaStream_t stream);
cudaError_t kn_cuda_model(const struct kn_cuda_problem *p, const struct kn_cuda_step *s, cudaStream_t stream);
cudaError_t kn_cuda_collision(const struct kn_cuda_problem *p, const struct kn_cuda_step *s,
                              cudaStream_t stream);
cudaError_t kn_cuda_operate(const struct kn_cuda_problem *p, const struct kn_cuda_operator *op,
                            const struct kn_cuda_operation *what, cudaStream_t stream);
struct kn_cuda_shares kn_cuda_operator_shares(const struct kn_cuda_problem *p);
/* Bytes of the device that it needs besides. */
size_t kn_cuda_operator_scratch(const struct kn_cuda_problem *p);
/* Bytes of shared memory for the tiles of a block of the march, and for the rows of so many cells of the
 * Monte Carlo step. */
size_t kn_cuda_march_bytes(const struct kn_cuda_problem *p);
size_t kn_cuda_collision_bytes(const struct kn_cuda_problem *p, int cells);
cudaError_t kn_cuda_moments(const struct kn_cuda_problem *p, const float *h, double *moments,
                            cudaStream_t stream);
}

/* Products of 8 nodes each that make up a sum over an octant; octants are padded to 16. */
static __host__ __device__ inline int kn_cuda_operator_steps(int size)
{
    return (size + 7) / 8;
}

/* Where share number `share`, counted through all parities, begins in the matrices: tiles of
 * 8 x 8 nodes, two together. */
static __host__ __device__ inline int64_t kn_cuda_propagator_share(int steps, int tiles, int share)
{
    return (int64_t)share * steps * ((tiles + 1) / 2) * 2 * 64;
}

/* Where the influence of node k on node n lies: what a lane of the warp gets stands
 * together. */
static inline int64_t kn_cuda_propagator_place(struct kn_cuda_shares s, int size, int parity, int n, int k)
{
    const int steps = kn_cuda_operator_steps(size), pairs = (s.tiles + 1) / 2, share = n / 8 / s.tiles,
              tile = n / 8 % s.tiles, lane = n % 8 * 4 + k % 4;
    return kn_cuda_propagator_share(steps, s.tiles, parity * s.shares + share) +
           (((int64_t)(k / 8) * pairs + tile / 2) * KN_CUDA_WARP + lane) * 4 + tile % 2 * 2 + k % 8 / 4;
}

/* Slot of node k in a tile of shared memory with the rows of `beside` cells side by
 * side: in groups of nodes, rows and columns are exchanged, so that threads that
 * hold four nodes each write to different banks. */
static __host__ __device__ inline uint32_t kn_cuda_slot(uint32_t k, uint32_t beside)
{
    const uint32_t quads = 32 / beside;
    return (k & ~(4 * quads - 1)) | (k & 3u) * quads | (k >> 2 & (quads - 1));
}

/* Slots that a row takes in shared memory. */
static __host__ __device__ inline int kn_cuda_slots(int nnodes, int beside)
{
    const int group = 128 / beside;
    return (nnodes + group - 1) / group * group;
}

/* Cells side by side in a tile of so many. */
static inline int kn_cuda_beside(int cells)
{
    return cells < KN_CUDA_BESIDE ? cells : KN_CUDA_BESIDE;
}

#endif
