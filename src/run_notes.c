#include "run_notes.h"

#include "config.h"
#include "scales.h"

#include <math.h>

/* How fast a side moves along an axis, V0. */
static double speed_of(const struct kn_case *c, int side, int axis)
{
    const struct kn_wall *w = &c->walls[side];
    return c->disturbance * (fabs(w->velocity[axis]) + fabs(w->oscillation.velocity[axis]));
}

/* Molecules that a wall sends off, a thermal speed faster than itself, should be on the grid. */
static void note_fast_walls(struct kn_progress *p, const struct kn_case *c, const struct kn_sim *sim)
{
    double fastest = 0, reach = INFINITY;
    for (int d = 0; d < 3; d++) {
        reach = fmin(reach, kn_sim_reach(sim, d));
        for (int s = 0; s < KN_SIDES; s++)
            fastest = fmax(fastest, c->walls[s].kind == KN_WALL_INFLOW ? 0 : speed_of(c, s, d));
    }
    if (fastest + 1 > reach)
        kn_progress_note(p,
                         "walls move at %.3g V0, but the velocity grid reaches %.3g V0 only: expect nonsense "
                         "(a smaller disturbance, or more velocity.nodes)",
                         fastest, reach);
}

/* The same for gas that flows in, with the thermal speed that it has. */
static void note_fast_inflow(struct kn_progress *p, const struct kn_case *c, const struct kn_sim *sim)
{
    for (int s = 0; s < KN_SIDES; s++)
        for (int d = 0; d < 3; d++) {
            const struct kn_wall *w = &c->walls[s];
            const double speed = speed_of(c, s, d), reach = kn_sim_reach(sim, d),
                         hottest = w->temperature + fabs(w->oscillation.temperature),
                         thermal = sqrt(1 + c->disturbance * hottest);
            if (w->kind != KN_WALL_INFLOW || speed + thermal <= reach)
                continue;
            kn_progress_note(
                p,
                "the gas at the %s side flows in at %.3g V0 along %c with a thermal speed of %.3g "
                "V0, but the velocity grid reaches %.3g V0 only: expect nonsense (more "
                "velocity.nodes, or velocity.grid: stretched with a larger velocity.range)",
                kn_space_side_name((enum kn_side)s), speed, "xyz"[d], thermal, reach);
            return;
        }
}

/* "5 K" for five degrees more would pass for a very cold wall. */
static void note_strong(struct kn_progress *p, const struct kn_case *c)
{
    if (kn_scales_is_strong(c))
        kn_progress_note(
            p,
            "walls at Ma %.2g and up to %.2g %% off T0 disturb the gas strongly, but the equation is "
            "linearised (disturbance: 1 solves the whole one)",
            kn_scales_mach(c), 100 * kn_scales_heating(c));
}

void kn_run_note_speeds(struct kn_progress *p, const struct kn_case *c, const struct kn_sim *sim)
{
    char text[KN_TEXT];
    note_fast_walls(p, c, sim);
    note_fast_inflow(p, c, sim);
    note_strong(p, c);
    if (kn_scales_bare(c, text))
        kn_progress_note(p, "%s", text);
}
