/* The moment equations in device memory: cells in layers that are coupled to the layers before and after
 * them. */
#ifndef KN_CUDA_STEADY_LAYERS_H
#define KN_CUDA_STEADY_LAYERS_H

#include "cuda/cuda_steady.h"

enum { KN_CUDA_LAYER_TILE = 64 }; /* unknowns of a tile of a matrix */

/* A block that multiplies the coefficients of the cell at a place. */
struct kn_cuda_coupling {
    int32_t block, place;
};

/* Passed to kernels by value.  Unknown f of the cell at place q is number (q % depth) * functions + f of
 * layer q / depth; layers are padded with places without a cell and with unknowns that are zero. */
struct kn_cuda_layers {
    int32_t ncells, functions, star; /* a cell may be a group of cells */
    int32_t depth, layers;           /* cells of a layer, number of layers */
    int32_t unknowns;                /* of a layer, a multiple of KN_CUDA_LAYER_TILE */
    int32_t closed;
    const int32_t *columns; /* [ncells][star] cells; -1: none */
    const double *blocks;   /* [ncells][star][functions][functions] */
    const int32_t *place;   /* [ncells] of a cell */
    const int32_t *cell;    /* [layers][depth] at a place; -1: none */
    const int32_t *rows;    /* [ncells][star] blocks, by their number, in the column of a cell; -1: none */
    /* Couplings of the cells, by place, with the layer before and with the layer after. */
    const int32_t *first[2]; /* [layers * depth + 1] */
    const struct kn_cuda_coupling *coupled[2];
    double *matrix;              /* [unknowns][unknowns] of the layer in work */
    double *product;             /* the same */
    double *panel[3];            /* [tile][unknowns], [unknowns][tile], [tile][tile] */
    float *inverse;              /* [layers][unknowns][unknowns] of the eliminated matrices */
    double *right, *known, *sum; /* [layers][unknowns] right-hand side and solution, [unknowns] */
    uint32_t *barrier;           /* [1] blocks that have arrived */
};

/* The moment equations of groups of cells, in host memory. */
struct kn_cuda_groups {
    int32_t count, star;
    int32_t *group;           /* [ncells] of a cell */
    int32_t *first, *members; /* [count + 1], [ncells] cells of a group */
    double *share;            /* [ncells] of a cell in the volume of its group */
    int32_t *along;           /* [count] position along the axis with most cells */
    int32_t *number;          /* scratch */
    int32_t *columns;         /* [count][star] groups; -1: none */
    double *blocks;           /* [count][star][functions][functions] */
    bool borrowed;            /* columns and blocks belong to others */
};

struct kn_cuda_coarse;

extern "C" {
/* The moment equations of a problem on the device (NULL: only the mass is kept); *able: false if they are too
 * large, or if the elimination fails.  Destroy it in any case; it may be NULL. */
enum kn_status kn_cuda_coarse_create(struct kn_cuda_coarse **out, const struct kn_steady_equations *e,
                                     const struct kn_steady_plan *plan, const double *volume,
                                     cudaStream_t stream, bool *able);
void kn_cuda_coarse_destroy(struct kn_cuda_coarse *c);
bool kn_cuda_coarse_changes(const struct kn_cuda_coarse *c); /* false: all coefficients are zero */
/* coefficients[cell][functions] of the solution for moments[cell][functions + 1], as the solver uses them. */
enum kn_status kn_cuda_coarse_solve(struct kn_cuda_coarse *c, const double *moments, double *coefficients,
                                    cudaStream_t stream);

/* The equations of boxes of `side` cells along every axis; *able: false if a box has too many neighbours. */
enum kn_status kn_cuda_groups_create(struct kn_cuda_groups *g, const struct kn_steady_equations *e, int side,
                                     bool *able);
void kn_cuda_groups_destroy(struct kn_cuda_groups *g);
/* Multiplications and additions of an elimination, about. */
double kn_cuda_groups_work(const struct kn_steady_plan *p, int side);

/* Fill `inverse`. */
cudaError_t kn_cuda_layers_eliminate(const struct kn_cuda_layers *l, cudaStream_t stream);
/* known <- the solution for `right`. */
cudaError_t kn_cuda_layers_solve(const struct kn_cuda_layers *l, cudaStream_t stream);
}

/* The layer of a cell; its first unknown in it. */
static __host__ __device__ inline int kn_cuda_layer_of(const struct kn_cuda_layers &l, int place)
{
    return place / l.depth;
}

static __host__ __device__ inline int kn_cuda_layer_first(const struct kn_cuda_layers &l, int place)
{
    return place % l.depth * l.functions;
}

#endif
