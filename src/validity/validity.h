/* What the method can represent: a case is judged before its run, the gas during it.
 *
 * Every check adds findings to one list.  A finding names what is wrong, estimates the relative error of the
 * results, and says what to change.  From KN_VALIDITY_WARN on it is a warning.  From KN_VALIDITY_REFUSE on a
 * run is refused, unless run.force is set: then it is a warning too.  docs/theory.md, section 14, explains
 * the estimates. */
#ifndef KN_VALIDITY_H
#define KN_VALIDITY_H

#include "comm/comm.h"
#include "grid/space.h"
#include "grid/velocity.h"

#include <stdio.h>

#define KN_VALIDITY_WARN   0.01
#define KN_VALIDITY_REFUSE 0.09 /* so that no error of 10 % passes */

enum kn_level { KN_LEVEL_SILENT, KN_LEVEL_WARNING, KN_LEVEL_REFUSAL };

enum { KN_VALIDITY_MOST = 16, KN_VALIDITY_TEXT = 512 };

struct kn_finding {
    enum kn_level level;
    const char *code; /* one word for programs */
    double error;     /* estimated relative error of the results; NaN: unknown */
    char text[KN_VALIDITY_TEXT];
};

struct kn_validity {
    bool forced; /* run.force has turned a refusal into a warning */
    int count;
    struct kn_finding finding[KN_VALIDITY_MOST];
};

/* Add a finding; those beyond KN_VALIDITY_MOST are dropped. */
void kn_validity_add(struct kn_validity *v, enum kn_level level, const char *code, double error,
                     const char *format, ...) __attribute__((format(printf, 5, 6)));

/* The level that an estimated error has: at most a warning where `most` says so.  An error that is not a
 * number counts as infinite. */
enum kn_level kn_validity_level(double error, enum kn_level most);

enum kn_level kn_validity_worst(const struct kn_validity *v); /* of all findings */
double kn_validity_error(const struct kn_validity *v);        /* the largest estimate; NaN: there is none */
double
kn_validity_bounded(double error); /* for JSON, which has no infinity: 1 is an error of 100 % or more */
const char *kn_validity_quality(const struct kn_validity *v); /* "good", "warning", "forced", "refused" */
const char *kn_validity_level_name(enum kn_level level);

/* "0.4 %"; "more than 100 %" and "less than 0.01 %" beyond the ends. */
const char *kn_validity_percent(double error, char text[32]);

/* The findings as a JSON array. */
struct json_t *kn_validity_json(const struct kn_validity *v);

/* Everything that is known before the run.  KN_EINPUT or KN_EMEMORY: the case has no velocity grid. */
enum kn_status kn_validity_judge_case(struct kn_validity *v, const struct kn_case *c, double time_step);

/* KN_EINPUT with the first refusal as its message, where there is one. */
enum kn_status kn_validity_refuse(const struct kn_validity *v);

/* ---- validity_flux.c */

/* A Maxwellian that a side emits or the gas has, in absolute values. */
struct kn_maxwellian {
    double n, u[3], T;
    bool given; /* its density is given; else it follows from the balance of mass */
};

/* Free-molecular flow along an axis between two Maxwellians: by how much stress, heat flux and mass flux on
 * the grid differ from the exact ones, relatively; what differs most is put into *what. */
double kn_validity_exchange(const struct kn_velocity *grid, int axis, struct kn_maxwellian low,
                            struct kn_maxwellian high, const char **what);

/* Walls, inflows and initial state on the velocity grid. */
enum kn_status kn_validity_judge_fluxes(struct kn_validity *v, const struct kn_case *c);

/* ---- validity_grid.c */

/* Cells, time step and number of velocity nodes against mean free path and time.  `density` is the largest of
 * the gas, n0. */
void kn_validity_judge_cells(struct kn_validity *v, const struct kn_case *c, double density);
void kn_validity_judge_step(struct kn_validity *v, const struct kn_case *c, double time_step);
void kn_validity_judge_rounding(struct kn_validity *v, const struct kn_case *c, double time_step);
void kn_validity_judge_rays(struct kn_validity *v, const struct kn_case *c);

/* ---- validity_oscillation.c: oscillating walls against time step, nodes and the size of the gap. */
void kn_validity_judge_oscillation(struct kn_validity *v, const struct kn_case *c, double time_step);

/* ---- validity_model.c: the equation and the molecules against the gas that they stand for. */
void kn_validity_judge_models(struct kn_validity *v, const struct kn_case *c);

/* ---- validity_gas.c */

/* What was seen of the gas so far; the same on all ranks, and the same bits for any number of them. */
struct kn_validity_gas {
    struct kn_velocity grid;
    double error;        /* of the exchange between the worst cell and the gas at rest, */
    double worst[6];     /* its density, velocity, temperature, and the time */
    double least[2];     /* density and temperature */
    double most_density; /* n0 */
    double tail;         /* share of the energy of h on the outermost nodes; NaN: not measured */
};

enum { KN_VALIDITY_STATE = 11 }; /* doubles that a checkpoint needs of it */

enum kn_status kn_validity_watch_create(struct kn_validity_gas *g, const struct kn_case *c);
void kn_validity_watch_destroy(struct kn_validity_gas *g);
void kn_validity_watch_save(const struct kn_validity_gas *g, double state[KN_VALIDITY_STATE]);

/* KN_EIO when the state is damaged. */
enum kn_status kn_validity_watch_restore(struct kn_validity_gas *g, const double state[KN_VALIDITY_STATE]);

/* Look at the fields [ncells][KN_FIELDS] of all ranks.  All ranks call this. */
void kn_validity_watch(struct kn_validity_gas *g, const struct kn_case *c, const struct kn_space *space,
                       const struct kn_comm *comm, double time, const double *fields);

/* Look at h on the outermost nodes.  All ranks call this. */
struct kn_sim;
enum kn_status kn_validity_watch_tail(struct kn_validity_gas *g, struct kn_sim *sim,
                                      const struct kn_comm *comm);

/* Findings about the gas, which are warnings at most; those that only repeat the case are left out. */
void kn_validity_judge_gas(struct kn_validity *v, const struct kn_case *c, const struct kn_validity_gas *g);

#endif
