/*
 * knudsen.h - solve the Boltzmann equation for a rarefied gas on a grid.
 *
 * The library advances the deviation h of the distribution function from a
 * uniform equilibrium, f = Phi0 (1 + eps h).  Slow and unsteady flows are
 * therefore free of the noise of particle methods.  docs/theory.md has the
 * equations, docs/input.md the meaning, unit and range of every setting, and
 * examples/api/ two programs that only use this header.
 *
 * Such a program has four parts:
 *
 *     struct kn_case c;
 *     kn_case_default(&c);                        // 1. describe the case: defaults,
 *     kn_case_load(&c, "case.yaml");              //    a file,
 *     kn_case_set(&c, "gas.delta=10");            //    an assignment,
 *     c.time.end = 20;                            //    or a member
 *
 *     struct kn_sim *sim;
 *     if (kn_sim_create(&sim, &c) != KN_OK)       // 2. create the simulation
 *         puts(kn_error_message());
 *
 *     while (kn_sim_time(sim) < c.time.end)       // 3. advance it
 *         if (kn_sim_advance(sim, 10) != KN_OK)
 *             puts(kn_error_message());
 *
 *     double *fields = malloc(kn_sim_cells(sim) * KN_FIELDS * sizeof *fields);
 *     kn_sim_fields(sim, fields);                 // 4. read the fields:
 *     fields[cell * KN_FIELDS + KN_UX];           //    u_x of a cell
 *     kn_sim_destroy(sim);
 *
 * Between steps the caller may read the stress and fluxes at the walls
 * (kn_sim_walls) and change their velocity and temperature (kn_sim_set_wall), to
 * couple the gas to another computation.  kn_run() performs a whole run with
 * files, checkpoints and signals.  kn_run refuses a case that the velocity grid
 * cannot represent (KN_EINPUT), unless run.force is set; kn_sim_create does not
 * check this.
 *
 * Every function that can fail returns a status; kn_error_message() then returns
 * a message.  The library does not print and does not exit.  Inputs are copied:
 * the caller may change or free them after a call.  Simulations are independent
 * of each other.  A simulation may be used by one thread at a time; it computes
 * with run.threads threads.
 *
 * Units: velocity V0 = sqrt(2 R T0), length lambda0 = mu0 V0 / p0, time
 * lambda0 / V0, density n0, temperature T0, pressure p0, all of the gas at rest.
 * Wall velocities, wall temperatures and all results are deviations from the gas
 * at rest, divided by eps: u = 1 is a speed of eps V0.  The linearised equation,
 * eps = 0, gives the limit for small eps.
 */
#ifndef KNUDSEN_H
#define KNUDSEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default) /* all other symbols of the library are hidden */

#define KN_VERSION "0.2.0"

/* ------------------------------------------------------------------ status */

/* name, exit code of the program, meaning */
#define KN_STATUS_LIST(X)                                                                                    \
    X(OK, 0, "success")                                                                                      \
    X(EINPUT, 2, "bad input")                                                                                \
    X(EMEMORY, 2, "not enough memory")                                                                       \
    X(EDEVICE, 2, "the selected device cannot be used")                                                      \
    X(ENUMERIC, 3, "numerical failure")                                                                      \
    X(EIO, 4, "input/output failure")                                                                        \
    X(EINTERRUPTED, 130, "interrupted after a checkpoint")

enum kn_status {
#define KN_STATUS_ENUM(name, code, text) KN_##name,
    KN_STATUS_LIST(KN_STATUS_ENUM)
#undef KN_STATUS_ENUM
};

/* The message of the last failure in this thread. */
const char *kn_error_message(void);

/* The exit code of a program for this status. */
int kn_status_exit_code(enum kn_status status);

/* -------------------------------------------------------------------- case */

/* clang-format off */
enum kn_side { /* the six sides of the box, axis-major: 2 * axis + (high end) */
    KN_LEFT, KN_RIGHT, KN_BOTTOM, KN_TOP, KN_BACK, KN_FRONT, KN_SIDES
};

