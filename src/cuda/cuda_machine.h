/* The state of the CUDA backend on the host, shared by the files of its host side. */
#ifndef KN_CUDA_MACHINE_H
#define KN_CUDA_MACHINE_H

#include <stdio.h>

#include "cuda/cuda_check.h"
#include "cuda/cuda_cube.h"
#include "cuda/cuda_kernels.h"
#include "cuda/cuda_sample.h"

extern "C" {
#include "backend/backend.h"
#include "comm/comm.h"
#include "config/case.h"
#include "config/geometry.h"
}

/* A window of sample orders, in preparation or in use. */
struct kn_cuda_window {
    struct kn_cuda_orders orders;
    uint64_t number;    /* contains the draws from number * WINDOW; UINT64_MAX: empty */
    cudaEvent_t ready;  /* recorded after the preparation */
    cudaEvent_t unused; /* recorded after the steps that read it */
};

/* Consecutive sets, drawn while the preceding ones are in use (or a single set). Steps that do not depend
 * on another stream overlap with the wall pass of the next step. */
struct kn_cuda_group {
    char *samples;
    uint64_t number; /* contains the draws from number * group; UINT64_MAX: empty */
    double dt;
    bool awaited;       /* the work stream has waited for `ready` */
    cudaEvent_t ready;  /* recorded after the drawing */
    cudaEvent_t unused; /* recorded after the steps that read it */
};

/* The matrices of the assembled operator for one length of collision step. */
struct kn_cuda_propagator {
    double dt;     /* -1: none yet */
    float *matrix; /* struct kn_cuda_operator */
    float unit;
    const float *relaxed; /* in the same memory, struct kn_cuda_quadratic */
};

/* One of the two parts of a sweep with several ranks: cells that do not depend on other ranks, and cells
 * that do. Positions in the lists of cells, tiles and wall faces. */
struct kn_cuda_part {
    int32_t first_cell, cells;
    int32_t first_tile, tiles;
    int32_t first_face, faces;
};

/* Communication of rows with other ranks. */
struct kn_cuda_exchange {
    struct kn_comm_exchange *messages; /* NULL: no other rank has cells */
    bool direct;                       /* the messages are in device memory */
    const int32_t *send, *recv;        /* [halo nsend], [halo nrecv] numbers of the rows */
    float *sent, *received;            /* the rows, [halo nsend], [halo nrecv][stride] */
    float *host_sent, *host_received;  /* the same in host memory */
    cudaStream_t copies; /* runs during the sweep of the cells that do not depend on other ranks */
    cudaEvent_t packed, outgoing, unpacked; /* in the order of a step */
};

/* A sequence of steps between two observations. */
struct kn_cuda_span {
    cudaEvent_t begun, ended;
};

/* An observation of the state, which is copied to the host while the next steps run. */
struct kn_cuda_observation {
    double *found, *host;       /* on the device and on the host: moments [ncells][KN_MOMENTS], fluxes
                                   [nfaces][KN_FLUXES], cycles [2] */
    cudaEvent_t ready, arrived; /* on the device, on the host */
    int span;                   /* the steps before it; -1: none */
};

/* One observation may begin while the one before it is still in use. Another thread may wait for an
 * observation: it changes only `taken` and `stepping`. */
struct kn_cuda_watch {
    struct kn_cuda_observation observations[KN_BACKEND_OBSERVATIONS];
    uint64_t begun, taken; /* observations so far */
    cudaStream_t copies;
    struct kn_cuda_span spans[KN_BACKEND_OBSERVATIONS + 1];
    int span;         /* the present one, of steps after the last observation */
    bool spanning;    /* it has begun */
    bool complete;    /* its end is recorded */
    double stepping;  /* s in steps */
    double cycles[2]; /* of streaming and collisions, of a recent step */
};

enum { KN_CUDA_BLOCKS = 96, KN_CUDA_MARKS = 7 };

struct kn_cuda {
    struct kn_problem problem;
    struct kn_cuda_problem device;
    struct kn_sample_plan plan; /* pointers to device memory */
    float *h, *next;            /* [ncells + nhalo][nnodes] */
    int number;                 /* of the device */
    struct kn_cuda_watch watch;
    float *emission;                  /* [patches][nnodes] */
    struct kn_cuda_patch *patch;      /* [patches] */
    struct kn_cuda_patch *host_patch; /* the same in host memory */
    const int32_t *solid;             /* [nsolid] cells that bodies fill */
    int32_t nsolid;
    struct kn_cuda_window windows[2];
    struct kn_cuda_group
        groups[3];      /* two alternate; the third is a single set for a step of another length */
    uint64_t group;     /* sets of a group */
    double usual, last; /* lengths of collision steps: of three consecutive steps, of the last step */
    int alike;          /* number of last steps of equal length */
    struct kn_cuda_propagator propagators[2]; /* for the two lengths of step used last */
    float *packed;                            /* host: matrices of all parities, and one more */
    double *space;                            /* host: [2][size][size] */
    struct kn_cuda_quadratic quadratic;
    struct kn_cuda_operator op;
    struct kn_cuda_shares shares;
    int32_t unmarched;                /* cells outside the march */
    struct kn_cuda_cube cube;         /* tiles of the march in three dimensions */
    struct kn_cuda_part parts[2];     /* of a sweep: inner, rim */
    const struct kn_cuda_tile *tiles; /* of both parts */
    const int32_t *faces;             /* [nfaces] of both parts */
    struct kn_cuda_exchange exchange;
    cudaStream_t work, drawing, prepare;
    cudaEvent_t mark[KN_CUDA_MARKS]; /* start and end of a timed sweep, of drawing a set, start of a separate
                                        operator kernel, start and end of waiting for other ranks */
    bool timing;                     /* marks are recorded, not yet read, */
    bool streamed;                   /* of a sweep that streamed, */
    bool divided;                    /* of a sweep in two parts, */
    bool apart, collided_last;       /* with separate collisions, after all cells have been streamed */
    uint64_t sweeps;
    double seconds[KN_PHASES];    /* ms of the timed sweeps */
    void *blocks[KN_CUDA_BLOCKS]; /* allocations of device memory */
    int nblocks;
};

