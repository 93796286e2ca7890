/* The choices of the keys, each with a description; only config_keys.c includes this file. */
#ifndef KN_CONFIG_CHOICES_H
#define KN_CONFIG_CHOICES_H

#include "config/config.h"

static const struct kn_choice clusters[] = {
    {"both", KN_CLUSTER_BOTH, "small cells at both ends of the axis"},
    {"low", KN_CLUSTER_LOW, "small cells at the low end (left, bottom, back)"},
    {"high", KN_CLUSTER_HIGH, "small cells at the high end (right, top, front)"},
    {"focus", KN_CLUSTER_FOCUS, "small cells on both sides of space.focus, which is an edge of cells"},
    {0},
};

static const struct kn_choice limiters[] = {
    {"van-leer", KN_LIMITER_VAN_LEER, "van Leer's smooth limiter"},
    {"mc", KN_LIMITER_MC, "monotonised central: sharper, less smooth"},
    {"minmod", KN_LIMITER_MINMOD, "the most diffusive of the three"},
    {"none", KN_LIMITER_NONE, "plain central slope, for smooth flows and order tests"},
    {0},
};

static const struct kn_choice grids[] = {
    {"gauss", KN_GRID_GAUSS, "half-range Gauss-Hermite nodes: fluxes at walls and moments are exact"},
    {"stretched", KN_GRID_STRETCHED, "cells on [-range, range], smallest at the origin, as in the paper"},
    {0},
};

static const struct kn_choice weights[] = {
    {"exact", KN_WEIGHTS_EXACT, "probability of the cell in equilibrium"},
    {"midpoint", KN_WEIGHTS_MIDPOINT, "width of the cell times the density at its centre, as in the paper"},
    {0},
};

static const struct kn_choice folds[] = {
    {"auto", KN_FOLD_AUTO, "keep half of the nodes along each axis of mirror symmetry"},
    {"none", KN_FOLD_NONE, "keep all nodes"},
    {0},
};

static const struct kn_choice reduces[] = {
    {"auto", KN_REDUCE_AUTO,
     "with bgk, shakhov, es-bgk and none: four nodes, two if folded, along each axis along which the flow is "
     "uniform"},
    {"none", KN_REDUCE_NONE, "velocity.nodes along every axis"},
    {0},
};

static const struct kn_choice species[] = {
    {"none", KN_SPECIES_NONE, "no species: the case is dimensionless"},
    {"helium", KN_SPECIES_HELIUM, "He, 4.003 g/mol, 19.9 uPa s at 300 K"},
    {"neon", KN_SPECIES_NEON, "Ne, 20.18 g/mol, 31.9 uPa s at 300 K"},
    {"argon", KN_SPECIES_ARGON, "Ar, 39.95 g/mol, 22.7 uPa s at 300 K"},
    {"krypton", KN_SPECIES_KRYPTON, "Kr, 83.80 g/mol, 25.5 uPa s at 300 K"},
    {"xenon", KN_SPECIES_XENON, "Xe, 131.3 g/mol, 23.2 uPa s at 300 K"},
    {"nitrogen", KN_SPECIES_NITROGEN,
     "N2, 28.01 g/mol, 17.9 uPa s at 300 K, treated as monatomic: valid for shear flows, not for heat "
     "fluxes"},
    {0},
};

static const struct kn_choice molecules[] = {
    {"hard-sphere", KN_MOLECULES_HARD_SPHERE, "rigid spheres: viscosity as T^(1/2)"},
    {"maxwell", KN_MOLECULES_MAXWELL,
     "collision rate independent of the speed, isotropic scattering: viscosity as T"},
    {"vhs", KN_MOLECULES_VHS,
     "spheres with a diameter that depends on the relative speed: viscosity as T^omega"},
    {0},
};
static const struct kn_choice methods[] = {
    {"monte-carlo", KN_METHOD_MONTE_CARLO, "collision integral by Monte Carlo, as in the paper"},
    {"operator", KN_METHOD_OPERATOR,
     "collision integral assembled once, free of noise: a matrix, and a quadratic part on polynomials"},
    {"bgk", KN_METHOD_BGK, "BGK relaxation model (Prandtl number 1)"},
    {"shakhov", KN_METHOD_SHAKHOV, "Shakhov model with collision.prandtl"},
    {"es-bgk", KN_METHOD_ES_BGK, "ellipsoidal statistical model with collision.prandtl"},
    {"none", KN_METHOD_NONE, "no collisions: free-molecular flow"},
    {0},
};

