/* Estimates of the error of a run: the case is judged before it, the gas during it.
 *
 * Every check adds findings to one list.  A finding names the cause, estimates the relative error of the
 * results, and advises a change.  From KN_VALIDITY_WARN on it is a warning.  From KN_VALIDITY_REFUSE on the
 * check of the velocity grid refuses the run, unless run.force is set: then it is a warning too.
 * docs/theory.md, section 14, explains the estimates. */
#ifndef KN_VALIDITY_H
#define KN_VALIDITY_H

#include "comm/comm.h"
#include "config/reference.h"
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
    double time_step; /* of the case, lambda0 / V0 */
    bool forced;      /* run.force has turned a refusal into a warning */
    int count;
    struct kn_finding finding[KN_VALIDITY_MOST];
};

/* Judge a case before the run.  KN_EINPUT or KN_EMEMORY: the case has no velocity grid. */
enum kn_status kn_validity_judge_case(struct kn_validity *v, const struct kn_case *c, double time_step);

/* KN_EINPUT with the first refusal as its message, if there is one. */
enum kn_status kn_validity_refuse(const struct kn_validity *v);

enum kn_level kn_validity_worst(const struct kn_validity *v); /* of all findings */
double kn_validity_error(const struct kn_validity *v);        /* the largest estimate; NaN: there is none */
double kn_validity_bounded(double error);                     /* at most 1: JSON has no infinity */
const char *kn_validity_quality(const struct kn_validity *v); /* "good", "warning", "forced", "refused" */
const char *kn_validity_level_name(enum kn_level level);
struct json_t *kn_validity_json(const struct kn_validity *v); /* an array of the findings */

/* "0.4 %"; "more than 100 %" and "less than 0.01 %" beyond the ends. */
const char *kn_validity_percent(double error, char text[32]);
#define KN_VALIDITY_PERCENT(error) kn_validity_percent(error, (char[32]){""})

/* Extremes of the gas so far; the same bits on all ranks and for any number of them.  All members after the
 * reference are doubles, which a checkpoint stores as they are. */
struct kn_validity_gas {
    struct kn_velocity grid;
    double rest; /* energy of molecules that the polynomials of the operator do not hold; 0: not measured */
    struct kn_reference reference;
    double error;        /* of the exchange between the worst cell and gas in the reference state */
    double worst[6];     /* density, velocity and temperature of that cell, and the time */
    double least[2];     /* density and temperature */
    double most_density; /* n0 */
    double tail;         /* share of the energy of h on the outermost nodes; NaN: not measured */
};

enum { KN_VALIDITY_STATE = 11 }; /* doubles in a checkpoint */

enum kn_status kn_validity_watch_create(struct kn_validity_gas *g, const struct kn_case *c);
void kn_validity_watch_destroy(struct kn_validity_gas *g);
void kn_validity_watch_save(const struct kn_validity_gas *g, double state[KN_VALIDITY_STATE]);

/* KN_EIO when the state is damaged. */
enum kn_status kn_validity_watch_restore(struct kn_validity_gas *g, const double state[KN_VALIDITY_STATE]);

/* Energy of |h'| of theory (47d) over the thermal energy of the cell of this row; the space holds twice as
 * many numbers as the row (validity_rest.c). */
double kn_validity_rest(const struct kn_velocity *v, double eps, const float *row, double *space);

/* The relative error of the results for the largest value of it, theory (50a). */
double kn_validity_rest_error(double rest);

/* Update the extremes from the fields [ncells][KN_FIELDS], at a time (NaN: of a steady state); measure the
 * energy on the outermost nodes and of the rest.  All ranks call these. */
struct kn_sim;
void kn_validity_watch(struct kn_validity_gas *g, const struct kn_case *c, const struct kn_space *space,
                       const struct kn_comm *comm, double time, const double *fields);
enum kn_status kn_validity_watch_tail(struct kn_validity_gas *g, const struct kn_case *c, struct kn_sim *sim,
                                      const struct kn_comm *comm);

/* Add warnings about the gas; those that only repeat the case are omitted. */
void kn_validity_judge_gas(struct kn_validity *v, const struct kn_case *c, const struct kn_validity_gas *g);

/* Add a warning if the error is at least `from`, or NaN.  NULL: no warning, or the list is full. */
struct kn_finding *kn_validity_add(struct kn_validity *v, double from, const char *code, double error,
                                   const char *format, ...) __attribute__((format(printf, 5, 6)));

/* validity_flux.c: walls, inflows and initial state on the velocity grid. */
enum kn_status kn_validity_judge_fluxes(struct kn_validity *v, const struct kn_case *c);

/* validity_grid.c: cells, time step and velocity nodes against mean free path and time.  The cells alone, for
 * the largest density of the gas, n0. */
void kn_validity_judge_grid(struct kn_validity *v, const struct kn_case *c);
void kn_validity_judge_cells(struct kn_validity *v, const struct kn_case *c, double density);

/* validity_model.c: oscillating walls, and the models against the gas that they represent. */
void kn_validity_judge_model(struct kn_validity *v, const struct kn_case *c);

/* validity_surface.c: surfaces of smooth bodies on the velocity grid and on the cells. */
enum kn_status kn_validity_judge_surfaces(struct kn_validity *v, const struct kn_case *c);

/* The largest error of an oscillation at the wall opposite to its source, with this number of nodes along the
 * axis; 0: no wall of the axis oscillates. */
double kn_validity_wave(const struct kn_case *c, int axis, int nodes);

/* The error of validity_flux.c of the worst side. */
enum kn_status kn_validity_emission(const struct kn_case *c, double *error);

/* A Maxwellian that a side emits or the gas has, in absolute values. */
struct kn_maxwellian {
    double n, u[3], T;
    bool given; /* its density is given; else it follows from the balance of mass */
};

/* The same in units of a reference. */
struct kn_maxwellian kn_validity_convert(const struct kn_reference *r, double eps, struct kn_maxwellian m);

/* Relative error of stress, heat flux and mass flux on the grid, for free-molecular flow along an axis
 * between two Maxwellians; *what names the quantity with the largest error. */
double kn_validity_exchange(const struct kn_velocity *grid, int axis, struct kn_maxwellian low,
                            struct kn_maxwellian high, const char **what);

#endif
