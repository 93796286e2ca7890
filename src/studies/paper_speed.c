/* Figures 4 to 6 of the paper: speed-up, parts of a step, operations a second. */
#include "studies/paper.h"

static const struct kn_bench_result *entry(const struct kn_bench_table *t, int machine, int size)
{
    return &t->results[machine * t->sizes + size];
}

/* The paper's collision step has the drawing of samples in it. */
static double collision_seconds(const struct kn_bench_result *r)
{
    return r->phase[KN_PHASE_SAMPLE] + r->phase[KN_PHASE_COLLIDE];
}

/* Moments and whatever else belongs to neither part is left out of the sum, as bench does. */
static double both_seconds(const struct kn_bench_result *r)
{
    return r->phase[KN_PHASE_STREAM] + collision_seconds(r);
}

static double giga(double operations, double seconds)
{
    return seconds > 0 ? 1e-9 * operations / seconds : 0;
}

/* ------------------------------------------------------------------- fig. 4 */

static void write_ratios(FILE *to, const void *of)
{
    const struct kn_bench_table *t = of;
    for (int m = 0; m < t->machines; m++) {
        fprintf(to, "# %s: N_r, seconds a step, time of one thread over it\n", t->machine[m].name);
        for (int i = 0; i < t->sizes; i++)
            fprintf(to, "%d %.6g %.6g\n", entry(t, m, i)->cells, entry(t, m, i)->step,
                    entry(t, 0, i)->step / entry(t, m, i)->step);
        fprintf(to, "\n\n");
    }
}

static void plot_ratios(FILE *to, const void *of)
{
    const struct kn_bench_table *t = of;
    const int first = t->machines > 1 ? 1 : 0;
    fprintf(
        to,
        "set xlabel 'cells  {/:Italic N_r}'\nset ylabel 'speed-up over one thread'\nset key bottom right\n"
        "set xrange [0:*]\nset yrange [0:*]\nset offsets 0, graph 0.05, graph 0.1, 0\nplot");
    for (int m = first; m < t->machines; m++)
        fprintf(to, "%s data index %d using 1:3 with linespoints pt 6 lw 1.5 title '%s'",
                m > first ? "," : "", m, t->machine[m].name);
    fprintf(to, "\n");
}

/* ------------------------------------------------------------------- fig. 5 */

static void write_parts(FILE *to, const void *of)
{
    const struct kn_bench_table *t = of;
    fprintf(to, "# %s: N_r, shares of streaming and of collisions with sampling, milliseconds a step\n",
            t->machine[t->machines - 1].name);
    for (int i = 0; i < t->sizes; i++) {
        const struct kn_bench_result *r = entry(t, t->machines - 1, i);
        const double both = both_seconds(r);
        fprintf(to, "%d %.6g %.6g %.6g\n", r->cells, r->phase[KN_PHASE_STREAM] / both,
                collision_seconds(r) / both, 1e3 * r->step);
    }
}

static void plot_parts(FILE *to, const void *of)
{
    const struct kn_bench_table *t = of;
    fprintf(
        to,
        "set style data histograms\nset style histogram rowstacked\nset style fill solid 0.9 border lc rgb "
        "'#444444'\nset boxwidth 0.7\nset yrange [0:1.25]\nset key top right horizontal\n"
        "set xlabel 'cells  {/:Italic N_r}'\nset ylabel 'part of the step, %s'\n",
        t->machine[t->machines - 1].name);
    fprintf(to,
            "plot data using 2:xtic(1) lc rgb '#444444' title 'streaming', '' using 3 lc rgb '#cccccc' title "
            "'collisions', '' using 0:(1.04):(sprintf('%%.3g ms', $4)) with labels notitle\n");
}

/* ------------------------------------------------------------------- fig. 6 */

static void write_rates(FILE *to, const void *of)
{
    const struct kn_bench_table *t = of;
    fprintf(to, "# %s: N_r, GFLOP/s of streaming, of collisions, of both\n",
            t->machine[t->machines - 1].name);
    for (int i = 0; i < t->sizes; i++) {
        const struct kn_bench_result *r = entry(t, t->machines - 1, i);
        const double stream = kn_bench_stream_operations(r), collide = kn_bench_collide_operations(r);
        fprintf(to, "%d %.6g %.6g %.6g\n", r->cells, giga(stream, r->phase[KN_PHASE_STREAM]),
                giga(collide, collision_seconds(r)), giga(stream + collide, r->step));
    }
}

static void plot_rates(FILE *to, const void *of)
{
    const struct kn_bench_table *t = of;
    fprintf(
        to,
        "set xlabel 'cells  {/:Italic N_r}'\nset ylabel 'GFLOP/s, %s'\nset key top left\nset xrange [0:*]\n"
        "set yrange [0:*]\nset offsets 0, graph 0.05, graph 0.25, 0\n",
        t->machine[t->machines - 1].name);
    fprintf(
        to,
        "plot data using 1:2 with linespoints pt 6 lw 1.5 title 'streaming', '' using 1:3 with linespoints "
        "pt 4 dt 2 lw 1.5 title 'collisions', '' using 1:4 with linespoints pt 8 dt 4 lw 1.5 title 'both'\n");
}

enum kn_status kn_paper_speed(struct kn_reproduce *job, const struct kn_paper *p)
{
    const struct kn_bench_table *t = &p->speed;
    const struct kn_draw figures[] = {
        {"fig4", "Fig. 4: speed-up over one thread", 800, 500, write_ratios, plot_ratios, t},
        {"fig5", "Fig. 5: parts of the time of a step", 800, 500, write_parts, plot_parts, t},
        {"fig6", "Fig. 6: GFLOP/s as the paper counts", 800, 500, write_rates, plot_rates, t},
    };
    enum kn_status status = KN_OK;
    for (size_t i = 0; i < sizeof figures / sizeof *figures && status == KN_OK; i++)
        status = kn_reproduce_figure(job, &figures[i]);
    return status;
}