static const struct kn_choice estimators[] = {
    {"symmetric", KN_ESTIMATOR_SYMMETRIC,
     "half the difference across a collision: less noise at the same cost"},
    {"paper", KN_ESTIMATOR_PAPER, "values before the collision only, as in the paper"},
    {0},
};

static const struct kn_choice points[] = {
    {"auto", KN_POINTS_AUTO, "lattice with the symmetric estimator, random with that of the paper"},
    {"lattice", KN_POINTS_LATTICE,
     "evenly spaced, with a random shift in each step: less noise at the same cost"},
    {"random", KN_POINTS_RANDOM, "independent of each other, as in the paper"},
    {0},
};

static const struct kn_choice updates[] = {
    {"exponential", KN_UPDATE_EXPONENTIAL, "each sample relaxes exactly and cannot overshoot"},
    {"explicit", KN_UPDATE_EXPLICIT, "explicit step as in the paper; may diverge at high molecular speeds"},
    {0},
};

static const struct kn_choice conservations[] = {
    {"projection", KN_CONSERVATION_PROJECTION, "correction a + b.v + c v^2, one constant matrix"},
    {"paper", KN_CONSERVATION_PAPER, "correction (1 + eps h)(a + b.v + c v^2), one 5x5 system per cell"},
    {"none", KN_CONSERVATION_NONE, "no correction, to study its effect"},
    {0},
};

static const struct kn_choice wall_kinds[] = {
    {"diffuse", KN_WALL_DIFFUSE,
     "molecules leave in equilibrium with the velocity and temperature of the wall"},
    {"specular", KN_WALL_SPECULAR, "molecules are reflected as by a mirror"},
    {"symmetry", KN_WALL_SYMMETRY, "plane of symmetry of the flow, without a wall"},
    {"periodic", KN_WALL_PERIODIC,
     "the gas continues at the opposite side; both sides of the axis must be periodic"},
    {"inflow", KN_WALL_INFLOW,
     "no wall: gas in equilibrium is outside; its molecules enter, and molecules that leave do not return"},
    {"far-field", KN_WALL_FAR_FIELD,
     "no wall: the gas outside has uniform gradients of velocity and temperature; disturbance: 0 only"},
    {"cercignani-lampis", KN_WALL_DIFFUSE,
     "the same as diffuse, for walls with the keys tangential and normal: the model of Cercignani and "
     "Lampis"},
    {0},
};

static const struct kn_choice shapes[] = {
    {"rest", KN_SHAPE_REST, "uniform gas at rest, h = 0"},
    {"density", KN_SHAPE_DENSITY, "density wave, h = 1"},
    {"shear", KN_SHAPE_SHEAR, "velocity u_y, h = 2 v_y"},
    {"temperature", KN_SHAPE_TEMPERATURE, "temperature wave, h = v^2 - 3/2"},
    {"stress", KN_SHAPE_STRESS, "shear stress, h = 2 v_x v_y"},
    {"heat-flux", KN_SHAPE_HEAT_FLUX, "heat flux along x, h = v_x (v^2 - 5/2)"},
    {"fourth-moment", KN_SHAPE_FOURTH_MOMENT,
     "the Sonine polynomial of degree 2 in v^2, no stress and no heat flux"},
    {"anisotropic", KN_SHAPE_ANISOTROPIC,
     "Gaussian with T_x = 1 + eps amplitude, T_y = T_z = 1 - eps amplitude / 2"},
    {"sound", KN_SHAPE_SOUND, "velocity u_x, h = 2 v_x"},
    {"bkw", KN_SHAPE_BKW,
     "state of Bobylev, Krook and Wu with K = 1 - amplitude, an exact solution for Maxwell molecules; "
     "disturbance above 0"},
    {"between", KN_SHAPE_BETWEEN,
     "local equilibrium with a transition from the inflow at the low end of an axis to that at the high end"},
    {0},
};