extern "C" {
/* Device memory that is freed with the backend, and a copy of a host array. */
enum kn_status kn_cuda_allocate(struct kn_cuda *m, void **to, size_t bytes);
enum kn_status kn_cuda_upload(struct kn_cuda *m, const void **to, const void *from, size_t bytes);

enum kn_status kn_cuda_device_available(void);
enum kn_status kn_cuda_device_select(const struct kn_comm *comm, char *note, size_t size);
int kn_cuda_device_current(void);
bool kn_cuda_device_collides(enum kn_method method);
enum kn_status kn_cuda_device_check(const struct kn_case *c);
void kn_cuda_device_describe(char *text, size_t size);
void kn_cuda_device_name(char *text, size_t size);
double kn_cuda_device_room(void);

enum kn_status kn_cuda_velocity_upload(struct kn_cuda *m);

void kn_cuda_choose(struct kn_cuda *m);
void kn_cuda_kernels(const void *machine, FILE *to);

enum kn_status kn_cuda_layout_tiles(struct kn_cuda *m);
enum kn_status kn_cuda_layout_solid(struct kn_cuda *m); /* the list of the cells that bodies fill */
struct kn_cuda_inner kn_cuda_layout_inner(const struct kn_cuda *m); /* tiles for a march */
struct kn_cuda_cube kn_cuda_layout_cube(const struct kn_cuda *m);   /* tiles in three dimensions */
bool kn_cuda_layout_uniform(const struct kn_space *x);
float kn_cuda_layout_width(const struct kn_space *x, int axis, int i); /* of cell i of all ranks */
struct kn_box kn_cuda_layout_marched(const struct kn_cuda *m);         /* in the box of this rank; {}: none */

/* Divide the ordered cells and the walls into parts, and list the tiles of the march. */
enum kn_status kn_cuda_ranks_divide(struct kn_cuda *m, int32_t *order);

double kn_cuda_observe_memory(const struct kn_problem *p); /* bytes of the device */
enum kn_status kn_cuda_observe_create(struct kn_cuda *m);
void kn_cuda_observe_destroy(struct kn_cuda_watch *w);
enum kn_status kn_cuda_observe_steps(struct kn_cuda *m); /* call before a step, */
enum kn_status kn_cuda_observe_ready(struct kn_cuda *m); /* and after a step with results */
enum kn_status kn_cuda_observe_wait(struct kn_cuda *m);  /* for all work submitted so far */
/* Functions of struct kn_backend. */
enum kn_status kn_cuda_observe(void *machine);
enum kn_status kn_cuda_observed(void *machine, struct kn_observed *found);
double kn_cuda_observe_stepping(const void *machine);
void kn_cuda_observe_seconds(const void *machine, double phase[KN_PHASES]);

double kn_cuda_exchange_memory(const struct kn_problem *p); /* bytes of the device */
enum kn_status kn_cuda_exchange_create(struct kn_cuda *m);
void kn_cuda_exchange_destroy(struct kn_cuda_exchange *e);
/* Send the rows of h that other ranks need, after all work submitted so far. */
enum kn_status kn_cuda_exchange_begin(struct kn_cuda *m);
/* Receive their rows: work submitted after this finds them in h. */
enum kn_status kn_cuda_exchange_end(struct kn_cuda *m);

double kn_cuda_sets_memory(const struct kn_problem *p); /* bytes */
enum kn_status kn_cuda_sets_create(struct kn_cuda *m);
/* A plan with pointers to device memory. */
struct kn_sample_plan kn_cuda_sets_plan(const struct kn_cuda *m, struct kn_sample_plan plan);
/* The set of this step, for the kernels that are submitted next. */
enum kn_status kn_cuda_sets_use(struct kn_cuda *m, double dt, uint64_t draw, struct kn_cuda_set *set);
/* Call after the sweep that used the set. */
enum kn_status kn_cuda_sets_ahead(struct kn_cuda *m, uint64_t draw);

double kn_cuda_propagator_memory(const struct kn_problem *p); /* bytes */
enum kn_status kn_cuda_propagator_create(struct kn_cuda *m);
/* The matrices for a collision step dt; NULL for other methods than the operator. */
enum kn_status kn_cuda_propagator_find(struct kn_cuda *m, double dt, const struct kn_cuda_propagator **found);

/* The tables of the quadratic part, if there is one. */
double kn_cuda_quadratic_memory(const struct kn_problem *p); /* bytes */
enum kn_status kn_cuda_quadratic_create(struct kn_cuda *m);
}

#endif
