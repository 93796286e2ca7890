/* The CUDA backend: memory of the device, streams and launches; the kernels are
 * in the other cuda_*.cu. */
#include "backend/cuda_check.h"
#include "backend/cuda_quadratic.h"
#include "backend/cuda_sample.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern "C" {
#include "backend/backend.h"
#include "error.h"
#include "quadratic.h"
#include "sampling.h"
}

enum {
    WINDOW = 32,     /* collision sets put into order at once */
    GROUP = 8,       /* of these drawn at once, while the group before them is used */
    LARGE = 1 << 15, /* samples from which on a set is a group: memory */
    TIMED = 16       /* one sweep in TIMED is timed */
};

/* A window of orders being prepared, or in use. */
struct window {
    struct kn_cuda_orders orders;
    uint64_t number;    /* draws number * WINDOW and on; UINT64_MAX = empty */
    cudaEvent_t ready;  /* recorded behind the preparation */
    cudaEvent_t unused; /* recorded behind the steps that may read it */
};

/* Sets that follow each other, drawn while those before them are used (or one set by itself).  Steps that
 * need nothing of another stream overlap with the walls of the next. */
struct drawn_group {
    char *samples;
    uint64_t number; /* draws number * group and on; UINT64_MAX = empty */
    double dt;
    bool awaited;       /* the work stream has waited for `ready` */
    cudaEvent_t ready;  /* recorded behind the drawing */
    cudaEvent_t unused; /* recorded behind the steps that may read it */
};

/* What the assembled operator does in a collision step of one length. */
struct propagator {
    double dt;     /* -1: none yet */
    float *matrix; /* kn_cuda_propagator_place */
};

struct kn_cuda {
    struct kn_problem problem;
    struct kn_cuda_problem device;
    struct kn_sample_plan plan; /* pointers to the device */
    float *h, *next;            /* [ncells][nnodes] */
    double *moments;            /* [ncells][KN_MOMENTS] */
    float *emission;            /* [KN_SIDES][nnodes] */
    double *patch;              /* [KN_SIDES][3] */
    struct window windows[2];
    struct drawn_group groups[3];     /* two in turn; and one set for a step of another length */
    uint64_t group;                   /* sets of a group */
    double usual, last;               /* lengths of collision steps: of three in a row, of the last */
    int alike;                        /* of the last steps, how many were as long as the last */
    struct propagator propagators[2]; /* for the lengths of step last used */
    struct kn_quadratic *quadratic;   /* [kn_quadratic_count] */
    const double *nodes[3];           /* [half] */
    struct kn_cuda_operator op;
    struct kn_cuda_shares shares;
    int32_t near_walls; /* cells that a march does not reach */
    cudaStream_t work, drawing, prepare;
    cudaEvent_t mark[5]; /* around the sweep of a step that is timed, around drawing a set, and
                          * before the operator, where it comes apart from streaming */
    bool timing;         /* marks are recorded, not yet read */
    bool streamed;       /* of a sweep that streamed */
    uint64_t sweeps;
    double seconds[KN_PHASES];
    void *blocks[64]; /* everything allocated, for the end */
    int nblocks;
};

/* ------------------------------------------------------------------ is there a card? */

static enum kn_status available(void)
{
    int count = 0;
    const cudaError_t status = cudaGetDeviceCount(&count);
    if (status != cudaSuccess)
        return kn_error_set(KN_EDEVICE, "run.backend: no GPU can be used: %s", cudaGetErrorString(status));
    if (count == 0)
        return kn_error_set(KN_EDEVICE, "run.backend: this machine has no GPU that CUDA can use");
    return KN_OK;
}

/* The operator needs units for products of matrices. */
static bool collides(enum kn_method method)
{
    int major = 0;
    return method != KN_METHOD_OPERATOR ||
           cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0) != cudaSuccess || major >= 8;
}

/* --------------------------------------------------------------------- memory */

static uint64_t group_of(const struct kn_case *c)
{
    return kn_sampling_count(c) < LARGE ? GROUP : 1;
}

/* Bytes for two lengths of step and, where rows are too long for shared memory, for the cells
 * of one block on every multiprocessor of the largest cards. */
static double operator_memory(const struct kn_velocity *v)
{
    const double padded = v->size + 128.0, block = 16.0 * v->nnodes * sizeof(float);
    return 2 * v->octants * padded * (v->size + 8.0) * sizeof(float) +
           (block > 220e3 ? 160 * 2.2 * block : 0);
}

static double memory(const struct kn_problem *p)
{
    const double samples = kn_sampling_count(p->c), nnodes = p->velocity->nnodes;
    const struct kn_velocity *v = p->velocity;
    const bool operates = p->c->collision.method == KN_METHOD_OPERATOR;
    const double window = samples > 0 ? WINDOW * (samples * 32 + nnodes * KN_SAMPLE_COLOURS / 8) : 0;
    return 2.0 * p->space->ncells * nnodes * sizeof(float) + p->space->ncells * (KN_MOMENTS * 8.0 + 40) +
           2 * window + (2.0 * group_of(p->c) + 1) * kn_cuda_set_bytes((size_t)kn_sampling_count(p->c)) +
           (double)kn_quadratic_count(p->c) * sizeof(struct kn_quadratic) +
           (operates ? operator_memory(v) : 0);
}

static enum kn_status allocate(struct kn_cuda *m, void **to, size_t bytes)
{
    size_t free_bytes = 0, total = 0;
    const cudaError_t status = cudaMalloc(to, bytes > 0 ? bytes : 16);
    if (status == cudaErrorMemoryAllocation) {
        cudaGetLastError();
        cudaMemGetInfo(&free_bytes, &total);
        return kn_error_set(KN_EMEMORY,
                            "space.cells: the case needs %.2f GB on the GPU, of which %.2f GB are free; "
                            "fewer cells or velocity.nodes help",
                            memory(&m->problem) / 1e9, (double)free_bytes / 1e9);
    }
    CHECK(status);
    m->blocks[m->nblocks++] = *to;
    return KN_OK;
}

