/* The collision law of the molecules, for the assembled operator and for sampled collisions. */
#ifndef KN_MOLECULES_H
#define KN_MOLECULES_H

#include "knudsen.h"

/* Isotropic collisions at relative speed g: strength g^exponent, theory (46). */
struct kn_kernel {
    double strength, exponent;
};

struct kn_kernel kn_molecules_kernel(const struct kn_case *c);

#endif