enum kn_cluster { KN_CLUSTER_BOTH, KN_CLUSTER_LOW, KN_CLUSTER_HIGH, KN_CLUSTER_FOCUS };
enum kn_limiter { KN_LIMITER_VAN_LEER, KN_LIMITER_MC, KN_LIMITER_MINMOD, KN_LIMITER_NONE };
enum kn_grid { KN_GRID_STRETCHED, KN_GRID_GAUSS };
enum kn_weights { KN_WEIGHTS_EXACT, KN_WEIGHTS_MIDPOINT };
enum kn_fold { KN_FOLD_AUTO, KN_FOLD_NONE };
enum kn_reduce { KN_REDUCE_AUTO, KN_REDUCE_NONE };
enum kn_species {
    KN_SPECIES_NONE, KN_SPECIES_HELIUM, KN_SPECIES_NEON, KN_SPECIES_ARGON, KN_SPECIES_KRYPTON, KN_SPECIES_XENON,
    KN_SPECIES_NITROGEN
};
enum kn_molecules { KN_MOLECULES_HARD_SPHERE, KN_MOLECULES_MAXWELL, KN_MOLECULES_VHS };
enum kn_method {
    KN_METHOD_MONTE_CARLO, KN_METHOD_BGK, KN_METHOD_SHAKHOV, KN_METHOD_ES_BGK, KN_METHOD_NONE, KN_METHOD_OPERATOR
};
enum kn_estimator { KN_ESTIMATOR_SYMMETRIC, KN_ESTIMATOR_PAPER };
enum kn_points { KN_POINTS_AUTO, KN_POINTS_LATTICE, KN_POINTS_RANDOM };
enum kn_update { KN_UPDATE_EXPONENTIAL, KN_UPDATE_EXPLICIT };
enum kn_conservation { KN_CONSERVATION_PROJECTION, KN_CONSERVATION_PAPER, KN_CONSERVATION_NONE };
enum kn_wall_kind {
    KN_WALL_DIFFUSE, KN_WALL_SPECULAR, KN_WALL_SYMMETRY, KN_WALL_PERIODIC, KN_WALL_INFLOW, KN_WALL_FAR_FIELD
};
enum kn_shape {
    KN_SHAPE_REST, KN_SHAPE_DENSITY, KN_SHAPE_SHEAR, KN_SHAPE_TEMPERATURE,
    KN_SHAPE_STRESS, KN_SHAPE_HEAT_FLUX, KN_SHAPE_FOURTH_MOMENT, KN_SHAPE_ANISOTROPIC,
    KN_SHAPE_SOUND, KN_SHAPE_BKW, KN_SHAPE_BETWEEN
};
enum kn_port_kind { KN_PORT_PRESSURE, KN_PORT_RESERVOIR, KN_PORT_VACUUM, KN_PORT_FLOW };
enum kn_solid_part { KN_SOLID_DARK, KN_SOLID_LIGHT };
enum kn_plate { KN_PLATE_NONE, KN_PLATE_X, KN_PLATE_Y, KN_PLATE_Z };
enum kn_mode { KN_MODE_UNSTEADY, KN_MODE_STEADY, KN_MODE_FREQUENCY, KN_MODE_AUTO };
enum kn_splitting { KN_SPLITTING_STRANG, KN_SPLITTING_LIE };
enum kn_exchange { KN_EXCHANGE_AUTO, KN_EXCHANGE_HOST, KN_EXCHANGE_DEVICE };
/* clang-format on */

struct kn_oscillation { /* added to the steady value as amplitude * cos(frequency t + phase) */
    double velocity[3]; /* eps V0 */
    double temperature; /* eps T0 */
    double frequency;   /* V0 / lambda0, angular */
    double phase;       /* radian */
};

enum { KN_POINTS = 6 }; /* values along a wall, at most */