/* A copy of an array of the host. */
static enum kn_status upload(struct kn_cuda *m, const void **to, const void *from, size_t bytes)
{
    void *block;
    const enum kn_status status = allocate(m, &block, bytes);
    if (status != KN_OK)
        return status;
    *to = block;
    CHECK(cudaMemcpy(block, from, bytes, cudaMemcpyHostToDevice));
    return KN_OK;
}

#define TRY(call)                                                                                            \
    do {                                                                                                     \
        const enum kn_status try_status = (call);                                                            \
        if (try_status != KN_OK)                                                                             \
            return try_status;                                                                               \
    } while (0)

static enum kn_status upload_faces(struct kn_cuda *m)
{
    const struct kn_space *x = m->problem.space;
    int32_t *cell = (int32_t *)malloc(2 * ((size_t)x->nfaces + 1) * sizeof *cell),
            *side = cell + x->nfaces + 1;
    if (!cell)
        return kn_error_set(KN_EMEMORY, "no memory for the walls");
    for (int face = 0; face < x->nfaces; face++) {
        cell[face] = x->faces[face].cell;
        side[face] = x->faces[face].side;
    }
    enum kn_status status =
        upload(m, (const void **)&m->device.face_cell, cell, (size_t)x->nfaces * sizeof *cell);
    if (status == KN_OK)
        status = upload(m, (const void **)&m->device.face_side, side, (size_t)x->nfaces * sizeof *side);
    free(cell);
    return status;
}

/* A box of cells; those outside it, near the boundary, take longest. */
struct box {
    int first[3], end[3];
};

static struct box inner_box(const struct kn_space *x, const int tile[3], const struct kn_cuda_inner *inner)
{
    struct box b = {{0, 0, 0}, {x->cells[0], x->cells[1], x->cells[2]}};
    for (int a = 0; a < x->naxes; a++) {
        const int axis = x->axes[a], n = x->cells[axis];
        b.first[axis] = tile[axis];
        b.end[axis] = (n - 1) / tile[axis] * tile[axis];
    }
    for (int axis = 0; axis < 2 && inner->tiles[0] > 0; axis++) { /* what the march leaves to others */
        b.first[axis] = inner->first[axis];
        b.end[axis] = inner->first[axis] + inner->tiles[axis] * tile[axis];
    }
    return b;
}

/* The cells of a tile that begins at `from`, if they are inside the box as asked. */
static int32_t *add_tile(const struct kn_space *x, const int from[3], const int tile[3], const struct box *b,
                         bool inside, int32_t *at)
{
    for (int i = 0; i < tile[0] * tile[1] * tile[2]; i++) {
        const int cell[3] = {from[0] + i / tile[1] % tile[0], from[1] + i % tile[1],
                             from[2] + i / (tile[0] * tile[1])};
        bool exists = true, in_box = true;
        for (int axis = 0; axis < 3; axis++) {
            exists = exists && cell[axis] >= 0 && cell[axis] < x->cells[axis];
            in_box = in_box && cell[axis] >= b->first[axis] && cell[axis] < b->end[axis];
        }
        if (exists && in_box == inside)
            *at++ = cell[0] + x->cells[0] * (cell[1] + x->cells[1] * cell[2]);
    }
    return at;
}

/* Cells in tiles of eight neighbours, which have many rows in common; those near the
 * boundary first. */
static enum kn_status upload_tiles(struct kn_cuda *m)
{
    const struct kn_space *x = m->problem.space;
    const int tile[3] = {x->naxes == 1 ? 8 : x->naxes == 2 ? KN_CUDA_COLUMNS : 2, KN_CUDA_ROWS, 2};
    const struct box box = inner_box(x, tile, &m->device.inner);
    int32_t *order = (int32_t *)malloc((size_t)x->ncells * sizeof *order), *at = order;
    if (!order)
        return kn_error_set(KN_EMEMORY, "no memory for the order of the cells");
    for (int inside = 0; inside < 2; inside++) {
        int from[3], start[3];
        m->near_walls = (int32_t)(at - order);
        for (int axis = 0; axis < 3; axis++) /* whole tiles inside the box */
            start[axis] = box.first[axis] % tile[axis] == 0 ? 0 : box.first[axis] % tile[axis] - tile[axis];
        for (from[2] = start[2]; from[2] < x->cells[2]; from[2] += tile[2])
            for (from[1] = start[1]; from[1] < x->cells[1]; from[1] += tile[1])
                for (from[0] = start[0]; from[0] < x->cells[0]; from[0] += tile[0])
                    at = add_tile(x, from, tile, &box, inside, at);
    }
    const enum kn_status status =
        upload(m, (const void **)&m->device.tiled, order, (size_t)x->ncells * sizeof *order);
    free(order);
    return status;
}

/* Cells next to a side that a march leaves out. */
static int left_out(const struct kn_cuda *m, int side)
{
    const struct kn_patch *wall = &m->problem.boundary->patches[side];
    return wall->emits && !kn_boundary_reflects(wall) ? 0 : 2;
}

