/* knudsen reproduce paper: Frezzotti, Ghiroldi, Gibelli, "Solving the Boltzmann equation on GPUs". */
#include "studies/paper.h"

#include "backend/backend.h"
#include "error.h"
#include "studies/richardson.h"
#include "sim.h"

#include <math.h>
#include <omp.h>
#include <stdarg.h>
#include <string.h>

/* clang-format off */
const double kn_paper_midline[KN_PAPER_MIDLINE] = {0, .1, .2, .3, .4, .5, .6, .7, .8, .9, .95, 1};

const struct kn_paper_case kn_paper_cases[KN_PAPER_CASES] = {
    {"0.1", 160, {0.996, 0.998}, 20, 0.945, 1024, 0.6712, 0.6815, 0.0955, 0.0977,
     "0.676-0.678", "0.0973-0.0976", 0.6804, 0.0972,
     {-.04410, -.08163, -.08970, -.08954, -.08352, -.06948, -.04172, .00834, .09060, .21216, .28845, .37971}},
    {"1", 160, {0.996, 0.998}, 20, 0.945, 6144, 0.6266, 0.6389, 0.1017, 0.1039,
     "0.625-0.631", "0.104-0.105", 0.6406, 0.1034,
     {-.04664, -.08070, -.08994, -.09238, -.08939, -.07803, -.05178, -.00060, .08793, .22610, .31877, .44682}},
    {"10", 192, {0.990, 0.995}, 18, 0.970, 8192, 0.4096, 0.4176, 0.1427, 0.1451,
     "0.412-0.415", "0.145", 0.4259, 0.1438,
     {-.02820, -.07116, -.09594, -.11594, -.13027, -.13282, -.11147, -.04689, .08710, .31990, .48558, .73629}},
};

/* How much of it a machine can do in minutes.  Grids end with 0. */
struct plan {
    int grids[KN_PAPER_CASES][KN_PAPER_ORDERS][KN_PAPER_GRIDS + 1];
    int side[KN_PAPER_CASES];  /* of the stretched grid; its shape is the paper's */
    double end[KN_PAPER_CASES], average[KN_PAPER_CASES]; /* lambda0 / V0: the last time, and the first that is averaged */
    const char *conservation;  /* of the table's runs; the paper's takes longer than all else, and differs by parts
                                * in a million: uniform grids go without */
    int operator_side, operator_nodes;
    int sizes;                 /* of bench */
};
static const struct plan whole = {
    {{{20, 40, 80, 160}, {20, 40, 80}}, {{20, 40, 80, 160}, {20, 40, 80}}, {{24, 48, 96, 192}, {24, 48, 96}}},
    {160, 160, 192}, {0.7, 7, 60}, {0.5, 5, 40}, "paper", 80, 12, KN_BENCH_SIZES};
static const struct plan reduced = {
    {{{12, 16, 24, 32}, {12, 16, 24}}, {{12, 16, 24, 32}, {12, 16, 24}}, {{12, 16, 24, 32}, {12, 16, 24}}},
    {32, 32, 32}, {0.6, 6, 60}, {0.4, 4, 40}, "projection", 32, 8, 4};
/* clang-format on */

enum { ROWS = 500 }; /* of the history of a run, about */

/* -------------------------------------------------------------------- cases */

__attribute__((format(printf, 2, 3))) static enum kn_status set(struct kn_case *c, const char *format, ...)
{
    char text[128];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return kn_case_set(c, text);
}

static enum kn_status set_all(struct kn_case *c, const char *const settings[])
{
    enum kn_status status = KN_OK;
    for (int i = 0; settings[i] && status == KN_OK; i++)
        status = kn_case_set(c, settings[i]);
    return status;
}

/* Rows of the history at a number of steps that gives about as many in every run. */
static enum kn_status set_history(struct kn_case *c)
{
    struct kn_plan_size size;
    const enum kn_status status = kn_sim_plan(c, &kn_comm_alone, &size);
    return status == KN_OK ? set(c, "output.history=%d", 1 + (int)(size.steps / ROWS)) : status;
}

/* What all runs share: a cavity of so many cells, from rest. */
static enum kn_status begin_case(struct kn_case *c, const struct plan *plan, int number, int side)
{
    kn_case_default(c);
    enum kn_status status = set(c, "gas.delta=%s", kn_paper_cases[number].delta);
    if (status == KN_OK)
        status = set(c, "space.cells=[%d,%d]", side, side);
    if (status == KN_OK)
        status = set(c, "time.end=%g", plan->end[number]);
    return status == KN_OK ? set(c, "walls.top.velocity=[1,0,0]") : status;
}

