/* Prints the properties of a case or of its collision operator before a run. */
#include "cli/info.h"

#include "backend/backend.h"
#include "collision/collision.h"
#include "collision/molecules.h"
#include "collision/sampling.h"
#include "config/case.h"
#include "config/config.h"
#include "config/reference.h"
#include "config/scales.h"
#include "error.h"
#include "files/json.h"
#include "grid/duration.h"
#include "io/summary.h"
#include "sim.h"
#include "steady/mode.h"
#include "steady/steady.h"
#include "validity/nodes.h"
#include "validity/validity.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void print_prandtl(const struct kn_operator *o)
{
    /* known for hard spheres and Maxwell molecules */
    const double exact = o->exponent == 1 ? 0.660694 : o->exponent == 0 ? 2.0 / 3 : NAN;
    printf("Prandtl number         %.5f", o->prandtl);
    if (isfinite(exact))
        printf(" (exact %.5f, %+.2f %%)", exact, 100 * (o->prandtl / exact - 1));
    putchar('\n');
}

/* The slowest rate that is not that of an invariant, and the fastest. */
static void find_edges(const struct kn_operator *o, double *slowest, double *fastest)
{
    *fastest = 0;
    *slowest = INFINITY;
    for (int p = 0; p < KN_PARITIES; p++)
        *fastest = fmax(*fastest, -o->rate[p][0]);
    for (int p = 0; p < KN_PARITIES; p++)
        for (int i = 0; i < o->size; i++)
            if (-o->rate[p][i] > 1e-9 * *fastest)
                *slowest = fmin(*slowest, -o->rate[p][i]);
}

static void print_text(const struct kn_case *c, const struct kn_operator *o, const struct kn_velocity *v,
                       double seconds)
{
    double slowest, fastest;
    char held[KN_NAME];
    find_edges(o, &slowest, &fastest);
    kn_config_bytes_text(8.0 * KN_PARITIES * o->size * o->size, held);
    printf("molecules              %s, viscosity as T^%g\n",
           kn_config_choice_name("gas.molecules", c->gas.molecules), kn_case_omega(c));
    printf("velocity grid          %d x %d x %d nodes, %d in an octant, %d octants stored\n", 2 * v->half[0],
           2 * v->half[1], 2 * v->half[2], v->size, v->octants);
    printf("viscosity              %.5f of the exact one (%+.2f %%)%s\n", o->viscosity,
           100 * (o->viscosity - 1), o->scale == 1 ? "" : "; rates are rescaled, so that it is exact");
    print_prandtl(o);
    printf("conservation defect    %.1e before the correction\n", o->defect);
    printf("rates                  %.4f to %.4f V0 / lambda0\n", o->scale * slowest, o->scale * fastest);
    printf("memory                 %s\n", held);
    printf("cost                   %.0f multiplications per cell and step\n",
           (double)v->octants * o->size * o->size);
    printf("ready after            %.2f s, %s %s\n", seconds,
           strcmp(o->origin, "cache") == 0 ? "from the" : "assembled by", o->origin);
    if (o->note[0])
        printf("note                   %s\n", o->note);
}

static void print_json(const struct kn_case *c, const struct kn_operator *o, const struct kn_velocity *v,
                       double seconds)
{
    double slowest, fastest;
    find_edges(o, &slowest, &fastest);
    const struct kn_json_entry numbers[] = {
        {"omega", kn_case_omega(c)},
        {"size", o->size},
        {"octants", v->octants},
        {"viscosity", o->viscosity},
        {"prandtl", o->prandtl},
        {"scale", o->scale},
        {"defect", o->defect},
        {"slowest_rate", o->scale * slowest},
        {"fastest_rate", o->scale * fastest},
        {"memory_bytes", 8.0 * KN_PARITIES * o->size * o->size},
        {"multiplications", (double)v->octants * o->size * o->size},
        {"seconds", seconds},
    };
    json_t *all = json_pack("{s:s}", "molecules", kn_config_choice_name("gas.molecules", c->gas.molecules));
    kn_json_set_numbers(all, numbers, sizeof numbers / sizeof *numbers);
    kn_json_set(all, "origin", kn_json_text(o->origin));
    (void)kn_json_print_line(stdout, all);
}

/* Progress of an assembly on stderr: one line on a terminal, else a line from time to time. */
struct watch {
    double start, next; /* s */
    bool live;
};

