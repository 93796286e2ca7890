/* The table of the keys of a case file: parser, ranges, help and docs/input.md use it.
 *
 * A new key is one entry here and one field in struct kn_case. */
#include "config/config.h"
#include "config/config_choices.h"

/* ------------------------------------------------------------------- keys */

#define REAL(field)  .type = KN_TYPE_REAL, .count = 1, .offset = offsetof(struct kn_case, field)
#define REALS(field) .type = KN_TYPE_REAL, .count = 3, .offset = offsetof(struct kn_case, field)
#define INT(field)   .type = KN_TYPE_INT, .count = 1, .offset = offsetof(struct kn_case, field)
#define INTS(field)  .type = KN_TYPE_INT, .count = 3, .offset = offsetof(struct kn_case, field)
#define COUNT(field) .type = KN_TYPE_COUNT64, .count = 1, .offset = offsetof(struct kn_case, field)
#define BOOL(field)                                                                                          \
    .type = KN_TYPE_BOOL, .count = 1, .offset = offsetof(struct kn_case, field), .choices = truths
#define CHOICE(field) .type = KN_TYPE_CHOICE, .count = 1, .offset = offsetof(struct kn_case, field)
#define WALL(field)   .type = KN_TYPE_REAL, .count = 1, .offset = offsetof(struct kn_wall, field)
#define WALLS(field)  .type = KN_TYPE_REAL, .count = 3, .offset = offsetof(struct kn_wall, field)

/* JSON readers may round larger whole numbers. */
#define WHOLE 9007199254740991.0

