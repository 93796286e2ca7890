/* The terms that the documents use.  Each word is explained in one or two sentences. */
#include "config/glossary.h"

#include "config/config.h"

#include <string.h>
#include <strings.h>

const struct kn_term kn_glossary[] = {
    {"delta|rarefaction parameter|rarefaction",
     "Rarefaction parameter: the length L of the case over lambda0 = mu0 V0 / p0. Large delta is a "
     "dense gas, small delta a rarefied one; Kn = 0.8885 / delta.",
     "gas.delta"},
    {"Kn|Knudsen number|knudsen",
     "Knudsen number: the mean free path over the length L. Kn = 0.8885 / delta for hard spheres. "
     "Below 0.001 the gas is a continuum, above 10 it is nearly free-molecular.",
     "gas.delta"},
    {"Ma|Mach number|mach",
     "Mach number: the speed of the fastest wall or inflow over the speed of sound at T0, which is "
     "sqrt(5/6) V0.",
     "disturbance"},
    {"lambda0|length unit",
     "Unit of length in results and times: lambda0 = mu0 V0 / p0. The mean free path of hard "
     "spheres is 0.8885 lambda0.",
     "gas.delta space.length"},
    {"mean free path",
     "Mean distance that a molecule flies between two collisions: 0.8885 lambda0 for hard spheres. "
     "knudsen info prints it in SI units where the case has them.",
     "gas.delta"},
    {"mean free time|collision time",
     "Time unit lambda0 / V0, about the mean time between two collisions of a molecule.", "time.step"},
    {"L|length",
     "The length in which the box is measured: space.size is in units of L. In a case in SI units "
     "it is space.length, or the first value of space.size that has a unit.",
     "space.length space.size"},
    {"V0|velocity unit|thermal speed|reference speed",
     "Unit of velocity: V0 = sqrt(2 R T0), the most probable molecular speed at T0. For argon at "
     "300 K it is 353 m/s.",
     "gas.temperature"},
    {"T0|reference temperature", "Temperature of the gas at rest, the unit of temperature.",
     "gas.temperature"},
    {"p0|reference pressure", "Pressure of the gas at rest, the unit of stress: p0 = n0 k T0.",
     "gas.pressure"},
    {"n0|reference density", "Number density of the gas at rest, the unit of density.", "gas.pressure"},
    {"mu0|viscosity", "Viscosity of the gas at T0. It fixes lambda0 = mu0 V0 / p0.", "gas.viscosity"},
    {"omega",
     "Exponent of the viscosity, mu ~ T^omega: 0.5 for hard spheres, 1 for Maxwell molecules, free "
     "for vhs. In the pages about waves omega is an angular frequency.",
     "gas.omega"},
    {"Prandtl number|Pr|prandtl",
     "Ratio of momentum to heat diffusivity, 0.661 for a gas of hard spheres, 1 for BGK.",
     "collision.prandtl"},
    {"eps|epsilon|disturbance",
     "Size of the disturbance. Wall velocities, temperatures and all results are deviations from "
     "the gas at rest divided by eps. At eps = 0 the linearised equation is solved.",
     "disturbance"},
    {"linearised|linearized|linear|linearised equation",
     "With disturbance: 0 the equation is linearised about the gas at rest: results are "
     "proportional to the wall velocities and temperatures. Use it for speeds below about 0.1 V0.",
     "disturbance"},
    {"nonlinear|quadratic part|quadratic",
     "With disturbance above 0 the full equation is solved. The part of the collision integral "
     "that is quadratic in the deviation is sampled.",
     "disturbance collision.samples"},
    {"deviation|h", "The unknown h: the distribution of velocities is the equilibrium one times (1 + eps h).",
     "disturbance"},
    {"Maxwellian|equilibrium",
     "Distribution of molecular velocities of a gas in equilibrium: a Gaussian around the mean "
     "velocity with the width of the temperature.",
     ""},
    {"units|SI|SI units|unit",
     "A case without a gas is dimensionless: V0, lambda0, lambda0 / V0, T0, p0 and n0 are 1. A "
     "case with gas.species takes values with units (8 kPa, 1 um, 310 K, 5 MHz) and reports in SI "
     "units too.",
     "gas.species gas.pressure gas.temperature space.length"},
    {"Hz|hertz|s-1|rad/s",
     "Hz counts cycles: 5 MHz is an angular frequency of 3.14e7 rad/s. rad/s and s-1 are angular "
     "frequencies.",
     "walls.<side>.oscillation.frequency"},
    {"free-molecular|free molecular",
     "Flow without collisions between molecules, the limit of large Kn: collision.method: none.",
     "collision.method"},
    {"continuum|Navier-Stokes|slip regime|transition regime",
     "Regimes by Kn: continuum below 0.001, slip to 0.1, transition to 10, free-molecular beyond.",
     "gas.delta"},
    {"D|drag|lid drag",
     "Mean shear stress on the moving wall of a cavity over the wall speed, in p0 / V0. Printed "
     "and written where exactly one wall of a box moves.",
     "walls.<side>.velocity"},
    {"G|vortex flow",
     "Flow rate of the vortex in a cavity: the flux between the centre of the vortex and the wall, "
     "dimensionless.",
     "walls.<side>.velocity"},
    {"G_P|Poiseuille flow rate|mass flow rate|flow rate",
     "Dimensionless flow rate of a channel driven by a body force or pressure gradient: mean "
     "velocity over (force x delta). In SI units the closing table also prints the mass flux in kg "
     "m-2 s-1.",
     "source.force"},
    {"G_T|thermal creep|creep", "Dimensionless flow rate of a channel driven by a temperature gradient.",
     "source.temperature_gradient"},
    {"stress|Pi|shear stress|stress_x|stress_y|stress_z|normal_stress|normal stress|Pxx|Pyy|Pzz|Pxy|Pxz|Pyz",
     "Flux of momentum in p0 eps. SIDE.stress_x is the component along x at a wall; on right, top "
     "and front it is the force of the gas on the wall per area, on the other sides its negative. "
     "Pxy and the others are the fields.",
     ""},
    {"heat_flux|heat flux|q|qx|qy|qz", "Flux of heat in p0 V0 eps, along the positive axis.", ""},
    {"mass_flux|mass flux",
     "Flux of mass through a side in n0 V0 eps, along the positive axis; zero at walls.",
     "walls.<side>.kind"},
    {"rho|density field", "Field of the density: (n - n0) / (n0 eps).", ""},
    {"theta|temperature field", "Field of the temperature: (T - T0) / (T0 eps).", ""},
    {"ux|uy|uz|u|speed", "Components of the gas velocity in V0 eps; speed is the magnitude.", ""},
    {"p|pressure field", "Pressure in knudsen plot: the mean of Pxx, Pyy and Pzz.", ""},
    {"mass|momentum|energy|momentum_x|momentum_y|momentum_z",
     "Totals over the box in history.csv, as deviations over eps.", "output.history"},
    {"fourth moment|fourth|sixth",
     "Mean of v^4 (v^6) over its equilibrium value, a measure of the tails of the distribution.", ""},
    {"residual",
     "Relative change of density, velocity and temperature per unit time, as a root mean square over "
     "the cells. A run may end when it falls below time.residual.",
     "time.residual"},
    {"drift|mass_drift|momentum_drift|energy_drift",
     "What rounding has added to mass, momentum or energy, which should be conserved; mass_drift "
     "is relative to the moved mass.",
     "collision.conservation"},
    {"steady|steady state|not steady|verdict|tolerance|remaining change|remaining_change",
     "Every run ends with a verdict: steady, not steady, oscillating or noisy. Steady means that no reported "
     "quantity is expected to change by more than time.tolerance, extrapolated from the history; not steady "
     "states the expected change.",
     "time.end time.tolerance"},
    {"oscillating", "Verdict of a run with oscillating walls, or one whose quantities oscillate undamped.",
     "walls.<side>.oscillation.frequency"},
    {"noisy",
     "Verdict of a run with sampled collisions whose averages show no drift beyond their statistical error.",
     "output.average collision.samples"},
    {"validity|validity checks|checks|quality|notes|warning|refusal",
     "Checks of what the grids can represent, before and after a run: walls and inflows on the velocity "
     "grid, "
     "cells, time step, nodes, rounding. A warning states an estimated error; a refusal ends the run before "
     "it "
     "begins. Results: notes and quality in summary.json.",
     "run.force"},
    {"overwrite|--overwrite|marker|.knudsen-results|.knudsen-new",
     "A results folder has the marker .knudsen-results, which lists the files of the program; other files "
     "are "
     "never replaced. --overwrite replaces an earlier run when the new one is complete; until then the new "
     "one "
     "is in .knudsen-new.",
     ""},
    {"statistical error|standard error|noise",
     "Scatter that sampled collisions leave in a result. Results of noisy runs are means over the "
     "second half of the run with a standard error from batch means.",
     "collision.samples output.average collision.error"},
    {"batch means|batches",
     "Way to find the standard error of a mean from correlated rows: means over long pieces of the "
     "run are compared. In Monte Carlo, batches are also samples that share no node.",
     "output.average"},
    {"average|averaged|mean fields",
     "Mean over time of all fields and history columns from output.average on, for runs with "
     "noise.",
     "output.average"},
    {"amplitude|amplitude and phase|phase",
     "Results of an oscillating wall: the stress varies as amplitude x cos(frequency t + phase).",
     "walls.<side>.oscillation.frequency"},
    {"ETA|eta_s|progress line",
     "Estimated time to the end of the run, from the speed of the last steps and the expected "
     "time at which the flow is steady.",
     ""},
    {"drag and lift|force",
     "A uniform force on the gas is source.force; the force of the gas on a wall is its stress "
     "times its area.",
     "source.force"},
    {"wall|walls|side|sides",
     "The box has six sides: left and right end the x axis, bottom and top y, back and front z.",
     "walls.<side>.kind"},
    {"left|right|bottom|top|back|front",
     "A side of the box: left and right end the x axis, bottom and top y, back and front z.",
     "walls.<side>.kind"},
    {"diffuse|diffuse wall|diffuse reflection",
     "Wall that re-emits molecules in equilibrium with its velocity and temperature.",
     "walls.<side>.kind walls.<side>.accommodation"},
    {"specular|specular reflection", "Wall at which molecules bounce like light from a mirror.",
     "walls.<side>.kind"},
    {"accommodation|accommodation coefficient|Maxwell's model|TMAC",
     "Share of molecules that a diffuse wall re-emits diffusely; the others bounce specularly "
     "(Maxwell's model).",
     "walls.<side>.accommodation"},
    {"inflow|inlet|outlet|open side",
     "Side without a wall: beyond it is gas in equilibrium of given density, velocity and "
     "temperature, whose molecules come in; those that leave are gone. n / n0 = (p / p0) / (T / "
     "T0) gives the density of a pressure.",
     "walls.<side>.kind walls.<side>.density walls.<side>.temperature walls.<side>.velocity"},
    {"far-field|far field",
     "Side without a wall where the gas goes on with uniform gradients of velocity and "
     "temperature; disturbance 0 only.",
     "walls.<side>.gradient.velocity walls.<side>.gradient.temperature"},
    {"symmetry|mirror|plane of symmetry", "Side at which the flow is mirrored; no wall is there.",
     "walls.<side>.kind"},
    {"periodic", "Two opposite sides that continue each other.", "walls.<side>.kind"},
    {"oscillation|oscillating wall|piston",
     "Part of the velocity or temperature of a wall that varies as cos(frequency t + phase). Along "
     "the normal it makes a piston, a source of sound.",
     "walls.<side>.oscillation.velocity walls.<side>.oscillation.frequency walls.<side>.oscillation.phase"},
    {"frequency", "Angular frequency of an oscillating wall in V0 / lambda0; with Hz it counts cycles.",
     "walls.<side>.oscillation.frequency"},
    {"gradient|temperature gradient|shear rate",
     "Uniform gradients drive a flow: source.temperature_gradient in the gas, "
     "walls.<side>.gradient at a far field.",
     "source.temperature_gradient walls.<side>.gradient.velocity"},
    {"lid|cavity|driven cavity", "Box one side of which, the lid, moves in its own plane: cases/cavity.",
     "walls.<side>.velocity"},
    {"Couette|Couette flow|couette", "Gas between two plates that move against each other: cases/couette.",
     "walls.<side>.velocity"},
    {"Fourier|Fourier flow|fourier", "Heat flux between two plates of different temperature: cases/fourier.",
     "walls.<side>.temperature"},
    {"Poiseuille|Poiseuille flow|poiseuille|channel",
     "Gas in a channel driven by a pressure gradient or body force: cases/poiseuille.", "source.force"},
    {"slip|viscous slip|slip coefficient",
     "Difference between the velocity of a wall and that of the gas extrapolated to it.", ""},
    {"temperature jump|jump",
     "Difference between the temperature of a wall and that of the gas extrapolated to it.", ""},
    {"Knudsen layer", "Layer of some mean free paths at a wall in which the gas is not in local equilibrium.",
     "space.stretch space.cluster"},
    {"cells|cell|grid|grids|space grid",
     "Space is a box of rectangular cells. They should be narrower than a mean free path where the "
     "gas is not in local equilibrium.",
     "space.cells space.size space.stretch"},
    {"stretch|cluster|stretched grid",
     "space.stretch below 1 makes cells smaller towards the ends that space.cluster names.",
     "space.stretch space.cluster"},
    {"order|space order", "Order of accuracy of free flight in space: 1 is upwind, 2 adds limited slopes.",
     "space.order space.limiter"},
    {"limiter|slopes|slope limiter",
     "Function that bounds the slopes of the second-order scheme so that it does not overshoot.",
     "space.limiter"},
    {"velocity grid|nodes|node|velocities",
     "Molecular velocities are a fixed grid of nodes, the same in every cell. More nodes are "
     "needed for strong rarefaction, fast or hot walls.",
     "velocity.nodes velocity.grid velocity.range"},
    {"gauss|Gauss grid|gauss grid",
     "Velocity grid of half-range Gauss-Hermite nodes: few nodes, fluxes at walls exact.", "velocity.grid"},
    {"stretched", "Velocity grid of cells between -range and range, smallest at the origin.",
     "velocity.grid velocity.ratio velocity.range"},
    {"weights|weight", "What a velocity node counts in sums over the grid.", "velocity.weights"},
    {"octant|octants", "Nodes with the same signs of velocity. The state is stored octant by octant.",
     "velocity.fold"},
    {"fold|folding|folded",
     "Along an axis in which the whole case is mirror-symmetric half of the nodes are enough.",
     "velocity.fold"},
    {"parity|parities",
     "Functions that are even or odd along each axis; the operator acts on each parity by itself.",
     "collision.method"},
    {"ray effects|rays",
     "Few velocity nodes and strong rarefaction show as rays: jumps that leave the corners along "
     "the directions of the nodes. More nodes remove them.",
     "velocity.nodes"},
    {"time step|step|Courant number|CFL|courant",
     "Length of a step. The Courant number is the share of its cell that the fastest molecule "
     "crosses in a step, at most 1.",
     "time.step time.courant"},
    {"splitting|Strang splitting|Lie splitting|strang|lie",
     "Free flight and collisions alternate. Strang splitting is second-order in time, Lie "
     "splitting first-order.",
     "time.splitting"},
    {"streaming|free flight|stream", "The part of a step in which molecules fly without collisions.",
     "space.order"},
    {"operator|assembled operator|collision operator|linear operator",
     "collision.method: operator: the linearised collision integral as matrices, assembled once "
     "for a velocity grid and kept in ~/.cache/knudsen. It has no noise. The default method.",
     "collision.method collision.rescale"},
    {"assembly|assembling|assemble",
     "Computation of the matrices of the collision operator, at the first run with a velocity "
     "grid: some seconds on 8 nodes, a minute on 12, a quarter of an hour on 20.",
     "collision.method velocity.nodes"},
    {"cache|KNUDSEN_CACHE",
     "Folder of assembled operators: $KNUDSEN_CACHE, else ~/.cache/knudsen. It may be deleted at "
     "any time.",
     ""},
    {"rescale", "Multiplies the collision rates so that the viscosity of the velocity grid is exact.",
     "collision.rescale"},
    {"Monte Carlo|monte-carlo|sampling",
     "collision.method: monte-carlo: the collision integral is estimated from collisions drawn in "
     "every step. Results have noise.",
     "collision.method collision.samples"},
    {"samples|sample", "Collisions drawn per step and shared by all cells.",
     "collision.samples collision.error"},
    {"estimator|estimators", "What each sampled collision adds to the collision integral.",
     "collision.estimator"},
    {"points|lattice", "How the sampled collisions of a step are spread over all possible ones.",
     "collision.points"},
    {"update|exponential|explicit", "How each sampled collision changes the gas in one step.",
     "collision.update"},
    {"conservation|projection|correction",
     "How mass, momentum and energy are restored after the collisions of a step.", "collision.conservation"},
    {"pilot", "Short run on a coarse grid that chooses collision.samples: auto.",
     "collision.samples collision.error"},
    {"BGK|bgk", "Relaxation model with one rate, Prandtl number 1.", "collision.method"},
    {"Shakhov|shakhov", "Relaxation model with the right Prandtl number.",
     "collision.method collision.prandtl"},
    {"ES-BGK|es-bgk", "Ellipsoidal statistical relaxation model with the right Prandtl number.",
     "collision.method collision.prandtl"},
    {"hard-sphere|hard spheres|hard sphere",
     "Molecules that collide like rigid spheres; viscosity as T^(1/2).", "gas.molecules"},
    {"maxwell|Maxwell molecules", "Molecules that collide equally often at every speed; viscosity as T.",
     "gas.molecules"},
    {"vhs|variable hard spheres|VHS",
     "Spheres whose size depends on the relative speed; viscosity as T^omega.", "gas.molecules gas.omega"},
    {"BKW|bkw", "Exact solution of Bobylev, Krook and Wu for Maxwell molecules: cases/bkw.", "initial.shape"},
    {"DSMC|SPARTA|direct simulation Monte Carlo",
     "Particle method for rarefied gases; docs/dsmc.md compares it with this program.", ""},
    {"species|argon|helium|neon|krypton|xenon|nitrogen",
     "Gas of a case in SI units; its molar mass and viscosity come from a table.", "gas.species"},
    {"case|case file|case.yaml|case.used.yaml",
     "YAML file of keys that describes a run; docs/input.md. knudsen init writes one to start "
     "from.",
     ""},
    {"results|results folder|folder",
     "Folder that knudsen run writes: summary.json, history.csv, fields.h5, fields.pvd, "
     "checkpoints, run.log; docs/format.md.",
     ""},
    {"summary.json|summary",
     "Results of a run: quantities with errors, times, the whole case; docs/format.md.", ""},
    {"history.csv|history",
     "Columns over time: quantities, residual, totals and mean fields, every output.history steps.",
     "output.history"},
    {"fields.h5|fields", "All fields in every cell in HDF5, with units.", "output.fields"},
    {"fields.pvd|ParaView|VTK|vtk", "The same fields for ParaView.", "output.vtk"},
    {"checkpoint|checkpoints|checkpoint-a.h5|checkpoint-b.h5|restart|resume|--resume",
     "State of a run on disk, written every output.checkpoint seconds and on Ctrl-C. knudsen run "
     "CASE.yaml --resume goes on from it with the same bits.",
     "output.checkpoint"},
    {"run.log", "What a run has printed.", ""},
    {"reference.csv|reference|reference values",
     "Published or exact values of a case, with their sources and the settings with which knudsen "
     "verify checks them.",
     ""},
    {"verification|verify|quick|full", "knudsen verify compares the cases with published and exact values.",
     ""},
    {"walltime", "Real time after which a run stops with a checkpoint.", "run.walltime"},
    {"seed", "Number from which all random numbers of a run follow.", "run.seed"},
    {"backend|backends|cpu|cuda|strict|GPU|CUDA|nvcc|machine",
     "Where a run is computed: all cores of the CPU, or an NVIDIA GPU.", "run.backend run.threads"},
    {"threads|OMP_NUM_THREADS", "Cores that a rank uses; 0 takes all that it may.", "run.threads"},
    {"rank|ranks|MPI|mpirun",
     "Processes of a parallel run. Results are the same bits for any number of ranks; "
     "docs/cluster.md.",
     "run.exchange"},
    {"halo|exchange|box", "Cells of other ranks that a rank reads; they are exchanged in every step.",
     "run.exchange"},
    {"KNUDSEN_ISA|instruction set|baseline|v3|v4",
     "Vector instructions of the CPU that are used; KNUDSEN_ISA=baseline, v3 (AVX2) or v4 "
     "(AVX-512) overrides the choice.",
     ""},
    {"KNUDSEN_CASES", "Folder of the cases, where it is not beside the program.", ""},
    {"fingerprint",
     "Number that changes with every key that shapes the solution; a checkpoint fits only a case "
     "with the same one.",
     ""},
    {"outcome|interrupted|failed",
     "Why a run ended: steady, end time, limit (of time.end: auto), residual, max steps, walltime, "
     "interrupted, failed.",
     "time.end"},
    {"shape|initial state", "State of the gas at time 0.", "initial.shape initial.amplitude"},
    {"sound|sound wave|attenuation|wavenumber",
     "Wave from an oscillating wall; its wave number and attenuation are measured from the fields: "
     "cases/sound.",
     "walls.<side>.oscillation.velocity"},
    {"shock|shock wave|front", "Shock between two inflows, measured in its own frame: cases/shock.",
     "initial.shape"},
    {"thickness|lead|rate",
     "Measures of a shock in its own frame: the steepest slope of the density, the distance by which the "
     "temperature runs ahead of it, and the speed of the front: cases/shock.",
     "initial.shape"},
    {"damping|decay", "Rate at which the amplitude of a wave in the gas falls: cases/waves.", "initial.wave"},
    {"heat",
     "In knudsen plot, the heat flux; of a wave, the rate of its mode of heat conduction: cases/waves.", ""},
    {"far", "Value of a field far from a wall, beyond the Knudsen layer.", ""},
    {0},
};