static bool show_part(void *to, double part)
{
    struct watch *w = to;
    const double taken = omp_get_wtime() - w->start;
    char left[KN_NAME] = "";
    if (part == 0 && !w->live)
        fputs("assembling the collision operator, once for this velocity grid and gas\n", stderr);
    if (part > 0)
        snprintf(left, sizeof left, ", %.0f s left", taken * (1 - part) / part);
    if (w->live && part < 1 - 1e-9)
        fprintf(stderr, "\rassembling the collision operator %3.0f %%%s \033[K", floor(100 * part), left);
    else if (w->live)
        fputs("\r\033[K", stderr);
    else if (part > 0 && part < 1 - 1e-9 && taken >= w->next) {
        fprintf(stderr, "assembling the collision operator %3.0f %%%s\n", floor(100 * part), left);
        w->next = taken + (taken < 30 ? taken : 30);
    }
    fflush(stderr);
    return true;
}

static struct kn_progress_callback progress_of(struct watch *w)
{
    *w = (struct watch){.start = omp_get_wtime(), .next = 2, .live = isatty(STDERR_FILENO)};
    return (struct kn_progress_callback){.report = show_part, .to = w};
}

enum kn_status kn_info_operator(const struct kn_case *c, bool json)
{
    struct kn_velocity v;
    struct kn_operator o = {0};
    struct watch w;
    const struct kn_progress_callback by = progress_of(&w);
    const double start = omp_get_wtime();
    enum kn_status status = kn_velocity_create(&v, c);
    if (status == KN_OK)
        status = kn_operator_create(&o, c, &v, &kn_comm_alone, kn_backend_assembler(c->run.backend), &by);
    if (status == KN_OK)
        (json ? print_json : print_text)(c, &o, &v, omp_get_wtime() - start);
    kn_operator_destroy(&o);
    kn_velocity_destroy(&v);
    return status;
}

/* Properties of a case before its run. */
struct facts {
    const struct kn_case *c, *asked; /* with and without the choice of velocity.nodes and time.mode: auto */
    char mode[KN_MODE_REASON];       /* that choice of time.mode; empty: it was given */
    struct kn_scales scales;
    struct kn_plan_size plan;
    struct kn_estimate estimate;
    struct kn_info_ranks ranks; /* count 0 without --ranks */
    double available;           /* bytes */
    double narrowest;           /* cell, lambda0 */
    struct kn_validity validity;
};

/* A number in the units of the case and in SI. */
static void print_scaled(const struct facts *f, const char *name, enum kn_dimension dimension, double value,
                         const char *unit)
{
    printf("%-16s %.4g %s", name, value, unit);
    if (f->scales.known) {
        char text[KN_UNITS_TEXT];
        const struct kn_conversion by = kn_scales_conversion(&f->scales, dimension);
        printf(" = %s", kn_units_text(dimension, by.factor * value, text));
    }
    putchar('\n');
}

static void print_gas(const struct facts *f)
{
    const struct kn_scales *s = &f->scales;
    char text[KN_UNITS_TEXT];
    if (!s->known)
        return;
    const char *species = kn_scales_species(f->c);
    printf("%-16s %s, ", "gas", *species ? species : "with given mass and viscosity");
    printf("%s, %.6g K, ", kn_units_text(KN_DIMENSION_PRESSURE, s->pressure, text), s->temperature);
    printf("viscosity %s\n", kn_units_text(KN_DIMENSION_VISCOSITY, s->viscosity, text));
    printf("%-16s %.4g m/s\n", "V0", s->velocity);
}

/* Mach number and heating show whether the linearised equation is appropriate. */
static void print_linearity(const struct facts *f)
{
    const double mach = kn_scales_mach(f->c), heating = kn_scales_heating(f->c);
    if (mach > 0)
        printf("%-16s %.4g, of the fastest wall or inflow\n", "Ma", mach);
    if (heating > 0)
        printf("%-16s %.2g %% of T0 at most\n", "heating", 100 * heating);
    if (f->c->disturbance == 0)
        printf("%-16s linearised (disturbance: 0)\n", "equation");
}

static void print_states(const struct facts *f)
{
    char text[KN_TEXT], name[KN_NAME];
    if (kn_reference_text(f->c, text))
        printf("%-16s %s\n", "reference", text);
    for (int side = 0; side < KN_SIDES; side++)
        if (kn_scales_inflow(f->c, side, text)) {
            snprintf(name, sizeof name, "inflow %s", kn_case_side_name(side));
            printf("%-16s %s\n", name, text);
        }
}

/* The results of the validity checks. */
static void print_checks(const struct kn_validity *v)
{
    printf("%-16s %s\n", "checks", kn_validity_quality(v));
    for (int i = 0; i < v->count; i++)
        printf("%-16s %s\n", kn_validity_level_name(v->finding[i].level), v->finding[i].text);
}

static const char *duration(double s, char text[KN_NAME])
{
    if (s < 100)
        snprintf(text, KN_NAME, "%.2g s", s);
    else if (s < 6000)
        snprintf(text, KN_NAME, "%.0f min", s / 60);
    else
        snprintf(text, KN_NAME, "%.1f h", s / 3600);
    return text;
}

