/* The permeability of a porous body by the law of Darcy, theory (40a): mean velocity over the whole box,
 * times the viscosity, over the gradient of the pressure. */
#include "monitor/permeability.h"

#include "config/case.h"

static bool has_force(const struct kn_case *c)
{
    return c->source.force[0] != 0 || c->source.force[1] != 0 || c->source.force[2] != 0;
}

/* The axis between two ports at opposite sides with different pressures; -1: there are none. */
static int port_axis(const struct kn_case *c)
{
    const struct kn_port *p = c->ports;
    const bool opposite = kn_case_ports(c) == 2 && (p[0].side ^ p[1].side) == 1;
    return opposite && (p[0].pressure != p[1].pressure || p[0].kind != p[1].kind) ? (int)p[0].side / 2 : -1;
}

bool kn_permeability_exists(const struct kn_case *c)
{
    return kn_case_bodies(c) > 0 && (has_force(c) || port_axis(c) >= 0);
}

double kn_permeability_measure(const struct kn_monitor *m, const struct kn_row *row)
{
    const struct kn_case *c = m->c;
    double whole = 1, pressure[2];
    for (int d = 0; d < 3; d++)
        whole *= kn_case_is_uniform(c, d) ? 1 : c->gas.delta * c->space.size[d];
    if (has_force(c))
        return row->flow_force * c->gas.delta * row->volume / (2 * whole);
    const int axis = port_axis(c);
    for (int i = 0; i < 2; i++)
        pressure[i] = c->ports[i].kind == KN_PORT_VACUUM ? -1 / c->disturbance
                      : c->ports[i].kind == KN_PORT_FLOW ? m->ports[i].stress
                                                         : c->ports[i].pressure;
    const double length = c->gas.delta * c->space.size[axis],
                 flow = (m->ports[0].mass - m->ports[1].mass) / 2;
    return flow * length / whole * length / (pressure[0] - pressure[1]);
}
