#include "verify/coarsen.h"

#include "config/config.h"
#include "sim.h"
#include "grid/space.h"

#include <math.h>

enum { FEWEST_CELLS = 4, FEWEST_NODES = 6 };

/* Of a uniform gas also the one that is chosen for it; else 0 where it follows from the cells. */
static double time_step(const struct kn_case *c)
{
    struct kn_plan_size size;
    for (int d = 0; d < 3; d++)
        if (c->time.step > 0 || !kn_space_is_uniform(c, d))
            return c->time.step;
    return kn_sim_plan(c, &kn_comm_alone, &size) == KN_OK ? size.time_step : 0;
}

void kn_coarsen_space(struct kn_case *c)
{
    bool streams = false;
    for (int d = 0; d < 3; d++) {
        int *cells = &c->space.cells[d];
        if (*cells < FEWEST_CELLS)
            continue;
        streams = true;
        *cells = (*cells + 1) / 2;
        c->space.stretch[d] = fmax(0.5, c->space.stretch[d] * c->space.stretch[d]);
    }
    if (!streams || c->time.step > 0)
        c->time.step = 2 * time_step(c);
    c->output.history = kn_config_history(c) > 1 ? kn_config_history(c) / 2 : 1;
}

bool kn_coarsen_velocity(struct kn_case *c)
{
    bool changed = false;
    for (int d = 0; d < 3; d++) {
        int *nodes = &c->velocity.nodes[d], fewer = *nodes * 3 / 4 / 2 * 2;
        fewer = fewer < FEWEST_NODES ? FEWEST_NODES : fewer;
        changed = changed || fewer < *nodes;
        *nodes = fewer < *nodes ? fewer : *nodes;
    }
    return changed;
}