struct kn_wall {
    enum kn_wall_kind kind;
    bool kind_set;      /* a key has set the kind; false: it depends on the axes in space.cells */
    double density;     /* (n - n0) / (eps n0); inflow */
    double velocity[3]; /* eps V0; tangential, any direction for an inflow */
    union {
        double temperature;             /* (Tw - T0) / (eps T0) */
        double temperatures[KN_POINTS]; /* at equal distances along the wall, then KN_NO_POINT */
    };
    double accommodation;      /* 1 diffuse ... 0 specular */
    double tangential, normal; /* accommodation of Cercignani and Lampis; both 1: diffuse */
    struct kn_oscillation oscillation;
    struct {                /* far-field: derivatives along the axis of the side */
        double velocity[3]; /* eps V0 / lambda0; tangential */
        double temperature; /* eps T0 / lambda0 */
    } gradient;
};

/* A solid body in the gas: a box, a plate without thickness, the voxels of an image, or a smooth body, whose
 * surface cuts cells. */
enum { KN_BODIES = 32, KN_ITEM_NAME = 24, KN_OPENINGS = 3, KN_FILE = 512, KN_CORNERS = 8 };
struct kn_body {
    char name[KN_ITEM_NAME]; /* "": there is no body; bodies are contiguous */
    struct {
        double low[3], high[3]; /* L; corners, KN_TO_END = to the end of the axis */
    } box;
    struct {
        enum kn_plate axis;          /* normal to the plate; none = the body is a box */
        double at;                   /* L */
        double open[KN_OPENINGS][2]; /* L; openings along the first other axis, empty = none */
    } plate;
    struct {
        char file[KN_FILE]; /* PNG, .npy or raw bytes; "": the body is no image */
        enum kn_solid_part solid;
        double threshold; /* between the smallest (0) and the largest value (1) */
        double spacing;   /* L; edge of a voxel, KN_TO_END = the image is as long as the gas along x */
        double at[3];     /* L; its lower corner */
        int voxels[3];    /* of a file of raw bytes; 0: another format */
    } image;
    struct {
        double centre[3];   /* L; the component along the axis is not used */
        double radius;      /* L; 0 = the body is no cylinder */
        enum kn_plate axis; /* from end to end of this axis */
    } cylinder;
    struct {
        double centre[3]; /* L */
        double radius;    /* L; 0 = the body is no sphere */
    } sphere;
    double polygon[KN_CORNERS]
                  [2];    /* L; x, y of the corners of a prism along z; KN_TO_END = no more corners */
    struct kn_body_file { /* a shape in a file; "": the body has none */
        char file[KN_FILE];
        double scale;       /* L; the unit of the file */
        double at[3];       /* L; place of its origin */
    } points, stl;          /* the corners of a prism along z; a surface of triangles */
    bool outside;           /* the gas is inside of the smooth body */
    struct kn_wall surface; /* diffuse: velocity, temperature, accommodation, oscillation */
    double rotation[3];     /* eps V0 / lambda0; about the centre of the bounding box */
};

/* A part of a side through which gas enters and leaves. */
enum { KN_PORTS = 8 };
struct kn_port {
    char name[KN_ITEM_NAME]; /* "": there is no port; ports are contiguous */
    enum kn_side side;
    double from[3], to[3]; /* L; corners, KN_TO_END = to the end of the axis */
    enum kn_port_kind kind;
    double pressure;    /* (p - p0) / (eps p0) */
    double flow;        /* n0 V0 lambda0^2 eps; mass flow into the gas, of a port of given flow */
    double temperature; /* (T - T0) / (eps T0) */
};

/* Values of the word auto. */
#define KN_TO_END         (-1e9)
#define KN_NODES_AUTO     0
#define KN_SAMPLES_AUTO   0
#define KN_AVERAGE_AUTO   (-2.0)
#define KN_END_AUTO       (-1.0)
#define KN_HISTORY_AUTO   0
#define KN_REFERENCE_AUTO (-1e9)
#define KN_NO_POINT       (-1e9)

/* At least the number of keys, with those of walls, bodies and ports as often as there can be such; and of
 * the values of a key. */
enum { KN_CASE_SETTINGS = 1700, KN_CASE_VALUES = 16 };

