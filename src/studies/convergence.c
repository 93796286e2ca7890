#include "studies/convergence.h"

#include "backend/backend.h"
#include "monitor/fit.h"
#include "verify/measure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TEXT = 96 };

/* ------------------------------------------------------------------ running */

/* A case of settings over the defaults, and then of one more that text makes. */
static enum kn_status make_case(struct kn_case *c, const char *const *settings)
{
    enum kn_status status = KN_OK;
    kn_case_default(c);
    for (int i = 0; settings[i] && status == KN_OK; i++)
        status = kn_case_set(c, settings[i]);
    return status;
}

static enum kn_status set_number(struct kn_case *c, const char *format, double value)
{
    char text[TEXT];
    snprintf(text, sizeof text, format, value);
    return kn_case_set(c, text);
}

/* Run, take one number, forget the rest. */
static enum kn_status run(const struct kn_case *c, const struct kn_reproduce *job, const char *what,
                          double (*look)(const struct kn_record *r), double *value)
{
    struct kn_record r;
    const enum kn_status status = kn_reproduce_run(job, what, c, &r);
    if (status != KN_OK)
        return status;
    *value = look(&r);
    kn_record_destroy(&r);
    return KN_OK;
}

/* ------------------------------------------------------------------- curves */

static struct kn_curve *add_curve(struct kn_study *s, const char *name, double expected)
{
    struct kn_curve *curve = &s->curve[s->ncurves++];
    *curve = (struct kn_curve){.name = name, .expected = expected, .slope = NAN};
    return curve;
}

static void add_point(struct kn_curve *curve, double x, double value, double error)
{
    curve->x[curve->n] = x;
    curve->value[curve->n] = value;
    curve->error[curve->n++] = error;
}

static void fit_slopes(struct kn_study *s)
{
    for (int i = 0; i < s->ncurves; i++) {
        struct kn_curve *curve = &s->curve[i];
        double power[2];
        curve->slope = kn_fit_power(curve->x, curve->error, curve->n, power) ? power[1] : NAN;
    }
}

/* -------------------------------------------------------------------- waves */

/* The field at the end, projected on a wave with one period in the box; cosine or sine. */
static double wave_part(const struct kn_record *r, enum kn_field field, bool sine)
{
    const double *edge = r->edges[0], length = edge[r->cells[0]];
    double sum = 0;
    for (int64_t i = 0; i < r->ncells; i++) {
        const double phase = M_PI * (edge[i] + edge[i + 1]) / length;
        sum += 2 * (edge[i + 1] - edge[i]) / length * r->fields[i * KN_FIELDS + field] *
               (sine ? sin(phase) : cos(phase));
    }
    return sum;
}

static double wave_velocity(const struct kn_record *r)
{
    return wave_part(r, KN_UY, false);
}

static double wave_stress(const struct kn_record *r)
{
    return wave_part(r, KN_PXY, true);
}

/* Shear waves between periodic ends, BGK: smooth in space and velocity, free of noise. */
#define SHEAR_WAVE                                                                                           \
    "walls.left.kind=periodic", "walls.right.kind=periodic", "space.cells=16", "initial.shape=shear",        \
        "initial.wave=1", "collision.method=bgk", "velocity.nodes=8", "run.backend=cpu"

struct scheme {
    const char *name, *setting;
    double order;
};

static const int wave_cells[] = {16, 32, 64, 128};
enum { WAVES = sizeof wave_cells / sizeof *wave_cells, FINEST = 1024 };

/* One curve for each scheme, against the best scheme on a far finer grid.  A step of `step` on one cell,
 * 0: from the Courant number. */
static enum kn_status refine_waves(struct kn_study *s, const struct kn_reproduce *job,
                                   const char *const *settings, const struct scheme *schemes, int count,
                                   double step, double (*look)(const struct kn_record *r))
{
    double limit = 0, value = 0;
    for (int i = -1; i < count * WAVES; i++) {
        const int n = i < 0 ? FINEST : wave_cells[i % WAVES];
        const struct scheme *scheme = &schemes[i < 0 ? count - 1 : i / WAVES];
        struct kn_case c;
        enum kn_status status = make_case(&c, settings);
        if (status == KN_OK)
            status = kn_case_set(&c, scheme->setting);
        if (status == KN_OK)
            status = set_number(&c, "space.cells=%.0f", n);
        if (status == KN_OK)
            status = set_number(&c, "time.step=%.17g", step / n);
        if (status == KN_OK)
            status = run(&c, job, s->title, look, i < 0 ? &limit : &value);
        if (status != KN_OK)
            return status;
        if (i >= 0 && i % WAVES == 0)
            add_curve(s, scheme->name, scheme->order);
        if (i >= 0)
            add_point(&s->curve[s->ncurves - 1], step > 0 ? step / n : 1.0 / n, value,
                      fabs(value / limit - 1));
    }
    fit_slopes(s);
    return KN_OK;
}

