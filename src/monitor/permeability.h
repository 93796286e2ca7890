/* The permeability of a porous body. */
#ifndef KN_PERMEABILITY_H
#define KN_PERMEABILITY_H

#include "monitor/monitor.h"

/* True if a force, or ports at opposite sides, drive a flow around bodies. */
bool kn_permeability_exists(const struct kn_case *c);

/* lambda0^2, from the flow rate G_P of the row, or from the flow through the ports. */
double kn_permeability_measure(const struct kn_monitor *m, const struct kn_row *row);

#endif
