/* The keys of a case file.  Parsing, ranges, --help and docs/input.md all read
 * this table; a new key is one entry here and one field in struct kn_case. */
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

/* Beyond this a JSON reader would round whole numbers. */
#define WHOLE 9007199254740991.0

const struct kn_key kn_config_keys[] = {
    /* clang-format off */
    {.name = "gas.delta", REAL(gas.delta), .initial = "1", .unit = "L / lambda0", .low = 1e-6, .high = 1e6,
     .flags = KN_KEY_SHAPES,
     .doc = "Rarefaction parameter, the length L over lambda0 = mu0 V0 / p0; the Knudsen number is 0.8885 "
            "/ delta."},
    {.name = "gas.molecules", CHOICE(gas.molecules), .initial = "hard-sphere", .unit = "",
     .flags = KN_KEY_SHAPES, .choices = molecules,
     .doc = "How molecules scatter; all but hard-sphere need collision.method: operator or monte-carlo."},
    {.name = "gas.omega", REAL(gas.omega), .initial = "0.5", .unit = "", .low = 0.5, .high = 1,
     .flags = KN_KEY_SHAPES,
     .doc = "Exponent of the viscosity, mu ~ T^omega; free for vhs, with that of the species (argon: 0.81) "
            "as its default, 0.5 for hard-sphere, 1 for maxwell."},
    {.name = "gas.species", CHOICE(gas.species), .initial = "none", .unit = "", .choices = species,
     .doc = "The gas of a case in SI units. Viscosities are those of Huber and Harvey (CRC Handbook of "
            "Chemistry and Physics), three digits from 200 to 500 K, extrapolated beyond."},
    {.name = "gas.pressure", REAL(gas.pressure), .initial = "0", .unit = "Pa", .low = 0, .high = 1e9,
     .dimension = KN_DIMENSION_PRESSURE,
     .doc = "Pressure p0 of the gas at rest in a case in SI units; 0 takes it from gas.delta."},
    {.name = "gas.temperature", REAL(gas.temperature), .initial = "0", .unit = "K", .low = 0, .high = 1e5,
     .dimension = KN_DIMENSION_GAS_TEMPERATURE,
     .doc = "Temperature T0 of the gas at rest; a case in SI units needs it."},
    {.name = "gas.viscosity", REAL(gas.viscosity), .initial = "0", .unit = "Pa s", .low = 0, .high = 1,
     .dimension = KN_DIMENSION_VISCOSITY,
     .doc = "Viscosity mu0 at T0; 0 takes that of the species."},
    {.name = "gas.molar_mass", REAL(gas.molar_mass), .initial = "0", .unit = "kg / mol", .low = 0,
     .high = 10, .dimension = KN_DIMENSION_MOLAR_MASS,
     .doc = "Molar mass; 0 takes that of the species. With gas.viscosity it stands for any gas."},
    {.name = "disturbance", REAL(disturbance), .initial = "0", .unit = "", .low = 0, .high = 10,
     .flags = KN_KEY_SHAPES,
     .doc = "Size eps of the disturbance that wall velocities, temperatures and results are divided by; 0 "
            "solves the linearised equation."},
    {.name = "space.cells", INTS(space.cells), .initial = "[40, 40]", .unit = "cells", .low = 1,
     .high = 100000, .flags = KN_KEY_SHAPES | KN_KEY_AXES,
     .doc = "Number of cells along x, y, z; axes that are not listed have one cell and periodic ends."},
    {.name = "space.length", REAL(space.length), .initial = "0", .unit = "m", .low = 0, .high = 1e6,
     .dimension = KN_DIMENSION_GAS_LENGTH,
     .doc = "The length L of a case in SI units; 0 takes the first of space.size that has a unit."},
    {.name = "space.size", REALS(space.size), .initial = "[1, 1, 1]", .unit = "L", .low = 1e-6, .high = 1e6,
     .flags = KN_KEY_SHAPES, .dimension = KN_DIMENSION_LENGTH,
     .doc = "Length of the box along x, y, z."},
    {.name = "space.stretch", REALS(space.stretch), .initial = "[1, 1, 1]", .unit = "", .low = 0.5,
     .high = 1, .flags = KN_KEY_SHAPES,
     .doc = "Ratio of the widths of neighbouring cells along x, y, z, towards the clustered ends; 1 is "
            "uniform."},
    {.name = "space.cluster", .type = KN_TYPE_CHOICE, .count = 3,
     .offset = offsetof(struct kn_case, space.cluster), .initial = "[both, high, both]", .unit = "",
     .flags = KN_KEY_SHAPES, .choices = clusters,
     .doc = "Where the cells are smallest along x, y, z when space.stretch is below 1; the default serves "
            "a cavity with its lid at the top."},
    {.name = "space.order", INT(space.order), .initial = "2", .unit = "", .low = 1, .high = 2,
     .flags = KN_KEY_SHAPES,
     .doc = "Order of accuracy of streaming in space: 1 is the paper's upwind scheme, 2 adds limited "
            "slopes."},
    {.name = "space.limiter", CHOICE(space.limiter), .initial = "van-leer", .unit = "",
     .flags = KN_KEY_SHAPES, .choices = limiters,
     .doc = "Slope limiter of the second-order scheme."},
    {.name = "velocity.grid", CHOICE(velocity.grid), .initial = "gauss", .unit = "", .flags = KN_KEY_SHAPES,
     .choices = grids,
     .doc = "Family of the velocity grid."},
    {.name = "velocity.nodes", INTS(velocity.nodes), .initial = "8", .unit = "nodes", .low = 2, .high = 64,
     .flags = KN_KEY_SHAPES | KN_KEY_EVEN | KN_KEY_SPREAD,
     .doc = "Velocity nodes along v_x, v_y, v_z, both signs counted; one number serves all three."},
    {.name = "velocity.ratio", REAL(velocity.ratio), .initial = "0.945", .unit = "", .low = 0.5, .high = 1,
     .flags = KN_KEY_SHAPES,
     .doc = "Ratio of the widths of neighbouring velocity cells towards the origin; stretched grid only."},
    {.name = "velocity.range", REAL(velocity.range), .initial = "3", .unit = "V0", .low = 1, .high = 20,
     .flags = KN_KEY_SHAPES, .dimension = KN_DIMENSION_SPEED,
     .doc = "Largest speed along each axis that the grid covers; stretched grid only."},
    {.name = "velocity.weights", CHOICE(velocity.weights), .initial = "exact", .unit = "",
     .flags = KN_KEY_SHAPES, .choices = weights,
     .doc = "What a velocity cell weighs in sums over the grid; midpoint needs the stretched grid."},
    {.name = "velocity.fold", CHOICE(velocity.fold), .initial = "auto", .unit = "", .flags = KN_KEY_SHAPES,
     .choices = folds,
     .doc = "Whether directions of mirror symmetry are folded to save memory and work."},
    {.name = "collision.method", CHOICE(collision.method), .initial = "operator", .unit = "",
     .flags = KN_KEY_SHAPES, .choices = methods,
     .doc = "How collisions between molecules are computed."},
    {.name = "collision.samples", INT(collision.samples), .initial = "6144", .unit = "samples", .low = 1,
     .high = 1e8, .flags = KN_KEY_SHAPES | KN_KEY_AUTO, .automatic = KN_SAMPLES_AUTO,
     .doc = "Collisions drawn per step and shared by all cells; monte-carlo, and operator at a finite "
            "disturbance. auto takes as many as collision.error needs, which a short run on a coarse grid "
            "finds out."},
    {.name = "collision.error", REAL(collision.error), .initial = "0.001", .unit = "", .low = 1e-6,
     .high = 1, .flags = KN_KEY_SHAPES,
     .doc = "Standard error that collision.samples: auto holds, relative to D of a cavity, to the flow "
            "rate of a channel, else to the largest stress or heat flux at a wall."},
    {.name = "collision.estimator", CHOICE(collision.estimator), .initial = "symmetric", .unit = "",
     .flags = KN_KEY_SHAPES, .choices = estimators,
     .doc = "What each sampled collision adds to the collision integral; monte-carlo only."},
    {.name = "collision.points", CHOICE(collision.points), .initial = "auto", .unit = "",
     .flags = KN_KEY_SHAPES, .choices = points,
     .doc = "How the collisions of a step are spread over all possible ones; monte-carlo only."},
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
     .doc = "Multiply the collision rates by the viscosity of the velocity grid, which is then exact; "
            "operator only."},
    {.name = "walls.<side>.kind", .type = KN_TYPE_CHOICE, .count = 1,
     .offset = offsetof(struct kn_wall, kind), .initial = "diffuse", .unit = "",
     .flags = KN_KEY_SHAPES | KN_KEY_WALL, .choices = wall_kinds,
     .doc = "What stands at this side of the box; on axes that space.cells does not list the default is "
            "periodic."},
    {.name = "walls.<side>.density", WALL(density), .initial = "0", .unit = "eps n0", .low = -1e6,
     .high = 1e6, .flags = KN_KEY_SHAPES | KN_KEY_WALL, .dimension = KN_DIMENSION_DENSITY,
     .doc = "Density of the gas beyond an inflow: as a number above n0, with a unit absolute."},
    {.name = "walls.<side>.velocity", WALLS(velocity), .initial = "[0, 0, 0]", .unit = "eps V0",
     .low = -1e6, .high = 1e6, .flags = KN_KEY_SHAPES | KN_KEY_WALL, .dimension = KN_DIMENSION_VELOCITY,
     .doc = "Velocity along x, y, z of a diffuse wall, where the component normal to the wall is 0, or of "
            "the gas beyond an inflow."},
    {.name = "walls.<side>.temperature", WALL(temperature), .initial = "0", .unit = "eps T0", .low = -1e6,
     .high = 1e6, .flags = KN_KEY_SHAPES | KN_KEY_WALL, .dimension = KN_DIMENSION_TEMPERATURE,
     .doc = "Temperature of a diffuse wall, or of the gas beyond an inflow: as a number above T0, with a "
            "unit absolute."},
    {.name = "walls.<side>.accommodation", WALL(accommodation), .initial = "1", .unit = "", .low = 0,
     .high = 1, .flags = KN_KEY_SHAPES | KN_KEY_WALL,
     .doc = "Share of molecules that a diffuse wall re-emits diffusely; the rest bounce specularly."},
    {.name = "walls.<side>.oscillation.velocity", WALLS(oscillation.velocity), .initial = "[0, 0, 0]",
     .unit = "eps V0", .low = -1e6, .high = 1e6, .flags = KN_KEY_SHAPES | KN_KEY_WALL,
     .dimension = KN_DIMENSION_VELOCITY,
     .doc = "Amplitude of the part of the velocity that varies as cos(frequency t + phase). Along the "
            "normal of a diffuse wall it makes a piston, a source of sound; disturbance 0 only."},
    {.name = "walls.<side>.oscillation.temperature", WALL(oscillation.temperature), .initial = "0",
     .unit = "eps T0", .low = -1e6, .high = 1e6, .flags = KN_KEY_SHAPES | KN_KEY_WALL,
     .dimension = KN_DIMENSION_WARMING,
     .doc = "Amplitude of the part of the temperature that varies as cos(frequency t + phase)."},
    {.name = "walls.<side>.oscillation.frequency", WALL(oscillation.frequency), .initial = "0",
     .unit = "V0 / lambda0", .low = 0, .high = 1e6, .flags = KN_KEY_SHAPES | KN_KEY_WALL,
     .dimension = KN_DIMENSION_FREQUENCY,
     .doc = "Angular frequency of the oscillation of this wall; Hz counts cycles."},
    {.name = "walls.<side>.oscillation.phase", WALL(oscillation.phase), .initial = "0", .unit = "radian",
     .low = -1000, .high = 1000, .flags = KN_KEY_SHAPES | KN_KEY_WALL, .dimension = KN_DIMENSION_ANGLE,
     .doc = "Phase of the oscillation of this wall at time 0."},
    {.name = "walls.<side>.gradient.velocity", WALLS(gradient.velocity), .initial = "[0, 0, 0]",
     .unit = "eps V0 / lambda0", .low = -1e6, .high = 1e6, .flags = KN_KEY_SHAPES | KN_KEY_WALL,
     .dimension = KN_DIMENSION_SHEAR_RATE,
     .doc = "Derivative of the velocity of the gas along the axis of a far-field side; the component "
            "normal to the side is 0."},
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
     .doc = "Disturbance h at time 0, times amplitude and cos(2 pi wave . x / size); bkw and between are "
            "whole states."},
    {.name = "initial.amplitude", REAL(initial.amplitude), .initial = "1", .unit = "eps", .low = -1e6,
     .high = 1e6, .flags = KN_KEY_SHAPES,
     .doc = "Amplitude of the initial disturbance."},
    {.name = "initial.wave", INTS(initial.wave), .initial = "[0, 0, 0]", .unit = "periods", .low = 0,
     .high = 10000, .flags = KN_KEY_SHAPES,
     .doc = "Periods of the initial disturbance along x, y, z; 0 is uniform."},
    {.name = "initial.width", REAL(initial.width), .initial = "0.1", .unit = "L", .low = 1e-6, .high = 1e6,
     .flags = KN_KEY_SHAPES, .dimension = KN_DIMENSION_LENGTH,
     .doc = "Length w over which the state between changes, as tanh(x / w) about the middle of the axis."},
    {.name = "time.end", REAL(time.end), .initial = "auto", .unit = "lambda0 / V0", .low = 0, .high = 1e9,
     .flags = KN_KEY_AUTO, .automatic = KN_END_AUTO, .dimension = KN_DIMENSION_TIME,
     .doc = "Time at which the run ends. auto runs until the flow is steady (time.tolerance), at most "
            "three times as long as it should take; with oscillating walls it takes whole periods, twice "
            "as long as the start should show; with sampled collisions twice as long as it should take, of "
            "which the second half is averaged."},
    {.name = "time.tolerance", REAL(time.tolerance), .initial = "1e-4", .unit = "", .low = 1e-6,
     .high = 0.1,
     .doc = "A run is steady when every reported quantity is expected to change by less than this "
            "fraction, extrapolated from its history; this ends a run with time.end: auto."},
    {.name = "time.courant", REAL(time.courant), .initial = "0.5", .unit = "", .low = 0, .high = 1,
     .flags = KN_KEY_SHAPES | KN_KEY_ABOVE_LOW,
     .doc = "Share of its cell that the fastest molecule crosses in one step, from which the step follows."},
    {.name = "time.step", REAL(time.step), .initial = "0", .unit = "lambda0 / V0", .low = 0, .high = 1e6,
     .flags = KN_KEY_SHAPES, .dimension = KN_DIMENSION_TIME,
     .doc = "Time step; 0 takes it from time.courant."},
    {.name = "time.splitting", CHOICE(time.splitting), .initial = "strang", .unit = "",
     .flags = KN_KEY_SHAPES, .choices = splittings,
     .doc = "How streaming and collisions alternate."},
    {.name = "time.residual", REAL(time.residual), .initial = "0", .unit = "V0 / lambda0", .low = 0,
     .high = 1e6, .dimension = KN_DIMENSION_RATE,
     .doc = "The run ends early when density, velocity and temperature change by less than this per unit "
            "time; 0 is off."},
    {.name = "time.max_steps", COUNT(time.max_steps), .initial = "0", .unit = "steps", .low = 0,
     .high = WHOLE,
     .doc = "The run ends after this many steps; 0 is no limit."},
    {.name = "run.backend", .type = KN_TYPE_WORD, .count = 1,
     .offset = offsetof(struct kn_case, run.backend), .initial = "auto", .unit = "", .choices = backends,
     .doc = "Machine that computes."},
    {.name = "run.threads", INT(run.threads), .initial = "0", .unit = "threads", .low = 0, .high = 4096,
     .doc = "Threads to use; 0 takes every core this process may use, on several ranks not more than its "
            "part of the computer."},
    {.name = "run.seed", COUNT(run.seed), .initial = "1", .unit = "", .low = 0, .high = WHOLE,
     .flags = KN_KEY_SHAPES,
     .doc = "Seed of the random numbers; the same seed gives the same run."},
    {.name = "run.walltime", REAL(run.walltime), .initial = "0", .unit = "s", .low = 0, .high = 1e9,
     .dimension = KN_DIMENSION_WALL_TIME,
     .doc = "The run writes a checkpoint and stops after this much wall time; 0 is no limit."},
    {.name = "run.exchange", CHOICE(run.exchange), .initial = "auto", .unit = "", .choices = exchanges,
     .doc = "Way of the rows that GPUs of several ranks exchange at every step; without effect on the CPU."},
    {.name = "run.force", BOOL(run.force), .initial = "false", .unit = "",
     .doc = "Whether a case is computed although the validity checks refuse it; the results then carry a "
            "warning."},
    {.name = "output.history", INT(output.history), .initial = "auto", .unit = "steps", .low = 1,
     .high = 1e9, .flags = KN_KEY_SHAPES | KN_KEY_AUTO, .automatic = KN_HISTORY_AUTO,
     .doc = "Steps between rows of history.csv and between lines on the screen. auto looks at the gas "
            "every 10 steps and thins the rows of the file: whenever it has 2048, every second is removed. "
            "Where walls oscillate at least 32 rows a period remain."},
    {.name = "output.fields", REAL(output.fields), .initial = "0", .unit = "lambda0 / V0", .low = 0,
     .high = 1e9, .flags = KN_KEY_SHAPES, .dimension = KN_DIMENSION_TIME,
     .doc = "Time between field files; 0 writes the fields at the end only."},
    {.name = "output.average", REAL(output.average), .initial = "auto", .unit = "lambda0 / V0", .low = -1,
     .high = 1e9, .flags = KN_KEY_AUTO, .automatic = KN_AVERAGE_AUTO, .dimension = KN_DIMENSION_TIME,
     .doc = "Time from which averages of fields and quantities are taken; below 0 there are none. auto "
            "takes the second half of the run where collisions are sampled, walls steady and the gas first "
            "at rest or between inflows, else none; a run that is resumed goes on with the window it has."},
    {.name = "output.checkpoint", REAL(output.checkpoint), .initial = "600", .unit = "s", .low = 0,
     .high = 1e9, .dimension = KN_DIMENSION_WALL_TIME,
     .doc = "Wall time between checkpoints; 0 writes one only when the run is interrupted."},
    {.name = "output.vtk", BOOL(output.vtk), .initial = "true", .unit = "",
     .doc = "Whether ParaView files are written beside fields.h5."},
    {0},
    /* clang-format on */
};

const struct kn_group kn_config_groups[] = {
    {"gas", "How rarefied the gas is."},
    {"disturbance", "How far the gas is from equilibrium."},
    {"space", "The box and its cells."},
    {"velocity", "The grid of molecular velocities."},
    {"collision", "Collisions between molecules."},
    {"walls", "The six sides of the box: left and right end the x axis, bottom and top y, back and front z."},
    {"source", "Uniform driving terms."},
    {"initial", "The gas at time 0."},
    {"time", "Time step and end of the run."},
    {"run", "Machine, threads, seed."},
    {"output", "What is written, and how often."},
    {0},
};
