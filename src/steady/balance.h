/* The balance of mass, momentum and energy of an iterate. */
#ifndef KN_BALANCE_H
#define KN_BALANCE_H

#include "backend/steady_backend.h"

/* The net amount of mass, momentum or energy that enters through faces and by sources, over the largest flux;
 * or that of mass over the flow from port to port, if this is larger and the flow is not negligible.  fluxes:
 * [kn_space_fluxes][KN_FLUXES] of a state. */
double kn_balance_of(const struct kn_steady_plan *s, const double *fluxes);

#endif