/* The paper's discretisation; stretched by as much as the paper's grid from end to end, or uniform. */
static enum kn_status make_case(struct kn_case *c, const struct plan *plan, int number, int order, int side,
                                bool stretched)
{
    static const char *const settings[] = {"disturbance=0.01",
                                           "velocity.grid=stretched",
                                           "velocity.range=3",
                                           "velocity.weights=midpoint",
                                           "collision.method=monte-carlo",
                                           "collision.estimator=paper",
                                           "collision.update=exponential",
                                           "time.courant=0.5",
                                           "time.splitting=lie",
                                           "space.cluster=[both,high]",
                                           NULL};
    const struct kn_paper_case *of = &kn_paper_cases[number];
    const double power = stretched ? (double)of->side / side : 0;
    enum kn_status status = begin_case(c, plan, number, side);
    if (status == KN_OK)
        status = set_all(c, settings);
    if (status == KN_OK)
        status =
            set(c, "space.stretch=[%.10g,%.10g]", pow(of->stretch[0], power), pow(of->stretch[1], power));
    if (status == KN_OK)
        status = set(c, "space.order=%d", order);
    if (status == KN_OK)
        status = set(c, "velocity.nodes=%d", of->nodes);
    if (status == KN_OK)
        status = set(c, "velocity.ratio=%g", of->ratio);
    if (status == KN_OK)
        status = set(c, "collision.samples=%d", of->samples);
    if (status == KN_OK)
        status = set(c, "collision.conservation=%s", stretched ? plan->conservation : "projection");
    if (status == KN_OK)
        status = set(c, "output.average=%g", plan->average[number]);
    return status == KN_OK ? set_history(c) : status;
}

static enum kn_status make_operator_case(struct kn_case *c, const struct plan *plan, int number)
{
    enum kn_status status = begin_case(c, plan, number, plan->operator_side);
    if (status == KN_OK)
        status = set(c, "collision.method=operator");
    if (status == KN_OK)
        status = set(c, "velocity.nodes=%d", plan->operator_nodes);
    return status == KN_OK ? set_history(c) : status;
}

/* ----------------------------------------------------------------- measures */

/* Mean over the lid of |Pi_xy| in the cells below it. */
static double drag_in_cells(const struct kn_record *r, const double *fields)
{
    const int nx = r->cells[0], top = r->cells[1] - 1;
    const double *edge = r->edges[0];
    double sum = 0;
    for (int i = 0; i < nx; i++)
        sum += (edge[i + 1] - edge[i]) * fabs(fields[((size_t)top * nx + i) * KN_FIELDS + KN_PXY]);
    return sum / (edge[nx] - edge[0]);
}

/* Standard error of a mean from the means of the parts of the time.  The noise of the gas as a whole
 * lives as long as the gas takes to become steady: a few parts say more than many rows. */
static double scatter(const double *mean, int parts)
{
    double middle = 0, square = 0;
    for (int i = 0; i < parts; i++)
        middle += mean[i] / parts;
    for (int i = 0; i < parts; i++)
        square += (mean[i] - middle) * (mean[i] - middle);
    return parts > 1 ? sqrt(square / parts / (parts - 1)) : NAN;
}

static double cells_error(const struct kn_record *r)
{
    double mean[KN_RECORD_PARTS];
    for (int i = 0; i < r->parts; i++)
        mean[i] = drag_in_cells(r, r->part[i]);
    return scatter(mean, r->parts);
}

static double column_error(const struct kn_record *r, int of)
{
    const int time = kn_record_column(r, "time");
    const double from = r->c.output.average, length = (r->c.time.end - from) / KN_RECORD_PARTS;
    double sum[KN_RECORD_PARTS] = {0};
    int rows[KN_RECORD_PARTS] = {0};
    for (int64_t row = 0; row < r->rows; row++) {
        const double *values = r->history + row * r->ncolumns, place = (values[time] - from) / length;
        const int part = place < KN_RECORD_PARTS ? (int)floor(place) : KN_RECORD_PARTS - 1;
        if (part >= 0) {
            sum[part] += values[of];
            rows[part]++;
        }
    }
    for (int i = 0; i < KN_RECORD_PARTS; i++)
        sum[i] /= rows[i];
    return scatter(sum, KN_RECORD_PARTS);
}

