/* Chooses time.mode: auto: steady unless the case asks for steps in time or the solver does not support it.
 */
#include "steady/mode.h"

#include "config/config.h"
#include "error.h"
#include "sim.h"
#include "steady/steady.h"

#include <math.h>
#include <string.h>

/* A key that asks for steps in time; NULL: there is none. */
static const char *find_key(const struct kn_case *c)
{
    return c->time.end != KN_END_AUTO             ? "time.end"
           : c->time.step > 0                     ? "time.step"
           : c->time.residual > 0                 ? "time.residual"
           : c->time.max_steps > 0                ? "time.max_steps"
           : c->output.fields > 0                 ? "output.fields"
           : c->output.average != KN_AVERAGE_AUTO ? "output.average"
           : c->initial.shape != KN_SHAPE_REST    ? "initial.shape"
                                                  : NULL;
}

/* KN_OK if the solver supports a case and its memory is available.  No communication. */
static enum kn_status check(const struct kn_case *c, const struct kn_comm *comm)
{
    struct kn_plan_size plan;
    KN_TRY(kn_steady_check(c, comm));
    KN_TRY(kn_sim_plan(c, comm, &plan)); /* it checks the case, too */
    const double room = kn_sim_room(c);
    const struct kn_steady_bytes bytes = kn_steady_memory(c, &plan);
    if (isnan(room))
        return kn_config_check_memory(comm->local_size * (plan.memory_bytes + bytes.each) + bytes.moments);
    return plan.device_bytes + bytes.each + bytes.moments < room
               ? KN_OK
               : kn_error_set(KN_EMEMORY, "the memory of the device is too small for the iterations");
}

void kn_mode_choose(struct kn_case *c, const struct kn_comm *comm, char *why)
{
    why[0] = '\0';
    if (c->time.mode != KN_MODE_AUTO)
        return;
    const char *key = find_key(c);
    struct kn_case steady = *c;
    steady.time.mode = KN_MODE_STEADY;
    c->time.mode = KN_MODE_UNSTEADY;
    if (key) {
        snprintf(why, KN_MODE_REASON, "unsteady (auto: %s is given)", key);
    } else if (check(&steady, comm) != KN_OK) {
        const char *reason = kn_error_message(), *advice = strstr(reason, " (");
        snprintf(why, KN_MODE_REASON, "unsteady (auto: %.*s)",
                 (int)(advice ? (size_t)(advice - reason) : strlen(reason)), reason);
    } else {
        *c = steady;
        snprintf(why, KN_MODE_REASON,
                 "steady (auto: iterations; time.mode: unsteady computes the flow in time)");
    }
}