static enum kn_status study_space(struct kn_study *s, const struct kn_reproduce *job)
{
    static const char *const settings[] = {SHEAR_WAVE, "gas.delta=6.283185307179586", "time.end=2", NULL};
    static const struct scheme schemes[] = {
        {"order 1", "space.order=1", 1},
        {"order 2, van Leer", "space.limiter=van-leer", 2},
        {"order 2, no limiter", "space.limiter=none", 2},
    };
    *s = (struct kn_study){
        .name = "convergence-space",
        .title = "Order in space",
        .x = "width of a cell / L",
        .y = "relative error",
        .text = "A shear wave $u_y = \\cos x / \\lambda_0$ between periodic ends, BGK, 8 nodes an axis, at t "
                "= 2: "
                "its amplitude, against 1024 cells without limiter. The step shrinks with the cells "
                "(`time.courant: 0.5`)."};
    return refine_waves(s, job, settings, schemes, 3, 0, wave_velocity);
}

/* Lie splitting leaves the gas behind a whole collision step, which density, velocity and temperature do
 * not feel and the stress does. */
static enum kn_status study_time(struct kn_study *s, const struct kn_reproduce *job)
{
    static const char *const settings[] = {SHEAR_WAVE, "gas.delta=62.83185307179586", "space.limiter=none",
                                           "time.end=20", NULL};
    static const struct scheme schemes[] = {
        {"Lie", "time.splitting=lie", 1},
        {"Strang", "time.splitting=strang", 2},
    };
    *s = (struct kn_study){.name = "convergence-time",
                           .title = "Order in time",
                           .x = "step, lambda0 / V0",
                           .y = "relative error",
                           .text = "The stress of a shear wave of 62.8 lambda0, BGK, at t = 20, cells and "
                                   "steps refined together from "
                                   "steps of 0.8: against 1024 cells and Strang splitting. Lie splitting is "
                                   "seen in the stress; what "
                                   "collisions conserve it moves by $10^{-5}$ only."};
    return refine_waves(s, job, settings, schemes, 2, 12.8, wave_stress);
}

/* ----------------------------------------------------------- velocity nodes */

static double drag(const struct kn_record *r)
{
    struct kn_measure m = {.value = NAN};
    kn_measure_take(r, "D", &m);
    return m.value;
}

#define CAVITY "walls.top.velocity=[1,0,0]", "gas.delta=1", "space.cells=[24,24]", "time.end=8"

/* Viscosity and Prandtl number of the grid itself, no rate rescaled. */
static enum kn_status grid_transport(const struct kn_case *c, double *viscosity, double *prandtl)
{
    struct kn_velocity v;
    struct kn_operator op = {0};
    enum kn_status status = kn_velocity_create(&v, c);
    if (status == KN_OK)
        status = kn_operator_create(&op, c, &v, &kn_comm_alone, kn_backend_assembler(c->run.backend), NULL);
    *viscosity = op.viscosity;
    *prandtl = op.prandtl;
    kn_operator_destroy(&op);
    kn_velocity_destroy(&v);
    return status;
}

static enum kn_status add_nodes(struct kn_study *s, const struct kn_reproduce *job, int nodes)
{
    static const char *const operator[] = {CAVITY, "collision.method=operator", NULL};
    static const char *const bgk[] = {CAVITY, "collision.method=bgk", NULL};
    static const double EXACT_PRANDTL = 0.660694457; /* theory section 12 */
    const char *const *const settings[] = {operator, bgk };
    double viscosity = NAN, prandtl = NAN, value[2] = {NAN, NAN};
    for (int i = 0; i < 2; i++) {
        struct kn_case c;
        enum kn_status status = make_case(&c, settings[i]);
        if (status == KN_OK)
            status = set_number(&c, "velocity.nodes=%.0f", nodes);
        if (status == KN_OK)
            status = run(&c, job, s->title, drag, &value[i]);
        if (status == KN_OK && i == 0) /* from the cache now */
            status = grid_transport(&c, &viscosity, &prandtl);
        if (status != KN_OK)
            return status;
    }
    add_point(&s->curve[0], nodes, viscosity, fabs(viscosity - 1));
    add_point(&s->curve[1], nodes, prandtl, fabs(prandtl / EXACT_PRANDTL - 1));
    add_point(&s->curve[2], nodes, value[0], NAN);
    add_point(&s->curve[3], nodes, value[1], NAN);
    return KN_OK;
}

