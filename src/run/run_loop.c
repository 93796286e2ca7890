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

enum kn_status kn_run_loop(struct kn_sim *sim, const struct kn_comm *comm, const struct kn_run_observer *o)
{
    for (;;) {
        bool over = false;
        KN_TRY(o->poll(o->of, &over));
        if (over)
            return KN_OK;
        const bool due = o->is_due(o->of);
        KN_TRY(kn_run_abort(comm, due ? kn_sim_advance(sim, 1) : kn_sim_advance_open(sim, 1)));
        if (due)
            KN_TRY(o->observe(o->of));
    }
}

enum kn_status kn_run_take_row(struct kn_sim *sim, struct kn_monitor *m, double *fields)
{
    struct kn_fluxes_result fluxes;
    KN_TRY(kn_run_abort(m->comm, kn_sim_fields(sim, fields)));
    KN_TRY(kn_sim_take_fluxes(sim, &fluxes));
    memcpy(m->bodies, fluxes.bodies, sizeof m->bodies);
    memcpy(m->ports, fluxes.ports, sizeof m->ports);
    if (kn_monitor_is_uniform(m->c))
        KN_TRY(kn_sim_excess(sim, fields, &m->excess[0], &m->excess[1]));
    return kn_monitor_take(m, kn_sim_steps(sim), kn_sim_time(sim), fields, fluxes.walls);
}
