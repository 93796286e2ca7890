/* How molecules scatter: one law for the assembled operator and for sampled collisions. */
#ifndef KN_MOLECULES_H
#define KN_MOLECULES_H

#include "knudsen.h"

/* Collisions at relative speed g, isotropic: strength g^exponent, theory (46). */
struct kn_kernel {
    double strength, exponent;
};

struct kn_kernel kn_molecules_kernel(const struct kn_case *c);

#endif
