/* Measures the apparent permeability of a box with bodies. */
#include "monitor/permeability.h"

#include "config/case.h"

/* True if the pressure of a port does not follow from its key. */
static bool lacks_pressure(const struct kn_port *p)
{
    return p->kind == KN_PORT_VACUUM || p->kind == KN_PORT_FLOW;
}

/* The axis between two ports at opposite sides with different pressures; -1: there are none. */
static int port_axis(const struct kn_case *c)
{
    const struct kn_port *p = c->ports;
    const bool opposite = kn_case_ports(c) == 2 && (p[0].side ^ p[1].side) == 1;
    const bool differ = p[0].pressure != p[1].pressure ||
                        (p[0].kind != p[1].kind && (lacks_pressure(&p[0]) || lacks_pressure(&p[1])));
    return opposite && differ ? (int)p[0].side / 2 : -1;
}

static double square(const double v[3])
{
    return v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
}

bool kn_permeability_exists(const struct kn_case *c)
{
    bool image = false;
    for (int i = 0; i < kn_case_bodies(c); i++)
        image = image || *c->bodies[i].image.file;
    return kn_case_bodies(c) > 0 && (square(c->source.force) > 0 || (image && port_axis(c) >= 0));
}

/* The pressure beyond a port; for a port of given flow, that of the gas at the port. */
static double pressure_of(const struct kn_case *c, int port, const struct kn_port_flux *ports)
{
    const struct kn_port *p = &c->ports[port];
    return p->kind == KN_PORT_VACUUM ? -1 / c->disturbance
           : p->kind == KN_PORT_FLOW ? ports[port].stress
                                     : p->pressure;
}

/* The law of Darcy, theory (40a): mean velocity over the whole box, times the viscosity, over the gradient of
 * the pressure. */
double kn_permeability_measure(const struct kn_case *c, const struct kn_row *row,
                               const struct kn_port_flux *ports)
{
    const double *force = c->source.force;
    double whole = 1, along = 0;
    for (int d = 0; d < 3; d++) {
        whole *= kn_case_is_uniform(c, d) ? 1 : c->gas.delta * c->space.size[d];
        along += row->average[KN_UX + d] * force[d];
    }
    if (square(force) > 0)
        return along * row->volume / whole / (2 * square(force));
    const double length = c->gas.delta * c->space.size[port_axis(c)],
                 flow = (ports[0].mass - ports[1].mass) / 2;
    return flow * length / whole * length / (pressure_of(c, 0, ports) - pressure_of(c, 1, ports));
}
