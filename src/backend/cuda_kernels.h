/* What the CUDA kernels work on, in the memory of the device. */
#ifndef KN_CUDA_KERNELS_H
#define KN_CUDA_KERNELS_H

#include <cuda_runtime.h>

#include "point/collide.h"
#include "point/mesh.h"
#include "point/sample.h"
#include "point/wall.h"

enum { KN_CUDA_FLUXES = 5, KN_CUDA_SIDES = 6 };

/* The constant side of a problem; passed to kernels by value. */
struct kn_cuda_problem {
    struct kn_mesh mesh;
    int32_t ncells, nfaces, size;
    const float *speed[3];    /* [stride] */
    const float *square;      /* [stride] */
    const float *w;           /* [stride] */
    const int32_t *face_cell; /* [nfaces] */
    const int32_t *face_side; /* [nfaces] */
    const float *emission;    /* [KN_CUDA_SIDES][nnodes] */
    const double *patch;      /* [KN_CUDA_SIDES][2]: half-range fluxes of E and of 1 + eps E */
    float alpha[KN_CUDA_SIDES];
    int32_t emits; /* bit mask of the sides that emit */
    float eps;
    int32_t order, limiter;
    int32_t symmetric;    /* estimator */
    size_t shared_limit;  /* bytes of shared memory a block may ask for */
    int32_t method;       /* enum kn_method */
    int32_t conservation; /* enum kn_conservation */
    float prandtl;
    double gram[KN_INVARIANTS][KN_INVARIANTS], inverse[KN_INVARIANTS][KN_INVARIANTS];
    const float *source; /* [nnodes], or NULL */
    float *density;      /* [nfaces] rho of the emission */
    float *lost;         /* [nfaces] mass flux that the emission lacks, being rounded */
    double *fluxes;      /* [nfaces][KN_CUDA_FLUXES] */
    long long *cycles;   /* [2] of the first block: streaming, collisions */
};

/* A set of samples in the order of application.  Samples of one batch share no
 * node, so they may be applied at once; batches follow one another. */
struct kn_cuda_set {
    const int32_t *batch; /* [0] number of batches, then their first samples and the end */
    const uint4 *node;    /* [samples] nodes of a row; where it fits into shared memory, ushort4 of slots */
    const float4 *gain;   /* [samples] */
    const float4 *defect; /* [samples] */
};

/* One step: h into next; dt_stream 0 leaves streaming out (h == next allowed). */
struct kn_cuda_step {
    const float *h;
    float *next;
    float dt_stream;
    double dt_collide;
    int32_t heavy; /* the node of a row that gets back what rounding has lost */
    struct kn_cuda_set set;
};

extern "C" {
cudaError_t kn_cuda_walls(const struct kn_cuda_problem *p, const float *h, float dt, bool fluxes,
                          cudaStream_t stream);
/* One sweep over the cells, in one of three ways.  Linear: streaming alone or with
 * linearised BGK, rows in registers. */
bool kn_cuda_linear_fits(const struct kn_cuda_problem *p);
cudaError_t kn_cuda_linear(const struct kn_cuda_problem *p, const struct kn_cuda_step *s,
                           cudaStream_t stream);
cudaError_t kn_cuda_model(const struct kn_cuda_problem *p, const struct kn_cuda_step *s, cudaStream_t stream);
cudaError_t kn_cuda_collision(const struct kn_cuda_problem *p, const struct kn_cuda_step *s,
                              cudaStream_t stream);
cudaError_t kn_cuda_moments(const struct kn_cuda_problem *p, const float *h, double *moments,
                            cudaStream_t stream);
}

/* Slot of node k in a tile of shared memory: inside 32 nodes rows and columns
 * are exchanged, so that threads that hold four nodes each write to different banks. */
static __host__ __device__ inline uint32_t kn_cuda_slot(uint32_t k)
{
    return (k & ~31u) | (k & 3u) << 3 | (k >> 2 & 7u);
}

/* Bytes of a row in shared memory. */
static inline size_t kn_cuda_row_bytes(const struct kn_cuda_problem *p)
{
    return ((size_t)p->mesh.nnodes + 31) / 32 * 32 * sizeof(float);
}

/* Does a row fit into shared memory, beside what the kernels need themselves? */
static inline bool kn_cuda_staged(const struct kn_cuda_problem *p)
{
    return kn_cuda_row_bytes(p) <= p->shared_limit;
}

#endif