/* The tiles that can be marched through, if they are enough. */
static void find_inner(struct kn_cuda *m)
{
    const int *n = m->problem.space->cells, tile[2] = {KN_CUDA_COLUMNS, KN_CUDA_ROWS};
    const int least = kn_cuda_march_least(&m->device);
    struct kn_cuda_inner inner = {{0, 0}, {0, 0}, n[0], 0};
    for (int axis = 0; axis < 2; axis++) {
        const int end = n[axis] - left_out(m, 2 * axis + 1);
        inner.first[axis] = left_out(m, 2 * axis);
        inner.tiles[axis] = end > inner.first[axis] ? (end - inner.first[axis]) / tile[axis] : 0;
        /* what remains before a wall is swept, and a march then needs a cell more downwind */
        if (inner.tiles[axis] > 0 && n[axis] - inner.first[axis] - inner.tiles[axis] * tile[axis] == 1)
            inner.tiles[axis]--;
        inner.walls |= (inner.first[axis] == 0) << 2 * axis;
        inner.walls |= (inner.first[axis] + inner.tiles[axis] * tile[axis] == n[axis]) << (2 * axis + 1);
    }
    if (least == 0 || inner.tiles[0] * inner.tiles[1] < least)
        inner.tiles[0] = inner.tiles[1] = 0;
    m->device.inner = inner;
}

/* Cells of one width along every axis, but for the rounding of their edges. */
static bool is_uniform(const struct kn_space *x)
{
    for (int64_t i = 3; i < 3 * (int64_t)x->ncells; i++)
        if (fabsf(x->width[i] - x->width[i % 3]) > 4 * FLT_EPSILON * x->width[i])
            return false;
    return true;
}

static enum kn_status upload_velocity(struct kn_cuda *m)
{
    const struct kn_velocity *v = m->problem.velocity;
    const size_t row = (size_t)v->stride * sizeof(float);
    for (int d = 0; d < 3; d++) {
        TRY(upload(m, (const void **)&m->device.speed[d], v->speed[d], row));
        TRY(upload(m, (const void **)&m->plan.edge[d], v->edge[d], ((size_t)v->half[d] + 1) * sizeof(float)));
    }
    for (int d = 0, j = 0; d < 3; d++)
        if (v->bit[d] != 0)
            m->device.odd[j++] = m->device.speed[d];
    TRY(upload(m, (const void **)&m->device.square, v->square, row));
    return upload(m, (const void **)&m->device.w, v->w, row);
}

static enum kn_status set_walls(void *machine)
{
    struct kn_cuda *m = (struct kn_cuda *)machine;
    const struct kn_boundary *b = m->problem.boundary;
    const size_t bytes = KN_SIDES * (size_t)m->problem.velocity->nnodes * sizeof(float);
    double patch[KN_SIDES][3];
    m->device.emits = 0;
    for (int side = 0; side < KN_SIDES; side++) {
        patch[side][0] = b->patches[side].excess;
        patch[side][1] = b->patches[side].unit;
        patch[side][2] = b->patches[side].through;
        m->device.alpha[side] = b->patches[side].alpha;
        m->device.takes[side] = b->patches[side].takes;
        m->device.emits |= b->patches[side].emits << side;
    }
    /* from pageable memory: the call returns when the host arrays may change */
    CHECK(cudaMemcpyAsync(m->emission, b->memory, bytes, cudaMemcpyHostToDevice, m->work));
    CHECK(cudaMemcpyAsync(m->patch, patch, sizeof patch, cudaMemcpyHostToDevice, m->work));
    return KN_OK;
}

static enum kn_status create_windows(struct kn_cuda *m)
{
    const size_t samples = (size_t)kn_sampling_count(m->problem.c),
                 nnodes = (size_t)m->problem.velocity->nnodes;
    if (samples == 0)
        return KN_OK;
    for (int i = 0; i < 2; i++) {
        struct kn_cuda_orders *o = &m->windows[i].orders;
        o->sets = WINDOW;
        o->samples = (int32_t)samples;
        o->nnodes = (int32_t)nnodes;
        o->shared_limit = m->device.shared_limit;
        m->windows[i].number = UINT64_MAX;
        TRY(allocate(m, (void **)&o->nodes, WINDOW * samples * sizeof *o->nodes));
        TRY(allocate(m, (void **)&o->masks, WINDOW * nnodes * (KN_SAMPLE_COLOURS / 8)));
        TRY(allocate(m, (void **)&o->places, WINDOW * samples * sizeof *o->places));
        TRY(allocate(m, (void **)&o->order, WINDOW * samples * sizeof *o->order));
        TRY(allocate(m, (void **)&o->batches, WINDOW * (samples + 2) * sizeof *o->batches));
        CHECK(cudaEventCreateWithFlags(&m->windows[i].ready, cudaEventDisableTiming));
        CHECK(cudaEventCreateWithFlags(&m->windows[i].unused, cudaEventDisableTiming));
    }
    m->group = group_of(m->problem.c);
    for (int i = 0; i < 3; i++) {
        struct drawn_group *g = &m->groups[i];
        g->number = UINT64_MAX;
        TRY(allocate(m, (void **)&g->samples, (i < 2 ? m->group : 1) * kn_cuda_set_bytes(samples)));
        CHECK(cudaEventCreateWithFlags(&g->ready, cudaEventDisableTiming));
        CHECK(cudaEventCreateWithFlags(&g->unused, cudaEventDisableTiming));
    }
    return KN_OK;
}

/* ------------------------------------------------------------------- the operator */

