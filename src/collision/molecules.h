/* How molecules scatter: one law for the assembled operator and for sampled collisions. */
#ifndef KN_MOLECULES_H
#define KN_MOLECULES_H

#include "knudsen.h"

/* Collisions at relative speed g, isotropic: strength g^exponent, theory (46). */
struct kn_kernel {
    double strength, exponent;
};

/* The viscosity goes as T^omega: that of the molecules, or gas.omega where it is free. */
double kn_molecules_omega(const struct kn_case *c);

double kn_molecules_prandtl(const struct kn_case *c);

struct kn_kernel kn_molecules_kernel(const struct kn_case *c);

#endif
