/* Steps, with an observation after those that are due. */
#include "run/run_loop.h"

#include "error.h"

#include <string.h>

enum kn_status kn_run_abort(const struct kn_comm *comm, enum kn_status status)
{
    if (status != KN_OK && comm->size > 1)
        kn_comm_abort(status);
    return status;
}

/* One step in time, or one iteration; `due`: it is observed. */
static enum kn_status advance(struct kn_sim *sim, struct kn_steady *steady, bool due)
{
    if (!steady)
        return due ? kn_sim_advance(sim, 1) : kn_sim_advance_open(sim, 1);
    KN_TRY(kn_steady_iterate(steady));
    return kn_steady_store(steady, due);
}

enum kn_status kn_run_loop(struct kn_sim *sim, const struct kn_comm *comm, const struct kn_run_observer *o)
{
    for (;;) {
        bool over = false;
        KN_TRY(o->poll(o->of, &over));
        if (over)
            return KN_OK;
        const bool due = o->is_due(o->of);
        const enum kn_status status = advance(sim, o->steady, due);
        KN_TRY(o->steady ? kn_comm_agree(comm, status) : kn_run_abort(comm, status));
        if (due)
            KN_TRY(o->observe(o->of));
    }
}

enum kn_status kn_run_add_row(struct kn_monitor *m, const struct kn_observation *o)
{
    if (kn_monitor_is_uniform(m->c))
        memcpy(m->excess, o->excess, sizeof m->excess);
    memcpy(m->bodies, o->at_surfaces.bodies, sizeof m->bodies);
    memcpy(m->ports, o->at_surfaces.ports, sizeof m->ports);
    return kn_monitor_take(m, o->step, o->time, o->fields, o->at_surfaces.walls);
}

// NOLINTNEXTLINE(readability-non-const-parameter): the observation writes to fields
enum kn_status kn_run_take_row(struct kn_sim *sim, struct kn_monitor *m, double *fields)
{
    struct kn_observation o = {.fields = fields};
    KN_TRY(kn_run_abort(m->comm, kn_sim_observe(sim)));
    KN_TRY(kn_sim_observed(sim, &o));
    return kn_run_add_row(m, &o);
}