/* A complete case.  Every member is a key of the case file; docs/input.md. */
struct kn_case {
    struct {
        double delta; /* L / lambda0 */
        bool
            delta_set; /* a key has set delta; false: it follows from pressure and length if they are known */
        enum kn_molecules molecules;
        double omega;   /* viscosity ~ T^omega */
        bool omega_set; /* a key has set omega; false: it follows from the molecules */
        enum kn_species species;
        double temperature;     /* K; T0 of a case with SI units, 0 = none, as below */
        double pressure;        /* Pa; p0 */
        double viscosity;       /* Pa s; mu0, 0 = of the species */
        double molar_mass;      /* kg / mol; 0 = of the species */
        struct {                /* the Maxwellian about which the gas is computed */
            double velocity[3]; /* eps V0; along axes along which the gas is uniform */
            double temperature; /* (Tr - T0) / (eps T0); KN_REFERENCE_AUTO = from the walls */
        } reference;
    } gas;
    double disturbance; /* eps; 0 = linearised equation */
    struct {
        int cells[3];      /* 1 on unused axes */
        double length;     /* m; L of a case with SI units, 0 = the first of size that has a unit */
        double size[3];    /* L */
        double stretch[3]; /* ratio of neighbouring cell widths, <= 1 */
        enum kn_cluster cluster[3];
        double focus[3]; /* L; place of the smallest cells of KN_CLUSTER_FOCUS */
        int order;       /* 1 to 3 */
        enum kn_limiter limiter;
    } space;
    struct {
        enum kn_grid grid;
        int nodes[3];    /* per axis, including both signs; KN_NODES_AUTO = chosen by kn_nodes_choose */
        double accuracy; /* relative error of the results for KN_NODES_AUTO */
        double ratio;
        double range; /* V0 */
        enum kn_weights weights;
        enum kn_fold fold;
        enum kn_reduce reduce;
    } velocity;
    struct {
        enum kn_method method;
        int samples;  /* N_t; KN_SAMPLES_AUTO = chosen by kn_pilot_samples */
        double error; /* relative standard error for KN_SAMPLES_AUTO */
        enum kn_estimator estimator;
        enum kn_points points;
        enum kn_update update;
        enum kn_conservation conservation;
        double prandtl; /* shakhov, es-bgk */
        bool rescale;   /* operator */
    } collision;
    struct kn_wall walls[KN_SIDES];
    struct kn_body bodies[KN_BODIES];
    struct kn_port ports[KN_PORTS];
    struct {
        double force[3];                /* eps V0^2 / lambda0 */
        double temperature_gradient[3]; /* eps T0 / lambda0 */
    } source;
    struct {
        enum kn_shape shape;
        double amplitude;
        int wave[3];        /* periods along each axis */
        double width;       /* L; of the transition of KN_SHAPE_BETWEEN */
        char from[KN_FILE]; /* folder of a run whose gas is the initial state, kn_run only; "": none */
    } initial;
    struct {
        enum kn_mode mode; /* kn_run only; kn_sim_advance needs KN_MODE_UNSTEADY or KN_MODE_AUTO */
        double end;        /* lambda0 / V0; KN_END_AUTO = kn_run runs until the flow is steady */
        double tolerance;  /* steady: no reported quantity is expected to change by a larger fraction */
        double courant;
        double step; /* lambda0 / V0; 0 = from courant */
        enum kn_splitting splitting;
        double residual;   /* 1 / time; 0 = run to end */
        int64_t max_steps; /* 0 = no limit */
    } time;
    struct {
        char backend[16];
        int threads; /* 0 = all */
        uint64_t seed;
        double walltime; /* s; 0 = no limit */
        enum kn_exchange exchange;
        bool force; /* run although the validity checks refuse the case; kn_run only */
    } run;
    struct {
        int history;         /* steps between history rows; KN_HISTORY_AUTO = 10, thinned in long runs */
        double fields;       /* lambda0 / V0 between field files; 0 = at the end only */
        double fields_start; /* lambda0 / V0, time of the first field file */
        double average;    /* averages start at this time; -1 = none, KN_AVERAGE_AUTO = for runs with noise */
        double checkpoint; /* s of wall time between checkpoints */
        bool vtk;
    } output;
    struct { /* used by kn_case_load and kn_case_set: values with a unit, by setting; they depend on the gas
              */
        /* bit i: value i has a unit; bit 16 + i: it has the second dimension of the key (a force in Pa/m) */
        uint32_t given[KN_CASE_SETTINGS];
        double value[KN_CASE_SETTINGS][KN_CASE_VALUES]; /* SI */
        double number[KN_CASE_SETTINGS]
                     [KN_CASE_VALUES]; /* in the member; if it differs, the unit is ignored */
    } si;
};

