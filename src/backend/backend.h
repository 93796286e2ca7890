/* The interface between physics and machines: sweeps over phase space.  A backend owns the state
 * h[cells][nodes]; no other part depends on its location.  To add one, define a struct kn_backend and list it
 * in backend.c; tests run every backend of the list. */
#ifndef KN_BACKEND_H
#define KN_BACKEND_H

#include "collision/collision.h"
#include "grid/boundary.h"
#include "grid/halo.h"
#include "grid/space.h"

#include "point/mesh.h"
#include "point/wall.h"
#include <stdio.h>

/* The data of a problem, owned by the simulation; constant except for the emission of walls that oscillate
 * or that the caller sets. */
struct kn_problem {
    const struct kn_case *c;
    const struct kn_space *space;
    const struct kn_velocity *velocity;
    const struct kn_boundary *boundary;
    const struct kn_collision_plan *collision;
    int threads;
    const struct kn_halo *halo; /* NULL: no other rank has cells */
};

enum kn_phase {
    KN_PHASE_ASSEMBLE, /* the collision operator, before the first step */
    KN_PHASE_PILOT,    /* the choice of collision.samples, before the first step */
    KN_PHASE_STREAM,
    KN_PHASE_SAMPLE,
    KN_PHASE_COLLIDE,
    KN_PHASE_EXCHANGE, /* waiting for other ranks */
    KN_PHASE_ITERATE,  /* the steady-state solver, with its preparation */
    KN_PHASE_MOMENTS,
    KN_PHASE_OUTPUT,
    KN_PHASES
};

/* One time step: streaming over `stream`, then collisions over `collide`. */
struct kn_step {
    double stream, collide; /* lambda0 / V0 */
    uint64_t draw;          /* number of the collision set */
    bool fluxes;            /* also record the fluxes through the walls */
};

/* An observation of the state, in memory of the backend. */
enum { KN_BACKEND_OBSERVATIONS = 2 }; /* that a detached backend keeps at the same time; others keep one */
struct kn_observed {
    const double *moments; /* [cells][KN_MOMENTS] */
    const double *fluxes;  /* [faces][KN_FLUXES], of the last recorded step */
};

struct kn_steady_backend;

struct kn_backend {
    const char *name;
    const char *doc;
    enum kn_status (*available)(void);       /* KN_EDEVICE with a message if it cannot run */
    bool (*collides)(enum kn_method method); /* true if it has this method; NULL: it has all */
    enum kn_status (*create)(void **machine, const struct kn_problem *problem);
    void (*destroy)(void *machine);
    double (*memory)(const struct kn_problem *problem); /* bytes; needs only sizes */
    enum kn_status (*put)(void *machine, int64_t first, int64_t count, const float *rows);
    enum kn_status (*get)(void *machine, int64_t first, int64_t count, float *rows);
    enum kn_status (*set_walls)(void *machine); /* emission has changed */
    enum kn_status (*step)(void *machine, const struct kn_step *step);
    enum kn_status (*collide)(void *machine, double dt, uint64_t draw);
    enum kn_status (*fluxes)(void *machine, double *fluxes); /* [faces][KN_FLUXES], last recorded step */
    /* Begin to observe the state; steps may follow at once, which do not change the observation. */
    enum kn_status (*observe)(void *machine);
    /* Wait for the next observation, in the order of their beginnings; another thread may do this while steps
     * are computed. */
    enum kn_status (*observed)(void *machine, struct kn_observed *found);
    /* Are steps computed while the host continues? */
    bool detached;
    void (*seconds)(const void *machine, double phase[KN_PHASES]);
    /* Seconds in steps; NULL: step and collide return after the work. */
    double (*stepping)(const void *machine);
    /* Copy the state into the memory of the next one; returns the time, a lower limit for a step. */
    enum kn_status (*copy)(void *machine, double *seconds);
    void (*describe)(char *text, size_t size); /* properties of the device, if available */
    const struct kn_assembler *assembler;      /* NULL: the CPU assembles the collision operator */
    void (*device)(char *text, size_t size);   /* name of the device, if available */
    double (*room)(void); /* free bytes of device memory; NULL: the state is in host memory */
    /* Select the device of this rank, before any other call; `note`: a sentence for the user, or "".  NULL:
     * there is nothing to select. */
    enum kn_status (*select_device)(const struct kn_comm *comm, char *note, size_t size);
    /* Minimum number of cells of a box along a divided axis; NULL: kn_case_reach. */
    int (*thinnest)(const struct kn_case *c);
    /* KN_EINPUT: the case has bodies or ports that the backend does not have; NULL: it has all. */
    enum kn_status (*check)(const struct kn_case *c);
    const struct kn_steady_backend *steady; /* NULL: it has no steady-state solver */
    /* Write which kernel computes which cells, one line each; NULL: there is no choice. */
    void (*kernels)(const void *machine, FILE *to);
};

/* The mesh of a problem, in host memory. */
struct kn_mesh kn_backend_mesh(const struct kn_problem *p);

/* The backend of this name; "auto": the best one that runs here and has the method. */
const struct kn_backend *kn_backend_find(const char *name, enum kn_method method);

/* The best one that runs here and has a steady-state solver. */
const struct kn_backend *kn_backend_find_steady(void);
int kn_backend_thinnest(const struct kn_backend *backend, const struct kn_case *c);
bool kn_backend_collides(const struct kn_backend *backend, enum kn_method method);

/* The assembler of the backend of this name, or for "auto" of any that runs here; NULL if there is none. */
const struct kn_assembler *kn_backend_assembler(const char *name);

extern const char *const kn_backend_names[]; /* as in a case file; ends with NULL */
extern const struct kn_backend kn_backend_cpu;
extern const struct kn_backend kn_backend_strict;
extern const struct kn_backend kn_backend_cuda; /* cuda.cu, or cuda_absent.c in a build without CUDA */

#endif