/* A word of a list that is separated by "|"; -1 = none of them, 0 = but for capitals, 1 = exactly. */
static int match(const char *words, const char *word)
{
    int best = -1;
    for (const char *at = words; *at; at += *at == '|') {
        const size_t length = strcspn(at, "|");
        if (length == strlen(word) && strncasecmp(at, word, length) == 0) {
            const int found = strncmp(at, word, length) == 0;
            best = found > best ? found : best;
        }
        at += length;
    }
    return best;
}

static void first_word(const struct kn_term *term, char word[KN_NAME])
{
    snprintf(word, KN_NAME, "%.*s", (int)strcspn(term->words, "|"), term->words);
}

static void print_term(FILE *to, const struct kn_term *term)
{
    char word[KN_NAME];
    first_word(term, word);
    fprintf(to, "%s\n    %s\n", word, term->text);
    if (*term->keys)
        fprintf(to, "    keys: %s\n", term->keys);
}

bool kn_glossary_print(FILE *to, const char *word)
{
    for (int exactly = 1; exactly >= 0; exactly--) {
        int found = 0;
        for (const struct kn_term *term = kn_glossary; term->words; term++)
            if (match(term->words, word) == exactly) {
                if (found++ > 0)
                    fputc('\n', to);
                print_term(to, term);
            }
        if (found > 0)
            return true;
    }
    return false;
}