/* Set all keys to the defaults of docs/input.md. */
void kn_case_default(struct kn_case *c);

/* Read a YAML file; keys that it does not contain keep their values.  Error
 * messages have file:line:column and the key. */
enum kn_status kn_case_load(struct kn_case *c, const char *path);

/* Set one key from "key=value" with a value as in a case file:
 * "walls.top.velocity=[1, 0, 0]". */
enum kn_status kn_case_set(struct kn_case *c, const char *assignment);

/* Check ranges and contradictions; kn_sim_create does this, too. */
enum kn_status kn_case_check(const struct kn_case *c);

/* Replace every velocity.nodes: auto by the number of nodes that velocity.accuracy
 * needs, docs/theory.md section 4.  kn_run does this, too; kn_sim_create does not. */
enum kn_status kn_nodes_choose(struct kn_case *c);

/* If collision.samples is auto, replace it by the number that collision.error
 * needs, found by a short run on a coarse grid.  kn_run does this, too;
 * kn_sim_create does not. */
enum kn_status kn_pilot_samples(struct kn_case *c);

/* -------------------------------------------------------------- simulation */

struct kn_sim;

/* Build the grids and allocate all memory.  On failure *out is NULL.  The gas is
 * in its initial state at time 0. */
enum kn_status kn_sim_create(struct kn_sim **out, const struct kn_case *c);
void kn_sim_destroy(struct kn_sim *sim); /* may be NULL */

/* Advance by a number of steps of length kn_sim_time_step.  Many steps in one
 * call are faster than separate calls: with Strang splitting the collision half
 * steps between them are merged.  The call completes the last step. */
enum kn_status kn_sim_advance(struct kn_sim *sim, int64_t steps);

double kn_sim_time(const struct kn_sim *sim);      /* lambda0 / V0 */
double kn_sim_time_step(const struct kn_sim *sim); /* lambda0 / V0 */
int64_t kn_sim_steps(const struct kn_sim *sim);
int64_t kn_sim_cells(const struct kn_sim *sim); /* cell = (iz ny + iy) nx + ix */
int64_t kn_sim_nodes(const struct kn_sim *sim); /* velocity nodes stored per cell */

/* The macroscopic fields of one cell, docs/theory.md section 3: density (n0 eps),
 * velocity (V0 eps), temperature (T0 eps), stress (p0 eps), heat flux (p0 V0 eps). */
/* clang-format off */
enum kn_field {
    KN_RHO, KN_UX, KN_UY, KN_UZ, KN_THETA,
    KN_PXX, KN_PYY, KN_PZZ, KN_PXY, KN_PXZ, KN_PYZ,
    KN_QX, KN_QY, KN_QZ, KN_FIELDS
};
/* clang-format on */

/* Copy the fields of every cell into fields[cells][KN_FIELDS]; NaN in cells that a body fills. */
enum kn_status kn_sim_fields(struct kn_sim *sim, double *fields);

/* Stress and fluxes at one side, averaged over its area and over the last step;
 * they belong to the middle of the step.  Components are along the fixed axes, n
 * is the axis of the side.  Fluxes are positive along +n: a positive flux leaves
 * the gas at a high side (right, top, front) and enters it at a low side. */