/* What takes mass, momentum and energy back. */
static struct kn_cuda_mend mend_of(const struct kn_velocity *v)
{
    double gram[3] = {0, 0, 0}, odd[3] = {0, 0, 0}; /* of 1, v.v and each other; of the velocity */
    struct kn_cuda_mend mend = {};
    for (int k = 0; k < v->size; k++) {
        const double w = (double)v->octants * v->w[k], square = v->square[k];
        gram[0] += w;
        gram[1] += w * square;
        gram[2] += w * square * square;
        for (int d = 0; d < 3; d++)
            for (int j = 0; j < 3; j++)
                odd[j] += v->bit[d] == 1 << j ? w * v->speed[d][k] * v->speed[d][k] : 0;
    }
    const double determinant = gram[0] * gram[2] - gram[1] * gram[1];
    mend.even[0][0] = (float)(gram[2] / determinant);
    mend.even[0][1] = mend.even[1][0] = (float)(-gram[1] / determinant);
    mend.even[1][1] = (float)(gram[0] / determinant);
    for (int j = 0; j < 3; j++)
        mend.odd[j] = odd[j] > 0 ? (float)(1 / odd[j]) : 0.0f;
    return mend;
}

/* Floats of the matrices of all parities. */
static size_t propagator_length(const struct kn_cuda *m)
{
    return (size_t)kn_cuda_propagator_share(kn_cuda_operator_steps(m->device.size), m->shares.tiles,
                                            m->device.mesh.octants * m->shares.shares);
}

static enum kn_status create_operator(struct kn_cuda *m)
{
    if (m->problem.c->collision.method != KN_METHOD_OPERATOR)
        return KN_OK;
    const struct kn_velocity *v = m->problem.velocity;
    TRY(allocate(m, (void **)&m->quadratic, (size_t)kn_quadratic_count(m->problem.c) * sizeof *m->quadratic));
    for (int d = 0; d < 3; d++)
        TRY(upload(m, (const void **)&m->nodes[d], v->node[d], (size_t)v->half[d] * sizeof(double)));
    m->op.mend = mend_of(v);
    m->shares = kn_cuda_operator_shares(&m->device);
    TRY(allocate(m, (void **)&m->op.scratch, kn_cuda_operator_scratch(&m->device)));
    for (int i = 0; i < 2; i++) {
        m->propagators[i].dt = -1;
        TRY(allocate(m, (void **)&m->propagators[i].matrix, propagator_length(m) * sizeof(float)));
    }
    return KN_OK;
}

/* exp(L dt) - 1 of all parities, divided by the number of octants as the way from octants
 * to parities and back asks for, into `packed`; `plain` has room for one parity. */
static enum kn_status pack_parities(const struct kn_cuda *m, double dt, float *plain, float *packed)
{
    const struct kn_velocity *v = m->problem.velocity;
    for (int odd = 0; odd < v->octants; odd++) {
        TRY(kn_operator_change(&m->problem.collision->op, kn_operator_parity(v, odd), dt, plain));
        for (int n = 0; n < v->size; n++)
            for (int k = 0; k < v->size; k++)
                packed[kn_cuda_propagator_place(m->shares, v->size, odd, n, k)] =
                    plain[(size_t)n * (size_t)v->size + (size_t)k] / (float)v->octants;
    }
    return KN_OK;
}

static enum kn_status make_propagator(struct kn_cuda *m, double dt, struct propagator *to)
{
    const size_t length = propagator_length(m),
                 plain = (size_t)m->problem.velocity->size * (size_t)m->problem.velocity->size;
    float *packed = (float *)calloc(length + plain, sizeof *packed);
    if (!packed)
        return kn_error_set(KN_EMEMORY, "collision.method: no memory for a step of the operator");
    to->dt = -1; /* until all is well */
    enum kn_status status = pack_parities(m, dt, packed + length, packed);
    /* from pageable memory, behind the steps that read what was there: the call returns when
     * the host array may go */
    const cudaError_t copied = status == KN_OK ? cudaMemcpyAsync(to->matrix, packed, length * sizeof *packed,
                                                                 cudaMemcpyHostToDevice, m->work)
                                               : cudaSuccess;
    free(packed);
    CHECK(copied);
    if (status == KN_OK)
        to->dt = dt;
    return status;
}

/* The propagator of a step, made when it is not one of the last two lengths. */
static enum kn_status find_propagator(struct kn_cuda *m, double dt, const float **matrix)
{
    struct propagator *last = m->propagators;
    if (m->problem.c->collision.method != KN_METHOD_OPERATOR)
        return KN_OK;
    if (last[1].dt != dt) { /* the one used last stands last */
        const struct propagator swap = last[0];
        last[0] = last[1];
        last[1] = swap;
        if (last[1].dt != dt)
            TRY(make_propagator(m, dt, &last[1]));
    }
    *matrix = last[1].matrix;
    return KN_OK;
}