static const struct kn_choice body_kinds[] = {
    {"diffuse", KN_WALL_DIFFUSE, "molecules are re-emitted in equilibrium with the surface"},
    {"cercignani-lampis", KN_WALL_DIFFUSE,
     "the same as diffuse, with the keys tangential and normal: the model of Cercignani and Lampis"},
    {0},
};

static const struct kn_choice sides[] = {
    {"left", KN_LEFT, "the low end of x"},
    {"right", KN_RIGHT, "the high end of x"},
    {"bottom", KN_BOTTOM, "the low end of y"},
    {"top", KN_TOP, "the high end of y"},
    {"back", KN_BACK, "the low end of z"},
    {"front", KN_FRONT, "the high end of z"},
    {0},
};

static const struct kn_choice port_kinds[] = {
    {"pressure", KN_PORT_PRESSURE,
     "gas that moves with the flow, several mean free paths from openings; it reflects sound, so that waves "
     "decay slowly"},
    {"reservoir", KN_PORT_RESERVOIR,
     "gas at rest: a large vessel without collisions near the port; in dense gas the pressure jumps by "
     "sqrt(pi) times the flow"},
    {"vacuum", KN_PORT_VACUUM, "nothing enters; needs a disturbance above 0"},
    {"flow", KN_PORT_FLOW, "gas enters or leaves with the mass flow of ports.<name>.flow; not on a GPU"},
    {0},
};

static const struct kn_choice plates[] = {
    {"none", KN_PLATE_NONE, "no plate: the body is a box"},
    {"x", KN_PLATE_X, "a plate at a given x"},
    {"y", KN_PLATE_Y, "a plate at a given y"},
    {"z", KN_PLATE_Z, "a plate at a given z"},
    {0},
};

static const struct kn_choice solids[] = {
    {"dark", KN_SOLID_DARK, "voxels below the threshold"},
    {"light", KN_SOLID_LIGHT, "voxels above the threshold"},
    {0},
};

static const struct kn_choice cylinder_axes[] = {
    {"x", KN_PLATE_X, "from left to right"},
    {"y", KN_PLATE_Y, "from bottom to top"},
    {"z", KN_PLATE_Z, "from back to front, also in two dimensions"},
    {0},
};

static const struct kn_choice modes[] = {
    {"auto", KN_MODE_AUTO,
     "steady if the solver supports the case, otherwise unsteady; the run prints the choice and its reason"},
    {"unsteady", KN_MODE_UNSTEADY, "time steps from the initial state"},
    {"steady", KN_MODE_STEADY,
     "iterations for the steady state: a few tens for any Knudsen number, without time steps; not for "
     "monte-carlo"},
    {"frequency", KN_MODE_FREQUENCY,
     "iterations for amplitudes and phases of an oscillation of one frequency, without a transient; "
     "disturbance: 0, not for monte-carlo"},
    {0},
};

static const struct kn_choice splittings[] = {
    {"strang", KN_SPLITTING_STRANG, "collisions in two half steps around streaming: second order in time"},
    {"lie", KN_SPLITTING_LIE, "streaming, then collisions: first order in time, as in the paper"},
    {0},
};

static const struct kn_choice backends[] = {
    {"auto", 0, "the fastest available device"},
    {"cpu", 1, "all cores of this computer"},
    {"cuda", 2, "an NVIDIA GPU, in a build with CUDA"},
    {"strict", 3,
     "the CPU with separate memory, for tests: it shows errors that otherwise only a GPU would show"},
    {0},
};

static const struct kn_choice exchanges[] = {
    {"auto", KN_EXCHANGE_AUTO, "device if the MPI library reports support for it, else host"},
    {"host", KN_EXCHANGE_HOST, "through the memory of the host"},
    {"device", KN_EXCHANGE_DEVICE, "from GPU to GPU; needs a CUDA-aware MPI library"},
    {0},
};

static const struct kn_choice truths[] = {
    {"true", 1, "yes"},
    {"false", 0, "no"},
    {0},
};

#endif