/* Errors of a curve against its last point, which is then taken off. */
static void compare_with_last(struct kn_curve *curve)
{
    const double limit = curve->value[--curve->n];
    for (int i = 0; i < curve->n; i++)
        curve->error[i] = fabs(curve->value[i] / limit - 1);
}

static enum kn_status study_velocity(struct kn_study *s, const struct kn_reproduce *job)
{
    static const int few[] = {6, 8, 10, 12, 0}, many[] = {6, 8, 10, 12, 14, 16, 0};
    const bool gpu = strcmp(kn_backend_find("auto", KN_METHOD_OPERATOR)->name, "cuda") == 0;
    const int *const nodes = gpu ? many : few;
    *s = (struct kn_study){
        .name = "convergence-velocity",
        .title = "Velocity nodes",
        .x = "nodes an axis",
        .y = "relative error",
        .text =
            "Viscosity and Prandtl number of the assembled operator for hard spheres as the grid gives them "
            "(`knudsen info operator`; a run rescales the viscosity away), and the drag D of a cavity, delta "
            "1, 24 x "
            "24 cells, by operator and BGK, against that on the most nodes."};
    add_curve(s, "viscosity", NAN);
    add_curve(s, "Prandtl number", NAN);
    add_curve(s, "D, operator", NAN);
    add_curve(s, "D, BGK", NAN);
    enum kn_status status = KN_OK;
    for (int i = 0; nodes[i] && status == KN_OK; i++)
        status = add_nodes(s, job, nodes[i]);
    if (status != KN_OK)
        return status;
    compare_with_last(&s->curve[2]);
    compare_with_last(&s->curve[3]);
    return KN_OK;
}

/* ------------------------------------------------------------------ samples */

static double drag_error(const struct kn_record *r)
{
    struct kn_measure m = {.statistical = NAN};
    kn_measure_take(r, "D", &m);
    return m.statistical / fabs(m.value);
}

static enum kn_status study_samples(struct kn_study *s, const struct kn_reproduce *job)
{
    static const char *const settings[] = {
        "walls.top.velocity=[1,0,0]",   "gas.delta=1",      "space.cells=[12,12]", "velocity.nodes=8",
        "collision.method=monte-carlo", "output.average=8", "time.end=208",        NULL};
    static const struct scheme schemes[] = {
        {"independent samples", "collision.points=random", -0.5},
        {"lattice", "collision.points=lattice", -0.5},
    };
    static const int samples[] = {128, 512, 2048, 8192};
    enum { MANY = sizeof samples / sizeof *samples };
    *s = (struct kn_study){.name = "convergence-samples",
                           .title = "Statistical error",
                           .x = "samples a step",
                           .y = "standard error of D / D",
                           .text = "Monte Carlo, cavity at delta 1, 12 x 12 cells, 8 nodes an axis: the "
                                   "stated standard error (batch means, "
                                   "`theory.md` section 13) of the mean of D over 200 lambda0 / V0."};
    for (int i = 0; i < 2 * MANY; i++) {
        struct kn_case c;
        double error = NAN;
        enum kn_status status = make_case(&c, settings);
        if (status == KN_OK)
            status = kn_case_set(&c, schemes[i / MANY].setting);
        if (status == KN_OK)
            status = set_number(&c, "collision.samples=%.0f", samples[i % MANY]);
        if (status == KN_OK)
            status = run(&c, job, s->title, drag_error, &error);
        if (status != KN_OK)
            return status;
        if (i % MANY == 0)
            add_curve(s, schemes[i / MANY].name, schemes[i / MANY].order);
        add_point(&s->curve[s->ncurves - 1], samples[i % MANY], error, error);
    }
    fit_slopes(s);
    return KN_OK;
}

enum kn_status (*const kn_convergence_studies[KN_CONVERGENCE_STUDIES])(struct kn_study *s,
                                                                       const struct kn_reproduce *job) = {
    study_space, study_time, study_velocity, study_samples};