static enum kn_status fill_constants(struct kn_cuda *m)
{
    const struct kn_problem *p = &m->problem;
    struct kn_cuda_problem *d = &m->device;
    const int *cells = p->space->cells;
    int shared = 0, whole = 0;
    CHECK(cudaDeviceGetAttribute(&d->multiprocessors, cudaDevAttrMultiProcessorCount, 0));
    CHECK(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
    CHECK(cudaDeviceGetAttribute(&whole, cudaDevAttrMaxSharedMemoryPerMultiprocessor, 0));
    d->shared_whole = (size_t)whole;
    d->shared_limit = (size_t)shared - 8192; /* what the kernels declare themselves */
    d->symmetric = p->c->collision.estimator == KN_ESTIMATOR_SYMMETRIC;
    d->ncells = p->space->ncells;
    d->centre = cells[0] / 2 + cells[0] * (cells[1] / 2 + cells[1] * (cells[2] / 2));
    d->nfaces = p->space->nfaces;
    d->size = p->velocity->size;
    d->uniform = is_uniform(p->space);
    d->eps = (float)p->c->disturbance;
    d->order = p->c->space.order;
    d->limiter = p->c->space.limiter;
    d->method = p->c->collision.method;
    d->conservation = p->collision->conservation;
    d->prandtl = (float)p->c->collision.prandtl;
    d->emission = m->emission;
    d->patch = m->patch;
    memcpy(d->gram, p->collision->gram, sizeof d->gram);
    memcpy(d->inverse, p->collision->inverse, sizeof d->inverse);
    return KN_OK;
}

/* Refuse before anything is allocated. */
static enum kn_status check_memory(const struct kn_problem *p)
{
    size_t free_bytes = 0, total = 0;
    const double need = memory(p);
    CHECK(cudaMemGetInfo(&free_bytes, &total));
    if (need <= (double)free_bytes)
        return KN_OK;
    return kn_error_set(
        KN_EINPUT,
        "space.cells: the case needs %.2f GB on the GPU, of which %.2f GB are free (fewer cells or "
        "velocity.nodes, or run.backend: cpu)",
        need / 1e9, (double)free_bytes / 1e9);
}

static enum kn_status build(struct kn_cuda *m)
{
    const struct kn_problem *p = &m->problem;
    const size_t cells = (size_t)p->space->ncells, nnodes = (size_t)p->velocity->nnodes,
                 faces = (size_t)p->space->nfaces;
    int urgent = 0;
    TRY(check_memory(p));
    CHECK(cudaStreamCreateWithFlags(&m->work, cudaStreamNonBlocking));
    CHECK(cudaDeviceGetStreamPriorityRange(NULL, &urgent));
    CHECK(cudaStreamCreateWithPriority(&m->drawing, cudaStreamNonBlocking,
                                       urgent)); /* not behind the sweep's blocks */
    CHECK(cudaStreamCreateWithFlags(&m->prepare, cudaStreamNonBlocking));
    m->device.mesh = kn_backend_mesh(p);
    TRY(allocate(m, (void **)&m->h, cells * nnodes * sizeof(float)));
    TRY(allocate(m, (void **)&m->next, cells * nnodes * sizeof(float)));
    TRY(allocate(m, (void **)&m->moments, cells * KN_MOMENTS * sizeof(double)));
    TRY(allocate(m, (void **)&m->emission, KN_SIDES * nnodes * sizeof(float)));
    TRY(allocate(m, (void **)&m->patch, KN_SIDES * 3 * sizeof(double)));
    TRY(allocate(m, (void **)&m->device.density, faces * sizeof(float)));
    TRY(allocate(m, (void **)&m->device.lost, faces * sizeof(float)));
    TRY(allocate(m, (void **)&m->device.cycles, 2 * sizeof *m->device.cycles));
    for (int i = 0; i < 5; i++) {
        CHECK(cudaEventCreate(&m->mark[i]));
        CHECK(cudaEventRecord(m->mark[i], m->drawing));
    }
    TRY(allocate(m, (void **)&m->device.fluxes, faces * KN_FLUXES * sizeof(double)));
    TRY(upload(m, (const void **)&m->device.mesh.neighbour, p->space->neighbour,
               6 * cells * sizeof(int32_t)));
    TRY(upload(m, (const void **)&m->device.mesh.width, p->space->width, 3 * cells * sizeof(float)));
    TRY(upload_velocity(m));
    TRY(upload_faces(m));
    if (p->collision->has_source)
        TRY(upload(m, (const void **)&m->device.source, p->collision->source, nnodes * sizeof(float)));
    TRY(fill_constants(m));
    find_inner(m);
    TRY(upload_tiles(m));
    TRY(create_windows(m));
    TRY(create_operator(m));
    CHECK(cudaMemsetAsync(m->h, 0, cells * nnodes * sizeof(float), m->work));
    CHECK(cudaMemsetAsync(m->next, 0, cells * nnodes * sizeof(float), m->work));
    CHECK(cudaMemsetAsync(m->device.cycles, 0, 2 * sizeof *m->device.cycles, m->work));
    CHECK(cudaMemsetAsync(m->device.lost, 0, faces * sizeof(float), m->work));
    CHECK(cudaMemsetAsync(m->device.fluxes, 0, faces * KN_FLUXES * sizeof(double), m->work));
    TRY(set_walls(m));
    CHECK(cudaStreamSynchronize(m->work));
    return KN_OK;
}

static void destroy(void *machine)
{
    struct kn_cuda *m = (struct kn_cuda *)machine;
    if (!m)
        return;
    cudaDeviceSynchronize();
    cudaEvent_t events[] = {
        m->windows[0].ready, m->windows[0].unused, m->windows[1].ready, m->windows[1].unused,
        m->groups[0].ready,  m->groups[0].unused,  m->groups[1].ready,  m->groups[1].unused,
        m->groups[2].ready,  m->groups[2].unused,  m->mark[0],          m->mark[1],
        m->mark[2],          m->mark[3],           m->mark[4],
    };
    cudaStream_t streams[] = {m->work, m->drawing, m->prepare};
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        if (events[i])
            cudaEventDestroy(events[i]);
    for (size_t i = 0; i < sizeof streams / sizeof *streams; i++)
        if (streams[i])
            cudaStreamDestroy(streams[i]);
    for (int i = 0; i < m->nblocks; i++)
        cudaFree(m->blocks[i]);
    free(m);
}

static enum kn_status create(void **machine, const struct kn_problem *p)
{
    TRY(available());
    struct kn_cuda *m = (struct kn_cuda *)calloc(1, sizeof *m);
    if (!m)
        return kn_error_set(KN_EMEMORY, "no memory for the CUDA backend");
    m->problem = *p;
    const enum kn_status status = build(m);
    if (status != KN_OK) {
        destroy(m);
        return status;
    }
    *machine = m;
    return KN_OK;
}

static enum kn_status put(void *machine, int64_t first, int64_t count, const float *rows)
{
    struct kn_cuda *m = (struct kn_cuda *)machine;
    const int64_t nnodes = m->problem.velocity->nnodes;
    CHECK(cudaMemcpyAsync(m->h + first * nnodes, rows, (size_t)(count * nnodes) * sizeof *rows,
                          cudaMemcpyHostToDevice, m->work));
    CHECK(cudaStreamSynchronize(m->work));
    return KN_OK;
}

static enum kn_status read_marks(struct kn_cuda *m);

static enum kn_status get(void *machine, int64_t first, int64_t count, float *rows)
{
    struct kn_cuda *m = (struct kn_cuda *)machine;
    const int64_t nnodes = m->problem.velocity->nnodes;
    CHECK(cudaMemcpyAsync(rows, m->h + first * nnodes, (size_t)(count * nnodes) * sizeof *rows,
                          cudaMemcpyDeviceToHost, m->work));
    CHECK(cudaStreamSynchronize(m->work));
    return read_marks(m);
}

/* ---------------------------------------------------------------------- sets */

/* A plan with pointers into the memory of the device. */
static struct kn_sample_plan on_device(const struct kn_cuda *m, struct kn_sample_plan plan)
{
    for (int d = 0; d < 3; d++) {
        plan.edge[d] = m->plan.edge[d];
        plan.speed[d] = m->device.speed[d];
    }
    plan.weight = m->device.w;
    plan.square = m->device.square;
    return plan;
}

static struct kn_sample_plan sample_plan(const struct kn_cuda *m, double dt)
{
    return on_device(m, kn_sampling_plan(m->problem.c, m->problem.velocity, dt));
}

/* Have a window put into order behind everything that still reads its memory. */
static enum kn_status prepare_window(struct kn_cuda *m, uint64_t number)
{
    struct window *w = &m->windows[number % 2];
    if (w->number == number)
        return KN_OK;
    const struct kn_sample_plan plan = sample_plan(m, 1);
    CHECK(cudaEventRecord(w->unused, m->work));
    CHECK(cudaStreamWaitEvent(m->prepare, w->unused, 0));
    for (int i = 0; i < 3; i++)
        CHECK(cudaStreamWaitEvent(m->prepare, m->groups[i].ready, 0));
    CHECK(kn_cuda_order(&w->orders, &plan, number * WINDOW, m->prepare));
    CHECK(cudaEventRecord(w->ready, m->prepare));
    w->number = number;
    return KN_OK;
}

static const int32_t *batches_of(const struct kn_cuda *m, uint64_t draw)
{
    const struct kn_cuda_orders *o = &m->windows[draw / WINDOW % 2].orders;
    return o->batches + draw % WINDOW * ((uint64_t)o->samples + 2);
}

/* Draw sets first..end-1, all of one window, into a group for collision steps dt. */
static enum kn_status draw_sets(struct kn_cuda *m, double dt, uint64_t first, uint64_t end,
                                struct drawn_group *g)
{
    g->number = UINT64_MAX; /* until all is well */
    TRY(prepare_window(m, first / WINDOW));
    const struct window *w = &m->windows[first / WINDOW % 2];
    const struct kn_sample_plan plan = sample_plan(m, dt);
    const size_t bytes = kn_cuda_set_bytes((size_t)w->orders.samples);
    CHECK(cudaEventRecord(g->unused, m->work));
    CHECK(cudaStreamWaitEvent(m->drawing, w->ready, 0));
    CHECK(cudaStreamWaitEvent(m->drawing, g->unused, 0));
    for (uint64_t draw = first; draw < end; draw++) {
        if (draw == first)
            CHECK(cudaEventRecord(m->mark[2], m->drawing));
        CHECK(kn_cuda_sample(&plan, draw, m->problem.velocity->nnodes,
                             w->orders.order + draw % WINDOW * (uint64_t)w->orders.samples,
                             batches_of(m, draw), kn_cuda_beside(kn_cuda_cells(&m->device)),
                             g->samples + (draw - first) * bytes, m->drawing));
        if (draw == first)
            CHECK(cudaEventRecord(m->mark[3], m->drawing));
    }
    CHECK(cudaEventRecord(g->ready, m->drawing));
    g->number = first / m->group;
    g->dt = dt;
    g->awaited = false;
    return KN_OK;
}

static enum kn_status draw_group(struct kn_cuda *m, double dt, uint64_t number)
{
    struct drawn_group *g = &m->groups[number % 2];
    if (g->number == number)
        return KN_OK;
    return draw_sets(m, dt, number * m->group, (number + 1) * m->group, g);
}

/* The set of this step, for the kernels that the work stream gets next.  One for a step of
 * another length than its group, as before and after a report, is drawn by itself. */
static enum kn_status use_set(struct kn_cuda *m, double dt, uint64_t draw, struct kn_cuda_set *set)
{
    if (kn_sampling_count(m->problem.c) == 0)
        return KN_OK;
    struct drawn_group *g = &m->groups[draw / m->group % 2];
    m->alike = dt == m->last ? m->alike + 1 : 1;
    m->usual = m->alike >= 3 || m->last == 0 ? dt : m->usual; /* a report makes two half steps */
    m->last = dt;
    if (g->number == draw / m->group && g->dt != dt && m->usual == dt)
        g->number = UINT64_MAX; /* the length has changed for good */
    TRY(draw_group(m, m->usual, draw / m->group));
    uint64_t at = draw % m->group;
    if (g->dt != dt) {
        g = &m->groups[2];
        at = 0;
        TRY(draw_sets(m, dt, draw, draw + 1, g));
    }
    if (!g->awaited)
        CHECK(cudaStreamWaitEvent(m->work, g->ready, 0));
    g->awaited = true;
    *set = kn_cuda_set{batches_of(m, draw),
                       g->samples + at * kn_cuda_set_bytes((size_t)kn_sampling_count(m->problem.c))};
    return KN_OK;
}

/* Behind the first sweep that used a set of a group: the next group is drawn, most likely for
 * steps of the same length. */
static enum kn_status draw_ahead(struct kn_cuda *m, uint64_t draw)
{
    if (kn_sampling_count(m->problem.c) == 0)
        return KN_OK;
    TRY(draw_group(m, m->usual, draw / m->group + 1));
    return prepare_window(m, draw / WINDOW + 1);
}

/* ---------------------------------------------------------------------- sweeps */

/* The node that gets back what rounding has lost, another one at each turn. */
static int32_t heavy_node(const struct kn_cuda *m, uint64_t turn)
{
    const struct kn_velocity *v = m->problem.velocity;
    const uint64_t octant = turn / (uint64_t)v->nheavy % (uint64_t)v->octants;
    return (int32_t)octant * v->stride + v->heavy[turn % (uint64_t)v->nheavy];
}

static cudaError_t advance(const struct kn_cuda_problem *p, const struct kn_cuda_step *s, cudaStream_t stream)
{
    const bool marches = s->cells < p->ncells;
    const cudaError_t status = marches ? kn_cuda_march(p, s, stream) : cudaSuccess;
    if (status != cudaSuccess || s->cells == 0)
        return status;
    if (kn_cuda_linear_fits(p))
        return kn_cuda_linear(p, s, stream);
    if (p->method == KN_METHOD_OPERATOR) { /* a uniform gas: its row moves on, and collides later */
        struct kn_cuda_problem streaming = *p;
        streaming.method = KN_METHOD_NONE;
        streaming.source = NULL;
        return kn_cuda_model(&streaming, s, stream);
    }
    return p->method == KN_METHOD_MONTE_CARLO ? kn_cuda_collision(p, s, stream) : kn_cuda_model(p, s, stream);
}

/* The operator behind streaming: in cells that the march has not served already. */
static enum kn_status operate(struct kn_cuda *m, const struct kn_cuda_step *s, bool streamed)
{
    const double before = 0.5 * s->dt_collide, after = kn_quadratic_count(m->problem.c) > 0 ? 0 : before;
    const struct kn_cuda_problem *p = &m->device;
    const bool served = streamed && s->cells < p->ncells && kn_cuda_march_operates(p);

