/* The table of the keys of a case file: parser, ranges, help and docs/input.md use it.
 *
 * A new key is one entry here and one field in struct kn_case. */
#include "config/config.h"
#include "config/config_choices.h"

/* The name of a key is the path of its member in struct kn_case, or of struct kn_wall for walls.<side>. */
#define KEY(kind, n, field)                                                                                  \
    .name = #field, .type = KN_TYPE_##kind, .count = (n), .offset = offsetof(struct kn_case, field)
#define WALL(kind, n, field)                                                                                 \
    .name = "walls.<side>." #field, .list = KN_LIST_WALLS, .type = KN_TYPE_##kind, .count = (n),             \
    .offset = offsetof(struct kn_wall, field), .flags = KN_KEY_SHAPES
#define BODY(kind, n, path, field)                                                                           \
    .name = "bodies.<name>." path, .list = KN_LIST_BODIES, .type = KN_TYPE_##kind, .count = (n),             \
    .offset = offsetof(struct kn_body, field)
#define PORT(kind_, n, field)                                                                                \
    .name = "ports.<name>." #field, .list = KN_LIST_PORTS, .type = KN_TYPE_##kind_, .count = (n),            \
    .offset = offsetof(struct kn_port, field)
#define CHOSEN(flag) .chosen = offsetof(struct kn_case, flag)
#define RANGE(a, b)  .low = (a), .high = (b)
#define SHAPES       .flags = KN_KEY_SHAPES
#define SI(name)     .dimension = KN_DIMENSION_##name

/* JSON readers may round larger whole numbers. */
#define WHOLE 9007199254740991.0

