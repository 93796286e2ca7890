/* knudsen verify: runs the cases and compares them with what is published about them.
 *
 * Each distinct setting of a case is run three times: as it is, on half the cells along each axis (a
 * uniform gas with twice the time step), and on three quarters of the velocity nodes.  With Q the
 * quantity,
 *
 *   error in space     |Q - Q coarse| 3 / (2^order - 1): the grid convergence index of Roache for two grids
 *   error in velocity  |Q - Q coarse| 3: the same factor, with no order assumed: errors of nodes change sign
 *                      (of both the largest among points of one profile, and of amplitude and phase)
 *   unsteadiness       |Q - Q at 3/4 of the run|
 *   rounding           1e-5 |Q|, for the state is kept in single precision
 *   statistical error  one standard error, where collisions are sampled
 *   tolerance          error of the reference + the first four + 3 statistical errors
 *
 * A check passes when the deviation is within the tolerance, and within the bar where one is claimed.
 * So the tolerance never comes from the result, and is shown: it says how sharp a check is.  A check that
 * passes without a bar and with a tolerance above a tenth of the value (of a profile, of its largest value;
 * of a phase, of a radian) is open: it is not counted among those that pass.  A run that diverges, or that
 * the quantity cannot be taken from, fails. */
#ifndef KN_VERIFY_H
#define KN_VERIFY_H

#include "files.h"
#include "verify/reference.h"

/* One check. */
struct kn_verify_result {
    const char *name; /* of the case */
    const struct kn_reference_row *reference;
    double value;
    double space, velocity, unsteady, rounding, statistical; /* errors, as above */
    double deviation, tolerance;
    bool pass;
    bool open;      /* it passes, but would with nearly any value */
    double seconds; /* of the runs that it shares with other checks */
    const char *backend;
};

struct kn_verify_options {
    const char **names; /* [nnames] cases; none: all */
    int nnames;
    bool full, json, list;
    const char *cases; /* their folder; NULL: $KNUDSEN_CASES, else that of the source or installation */
    void (*take)(void *to, const struct kn_verify_result *result); /* is handed every result; may be NULL */
    void *to;
};

/* KN_ENUMERIC when a check fails. */
enum kn_status kn_verify(const struct kn_verify_options *options);

#endif