static struct kn_paper_point measure(const struct kn_record *r)
{
    const int drag = kn_record_column(r, "D"), flow = kn_record_column(r, "G");
    return (struct kn_paper_point){
        .side = r->cells[0],
        .value = {drag_in_cells(r, r->fields), r->mean[drag], r->mean[flow]},
        .error = {cells_error(r), column_error(r, drag), column_error(r, flow)},
        .seconds = r->seconds,
    };
}

/* Lines in h at first order, in h^2 at second, through the finest grids. */
static void extrapolate(struct kn_paper_study *s, int order)
{
    double h[KN_PAPER_GRIDS], value[KN_PAPER_GRIDS];
    for (int q = 0; q < KN_PAPER_QUANTITIES; q++) {
        for (int i = 0; i < s->grids; i++) {
            h[i] = 1.0 / s->point[i].side;
            value[i] = s->point[i].value[q];
        }
        if (!kn_richardson_limit(h, value, s->grids, order, &s->limit[q]))
            s->limit[q] = NAN;
        s->order[q] = kn_richardson_order(h, value, s->grids);
        s->slope[q] = kn_richardson_slope(h, value, s->grids, s->limit[q], &s->factor[q]);
    }
}

double kn_paper_error(const struct kn_paper_study *s, int point, enum kn_paper_quantity q)
{
    return fabs(s->point[point].value[q] / s->limit[q] - 1);
}

/* --------------------------------------------------------------------- runs */

static void print_point(const char *what, const struct kn_paper_point *p)
{
    const double *v = p->value, *e = p->error;
    printf("%-46s %8.4f +-%.5f  %8.4f +-%.5f  %8.4f +-%.5f  %7.1f\n", what, v[0], e[0], v[1], e[1], v[2],
           e[2], p->seconds);
    fflush(stdout);
}

/* One run on the paper's discretisation; `keep` receives it, NULL: nobody wants more than the measures. */
static enum kn_status run_paper(const struct kn_reproduce *job, const struct kn_case *c, const char *grid,
                                struct kn_record *keep, struct kn_paper_point *point)
{
    struct kn_record r;
    char what[128];
    snprintf(what, sizeof what, "delta %-4g order %d  %3d x %-3d %s", c->gas.delta, c->space.order,
             c->space.cells[0], c->space.cells[1], grid);
    const enum kn_status status = kn_reproduce_run(job, what, c, &r);
    if (status != KN_OK)
        return status;
    *point = measure(&r);
    print_point(what, point);
    if (keep)
        *keep = r;
    else
        kn_record_destroy(&r);
    return KN_OK;
}

static enum kn_status run_stretched(const struct kn_reproduce *job, const struct plan *plan, int number,
                                    struct kn_paper *p)
{
    struct kn_case c;
    const enum kn_status status = make_case(&c, plan, number, 1, plan->side[number], true);
    return status == KN_OK ? run_paper(job, &c, "stretched", &p->run[number], &p->stretched[number]) : status;
}

/* Uniform grids; the record of the finest goes to `keep`. */
static enum kn_status run_study(const struct kn_reproduce *job, const struct plan *plan, int number,
                                int order, struct kn_record *keep, struct kn_paper_study *s)
{
    const int *sides = plan->grids[number][order - 1];
    enum kn_status status = KN_OK;
    for (s->grids = 0; sides[s->grids] > 0 && status == KN_OK; s->grids++) {
        struct kn_case c;
        status = make_case(&c, plan, number, order, sides[s->grids], false);
        if (status == KN_OK)
            status = run_paper(job, &c, "uniform", sides[s->grids + 1] ? NULL : keep, &s->point[s->grids]);
    }
    if (status == KN_OK)
        extrapolate(s, order);
    return status;
}

static enum kn_status run_operator(const struct kn_reproduce *job, const struct plan *plan, int number,
                                   struct kn_record *r)
{
    struct kn_case c;
    char what[128];
    snprintf(what, sizeof what, "delta %-4s order 2  %3d x %-3d operator", kn_paper_cases[number].delta,
             plan->operator_side, plan->operator_side);
    enum kn_status status = make_operator_case(&c, plan, number);
    if (status == KN_OK)
        status = kn_reproduce_run(job, what, &c, r);
    if (status != KN_OK)
        return status;
    const struct kn_paper_point p = measure(r);
    printf("%-46s %8.4f %8s %8.4f %8s %8.4f %8s %7.1f\n", what, p.value[0], "", p.value[1], "", p.value[2],
           "", p.seconds);
    fflush(stdout);
    return KN_OK;
}