/* Whether the run may end earlier. */
static const char *at_most(const struct kn_case *c)
{
    return c->time.residual > 0 || kn_duration_is_open(c) ? " at most" : "";
}

/* The kernels of the steps that were measured, one per line. */
static void print_kernels(const char *lines)
{
    for (const char *name = "kernels"; *lines; name = "") {
        const int length = (int)strcspn(lines, "\n");
        printf("%-16s %.*s\n", name, length, lines);
        lines += length + (lines[length] == '\n');
    }
}

static void print_assembly(const struct facts *f)
{
    if (f->estimate.hollow) {
        char time[KN_NAME];
        printf("%-16s about %s, in the first run with this velocity grid; not included in this estimate\n",
               "assembly", duration(f->estimate.assembly_s, time));
    }
}

static void print_steps(const struct facts *f)
{
    const struct kn_case *c = f->c;
    if (*f->mode)
        printf("%-16s %s\n", "time.mode", f->mode);
    if (kn_case_iterates(c)) {
        printf("%-16s about %.0f\n", "iterations", f->plan.steps);
        return;
    }
    print_scaled(f, "time step", KN_DIMENSION_TIME, f->plan.time_step, "lambda0 / V0");
    print_scaled(f, kn_duration_is_open(c) ? "end at the latest" : "end", KN_DIMENSION_TIME,
                 kn_duration_end(c), "lambda0 / V0");
    printf("%-16s %.0f%s\n", "steps", f->plan.steps, at_most(c));
}

static void print_estimate(const struct facts *f)
{
    const struct kn_estimate *e = &f->estimate;
    char time[KN_NAME];
    if (e->steps == 0) {
        printf("%-16s none: the first steps give values that are not finite\n", "estimated time");
        return;
    }
    printf("%-16s %s%s on %s with %d thread%s%s, from %lld steps on %lld cells\n", "estimated time",
           duration(kn_estimate_run(e, f->c, f->plan.steps), time), at_most(f->c), e->backend, e->threads,
           e->threads == 1 ? "" : "s", f->ranks.count > 0 ? " alone" : "", (long long)e->steps,
           (long long)e->cells);
}

static void print_velocities(const struct facts *f)
{
    const struct kn_case *c = f->c;
    char text[KN_TEXT];
    printf("%-16s %d x %d x %d nodes, %lld stored per cell\n", "velocities", kn_case_nodes(c, 0),
           kn_case_nodes(c, 1), kn_case_nodes(c, 2), (long long)f->plan.nodes);
    for (int d = 0; d < 3; d++)
        if (kn_nodes_text(f->asked, d, text))
            printf("%-16s %s\n", d == 0 ? "velocity.nodes" : "", text);
    for (int d = 0; d < 3; d++)
        if (kn_case_is_reduced(c, d))
            printf("%-16s along %c: the gas is uniform, and %d nodes have exact moments (velocity.reduce)\n",
                   "reduced", "xyz"[d], KN_CASE_REDUCED_NODES);
}

static void print_case_text(const struct facts *f)
{
    const struct kn_case *c = f->c;
    char needed[KN_NAME], there[KN_NAME];
    kn_config_bytes_text(f->available, there);
    print_gas(f);
    printf("%-16s %.4g\n", "Kn", KN_SCALES_FREE_PATH / c->gas.delta);
    printf("%-16s %.4g\n", "delta", c->gas.delta);
    print_linearity(f);
    print_states(f);
    print_scaled(f, "mean free path", KN_DIMENSION_PLACE, KN_SCALES_FREE_PATH, "lambda0");
    if (f->scales.known)
        printf("%-16s %s\n", "lambda0", kn_units_text(KN_DIMENSION_LENGTH, f->scales.length, needed));
    kn_config_bytes_text(f->plan.memory_bytes, needed);
    for (int d = 0; d < 3; d++)
        if (c->space.cells[d] > 1)
            print_scaled(f, d == 0 ? "box" : "", KN_DIMENSION_LENGTH, c->space.size[d],
                         d == 0   ? "L along x"
                         : d == 1 ? "L along y"
                                  : "L along z");
    printf("%-16s %d x %d x %d", "cells", c->space.cells[0], c->space.cells[1], c->space.cells[2]);
    if (isfinite(f->narrowest))
        printf(", the narrowest is %.3g mean free paths wide", f->narrowest / KN_SCALES_FREE_PATH);
    putchar('\n');
    print_velocities(f);
    printf("%-16s %s", "collisions", kn_config_choice_name("collision.method", c->collision.method));
    if (kn_sampling_is_due(c))
        printf(", number of samples determined by collision.error");
    else if (kn_case_is_sampled(c->collision.method))
        printf(", %d samples per step", c->collision.samples);
    putchar('\n');
    print_steps(f);
    printf("%-16s %s needed, %s available%s\n", "memory", needed, there,
           f->plan.memory_bytes - f->plan.device_bytes > f->available ? ": it does not fit" : "");
    if (f->ranks.count > 0)
        kn_info_ranks_print(&f->ranks);
    print_assembly(f);
    print_estimate(f);
    print_kernels(f->estimate.kernels);
    print_checks(&f->validity);
}

