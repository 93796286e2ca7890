/* The apparent permeability of a box with bodies, theory (40a). */
#ifndef KN_PERMEABILITY_H
#define KN_PERMEABILITY_H

#include "monitor/monitor.h"

/* True for a case with bodies and a force, or with an image between two ports of different pressure. */
bool kn_permeability_exists(const struct kn_case *c);

/* In lambda0^2, from the averages and the volume of a row and the latest flows through the ports. */
double kn_permeability_measure(const struct kn_case *c, const struct kn_row *row,
                               const struct kn_port_flux *ports);

#endif