static bool hear_speed(void *to, const struct kn_bench_result *r)
{
    (void)to;
    printf("%-16s %6d cells %10.3f ms a step\n", r->machine->name, r->cells, 1e3 * r->step);
    fflush(stdout);
    return !kn_reproduce_is_stopped();
}

/* ------------------------------------------------------------------ together */

static enum kn_status run_all(const struct kn_reproduce *job, const struct plan *plan, struct kn_paper *p)
{
    enum kn_status status = KN_OK;
    printf("%-46s %17s  %17s  %17s  %7s\n", "run", "D in cells at lid", "D at the lid", "G", "s");
    for (int n = 0; n < KN_PAPER_CASES && status == KN_OK; n++) {
        status = run_stretched(job, plan, n, p);
        if (status == KN_OK)
            status = run_study(job, plan, n, 1, NULL, &p->study[n][0]);
        if (status == KN_OK)
            status = run_study(job, plan, n, 2, &p->second[n], &p->study[n][1]);
        if (status == KN_OK && n > 0) /* at delta = 0.1 few nodes show as rays */
            status = run_operator(job, plan, n, &p->operated[n]);
    }
    return status;
}

static enum kn_status measure_speed(const struct plan *plan, struct kn_paper *p)
{
    static const struct kn_bench_listener listener = {hear_speed, NULL};
    printf("\nSpeed at delta = 1, the paper's velocity grid and samples\n");
    return kn_bench_paper(&p->speed, kn_bench_sides, plan->sizes, &listener);
}

static void write_report(FILE *to, const void *of)
{
    static const char *const figures[] = {
        "Error of D and G over the size of the cells",
        "Profiles through the middle and through the vortex",
        "Drag over time, delta 1 and delta 10",
        "Speed-up over one thread",
        "Parts of the time of a step",
        "GFLOP/s as the paper counts",
    };
    const struct kn_paper *p = of;
    fprintf(to,
            "# Solving the Boltzmann equation on GPUs, reproduced\n\n`knudsen reproduce paper`, %s%s.\n\n",
            p->machine, p->reduced ? ", on coarser grids than the paper's" : "");
    kn_paper_table_markdown(to, p);
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        fprintf(to, "\n## Fig. %zu: %s\n\n![%s](fig%zu.svg)\n", i + 1, figures[i], figures[i], i + 1);
}

/* What the runs gave is on disk before anything else is begun. */
static enum kn_status make_all(struct kn_reproduce *job, const struct plan *plan, struct kn_paper *p)
{
    enum kn_status status = run_all(job, plan, p);
    if (status == KN_OK)
        status = kn_paper_table(job, p);
    if (status == KN_OK)
        status = kn_paper_figures(job, p);
    if (status == KN_OK)
        status = measure_speed(plan, p);
    if (status == KN_OK)
        status = kn_paper_speed(job, p);
    return status == KN_OK ? kn_reproduce_text(job, "paper.md", write_report, p) : status;
}

enum kn_status kn_reproduce_paper(struct kn_reproduce *job)
{
    const struct kn_backend *machine = kn_backend_find("auto", KN_METHOD_MONTE_CARLO);
    static struct kn_paper p; /* large */
    p = (struct kn_paper){.reduced = strcmp(machine->name, "cuda") != 0};
    if (p.reduced)
        snprintf(p.machine, sizeof p.machine, "CPU, %d threads", omp_get_max_threads());
    else
        snprintf(p.machine, sizeof p.machine, "GPU");
    printf("The paper's cavity on %s%s\n\n", p.machine,
           p.reduced ? "; there is no GPU, so the grids are coarser than the paper's" : "");
    const enum kn_status status = make_all(job, p.reduced ? &reduced : &whole, &p);
    for (int i = 0; i < KN_PAPER_CASES; i++) {
        kn_record_destroy(&p.run[i]);
        kn_record_destroy(&p.second[i]);
        kn_record_destroy(&p.operated[i]);
    }
    return status;
}
