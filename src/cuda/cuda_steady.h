/* Data of the steady-state solver in device memory, and the functions that launch its kernels. */
#ifndef KN_CUDA_STEADY_H
#define KN_CUDA_STEADY_H

#include <stdio.h>

#include "cuda/cuda_check.h"

extern "C" {
#include "backend/steady_backend.h"
}

#include "point/steady.h"

enum {
    KN_CUDA_STEADY_GROUP = 4,   /* nodes of an octant that a block sweeps */
    KN_CUDA_STEADY_SLOTS = 192, /* cells that it computes at a time, at most */
    KN_CUDA_STEADY_TERMS = 8    /* vectors of one kernel of sums or products */
};

/* A wall, struct kn_patch. */
struct kn_cuda_steady_patch {
    double emission_flux, unit_flux, alpha;
    double rest; /* share of the arriving distribution that is reflected */
    int32_t emits, reflects;
};

/* Weights of the value on a downwind face, struct kn_steady_face. */
struct kn_cuda_steady_weights {
    double before, after;
};

/* Transport of a site along an axis: |v| times the sum of weights times x in the rows of the site two cells
 * upwind, of the upwind site, of the site itself and of the downwind site.  A source is 4 times the number of
 * a cell or of a wall face, + 1 if the velocity is reflected, + 2 if it is a face. */
enum { KN_CUDA_STEADY_REFLECTED = 1, KN_CUDA_STEADY_FACE = 2 };

struct kn_cuda_steady_link {
    double weight[4];
    int32_t source[4];
};

/* A cell in the order of a sweep, and its upwind cells by place of the axis.
 * cell: 2 (number + 1), or 0 for none, + 1 in the last stage of a level.
 * up: -1 if nothing flows in; the place of the cell in the preceding level; or -2 - its number. */
struct kn_cuda_steady_stop {
    int32_t cell, up[3];
    double per_width[4]; /* by place of the axis */
};

/* The constant data of a problem; passed to kernels by value. */
struct kn_cuda_steady_problem {
    struct kn_mesh mesh;
    int32_t ncells, nfaces, size, order;
    const float *speed[3], *square;               /* [stride] */
    const double *mass;                           /* [stride] */
    const double *frequency;                      /* [stride] nu, 1 in the padding */
    const double *volume;                         /* [ncells] */
    const double *per_width;                      /* [ncells][3] */
    const struct kn_cuda_steady_weights *weights; /* [ncells][3][2] by axis, v > 0 and v < 0 */
    const struct kn_cuda_steady_link *links;      /* [ncells][naxes][2], the same */
    const struct kn_face *faces;                  /* [nfaces] */
    const struct kn_cuda_steady_patch *patches;
    const float *emission; /* [patches][nnodes] */
    const float *source;   /* [nnodes] */
    double eps, rate;
    double *outgoing; /* [nfaces][nnodes] */

    /* Collisions: matrices as in kn_cuda_steady_place; or NULL and a model equation. */
    const double *matrix;
    double loss, gain[KN_STEADY_FUNCTIONS];
    int32_t functions, parity[KN_STEADY_FUNCTIONS + 1];
    const double *trial;    /* [functions][stride] */
    const double *tests;    /* [functions][stride] w phi */
    const double *lagged;   /* [functions + 1][stride] w (L + N) phi, and w */
    double *moments;        /* [ncells][functions + 1] */
    int32_t cells_together; /* of a block that multiplies matrices */

    /* Sweeps: the cells of an octant by level, which depend on earlier levels only; a level has one or more
     * stages of at most `together` cells. */
    const struct kn_cuda_steady_stop *stops; /* [octants][nstages][together] */
    int32_t nstages, together;
    int32_t kept; /* cells of a level that are kept in shared memory; 0: none */
};

/* Offset of the element for the effect of node k on node n, divided by the number of octants; the elements of
 * a lane of mma m8n8k4 are side by side. */