const char *kn_glossary_near(const char *word)
{
    static char near[KN_NAME];
    int best = KN_NAME;
    for (const struct kn_term *term = kn_glossary; term->words; term++)
        for (const char *at = term->words; *at; at += *at == '|') {
            const size_t length = strcspn(at, "|");
            char one[KN_NAME];
            snprintf(one, sizeof one, "%.*s", (int)length, at);
            if (kn_config_is_near(word, one) && kn_config_distance(word, one) < best) {
                best = kn_config_distance(word, one);
                memcpy(near, one, sizeof near);
            }
            at += length;
        }
    return best < KN_NAME ? near : NULL;
}

void kn_glossary_markdown(FILE *to)
{
    fputs("# Terms\n\nWritten by `make docs` from the table in `src/config/glossary.c`; `knudsen help WORD` prints "
          "the same.\n\n"
          "| term | meaning | keys |\n| --- | --- | --- |\n",
          to);
    for (const struct kn_term *term = kn_glossary; term->words; term++) {
        for (const char *at = term->words; *at; at++)
            fputs(at == term->words ? "| " : "", to), *at == '|' ? fputs(", ", to) : fputc(*at, to);
        fprintf(to, " | %s | ", term->text);
        for (const char *at = term->keys; *at;) {
            const size_t length = strcspn(at, " ");
            fprintf(to, "%s`%.*s`", at == term->keys ? "" : ", ", (int)length, at);
            at += length + (at[length] == ' ');
        }
        fputs(" |\n", to);
    }
}