struct kn_wall_flux {
    bool wall;              /* false: periodic or unused; the other members are 0 */
    double stress[3];       /* p0 eps; Pi_xn, Pi_yn, Pi_zn: shear, and the normal stress at [n] */
    double shear_magnitude; /* p0 eps; mean of |tangential stress| over the faces */
    double heat_flux;       /* p0 V0 eps; along +n, in the frame of the wall */
    double mass_flux;       /* n0 V0 eps; along +n */
};
enum kn_status kn_sim_walls(struct kn_sim *sim, struct kn_wall_flux walls[KN_SIDES]);

/* Force, torque and heat of one body: integrals over its surface, averaged over the last step.  Areas of a
 * gas that is uniform along an axis are per length of this axis (lambda0).  The pressure p0 of the gas at
 * rest is not part of the force; on a body with gas all around it adds nothing. */
struct kn_body_flux {
    double force[3];  /* p0 lambda0^2 eps; on the body */
    double torque[3]; /* p0 lambda0^3 eps; on the body, about the centre of its bounding box */
    double heat;      /* p0 V0 lambda0^2 eps; into the body */
};
enum { KN_BODY_VALUES = sizeof(struct kn_body_flux) / sizeof(double) };
enum kn_status kn_sim_bodies(struct kn_sim *sim, struct kn_body_flux bodies[KN_BODIES]);

/* The flow through one port, integrated over its area and averaged over the last step. */
struct kn_port_flux {
    double mass;   /* n0 V0 lambda0^2 eps; into the gas */
    double heat;   /* p0 V0 lambda0^2 eps; into the gas, without the enthalpy that the mass carries */
    double area;   /* lambda0^2 */
    double stress; /* p0 eps; mean normal stress of the gas: its pressure and the momentum of the flow */
};
enum kn_status kn_sim_ports(struct kn_sim *sim, struct kn_port_flux ports[KN_PORTS]);

/* Replace the velocity and temperature of a diffuse wall, or of the gas outside
 * an inflow, from the next step on.  An oscillation is added to them.  They apply
 * to whole steps and should be those of the middle of a step.  Example: the right
 * wall is a plate with mass M per area (n0 m lambda0), driven by a force F per
 * area (p0 eps).  In each step:
 *
 *     kn_sim_set_wall(sim, KN_RIGHT, velocity, 0);
 *     kn_sim_advance(sim, 1);
 *     kn_sim_walls(sim, walls);
 *     velocity[1] += dt / M * (F + walls[KN_RIGHT].stress[1]) / 2; // p0 = n0 m V0^2 / 2
 *
 * A wall moves in its own plane.  At disturbance 0, where the displacement is
 * negligible, it may also move along its normal if its accommodation is above 0.
 * Axes along which nothing moves when the simulation is created are folded; if a
 * wall will move along such an axis later, the case needs velocity.fold: none.
 * The reference state is chosen when the simulation is created; if a wall will
 * become hot later, the case needs gas.reference.temperature.
 * On failure nothing changes. */
enum kn_status kn_sim_set_wall(struct kn_sim *sim, enum kn_side side, const double velocity[3],
                               double temperature);

/* ----------------------------------------------------------------- whole run */

enum kn_report { KN_REPORT_TERMINAL, KN_REPORT_PLAIN, KN_REPORT_JSON, KN_REPORT_QUIET };

struct kn_run_options {
    const char *folder; /* of the results; it is created if necessary */
    bool resume;        /* continue from the newest good checkpoint */
    bool overwrite;     /* replace the run in the folder when this run is complete */
    enum kn_report report;
    void (*say)(void *to, const char *text); /* receives every line; NULL = silent */
    void *to;                                /* first argument of say */
};

/* Run a case to its end and write all files of docs/format.md.  SIGINT, SIGTERM
 * and SIGHUP end the run after a checkpoint, with KN_EINTERRUPTED; SIGUSR1 makes
 * it write a checkpoint. */
enum kn_status kn_run(const struct kn_case *c, const struct kn_run_options *options);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
#endif