const struct kn_key kn_config_keys[] = {
    /* clang-format off */
    {KEY(REAL, 1, gas.delta), CHOSEN(gas.delta_set), .initial = "1", .unit = "L / lambda0",
     RANGE(1e-6, 1e6), SHAPES,
     .doc = "Rarefaction parameter: the length L divided by lambda0 = mu0 V0 / p0. The Knudsen number is "
            "0.8885 / delta."},
    {KEY(CHOICE, 1, gas.molecules), .initial = "hard-sphere", SHAPES, .choices = molecules,
     .doc = "Model of the molecules. All except hard-sphere need collision.method: operator or monte-carlo."},
    {KEY(REAL, 1, gas.omega), CHOSEN(gas.omega_set), .initial = "0.5", RANGE(0.5, 1), SHAPES,
     .doc = "Exponent of the viscosity, mu ~ T^omega. For vhs any value in the range; the default is that "
            "of the species (argon: 0.81). It is 0.5 for hard-sphere and 1 for maxwell."},
    {KEY(CHOICE, 1, gas.species), .initial = "none", .choices = species,
     .doc = "The gas of a case in SI units. Viscosities are from Huber and Harvey (CRC Handbook of "
            "Chemistry and Physics): three digits from 200 to 500 K, extrapolated outside this range."},
    {KEY(REAL, 1, gas.pressure), .initial = "0", .unit = "Pa", RANGE(0, 1e9), SI(PRESSURE),
     .doc = "Pressure p0 of the gas at rest in a case in SI units; 0 computes it from gas.delta."},
    {KEY(REAL, 1, gas.temperature), .initial = "0", .unit = "K", RANGE(0, 1e5), SI(GAS_TEMPERATURE),
     .doc = "Temperature T0 of the gas at rest; required in a case in SI units."},
    {KEY(REAL, 1, gas.viscosity), .initial = "0", .unit = "Pa s", RANGE(0, 1), SI(VISCOSITY),
     .doc = "Viscosity mu0 at T0; 0 uses the value of the species."},
    {KEY(REAL, 1, gas.molar_mass), .initial = "0", .unit = "kg / mol", RANGE(0, 10), SI(MOLAR_MASS),
     .doc = "Molar mass; 0 uses the value of the species. Together with gas.viscosity it describes a gas "
            "that is not in the list of species."},
    {KEY(REAL, 3, gas.reference.velocity), .initial = "[0, 0, 0]", .unit = "eps V0", RANGE(-1e6, 1e6), SHAPES,
     SI(VELOCITY),
     .doc = "Velocity of the reference state, along axes along which the gas is uniform (one cell, periodic "
            "ends). The velocity grid moves with it."},
    {KEY(REAL, 1, gas.reference.temperature), .initial = "auto", .unit = "eps T0", RANGE(-1e6, 1e6),
     .flags = KN_KEY_SHAPES | KN_KEY_AUTO, .automatic = KN_REFERENCE_AUTO, SI(TEMPERATURE),
     .doc = "Temperature of the reference state, about which the gas is computed: the velocity grid is made "
            "for it. A number is a deviation from T0, a value with a unit is absolute. auto is in the middle "
            "of the temperatures of walls, inflows and gas at rest if these are much hotter than T0, "
            "otherwise T0. All results are independent of it, except for their accuracy."},
    {KEY(REAL, 1, disturbance), .initial = "0", RANGE(0, 10), SHAPES,
     .doc = "Amplitude eps of the disturbance. Wall velocities, temperatures and results are divided by "
            "it. 0 solves the linearised equation."},
    {KEY(INT, 3, space.cells), .initial = "[40, 40]", .unit = "cells", RANGE(1, 100000),
     .flags = KN_KEY_SHAPES | KN_KEY_AXES,
     .doc = "Number of cells along x, y, z. An axis that is not listed has one cell and periodic ends."},
    {KEY(REAL, 1, space.length), .initial = "0", .unit = "m", RANGE(0, 1e6), SI(GAS_LENGTH),
     .doc = "The length L of a case in SI units; 0 uses the first value of space.size that has a unit."},
    {KEY(REAL, 3, space.size), .initial = "[1, 1, 1]", .unit = "L", RANGE(1e-6, 1e6), SHAPES, SI(LENGTH),
     .doc = "Length of the box along x, y, z."},
    {KEY(REAL, 3, space.stretch), .initial = "[1, 1, 1]", RANGE(0.5, 1), SHAPES,
     .doc = "Ratio of the widths of neighbouring cells along x, y, z, towards the ends given by "
            "space.cluster; 1 is uniform."},
    {KEY(CHOICE, 3, space.cluster), .initial = "[both, high, both]", SHAPES, .choices = clusters,
     .doc = "Where the smallest cells along x, y, z are if space.stretch is below 1. The default suits a "
            "cavity with its lid at the top."},
    {KEY(REAL, 3, space.focus), .initial = "[0, 0, 0]", .unit = "L", RANGE(0, 1e6), SHAPES, SI(LENGTH),
     .doc = "Place of the smallest cells along x, y, z with space.cluster: focus, as at the edge of a body."},
    {KEY(INT, 1, space.order), .initial = "3", RANGE(1, 3), SHAPES,
     .doc = "Order of accuracy of streaming in space: 1 is the upwind scheme of the paper, 2 adds limited "
            "slopes, 3 uses parabolas without a limiter. 3 needs the same cells as 2 and is more accurate; 2 "
            "has no overshoots at discontinuities."},
    {KEY(CHOICE, 1, space.limiter), .initial = "van-leer", SHAPES, .choices = limiters,
     .doc = "Slope limiter; space.order: 2 only."},
    {KEY(CHOICE, 1, velocity.grid), .initial = "gauss", SHAPES, .choices = grids,
     .doc = "Type of the velocity grid."},
    {KEY(INT, 3, velocity.nodes), .initial = "8", .unit = "nodes", RANGE(2, 64),
     .flags = KN_KEY_SHAPES | KN_KEY_EVEN | KN_KEY_SPREAD | KN_KEY_AUTO, .automatic = KN_NODES_AUTO,
     .doc = "Velocity nodes along v_x, v_y, v_z, including both signs; one number applies to all three "
            "axes. auto uses the number that velocity.accuracy needs; knudsen info prints it."},
    {KEY(REAL, 1, velocity.accuracy), .initial = "0.005", RANGE(1e-4, 0.1),
     .doc = "Relative error of wall fluxes and flow rates that velocity.nodes: auto aims at."},
    {KEY(REAL, 1, velocity.ratio), .initial = "0.945", RANGE(0.5, 1), SHAPES,
     .doc = "Ratio of the widths of neighbouring velocity cells towards the origin; stretched grid only."},
    {KEY(REAL, 1, velocity.range), .initial = "3", .unit = "V0", RANGE(1, 20), SHAPES, SI(SPEED),
     .doc = "Largest speed along each axis that the grid covers; stretched grid only. With another reference "
            "temperature Tr it is multiplied by the square root of Tr / T0."},
    {KEY(CHOICE, 1, velocity.weights), .initial = "exact", SHAPES, .choices = weights,
     .doc = "Weight of a velocity cell in sums over the grid; midpoint needs the stretched grid."},
    {KEY(CHOICE, 1, velocity.fold), .initial = "auto", SHAPES, .choices = folds,
     .doc = "Whether axes of mirror symmetry are folded to save memory and work."},
    {KEY(CHOICE, 1, velocity.reduce), .initial = "auto", SHAPES, .choices = reduces,
     .doc = "Whether axes along which the gas is uniform store moments of the velocity instead of a grid, to "
            "save memory and work; the moments are exact. auto needs a flow along another axis, and an initial.shape "
            "other than fourth-moment and bkw."},
    {KEY(CHOICE, 1, collision.method), .initial = "operator", SHAPES, .choices = methods,
     .doc = "Method for the collisions between molecules."},
    {KEY(INT, 1, collision.samples), .initial = "6144", .unit = "samples", RANGE(1, 1e8),
     .flags = KN_KEY_SHAPES | KN_KEY_AUTO, .automatic = KN_SAMPLES_AUTO,
     .doc = "Collisions drawn per step and shared by all cells; monte-carlo only. auto uses the number that "
            "collision.error needs, found by a short run on a coarse grid."},
    {KEY(REAL, 1, collision.error), .initial = "0.001", RANGE(1e-6, 1), SHAPES,
     .doc = "Standard error that collision.samples: auto aims at. It is relative to D of a cavity, to the "
            "flow rate of a channel, or else to the largest stress or heat flux at a wall."},
    {KEY(CHOICE, 1, collision.estimator), .initial = "symmetric", SHAPES, .choices = estimators,
     .doc = "Contribution of each sampled collision to the collision integral; monte-carlo only."},
    {KEY(CHOICE, 1, collision.points), .initial = "auto", SHAPES, .choices = points,
     .doc = "Distribution of the sampled collisions of a step over all possible ones; monte-carlo only."},
    {KEY(CHOICE, 1, collision.update), .initial = "exponential", SHAPES, .choices = updates,
     .doc = "How each sampled collision changes the gas in one step; monte-carlo only."},
    {KEY(CHOICE, 1, collision.conservation), .initial = "projection", SHAPES, .choices = conservations,
     .doc = "How mass, momentum and energy are restored after the collisions of a step."},
    {KEY(REAL, 1, collision.prandtl), .initial = "0.660694", RANGE(0.1, 2), SHAPES,
     .doc = "Prandtl number of the gas; shakhov and es-bgk only."},
    {KEY(BOOL, 1, collision.rescale), .initial = "true", SHAPES, .choices = truths,
     .doc = "Multiply the collision rates by the viscosity of the velocity grid, so that the viscosity is "
            "exact; operator only."},
    {WALL(CHOICE, 1, kind), .chosen = offsetof(struct kn_wall, kind_set), .initial = "diffuse",
     .choices = wall_kinds,
     .doc = "Boundary condition at this side of the box. On axes that space.cells does not list the "
            "default is periodic."},
    {WALL(REAL, 1, density), .initial = "0", .unit = "eps n0", RANGE(-1e6, 1e6), SI(DENSITY),
     .doc = "Density of the gas outside an inflow: a number is a deviation from n0, a value with a unit is "
            "absolute."},
    {WALL(REAL, 3, velocity), .initial = "[0, 0, 0]", .unit = "eps V0", RANGE(-1e6, 1e6), SI(VELOCITY),
     .doc = "Velocity along x, y, z of a diffuse wall, whose normal component must be 0, or of the gas "
            "outside an inflow."},
    {.name = "walls.<side>.temperature", .list = KN_LIST_WALLS, .type = KN_TYPE_REAL, .count = KN_POINTS,
     .offset = offsetof(struct kn_wall, temperatures), .flags = KN_KEY_SHAPES | KN_KEY_POINTS,
     .automatic = KN_NO_POINT, .initial = "0", .unit = "eps T0", RANGE(-1e6, 1e6), SI(TEMPERATURE),
     .doc = "Temperature of a diffuse wall or of the gas outside an inflow: a number is a deviation from "
            "T0, a value with a unit is absolute. A list of up to six temperatures, [300 K, 400 K], is those at "
            "equal distances from the low to the high end of the side, and it is linear between them. It varies "
            "along the first other axis along which the gas is not uniform (x before y before z)."},
    {WALL(REAL, 1, accommodation), .initial = "1", RANGE(0, 1),
     .doc = "Fraction of molecules that a diffuse wall re-emits diffusely; the others are reflected "
            "specularly."},
    {WALL(REAL, 1, tangential), .initial = "1", RANGE(0.001, 2),
     .doc = "Accommodation of the tangential momentum in the model of Cercignani and Lampis; 1 is diffuse, above 1 "
            "molecules are scattered back."},
    {WALL(REAL, 1, normal), .initial = "1", RANGE(0.001, 1),
     .doc = "Accommodation of the energy of the normal motion in the model of Cercignani and Lampis; 1 is diffuse."},
    {WALL(REAL, 3, oscillation.velocity), .initial = "[0, 0, 0]", .unit = "eps V0", RANGE(-1e6, 1e6),
     SI(VELOCITY),
     .doc = "Amplitude of the part of the velocity that varies as cos(frequency t + phase). Along the "
            "normal of a diffuse wall it is a piston, a source of sound; this needs disturbance: 0."},
    {WALL(REAL, 1, oscillation.temperature), .initial = "0", .unit = "eps T0", RANGE(-1e6, 1e6),
     SI(WARMING), .doc = "Amplitude of the part of the temperature that varies as cos(frequency t + phase)."},
    {WALL(REAL, 1, oscillation.frequency), .initial = "0", .unit = "V0 / lambda0", RANGE(0, 1e6),
     SI(FREQUENCY), .doc = "Angular frequency of the oscillation of this wall. A value in Hz counts cycles."},
    {WALL(REAL, 1, oscillation.phase), .initial = "0", .unit = "radian", RANGE(-1000, 1000), SI(ANGLE),
     .doc = "Phase of the oscillation of this wall at time 0."},
    {WALL(REAL, 3, gradient.velocity), .initial = "[0, 0, 0]", .unit = "eps V0 / lambda0", RANGE(-1e6, 1e6),
     SI(SHEAR_RATE),
     .doc = "Derivative of the velocity of the gas along the axis of a far-field side; the component "
            "normal to the side must be 0."},
    {WALL(REAL, 1, gradient.temperature), .initial = "0", .unit = "eps T0 / lambda0", RANGE(-1e6, 1e6),
     SI(TEMPERATURE_GRADIENT),
     .doc = "Derivative of the temperature of the gas along the axis of a far-field side, at constant "
            "pressure."},
    {BODY(REAL, 3, "box.low", box.low), .initial = "auto", .unit = "L", RANGE(-1e6, 1e6), SI(LENGTH),
     .flags = KN_KEY_SHAPES | KN_KEY_AUTO | KN_KEY_CORNER, .automatic = KN_TO_END,
     .doc = "Lower corner of a solid box along x, y, z; auto is the beginning of the axis. The two corners may "
            "be written as a list, box: [[0.2, 0.2], [0.4, 0.5]]. Edges of a body must coincide with edges of "
            "cells. Corners that are equal along one axis make a plate without thickness."},
    {BODY(REAL, 3, "box.high", box.high), .initial = "auto", .unit = "L", RANGE(-1e6, 1e6), SI(LENGTH),
     .flags = KN_KEY_SHAPES | KN_KEY_AUTO | KN_KEY_CORNER, .automatic = KN_TO_END,
     .doc = "Upper corner of the box; auto is the end of the axis."},
    {BODY(CHOICE, 1, "plate.axis", plate.axis), .initial = "none", SHAPES, .choices = plates,
     .doc = "Axis normal to a plate without thickness that crosses the whole gas."},
    {BODY(REAL, 1, "plate.at", plate.at), .initial = "0", .unit = "L", RANGE(-1e6, 1e6), SHAPES, SI(LENGTH),
     .doc = "Position of the plate along its axis."},
    {BODY(REAL, 2 * KN_OPENINGS, "plate.open", plate.open), .initial = "[0, 0, 0, 0, 0, 0]", .unit = "L",
     RANGE(-1e6, 1e6), .flags = KN_KEY_SHAPES | KN_KEY_PAIRS, SI(LENGTH),
     .doc = "Up to three openings of the plate, from and to, along the first other axis along which the gas "
            "is not uniform: [[0.4, 0.6]]. In three dimensions an opening is a slot along the last axis."},
    {BODY(FILE, 1, "image.file", image.file), .initial = "none", SHAPES,
     .doc = "Image of a body: a PNG file (its lowest row is at the bottom), a NumPy array [y][x] or [z][y][x] (.npy), "
            "or raw bytes (image.voxels). The path is relative to the case file. A voxel must be as large as a cell, "
            "or as several whole cells along each axis; a plane image is the same at all z."},
    {BODY(CHOICE, 1, "image.solid", image.solid), .initial = "dark", SHAPES, .choices = solids,
     .doc = "Part of the image that is solid."},
    {BODY(REAL, 1, "image.threshold", image.threshold), .initial = "0.5", RANGE(0.001, 0.999), SHAPES,
     .doc = "Value that separates dark from light, between the smallest (0) and the largest value (1) of the image."},
    {BODY(REAL, 1, "image.spacing", image.spacing), .initial = "auto", .unit = "L", RANGE(1e-9, 1e6), SI(LENGTH),
     .flags = KN_KEY_SHAPES | KN_KEY_AUTO, .automatic = KN_TO_END,
     .doc = "Edge of a voxel; auto makes the image as long as the gas along x."},
    {BODY(REAL, 3, "image.at", image.at), .initial = "[0, 0, 0]", .unit = "L", RANGE(-1e6, 1e6), SHAPES, SI(LENGTH),
     .doc = "Lower corner of the image along x, y, z."},
    {BODY(INT, 3, "image.voxels", image.voxels), .initial = "[0, 0, 0]", .unit = "voxels", RANGE(0, 100000), SHAPES,
     .doc = "Number of voxels along x, y, z of a file of raw bytes, one per voxel, x fastest; 0 for other formats."},
    {BODY(REAL, 3, "cylinder.centre", cylinder.centre), .initial = "[0, 0, 0]", .unit = "L", RANGE(-1e6, 1e6), SHAPES,
     SI(LENGTH), .doc = "Centre of a circular cylinder along x, y, z; the component along its axis is not used."},
    {BODY(REAL, 1, "cylinder.radius", cylinder.radius), .initial = "0", .unit = "L", RANGE(0, 1e6), SHAPES,
     SI(LENGTH), .doc = "Radius of the cylinder; 0 is no cylinder. Its surface cuts cells."},
    {BODY(CHOICE, 1, "cylinder.axis", cylinder.axis), .initial = "z", SHAPES, .choices = cylinder_axes,
     .doc = "Axis of the cylinder, which ends at the ends of the space. In two dimensions it is z."},
    {BODY(REAL, 3, "sphere.centre", sphere.centre), .initial = "[0, 0, 0]", .unit = "L", RANGE(-1e6, 1e6), SHAPES,
     SI(LENGTH), .doc = "Centre of a sphere, in three dimensions."},
    {BODY(REAL, 1, "sphere.radius", sphere.radius), .initial = "0", .unit = "L", RANGE(0, 1e6), SHAPES,
     SI(LENGTH), .doc = "Radius of the sphere; 0 is no sphere. Its surface cuts cells."},
    {BODY(REAL, 2 * KN_CORNERS, "polygon", polygon), .initial = "auto", .unit = "L", RANGE(-1e6, 1e6),
     .flags = KN_KEY_SHAPES | KN_KEY_AUTO | KN_KEY_PAIRS, .automatic = KN_TO_END, SI(LENGTH),
     .doc = "Corners x, y of a prism along z, three to eight, in order along its edge: [[0.2, 0.2], [0.8, 0.3], "
            "[0.5, 0.7]]. Its surface cuts cells."},
    {BODY(FILE, 1, "points.file", points.file), .initial = "none", SHAPES,
     .doc = "Text file with the corners of a prism along z, of a polygon in two dimensions: two numbers x, y per line, "
            "in order along its edge, three to 4096 lines. The path is relative to the case file. Its surface cuts "
            "cells."},
    {BODY(REAL, 1, "points.scale", points.scale), .initial = "1", .unit = "L", RANGE(1e-12, 1e6), SHAPES, SI(LENGTH),
     .doc = "Length of one unit of the file of points: 1 um if its numbers are micrometres."},
    {BODY(REAL, 3, "points.at", points.at), .initial = "[0, 0, 0]", .unit = "L", RANGE(-1e6, 1e6), SHAPES, SI(LENGTH),
     .doc = "Place of the origin of the file of points along x, y; the component along z is not used."},
    {BODY(FILE, 1, "stl.file", stl.file), .initial = "none", SHAPES,
     .doc = "STL file with the surface of a body in three dimensions, binary or text. The path is relative to the case "
            "file. The surface may have small holes and intersect itself: the inside is where its winding number is "
            "above a half. It cuts cells."},
    {BODY(REAL, 1, "stl.scale", stl.scale), .initial = "1", .unit = "L", RANGE(1e-12, 1e6), SHAPES, SI(LENGTH),
     .doc = "Length of one unit of the STL file: 1 um if its numbers are micrometres."},
    {BODY(REAL, 3, "stl.at", stl.at), .initial = "[0, 0, 0]", .unit = "L", RANGE(-1e6, 1e6), SHAPES, SI(LENGTH),
     .doc = "Place of the origin of the STL file along x, y, z."},
    {BODY(BOOL, 1, "outside", outside), .initial = "false", SHAPES, .choices = truths,
     .doc = "The body is everything outside of the cylinder, sphere, polygon or STL surface, and the gas is inside."},
    {BODY(REAL, 3, "velocity", surface.velocity), .initial = "[0, 0, 0]", .unit = "eps V0", RANGE(-1e6, 1e6),
     SHAPES, SI(VELOCITY),
     .doc = "Velocity of the surface along x, y, z. At disturbance: 0 it may be normal to the surface: the body "
            "moves, and its displacement is negligible. At a finite disturbance the body slides in itself."},
    {BODY(REAL, KN_POINTS, "temperature", surface.temperatures), .initial = "0", .unit = "eps T0",
     RANGE(-1e6, 1e6), .flags = KN_KEY_SHAPES | KN_KEY_POINTS, .automatic = KN_NO_POINT, SI(TEMPERATURE),
     .doc = "Temperature of the surface: a number is a deviation from T0, a value with a unit is absolute. A list "
            "is as for walls.<side>.temperature, from the low to the high end of the body, along the first axis "
            "along which the body has an extent and the gas is not uniform."},
    {BODY(REAL, 3, "rotation", rotation), .initial = "[0, 0, 0]", .unit = "eps V0 / lambda0", RANGE(-1e6, 1e6),
     .flags = KN_KEY_SHAPES | KN_KEY_LAST, SI(SHEAR_RATE),
     .doc = "Angular velocity about the centre of the body; one value is a rotation about z. It is added to "
            "velocity. It needs disturbance: 0 if the surface moves along its normal, as that of a box does."},
    {BODY(REAL, 1, "accommodation", surface.accommodation), .initial = "1", RANGE(0, 1), SHAPES,
     .doc = "Fraction of molecules that the surface re-emits diffusely; the others are reflected specularly. It "
            "must be above 0 for cylinders, spheres and convex polygons with the gas outside, and 1 for other "
            "polygons, STL surfaces and bodies with outside: true."},
    {BODY(CHOICE, 1, "kind", surface.kind), .initial = "diffuse", SHAPES, .choices = body_kinds,
     .doc = "Model of the reflection at the surface."},
    {BODY(REAL, 1, "tangential", surface.tangential), .initial = "1", RANGE(0.001, 2), SHAPES,
     .doc = "Accommodation of the tangential momentum in the model of Cercignani and Lampis; see "
            "walls.<side>.tangential. Bodies whose surface cuts cells need disturbance: 0, and must be "
            "cylinders, spheres or convex polygons with the gas outside."},
    {BODY(REAL, 1, "normal", surface.normal), .initial = "1", RANGE(0.001, 1), SHAPES,
     .doc = "Accommodation of the energy of the normal motion in the model of Cercignani and Lampis."},
    {BODY(REAL, 3, "oscillation.velocity", surface.oscillation.velocity), .initial = "[0, 0, 0]",
     .unit = "eps V0", RANGE(-1e6, 1e6), SHAPES, SI(VELOCITY),
     .doc = "Amplitude of the part of the velocity that varies as cos(frequency t + phase)."},
    {BODY(REAL, 1, "oscillation.temperature", surface.oscillation.temperature), .initial = "0",
     .unit = "eps T0", RANGE(-1e6, 1e6), SHAPES, SI(WARMING),
     .doc = "Amplitude of the part of the temperature that varies as cos(frequency t + phase)."},
    {BODY(REAL, 1, "oscillation.frequency", surface.oscillation.frequency), .initial = "0",
     .unit = "V0 / lambda0", RANGE(0, 1e6), SHAPES, SI(FREQUENCY),
     .doc = "Angular frequency of the oscillation of this body. A value in Hz counts cycles."},
    {BODY(REAL, 1, "oscillation.phase", surface.oscillation.phase), .initial = "0", .unit = "radian",
     RANGE(-1000, 1000), SHAPES, SI(ANGLE), .doc = "Phase of the oscillation of this body at time 0."},
    {PORT(CHOICE, 1, side), .initial = "left", SHAPES, .choices = sides, .doc = "Side of the box with the port."},
    {PORT(REAL, 3, from), .initial = "auto", .unit = "L", RANGE(-1e6, 1e6), SI(LENGTH),
     .flags = KN_KEY_SHAPES | KN_KEY_AUTO, .automatic = KN_TO_END,
     .doc = "Lower corner of the port along x, y, z; auto is the beginning of the axis, and the component normal to "
            "the side is ignored. Edges of a port must coincide with edges of cells. The rest of the side is the wall "
            "of walls.<side>."},
    {PORT(REAL, 3, to), .initial = "auto", .unit = "L", RANGE(-1e6, 1e6), SI(LENGTH),
     .flags = KN_KEY_SHAPES | KN_KEY_AUTO, .automatic = KN_TO_END,
     .doc = "Upper corner of the port; auto is the end of the axis."},
    {PORT(CHOICE, 1, kind), .initial = "pressure", SHAPES, .choices = port_kinds,
     .doc = "State of the gas that enters."},
    {PORT(REAL, 1, pressure), .initial = "0", .unit = "eps p0", RANGE(-1e6, 1e6), SHAPES, SI(PORT_PRESSURE),
     .doc = "Pressure beyond the port: a number is a deviation from p0, a value with a unit is absolute."},
    {PORT(REAL, 1, flow), .initial = "0", .unit = "n0 V0 lambda0^2 eps", RANGE(-1e9, 1e9), SHAPES, SI(MASS_FLOW),
     .doc = "Mass flow into the gas through a port of kind flow, negative to take gas out; per metre (lambda0) of every "
            "axis along which the gas is uniform. It is uniform over the port, and the pressure follows."},
    {PORT(REAL, 1, temperature), .initial = "0", .unit = "eps T0", RANGE(-1e6, 1e6), SHAPES, SI(TEMPERATURE),
     .doc = "Temperature of the gas beyond the port: a number is a deviation from T0, a value with a unit is "
            "absolute."},
    {KEY(REAL, 3, source.force), .initial = "[0, 0, 0]", .unit = "eps V0^2 / lambda0", RANGE(-1e6, 1e6),
     SHAPES, SI(ACCELERATION),
     .doc = "Uniform body force per unit mass along x, y, z, such as the pressure gradient of a Poiseuille "
            "flow."},
    {KEY(REAL, 3, source.temperature_gradient), .initial = "[0, 0, 0]", .unit = "eps T0 / lambda0",
     RANGE(-1e6, 1e6), SHAPES, SI(TEMPERATURE_GRADIENT),
     .doc = "Uniform temperature gradient along x, y, z at constant pressure, which drives thermal creep."},
    {KEY(CHOICE, 1, initial.shape), .initial = "rest", SHAPES, .choices = shapes,
     .doc = "Disturbance h at time 0; it is multiplied by amplitude and cos(2 pi wave . x / size). bkw and "
            "between are complete states."},
    {KEY(REAL, 1, initial.amplitude), .initial = "1", .unit = "eps", RANGE(-1e6, 1e6), SHAPES,
     .doc = "Amplitude of the initial disturbance."},
    {KEY(INT, 3, initial.wave), .initial = "[0, 0, 0]", .unit = "periods", RANGE(0, 10000), SHAPES,
     .doc = "Number of periods of the initial disturbance along x, y, z; 0 is uniform."},
    {KEY(REAL, 1, initial.width), .initial = "0.1", .unit = "L", RANGE(1e-6, 1e6), SHAPES, SI(LENGTH),
     .doc = "Length w of the transition of the state between: tanh(x / w) about the middle of the axis."},
    {KEY(FILE, 1, initial.from), .initial = "none",
     .doc = "Folder of the results of another run, with the same cells and velocity nodes, from whose gas this run "
            "starts. The path is relative to the case file. A steady state is found in fewer iterations if that "
            "run is similar. A closed box keeps the mass of that run. "
            "With time.mode: frequency both runs need that mode and oscillation.phase: 0."},
    {KEY(CHOICE, 1, time.mode), .initial = "auto", SHAPES, .choices = modes,
     .doc = "Whether the run computes the flow in time or its steady state. auto is unsteady if time.end, "
            "time.step, time.residual, time.max_steps, output.fields, output.average or initial.shape is "
            "given, and for cases that steady does not support. These include several ranks with GPUs, and with "
            "cylinders, spheres, polygons or STL surfaces. With steady the other keys of time have no effect, "
            "except tolerance and max_steps. --resume keeps the mode."},
    {KEY(REAL, 1, time.end), .initial = "auto", .unit = "lambda0 / V0", RANGE(0, 1e9), .flags = KN_KEY_AUTO,
     .automatic = KN_END_AUTO, SI(TIME),
     .doc = "Time at which the run ends. auto runs until the flow is steady (time.tolerance), at most "
            "three times the expected duration. With oscillating walls auto runs for whole periods, twice "
            "the expected duration of the transient. With sampled collisions auto runs for twice the "
            "expected duration and averages over the second half."},
    {KEY(REAL, 1, time.tolerance), .initial = "1e-4", RANGE(1e-6, 0.1),
     .doc = "A run is steady if every reported quantity is expected to change by less than this fraction, "
            "extrapolated from its history. This ends a run with time.end: auto. With time.mode: steady the "
            "run ends if the residual of the equations and the last change of the solution are both below a "
            "hundredth of it."},
    {KEY(REAL, 1, time.courant), .initial = "0.5", RANGE(0, 1), .flags = KN_KEY_SHAPES | KN_KEY_ABOVE_LOW,
     .doc = "Courant number: the fraction of a cell that the fastest molecule crosses in one step. It "
            "determines the time step."},
    {KEY(REAL, 1, time.step), .initial = "0", .unit = "lambda0 / V0", RANGE(0, 1e6), SHAPES, SI(TIME),
     .doc = "Time step; 0 computes it from time.courant."},
    {KEY(CHOICE, 1, time.splitting), .initial = "strang", SHAPES, .choices = splittings,
     .doc = "Sequence of streaming and collisions."},
    {KEY(REAL, 1, time.residual), .initial = "0", .unit = "V0 / lambda0", RANGE(0, 1e6), SI(RATE),
     .doc = "The run ends if density, velocity and temperature change by less than this per unit time; 0 "
            "is off."},
    {KEY(COUNT64, 1, time.max_steps), .initial = "0", .unit = "steps", RANGE(0, WHOLE),
     .doc = "The run ends after this number of steps, or iterations with time.mode: steady; 0 is no limit on "
            "steps and 200 iterations."},
    {KEY(WORD, 1, run.backend), .initial = "auto", .choices = backends, .doc = "Device that computes."},
    {KEY(INT, 1, run.threads), .initial = "0", .unit = "threads", RANGE(0, 4096),
     .doc = "Threads per rank; 0 uses all cores available to the process, or its part of the computer if "
            "there are several ranks."},
    {KEY(COUNT64, 1, run.seed), .initial = "1", RANGE(0, WHOLE), SHAPES,
     .doc = "Seed of the random numbers; the same seed gives the same results."},
    {KEY(REAL, 1, run.walltime), .initial = "0", .unit = "s", RANGE(0, 1e9), SI(WALL_TIME),
     .doc = "Wall time after which the run writes a checkpoint and stops; 0 is no limit."},
    {KEY(CHOICE, 1, run.exchange), .initial = "auto", .choices = exchanges,
     .doc = "Path of the data that GPUs of several ranks exchange in every step; no effect on the CPU."},
    {KEY(BOOL, 1, run.force), .initial = "false", .choices = truths,
     .doc = "Run a case although the validity checks refuse it; the results then contain a warning."},
    {KEY(INT, 1, output.history), .initial = "auto", .unit = "steps", RANGE(1, 1e9),
     .flags = KN_KEY_SHAPES | KN_KEY_AUTO, .automatic = KN_HISTORY_AUTO,
     .doc = "Steps between rows of history.csv and between lines on the screen. auto evaluates the gas "
            "every 10 steps and thins the file: when it has 2048 rows, every second row is removed. With "
            "oscillating walls at least 32 rows per period remain. With time.mode steady or frequency every "
            "iteration has a row."},
    {KEY(REAL, 1, output.fields), .initial = "0", .unit = "lambda0 / V0", RANGE(0, 1e9), SHAPES, SI(TIME),
     .doc = "Time between field files; 0 writes the fields at the end only."},
    {KEY(REAL, 1, output.fields_start), .initial = "0", .unit = "lambda0 / V0", RANGE(0, 1e9), SHAPES,
     SI(TIME),
     .doc = "Time of the first field file if output.fields is above 0. The fields at the end are always "
            "written."},
    {KEY(REAL, 1, output.average), .initial = "auto", .unit = "lambda0 / V0", RANGE(-1, 1e9),
     .flags = KN_KEY_AUTO, .automatic = KN_AVERAGE_AUTO, SI(TIME),
     .doc = "Time from which fields and quantities are averaged; a negative value disables averages. auto "
            "averages over the second half of a run with sampled collisions, steady walls and a gas that "
            "is initially at rest or between inflows; other runs have no averages. A resumed run keeps its "
            "averaging window."},
    {KEY(REAL, 1, output.checkpoint), .initial = "600", .unit = "s", RANGE(0, 1e9), SI(WALL_TIME),
     .doc = "Wall time between checkpoints; 0 writes a checkpoint only if the run is interrupted."},
    {KEY(BOOL, 1, output.vtk), .initial = "true", .choices = truths,
     .doc = "Whether ParaView files are written in addition to fields.h5."},
    {0},
    /* clang-format on */
};

const struct kn_group kn_config_groups[] = {
    {"gas", "The gas and its rarefaction."},
    {"disturbance", "Deviation from equilibrium."},
    {"space", "The box and its cells."},
    {"velocity", "The grid of molecular velocities."},
    {"collision", "Collisions between molecules."},
    {"walls", "The six sides of the box: left and right are the ends of the x axis, bottom and top of y, "
              "back and front of z."},
    {"bodies",
     "Solid bodies in the gas, by a name of your choice: bodies.bar.box is the box of the body bar. "
     "Forces and heat are reported by this name."},
    {"ports", "Parts of the sides through which gas enters and leaves, by a name of your choice: "
              "ports.inlet.pressure. "
              "Mass flows are reported by this name."},
    {"source", "Uniform driving terms."},
    {"initial", "The gas at time 0."},
    {"time", "Time step and end of the run."},
    {"run", "Device, threads, seed."},
    {"output", "Files and their intervals."},
    {0},
};