const struct kn_key kn_config_keys[] = {
    /* clang-format off */
    {.name = "gas.delta", REAL(gas.delta), .chosen = offsetof(struct kn_case, gas.delta_set),
     .initial = "1", .unit = "L / lambda0", .low = 1e-6, .high = 1e6,
     .flags = KN_KEY_SHAPES,
     .doc = "Rarefaction parameter: the length L divided by lambda0 = mu0 V0 / p0. The Knudsen number is "
            "0.8885 / delta."},
    {.name = "gas.molecules", CHOICE(gas.molecules), .initial = "hard-sphere", .unit = "",
     .flags = KN_KEY_SHAPES, .choices = molecules,
     .doc = "Model of the molecules. All except hard-sphere need collision.method: operator or monte-carlo."},
    {.name = "gas.omega", REAL(gas.omega), .chosen = offsetof(struct kn_case, gas.omega_set),
     .initial = "0.5", .unit = "", .low = 0.5, .high = 1,
     .flags = KN_KEY_SHAPES,
     .doc = "Exponent of the viscosity, mu ~ T^omega. For vhs any value in the range; the default is that "
            "of the species (argon: 0.81). It is 0.5 for hard-sphere and 1 for maxwell."},
    {.name = "gas.species", CHOICE(gas.species), .initial = "none", .unit = "", .choices = species,
     .doc = "The gas of a case in SI units. Viscosities are from Huber and Harvey (CRC Handbook of "
            "Chemistry and Physics): three digits from 200 to 500 K, extrapolated outside this range."},
    {.name = "gas.pressure", REAL(gas.pressure), .initial = "0", .unit = "Pa", .low = 0, .high = 1e9,
     .dimension = KN_DIMENSION_PRESSURE,
     .doc = "Pressure p0 of the gas at rest in a case in SI units; 0 computes it from gas.delta."},
    {.name = "gas.temperature", REAL(gas.temperature), .initial = "0", .unit = "K", .low = 0, .high = 1e5,
     .dimension = KN_DIMENSION_GAS_TEMPERATURE,
     .doc = "Temperature T0 of the gas at rest; required in a case in SI units."},
    {.name = "gas.viscosity", REAL(gas.viscosity), .initial = "0", .unit = "Pa s", .low = 0, .high = 1,
     .dimension = KN_DIMENSION_VISCOSITY,
     .doc = "Viscosity mu0 at T0; 0 uses the value of the species."},
    {.name = "gas.molar_mass", REAL(gas.molar_mass), .initial = "0", .unit = "kg / mol", .low = 0,
     .high = 10, .dimension = KN_DIMENSION_MOLAR_MASS,
     .doc = "Molar mass; 0 uses the value of the species. Together with gas.viscosity it describes a gas "
            "that is not in the list of species."},
    {.name = "disturbance", REAL(disturbance), .initial = "0", .unit = "", .low = 0, .high = 10,
     .flags = KN_KEY_SHAPES,
     .doc = "Amplitude eps of the disturbance. Wall velocities, temperatures and results are divided by "
            "it. 0 solves the linearised equation."},
    {.name = "space.cells", INTS(space.cells), .initial = "[40, 40]", .unit = "cells", .low = 1,
     .high = 100000, .flags = KN_KEY_SHAPES | KN_KEY_AXES,
     .doc = "Number of cells along x, y, z. An axis that is not listed has one cell and periodic ends."},
    {.name = "space.length", REAL(space.length), .initial = "0", .unit = "m", .low = 0, .high = 1e6,
     .dimension = KN_DIMENSION_GAS_LENGTH,
     .doc = "The length L of a case in SI units; 0 uses the first value of space.size that has a unit."},
    {.name = "space.size", REALS(space.size), .initial = "[1, 1, 1]", .unit = "L", .low = 1e-6, .high = 1e6,
     .flags = KN_KEY_SHAPES, .dimension = KN_DIMENSION_LENGTH,
     .doc = "Length of the box along x, y, z."},
    {.name = "space.stretch", REALS(space.stretch), .initial = "[1, 1, 1]", .unit = "", .low = 0.5,
     .high = 1, .flags = KN_KEY_SHAPES,
     .doc = "Ratio of the widths of neighbouring cells along x, y, z, towards the ends given by "
            "space.cluster; 1 is uniform."},
    {.name = "space.cluster", .type = KN_TYPE_CHOICE, .count = 3,
     .offset = offsetof(struct kn_case, space.cluster), .initial = "[both, high, both]", .unit = "",
     .flags = KN_KEY_SHAPES, .choices = clusters,
     .doc = "Ends with the smallest cells along x, y, z if space.stretch is below 1. The default suits a "
            "cavity with its lid at the top."},
    {.name = "space.order", INT(space.order), .initial = "2", .unit = "", .low = 1, .high = 2,
     .flags = KN_KEY_SHAPES,
     .doc = "Order of accuracy of streaming in space: 1 is the upwind scheme of the paper, 2 adds limited "
            "slopes."},
    {.name = "space.limiter", CHOICE(space.limiter), .initial = "van-leer", .unit = "",
     .flags = KN_KEY_SHAPES, .choices = limiters,
     .doc = "Slope limiter of the second-order scheme."},
    {.name = "velocity.grid", CHOICE(velocity.grid), .initial = "gauss", .unit = "", .flags = KN_KEY_SHAPES,
     .choices = grids,
     .doc = "Type of the velocity grid."},
    {.name = "velocity.nodes", INTS(velocity.nodes), .initial = "8", .unit = "nodes", .low = 2, .high = 64,
     .flags = KN_KEY_SHAPES | KN_KEY_EVEN | KN_KEY_SPREAD,
     .doc = "Velocity nodes along v_x, v_y, v_z, including both signs; one number applies to all three "
            "axes."},
    {.name = "velocity.ratio", REAL(velocity.ratio), .initial = "0.945", .unit = "", .low = 0.5, .high = 1,
     .flags = KN_KEY_SHAPES,
     .doc = "Ratio of the widths of neighbouring velocity cells towards the origin; stretched grid only."},
    {.name = "velocity.range", REAL(velocity.range), .initial = "3", .unit = "V0", .low = 1, .high = 20,
     .flags = KN_KEY_SHAPES, .dimension = KN_DIMENSION_SPEED,
     .doc = "Largest speed along each axis that the grid covers; stretched grid only."},
    {.name = "velocity.weights", CHOICE(velocity.weights), .initial = "exact", .unit = "",
     .flags = KN_KEY_SHAPES, .choices = weights,
     .doc = "Weight of a velocity cell in sums over the grid; midpoint needs the stretched grid."},
    {.name = "velocity.fold", CHOICE(velocity.fold), .initial = "auto", .unit = "", .flags = KN_KEY_SHAPES,
     .choices = folds,
     .doc = "Whether axes of mirror symmetry are folded to save memory and work."},
    {.name = "collision.method", CHOICE(collision.method), .initial = "operator", .unit = "",
     .flags = KN_KEY_SHAPES, .choices = methods,
     .doc = "Method for the collisions between molecules."},
    {.name = "collision.samples", INT(collision.samples), .initial = "6144", .unit = "samples", .low = 1,
     .high = 1e8, .flags = KN_KEY_SHAPES | KN_KEY_AUTO, .automatic = KN_SAMPLES_AUTO,
     .doc = "Collisions drawn per step and shared by all cells; for monte-carlo, and for operator if the "
            "disturbance is above 0. auto uses the number that collision.error needs, found by a short run "
            "on a coarse grid."},
    {.name = "collision.error", REAL(collision.error), .initial = "0.001", .unit = "", .low = 1e-6,
     .high = 1, .flags = KN_KEY_SHAPES,
     .doc = "Standard error that collision.samples: auto aims at. It is relative to D of a cavity, to the "
            "flow rate of a channel, or else to the largest stress or heat flux at a wall."},
    {.name = "collision.estimator", CHOICE(collision.estimator), .initial = "symmetric", .unit = "",
     .flags = KN_KEY_SHAPES, .choices = estimators,
     .doc = "Contribution of each sampled collision to the collision integral; monte-carlo only."},
    {.name = "collision.points", CHOICE(collision.points), .initial = "auto", .unit = "",
     .flags = KN_KEY_SHAPES, .choices = points,
     .doc = "Distribution of the sampled collisions of a step over all possible ones; monte-carlo only."},
    {.name = "collision.update", CHOICE(collision.update), .initial = "exponential", .unit = "",
     .flags = KN_KEY_SHAPES, .choices = updates,
     .doc = "How each sampled collision changes the gas in one step; monte-carlo only."},
    {.name = "collision.conservation", CHOICE(collision.conservation), .initial = "projection", .unit = "",
     .flags = KN_KEY_SHAPES, .choices = conservations,
     .doc = "How mass, momentum and energy are restored after the collisions of a step."},
    {.name = "collision.prandtl", REAL(collision.prandtl), .initial = "0.660694", .unit = "", .low = 0.1,
     .high = 2, .flags = KN_KEY_SHAPES,
     .doc = "Prandtl number of the gas; shakhov and es-bgk only."},
    {.name = "collision.rescale", BOOL(collision.rescale), .initial = "true", .unit = "",
     .flags = KN_KEY_SHAPES,
     .doc = "Multiply the collision rates by the viscosity of the velocity grid, so that the viscosity is "
            "exact; operator only."},
    {.name = "walls.<side>.kind", .type = KN_TYPE_CHOICE, .count = 1,
     .offset = offsetof(struct kn_wall, kind), .chosen = offsetof(struct kn_wall, kind_set),
     .initial = "diffuse", .unit = "",
     .flags = KN_KEY_SHAPES | KN_KEY_WALL, .choices = wall_kinds,
     .doc = "Boundary condition at this side of the box. On axes that space.cells does not list the "
            "default is periodic."},
    {.name = "walls.<side>.density", WALL(density), .initial = "0", .unit = "eps n0", .low = -1e6,
     .high = 1e6, .flags = KN_KEY_SHAPES | KN_KEY_WALL, .dimension = KN_DIMENSION_DENSITY,
     .doc = "Density of the gas outside an inflow: a number is a deviation from n0, a value with a unit is "
            "absolute."},
    {.name = "walls.<side>.velocity", WALLS(velocity), .initial = "[0, 0, 0]", .unit = "eps V0",
     .low = -1e6, .high = 1e6, .flags = KN_KEY_SHAPES | KN_KEY_WALL, .dimension = KN_DIMENSION_VELOCITY,
     .doc = "Velocity along x, y, z of a diffuse wall, whose normal component must be 0, or of the gas "
            "outside an inflow."},
    {.name = "walls.<side>.temperature", WALL(temperature), .initial = "0", .unit = "eps T0", .low = -1e6,
     .high = 1e6, .flags = KN_KEY_SHAPES | KN_KEY_WALL, .dimension = KN_DIMENSION_TEMPERATURE,
     .doc = "Temperature of a diffuse wall or of the gas outside an inflow: a number is a deviation from "
            "T0, a value with a unit is absolute."},
    {.name = "walls.<side>.accommodation", WALL(accommodation), .initial = "1", .unit = "", .low = 0,
     .high = 1, .flags = KN_KEY_SHAPES | KN_KEY_WALL,
     .doc = "Fraction of molecules that a diffuse wall re-emits diffusely; the others are reflected "
            "specularly."},
    {.name = "walls.<side>.oscillation.velocity", WALLS(oscillation.velocity), .initial = "[0, 0, 0]",
     .unit = "eps V0", .low = -1e6, .high = 1e6, .flags = KN_KEY_SHAPES | KN_KEY_WALL,
     .dimension = KN_DIMENSION_VELOCITY,
     .doc = "Amplitude of the part of the velocity that varies as cos(frequency t + phase). Along the "
            "normal of a diffuse wall it is a piston, a source of sound; this needs disturbance: 0."},
    {.name = "walls.<side>.oscillation.temperature", WALL(oscillation.temperature), .initial = "0",
     .unit = "eps T0", .low = -1e6, .high = 1e6, .flags = KN_KEY_SHAPES | KN_KEY_WALL,
     .dimension = KN_DIMENSION_WARMING,
     .doc = "Amplitude of the part of the temperature that varies as cos(frequency t + phase)."},
    {.name = "walls.<side>.oscillation.frequency", WALL(oscillation.frequency), .initial = "0",
     .unit = "V0 / lambda0", .low = 0, .high = 1e6, .flags = KN_KEY_SHAPES | KN_KEY_WALL,
     .dimension = KN_DIMENSION_FREQUENCY,
     .doc = "Angular frequency of the oscillation of this wall. A value in Hz counts cycles."},
    {.name = "walls.<side>.oscillation.phase", WALL(oscillation.phase), .initial = "0", .unit = "radian",
     .low = -1000, .high = 1000, .flags = KN_KEY_SHAPES | KN_KEY_WALL, .dimension = KN_DIMENSION_ANGLE,
     .doc = "Phase of the oscillation of this wall at time 0."},
    {.name = "walls.<side>.gradient.velocity", WALLS(gradient.velocity), .initial = "[0, 0, 0]",
     .unit = "eps V0 / lambda0", .low = -1e6, .high = 1e6, .flags = KN_KEY_SHAPES | KN_KEY_WALL,
     .dimension = KN_DIMENSION_SHEAR_RATE,
     .doc = "Derivative of the velocity of the gas along the axis of a far-field side; the component "
            "normal to the side must be 0."},
    {.name = "walls.<side>.gradient.temperature", WALL(gradient.temperature), .initial = "0",
     .unit = "eps T0 / lambda0", .low = -1e6, .high = 1e6, .flags = KN_KEY_SHAPES | KN_KEY_WALL,
     .dimension = KN_DIMENSION_TEMPERATURE_GRADIENT,
     .doc = "Derivative of the temperature of the gas along the axis of a far-field side, at constant "
            "pressure."},
    {.name = "source.force", REALS(source.force), .initial = "[0, 0, 0]", .unit = "eps V0^2 / lambda0",
     .low = -1e6, .high = 1e6, .flags = KN_KEY_SHAPES, .dimension = KN_DIMENSION_ACCELERATION,
     .doc = "Uniform body force per unit mass along x, y, z, such as the pressure gradient of a Poiseuille "
            "flow."},
    {.name = "source.temperature_gradient", REALS(source.temperature_gradient), .initial = "[0, 0, 0]",
     .unit = "eps T0 / lambda0", .low = -1e6, .high = 1e6, .flags = KN_KEY_SHAPES,
     .dimension = KN_DIMENSION_TEMPERATURE_GRADIENT,
     .doc = "Uniform temperature gradient along x, y, z at constant pressure, which drives thermal creep."},
    {.name = "initial.shape", CHOICE(initial.shape), .initial = "rest", .unit = "", .flags = KN_KEY_SHAPES,
     .choices = shapes,
     .doc = "Disturbance h at time 0; it is multiplied by amplitude and cos(2 pi wave . x / size). bkw and "
            "between are complete states."},
    {.name = "initial.amplitude", REAL(initial.amplitude), .initial = "1", .unit = "eps", .low = -1e6,
     .high = 1e6, .flags = KN_KEY_SHAPES,
     .doc = "Amplitude of the initial disturbance."},
    {.name = "initial.wave", INTS(initial.wave), .initial = "[0, 0, 0]", .unit = "periods", .low = 0,
     .high = 10000, .flags = KN_KEY_SHAPES,
     .doc = "Number of periods of the initial disturbance along x, y, z; 0 is uniform."},
    {.name = "initial.width", REAL(initial.width), .initial = "0.1", .unit = "L", .low = 1e-6, .high = 1e6,
     .flags = KN_KEY_SHAPES, .dimension = KN_DIMENSION_LENGTH,
     .doc = "Length w of the transition of the state between: tanh(x / w) about the middle of the axis."},
    {.name = "time.end", REAL(time.end), .initial = "auto", .unit = "lambda0 / V0", .low = 0, .high = 1e9,
     .flags = KN_KEY_AUTO, .automatic = KN_END_AUTO, .dimension = KN_DIMENSION_TIME,
     .doc = "Time at which the run ends. auto runs until the flow is steady (time.tolerance), at most "
            "three times the expected duration. With oscillating walls auto runs for whole periods, twice "
            "the expected duration of the transient. With sampled collisions auto runs for twice the "
            "expected duration and averages over the second half."},
    {.name = "time.tolerance", REAL(time.tolerance), .initial = "1e-4", .unit = "", .low = 1e-6,
     .high = 0.1,
     .doc = "A run is steady if every reported quantity is expected to change by less than this fraction, "
            "extrapolated from its history. This ends a run with time.end: auto."},
    {.name = "time.courant", REAL(time.courant), .initial = "0.5", .unit = "", .low = 0, .high = 1,
     .flags = KN_KEY_SHAPES | KN_KEY_ABOVE_LOW,
     .doc = "Courant number: the fraction of a cell that the fastest molecule crosses in one step. It "
            "determines the time step."},
    {.name = "time.step", REAL(time.step), .initial = "0", .unit = "lambda0 / V0", .low = 0, .high = 1e6,
     .flags = KN_KEY_SHAPES, .dimension = KN_DIMENSION_TIME,
     .doc = "Time step; 0 computes it from time.courant."},
    {.name = "time.splitting", CHOICE(time.splitting), .initial = "strang", .unit = "",
     .flags = KN_KEY_SHAPES, .choices = splittings,
     .doc = "Sequence of streaming and collisions."},
    {.name = "time.residual", REAL(time.residual), .initial = "0", .unit = "V0 / lambda0", .low = 0,
     .high = 1e6, .dimension = KN_DIMENSION_RATE,
     .doc = "The run ends if density, velocity and temperature change by less than this per unit time; 0 "
            "is off."},
    {.name = "time.max_steps", COUNT(time.max_steps), .initial = "0", .unit = "steps", .low = 0,
     .high = WHOLE,
     .doc = "The run ends after this number of steps; 0 is no limit."},
    {.name = "run.backend", .type = KN_TYPE_WORD, .count = 1,
     .offset = offsetof(struct kn_case, run.backend), .initial = "auto", .unit = "", .choices = backends,
     .doc = "Device that computes."},
    {.name = "run.threads", INT(run.threads), .initial = "0", .unit = "threads", .low = 0, .high = 4096,
     .doc = "Threads per rank; 0 uses all cores available to the process, or its part of the computer if "
            "there are several ranks."},
    {.name = "run.seed", COUNT(run.seed), .initial = "1", .unit = "", .low = 0, .high = WHOLE,
     .flags = KN_KEY_SHAPES,
     .doc = "Seed of the random numbers; the same seed gives the same results."},
    {.name = "run.walltime", REAL(run.walltime), .initial = "0", .unit = "s", .low = 0, .high = 1e9,
     .dimension = KN_DIMENSION_WALL_TIME,
     .doc = "Wall time after which the run writes a checkpoint and stops; 0 is no limit."},
    {.name = "run.exchange", CHOICE(run.exchange), .initial = "auto", .unit = "", .choices = exchanges,
     .doc = "Path of the data that GPUs of several ranks exchange in every step; no effect on the CPU."},
    {.name = "run.force", BOOL(run.force), .initial = "false", .unit = "",
     .doc = "Run a case although the validity checks refuse it; the results then contain a warning."},
    {.name = "output.history", INT(output.history), .initial = "auto", .unit = "steps", .low = 1,
     .high = 1e9, .flags = KN_KEY_SHAPES | KN_KEY_AUTO, .automatic = KN_HISTORY_AUTO,
     .doc = "Steps between rows of history.csv and between lines on the screen. auto evaluates the gas "
            "every 10 steps and thins the file: when it has 2048 rows, every second row is removed. With "
            "oscillating walls at least 32 rows per period remain."},
    {.name = "output.fields", REAL(output.fields), .initial = "0", .unit = "lambda0 / V0", .low = 0,
     .high = 1e9, .flags = KN_KEY_SHAPES, .dimension = KN_DIMENSION_TIME,
     .doc = "Time between field files; 0 writes the fields at the end only."},
    {.name = "output.fields_start", REAL(output.fields_start), .initial = "0", .unit = "lambda0 / V0", .low = 0,
     .high = 1e9, .flags = KN_KEY_SHAPES, .dimension = KN_DIMENSION_TIME,
     .doc = "Time of the first field file if output.fields is above 0. The fields at the end are always written."},
    {.name = "output.average", REAL(output.average), .initial = "auto", .unit = "lambda0 / V0", .low = -1,
     .high = 1e9, .flags = KN_KEY_AUTO, .automatic = KN_AVERAGE_AUTO, .dimension = KN_DIMENSION_TIME,
     .doc = "Time from which fields and quantities are averaged; a negative value disables averages. auto "
            "averages over the second half of a run with sampled collisions, steady walls and a gas that "
            "is initially at rest or between inflows; other runs have no averages. A resumed run keeps its "
            "averaging window."},
    {.name = "output.checkpoint", REAL(output.checkpoint), .initial = "600", .unit = "s", .low = 0,
     .high = 1e9, .dimension = KN_DIMENSION_WALL_TIME,
     .doc = "Wall time between checkpoints; 0 writes a checkpoint only if the run is interrupted."},
    {.name = "output.vtk", BOOL(output.vtk), .initial = "true", .unit = "",
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
              "back and front "
              "of z."},
    {"source", "Uniform driving terms."},
    {"initial", "The gas at time 0."},
    {"time", "Time step and end of the run."},
    {"run", "Device, threads, seed."},
    {"output", "Files and their intervals."},
    {0},
};
