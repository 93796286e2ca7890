/* Properties that follow from a case alone: symmetry, widths of cells, kind of collisions. */
#ifndef KN_CASE_H
#define KN_CASE_H

#include "knudsen.h"

enum {
    KN_OPERATOR_NODES = 20
}; /* per axis, at most: with more, weights are too small for double precision */

/* Name of a side as in a case file. */
const char *kn_case_side_name(enum kn_side side);

/* The surfaces of a case: the six sides, then the bodies, then the ports.  A port is an inflow of gas at
 * rest; the density of a vacuum is -1 / eps. */
int kn_case_bodies(const struct kn_case *c);
int kn_case_ports(const struct kn_case *c);
int kn_case_surfaces(const struct kn_case *c);
struct kn_wall kn_case_surface(const struct kn_case *c, int number);
const char *kn_case_surface_list(const struct kn_case *c, int number); /* "walls", "bodies" or "ports" */
const char *kn_case_surface_name(const struct kn_case *c, int number); /* "left", "bar", "inlet" */

/* A patch is one direction of a surface, because the emission depends on it: the sides, then six for each
 * body, then the ports. */
struct kn_case_patch {
    int surface, side; /* enum kn_side: the direction from the gas to the surface */
};
enum { KN_PATCHES = KN_SIDES * (1 + KN_BODIES) + KN_PORTS }; /* at most */
int kn_case_patches(const struct kn_case *c);
struct kn_case_patch kn_case_patch(const struct kn_case *c, int patch);
int kn_case_find_patch(const struct kn_case *c, int surface, int side); /* and back */

/* True if no wall, source, initial state or moving reference breaks the symmetry of the velocities along the
 * axis. */
bool kn_case_is_even(const struct kn_case *c, int axis);

/* Number of temperatures of a surface along it, and the lowest and the highest one. */
int kn_case_points(const struct kn_wall *wall);
struct kn_case_span {
    double low, high;
};
struct kn_case_span kn_case_temperatures(const struct kn_wall *wall);

/* True if the temperature or velocity of a surface differs between its faces. */
bool kn_case_varies(const struct kn_case *c, int surface);

/* True if the axis has one cell and the gas is uniform along it: the ends are periodic, or they are mirrors
 * and the flow is even along the axis. */
bool kn_case_is_uniform(const struct kn_case *c, int axis);

/* True if the velocity along the axis is represented by moments (velocity.reduce): the gas is uniform along
 * it but not along all axes, collisions are those of a model, and the initial state is of third degree or a
 * Gaussian. */
bool kn_case_is_reduced(const struct kn_case *c, int axis);

/* Nodes along an axis; a reduced axis has four, theory (12a).  KN_NODES_AUTO: not chosen yet. */
enum { KN_CASE_REDUCED_NODES = 4 };
int kn_case_nodes(const struct kn_case *c, int axis);

/* True if a side only reflects. */
bool kn_case_is_mirror(const struct kn_wall *wall);

/* True if the surface scatters by the model of Cercignani and Lampis, and not diffusely. */
bool kn_case_scatters(const struct kn_wall *wall);

/* True if a side emits a Maxwellian: a diffuse wall or an inflow. */
bool kn_case_emits(const struct kn_wall *wall);

/* KN_MESH_MIRROR (point/mesh.h) for a mirror or a diffuse wall without accommodation, else 0. */
int kn_case_reflection(const struct kn_wall *wall);

/* The axis with an inflow at both ends; -1 if there is none or more than one. */
int kn_case_inflow_axis(const struct kn_case *c);

/* Width of cell i along an axis, in units that differ between axes. */
double kn_case_relative_width(const struct kn_case *c, int axis, int i);

/* Width of cell i along an axis, lambda0. */
double kn_case_width(const struct kn_case *c, int axis, int i);

/* Width of the narrowest cell along an axis, lambda0. */
double kn_case_narrowest_cell(const struct kn_case *c, int axis);

/* Mean over the length of an axis of a power of the widths of its cells, lambda0. */
double kn_case_mean_width(const struct kn_case *c, int axis, double power);

/* True if the solution is found by iterations (time.mode: steady or frequency), and not by steps in time;
 * auto that is not resolved stands for steps. */
static inline bool kn_case_iterates(const struct kn_case *c)
{
    return c->time.mode == KN_MODE_STEADY || c->time.mode == KN_MODE_FREQUENCY;
}

/* The angular frequency of the first wall or body that oscillates; 0: none does. */
double kn_case_frequency(const struct kn_case *c);

bool kn_case_is_in_phase(const struct kn_case *c); /* all walls and bodies that oscillate have the phase 0 */

/* The limiter of the slopes; none above order 2. */
enum kn_limiter kn_case_limiter(const struct kn_case *c);

/* Number of cells upwind of a cell from which values of one step follow. */
int kn_case_reach(const struct kn_case *c);

/* The viscosity is proportional to T^omega. */
double kn_case_omega(const struct kn_case *c);

/* Prandtl number of the gas: that of the model, or of the molecules. */
double kn_case_prandtl(const struct kn_case *c);

/* How a method is computed: by drawn samples, so that results contain noise, or by relaxation towards a
 * Gaussian. */
bool kn_case_is_sampled(enum kn_method method);
bool kn_case_is_model(enum kn_method method);

#endif
