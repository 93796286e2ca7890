/* The time loop that runs, pilots and estimates share: steps of a simulation, and an observer of them. */
#ifndef KN_RUN_LOOP_H
#define KN_RUN_LOOP_H

#include "monitor/monitor.h"
#include "sim.h"
#include "steady/steady.h"

/* All functions receive `of`; all ranks must decide the same. */
struct kn_run_observer {
    void *of;
    enum kn_status (*poll)(void *of, bool *over); /* before every step; *over ends the loop */
    bool (*is_due)(void *of);                     /* is the state after the next step observed? */
    enum kn_status (*observe)(void *of);          /* after such a step */
    struct kn_steady *steady;                     /* its iterations are the steps; NULL: steps in time */
};

enum kn_status kn_run_loop(struct kn_sim *sim, const struct kn_comm *comm, const struct kn_run_observer *o);

/* Add the row of an observation to the monitor. */
enum kn_status kn_run_add_row(struct kn_monitor *m, const struct kn_observation *o);

/* Observe and add a row at once; `fields` [ncells][KN_FIELDS] receives the fields. */
enum kn_status kn_run_take_row(struct kn_sim *sim, struct kn_monitor *m, double *fields);

/* End the job if a call failed on this rank while the others wait for it in a communication. */
enum kn_status kn_run_abort(const struct kn_comm *comm, enum kn_status status);

#endif