    if (p->method != KN_METHOD_OPERATOR || (served && s->cells == 0))
        return KN_OK;
    CHECK(kn_cuda_operate(p, &s->op, s->next, served ? p->tiled : NULL, served ? s->cells : p->ncells, before,
                          after, s->heavy / p->mesh.stride, m->work));
    return KN_OK;
}

/* The quadratic part behind the operator; the second half step of sources comes with it. */
static enum kn_status collide_quadratically(struct kn_cuda *m, const struct kn_cuda_step *s, uint64_t draw)
{
    const struct kn_velocity *v = m->problem.velocity;
    const int count = kn_quadratic_count(m->problem.c);
    if (count == 0)
        return KN_OK;
    struct kn_quadratic_plan plan =
        kn_quadratic_plan(m->problem.c, v, &m->problem.collision->op, s->dt_collide);
    plan.sampling = on_device(m, plan.sampling);
    for (int d = 0; d < 3; d++)
        plan.node[d] = m->nodes[d];
    const struct kn_cuda_quadratics q = {m->quadratic, count, {v->half[0], v->half[1], v->half[2]}};
    CHECK(kn_cuda_draw_quadratic(&plan, draw, count, m->quadratic, m->work));
    CHECK(kn_cuda_quadratic(&m->device, &q, s->next, s->dt_collide, s->heavy, m->work));
    return KN_OK;
}

/* How the time of a sweep divides: a fused kernel as the cycles that one of its blocks
 * spent streaming and afterwards; the operator, where it comes apart, has a mark before it. */
static enum kn_status streaming_part(struct kn_cuda *m, float sweeping, double *part)
{
    if (!m->streamed) {
        *part = 0;
        return KN_OK;
    }
    const bool apart = m->problem.c->collision.method == KN_METHOD_OPERATOR &&
                       !(m->device.inner.tiles[0] > 0 && kn_cuda_march_operates(&m->device));
    long long cycles[2];
    float streaming = 0;
    if (apart) {
        CHECK(cudaEventElapsedTime(&streaming, m->mark[0], m->mark[4]));
        *part = sweeping > 0 ? streaming / sweeping : 1;
        return KN_OK;
    }
    CHECK(cudaMemcpyAsync(cycles, m->device.cycles, sizeof cycles, cudaMemcpyDeviceToHost, m->work));
    CHECK(cudaStreamSynchronize(m->work));
    *part = cycles[0] + cycles[1] > 0 ? (double)cycles[0] / (double)(cycles[0] + cycles[1]) : 1;
    return KN_OK;
}

/* Read the clock of the step that was timed, once it is done. */
static enum kn_status read_marks(struct kn_cuda *m)
{
    const bool sampled = kn_sampling_count(m->problem.c) > 0;
    float drawing = 0, sweeping = 0;
    double part;
    if (!m->timing || cudaEventQuery(m->mark[1]) != cudaSuccess ||
        (sampled && cudaEventQuery(m->mark[3]) != cudaSuccess))
        return KN_OK;
    CHECK(cudaEventElapsedTime(&sweeping, m->mark[0], m->mark[1]));
    if (sampled)
        CHECK(cudaEventElapsedTime(&drawing, m->mark[2], m->mark[3]));
    TRY(streaming_part(m, sweeping, &part));
    m->seconds[KN_PHASE_SAMPLE] += TIMED * 1e-3 * drawing;
    m->seconds[KN_PHASE_STREAM] += TIMED * 1e-3 * sweeping * part;
    m->seconds[KN_PHASE_COLLIDE] += TIMED * 1e-3 * sweeping * (1 - part);
    m->timing = false;
    return KN_OK;
}

static enum kn_status sweep(struct kn_cuda *m, const struct kn_step *step, float *to)
{
    const bool walls = step->stream > 0 && m->device.nfaces > 0,
               marches = step->stream > 0 && m->device.inner.tiles[0] > 0,
               streams = step->stream > 0 || m->device.method != KN_METHOD_OPERATOR;
    struct kn_cuda_step s = {.h = m->h, .next = to};
    s.dt_stream = (float)step->stream;
    s.dt_collide = step->collide;
    s.behind_walls = walls;
    s.cells = marches ? m->near_walls : m->device.ncells;
    s.heavy = heavy_node(m, step->draw);
    s.op = m->op;
    const bool timed = m->sweeps++ % TIMED == TIMED / 2 && !m->timing;
    TRY(use_set(m, step->collide, step->draw, &s.set));
    TRY(find_propagator(m, step->collide, &s.op.propagator));
    if (timed)
        CHECK(cudaEventRecord(m->mark[0], m->work));
    if (walls)
        CHECK(kn_cuda_walls(&m->device, m->h, (float)step->stream, step->fluxes, m->work));
    if (streams)
        CHECK(advance(&m->device, &s, m->work));
    if (timed)
        CHECK(cudaEventRecord(m->mark[4], m->work));
    TRY(operate(m, &s, step->stream > 0));
    TRY(collide_quadratically(m, &s, step->draw));
    if (timed)
        CHECK(cudaEventRecord(m->mark[1], m->work));
    if (timed)
        m->streamed = step->stream > 0;
    m->timing = m->timing || timed;
    return draw_ahead(m, step->draw);
}

static enum kn_status step(void *machine, const struct kn_step *step)
{
    struct kn_cuda *m = (struct kn_cuda *)machine;
    TRY(sweep(m, step, m->next));
    float *swap = m->h;
    m->h = m->next;
    m->next = swap;
    return KN_OK;
}

static enum kn_status collide(void *machine, double dt, uint64_t draw)
{
    struct kn_cuda *m = (struct kn_cuda *)machine;
    const struct kn_step step = {0, dt, draw, false};
    return sweep(m, &step, m->h);
}

static enum kn_status moments(void *machine, double *to)
{
    struct kn_cuda *m = (struct kn_cuda *)machine;
    CHECK(kn_cuda_moments(&m->device, m->h, m->moments, m->work));
    CHECK(cudaMemcpyAsync(to, m->moments, (size_t)m->problem.space->ncells * KN_MOMENTS * sizeof *to,
                          cudaMemcpyDeviceToHost, m->work));
    CHECK(cudaStreamSynchronize(m->work));
    return read_marks(m);
}

static enum kn_status fluxes(void *machine, double *to)
{
    struct kn_cuda *m = (struct kn_cuda *)machine;
    CHECK(cudaMemcpyAsync(to, m->device.fluxes, (size_t)m->problem.space->nfaces * KN_FLUXES * sizeof *to,
                          cudaMemcpyDeviceToHost, m->work));
    CHECK(cudaStreamSynchronize(m->work));
    return KN_OK;
}

/* Phases of the steps that were timed, scaled to all of them. */
static void seconds(const void *machine, double phase[KN_PHASES])
{
    memcpy(phase, ((const struct kn_cuda *)machine)->seconds, KN_PHASES * sizeof *phase);
}

static enum kn_status copy(void *machine, double *seconds)
{
    struct kn_cuda *m = (struct kn_cuda *)machine;
    const size_t bytes = (size_t)m->problem.space->ncells * m->problem.velocity->nnodes * sizeof(float);
    cudaEvent_t start, stop;
    float ms = 0;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    CHECK(cudaEventRecord(start, m->work));
    CHECK(cudaMemcpyAsync(m->next, m->h, bytes, cudaMemcpyDeviceToDevice, m->work));
    CHECK(cudaEventRecord(stop, m->work));
    CHECK(cudaEventSynchronize(stop));
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
    *seconds = 1e-3 * ms;
    return KN_OK;
}

static void describe(char *text, size_t size)
{
    struct cudaDeviceProp p;
    int driver = 0;
    if (cudaGetDeviceProperties(&p, 0) != cudaSuccess || cudaDriverGetVersion(&driver) != cudaSuccess) {
        snprintf(text, size, "a GPU that does not answer");
        return;
    }
    snprintf(text, size, "%s, %.0f GB, compute capability %d.%d, driver for CUDA %d.%d", p.name,
             (double)p.totalGlobalMem / 1e9, p.major, p.minor, driver / 1000, driver % 1000 / 10);
}

static void device_name(char *text, size_t size)
{
    struct cudaDeviceProp p;
    snprintf(text, size, "%s", cudaGetDeviceProperties(&p, 0) == cudaSuccess ? p.name : "a GPU");
}

static double room(void)
{
    size_t free_bytes = 0, total = 0;
    return cudaMemGetInfo(&free_bytes, &total) == cudaSuccess ? (double)free_bytes : NAN;
}

const struct kn_backend kn_backend_cuda = {
    "cuda",   "an NVIDIA GPU",  available, collides, create,  destroy, memory,  put,
    get,      set_walls,        step,      collide,  moments, fluxes,  seconds, copy,
    describe, kn_cuda_assemble, device_name, room,
};