static __host__ __device__ inline int64_t kn_cuda_steady_place(int octants, int stride, int parity, int n,
                                                               int k)
{
    return (((int64_t)(n / 8) * (stride / 4) + k / 4) * octants + parity) * 32 + n % 8 * 4 + k % 4;
}

/* A sum of vectors, to <- scale to + sum of factors x. */
struct kn_cuda_steady_sum {
    double *to, scale;
    int32_t count;
    const double *x[KN_CUDA_STEADY_TERMS];
    double factors[KN_CUDA_STEADY_TERMS];
};

/* Products of a vector with others. */
struct kn_cuda_steady_products {
    const double *a;
    int32_t count, scaled;
    const double *x[KN_CUDA_STEADY_TERMS];
    double *partial; /* [KN_CUDA_STEADY_TERMS][blocks] */
    double *result;  /* [KN_CUDA_STEADY_TERMS] */
};

enum { KN_CUDA_STEADY_BLOCKS = 1024 }; /* of the products */

/* One sweep; imaginary parts are not used if omega is 0. */
struct kn_cuda_steady_march {
    double omega;
    const double *from[2];
    double *to[2];
};

/* The order of the cells in sweeps, in host memory; struct kn_cuda_steady_problem. */
struct kn_cuda_steady_order {
    int32_t nstages, together, kept;
    struct kn_cuda_steady_stop *stops; /* [count] */
    size_t count;
};

extern "C" {
/* `shared`: bytes of shared memory of a block.  Free the stops. */
enum kn_status kn_cuda_steady_order_create(struct kn_cuda_steady_order *order,
                                           const struct kn_steady_plan *plan, size_t shared);

/* Fill per_width and weights, then links. */
cudaError_t kn_cuda_steady_prepare(const struct kn_cuda_steady_problem *s, double *per_width,
                                   struct kn_cuda_steady_weights *weights, struct kn_cuda_steady_link *links,
                                   cudaStream_t stream);
/* The wall pass, and everything that passes through the faces, [nfaces][KN_FLUXES]; data: 1, or 0 for the
 * linear part. */
cudaError_t kn_cuda_steady_walls(const struct kn_cuda_steady_problem *s, const double *x, double data,
                                 cudaStream_t stream);
cudaError_t kn_cuda_steady_fluxes(const struct kn_cuda_steady_problem *s, const double *x, double *fluxes,
                                  cudaStream_t stream);
/* out <- b - A x (data = 1) or A x (0), after the wall pass. */
cudaError_t kn_cuda_steady_pass(const struct kn_cuda_steady_problem *s, const double *x, double data,
                                double *out, cudaStream_t stream);
/* Cells of a block that multiplies matrices, for `limit` bytes of shared memory; 0: rows are too long. */
int kn_cuda_steady_together(const struct kn_mesh *m, size_t limit);
cudaError_t kn_cuda_steady_sweep(const struct kn_cuda_steady_problem *s, const struct kn_cuda_steady_march *m,
                                 cudaStream_t stream);

/* moments[cell][count] <- sums of table[f] times x over the octants with the signs of parity[f]. */
cudaError_t kn_cuda_steady_project(const struct kn_cuda_steady_problem *s, const double *x,
                                   const double *table, int count, double *moments, cudaStream_t stream);
cudaError_t kn_cuda_steady_prolong(const struct kn_cuda_steady_problem *s, const double *coefficients,
                                   double *to, cudaStream_t stream);
cudaError_t kn_cuda_steady_multiply(const struct kn_cuda_steady_problem *s,
                                    const struct kn_cuda_steady_products *p, cudaStream_t stream);
cudaError_t kn_cuda_steady_combine(int64_t count, const struct kn_cuda_steady_sum *sum, cudaStream_t stream);
/* Conversion of numbers of the solution. */
cudaError_t kn_cuda_steady_widen(int64_t count, const float *from, double *to, cudaStream_t stream);
cudaError_t kn_cuda_steady_narrow(int64_t count, const double *from, float *to, cudaStream_t stream);

extern const struct kn_steady_backend kn_cuda_steady;
}

#endif