/* The numbers of nodes, and the reasons of those that were chosen. */
static void add_nodes(json_t *to, const struct facts *f)
{
    const int *n = f->c->velocity.nodes;
    char text[KN_TEXT];
    json_t *reasons = json_array();
    for (int d = 0; d < 3; d++)
        if (kn_nodes_text(f->asked, d, text))
            kn_json_append(reasons, kn_json_text(text));
    kn_json_set(to, "velocity_nodes", json_pack("[i, i, i]", n[0], n[1], n[2]));
    kn_json_set(to, "velocity_nodes_reasons", reasons);
}

static void print_case_json(const struct facts *f)
{
    const struct kn_json_entry numbers[] = {
        {"knudsen", KN_SCALES_FREE_PATH / f->c->gas.delta},
        {"delta", f->c->gas.delta},
        {"mach", kn_scales_mach(f->c)},
        {"mean_free_path", KN_SCALES_FREE_PATH},
        {"cells", (double)f->plan.cells},
        {"nodes", (double)f->plan.nodes},
        {"narrowest_cell", f->narrowest},
        {"time_step", f->plan.time_step},
        {"steps", f->plan.steps},
        {"memory_bytes", f->plan.memory_bytes},
        {"memory_available", f->available},
        {"assembly_s", f->estimate.hollow ? f->estimate.assembly_s : 0},
        {"step_s", f->estimate.step_s},
        {"estimated_s", kn_estimate_run(&f->estimate, f->c, f->plan.steps)},
    };
    json_t *all = json_object();
    kn_json_set_numbers(all, numbers, sizeof numbers / sizeof *numbers);
    kn_json_set(all, "mode", kn_json_text(kn_config_choice_name("time.mode", f->c->time.mode)));
    kn_json_set(all, "backend", kn_json_text(f->estimate.backend));
    kn_json_set(all, "threads", json_integer(f->estimate.threads));
    kn_json_set(all, "reference", kn_summary_reference(f->c));
    add_nodes(all, f);
    if (f->scales.known)
        kn_json_set(all, "si", kn_summary_scales(&f->scales, kn_scales_species(f->c)));
    if (f->ranks.count > 0)
        kn_json_set(all, "ranks", kn_info_ranks_json(&f->ranks));
    kn_json_set(all, "quality", json_pack("{s:s}", "level", kn_validity_quality(&f->validity)));
    kn_json_set(all, "notes", kn_validity_json(&f->validity));
    (void)kn_json_print_line(stdout, all);
}

static enum kn_status collect(struct facts *f, int ranks)
{
    const struct kn_case *c = f->c;
    struct watch w;
    const struct kn_progress_callback by = progress_of(&w);
    for (int d = 0; d < 3; d++)
        if (c->space.cells[d] > 1)
            f->narrowest = fmin(f->narrowest, kn_case_narrowest_cell(c, d));
    KN_TRY(kn_scales_create(&f->scales, c));
    KN_TRY(kn_sim_plan(c, &kn_comm_alone, &f->plan));
    const struct kn_steady_bytes more = kn_steady_memory(c, &f->plan);
    f->plan.memory_bytes += more.each + more.moments;
    KN_TRY(kn_validity_judge_case(&f->validity, c, f->plan.time_step));
    if (ranks > 0)
        KN_TRY(kn_info_ranks_create(&f->ranks, c, ranks));
    const enum kn_status status = kn_estimate_step(c, &by, &f->estimate);
    return status == KN_ENUMERIC ? KN_OK : status; /* the checks say why such a case has no finite solution */
}

enum kn_status kn_info_case(const struct kn_case *c, int ranks, bool json)
{
    struct kn_case chosen = *c;
    struct kn_comm comm = kn_comm_alone;
    comm.size = ranks > 1 ? ranks : 1;
    struct facts f = {
        .c = &chosen, .asked = c, .available = kn_config_memory_available(), .narrowest = INFINITY};
    KN_TRY(kn_nodes_choose(&chosen));
    kn_mode_choose(&chosen, &comm, f.mode);
    const enum kn_status status = collect(&f, ranks);
    if (status == KN_OK)
        (json ? print_case_json : print_case_text)(&f);
    kn_info_ranks_destroy(&f.ranks);
    return status;
}
