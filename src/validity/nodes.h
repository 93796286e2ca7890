/* How many velocity nodes a flow needs along each axis: theory, section 4. */
#ifndef KN_NODES_H
#define KN_NODES_H

#include "knudsen.h"

/* Relative error of wall fluxes and flow rates with this number of nodes along an axis; *what describes the
 * flow.  0: nothing is known that would need more nodes. */
double kn_nodes_error(const struct kn_case *c, int axis, int nodes, const char **what);

/* True if the gas is not uniform along an axis and a wall at one of its ends emits molecules; the number of
 * such axes. */
bool kn_nodes_has_emitter(const struct kn_case *c, int axis);
int kn_nodes_count_emitters(const struct kn_case *c);

/* Describe the choice of a case in which velocity.nodes is auto along the axis, in text[KN_TEXT]; false: it
 * is not auto there. */
bool kn_nodes_text(const struct kn_case *c, int axis, char *text);

#endif
