/* Figures 1 to 3 of the paper: convergence, profiles, the drag over time. */
#include "studies/paper.h"

#include <math.h>
#include <string.h>

static const char *const colours[KN_PAPER_CASES] = {"#0060a8", "#2e8b57", "#d1495b"};
static const int symbols[KN_PAPER_CASES] = {6, 4, 8}; /* circles, squares, triangles, as in the paper */

/* ------------------------------------------------------------------- fig. 1 */

/* Blocks: order by order, case by case. */
static void write_errors(FILE *to, const void *of)
{
    const struct kn_paper *p = of;
    for (int order = 0; order < KN_PAPER_ORDERS; order++)
        for (int i = 0; i < KN_PAPER_CASES; i++) {
            const struct kn_paper_study *s = &p->study[i][order];
            fprintf(to,
                    "# order %d, delta %s: h / L, relative errors of D in cells, D at lid, G; these; their "
                    "statistical errors\n",
                    order + 1, kn_paper_cases[i].delta);
            for (int k = 0; k < s->grids; k++) {
                fprintf(to, "%.8g", 1.0 / s->point[k].side);
                for (int q = 0; q < KN_PAPER_QUANTITIES; q++)
                    fprintf(to, " %.6g", kn_paper_error(s, k, (enum kn_paper_quantity)q));
                for (int q = 0; q < KN_PAPER_QUANTITIES; q++)
                    fprintf(to, " %.6g", s->point[k].value[q]);
                for (int q = 0; q < KN_PAPER_QUANTITIES; q++)
                    fprintf(to, " %.2g", s->point[k].error[q]);
                fprintf(to, "\n");
            }
            fprintf(to, "\n\n");
        }
}

static void plot_errors_of(FILE *to, const struct kn_paper *p, int order, enum kn_paper_quantity q,
                           const char *title)
{
    double least = 1, most = 0;
    for (int i = 0; i < KN_PAPER_CASES; i++) {
        const struct kn_paper_study *s = &p->study[i][order];
        least = fmin(least, 1.0 / s->point[s->grids - 1].side);
        most = fmax(most, 1.0 / s->point[0].side);
    }
    fprintf(to, "set title '%s'\nset xrange [%g:%g]\nplot", title, 0.8 * least, 1.25 * most);
    for (int i = 0; i < KN_PAPER_CASES; i++) {
        const struct kn_paper_study *s = &p->study[i][order];
        fprintf(
            to,
            "%s data index %d using 1:%d with points pt %d ps 1.2 lw 1.5 lc rgb '%s' title '{/:Italic δ} = "
            "%s, slope %.2f'",
            i ? "," : "", order * KN_PAPER_CASES + i, 2 + (int)q, symbols[i], colours[i],
            kn_paper_cases[i].delta, s->slope[q]);
        if (isfinite(s->slope[q]))
            fprintf(to, ", %.8g * x**%.8g with lines lw 1.2 lc rgb '%s' notitle", s->factor[q], s->slope[q],
                    colours[i]);
    }
    fprintf(to, "\n");
}

static void plot_errors(FILE *to, const void *of)
{
    const struct kn_paper *p = of;
    fprintf(to, "set multiplot layout 2,2\nset logscale xy\nset format y '10^{%%T}'\n"
                "set xtics (0.005, 0.01, 0.02, 0.05, 0.1)\nset key bottom right samplen 1\nset xlabel 'cell  "
                "{/:Italic h} / {/:Italic L}'\n"
                "set ylabel 'relative error'\n");
    plot_errors_of(to, p, 0, KN_PAPER_CELLS, "(a) drag {/:Italic D} in the cells at the lid, order 1");
    plot_errors_of(to, p, 0, KN_PAPER_FLOW, "(b) flow {/:Italic G}, order 1");
    plot_errors_of(to, p, 1, KN_PAPER_WALL, "drag {/:Italic D} at the lid, order 2");
    plot_errors_of(to, p, 1, KN_PAPER_FLOW, "flow {/:Italic G}, order 2");
    fprintf(to, "unset multiplot\n");
}

/* ------------------------------------------------------------------- fig. 2 */

enum { PROFILES = 2, BLOCKS = 7 };
static const int profiled[PROFILES] = {0, 2}; /* delta = 0.1 and 10 */

static double centre(const struct kn_record *r, int axis, int cell)
{
    return kn_record_centre(r, axis, cell) / r->edges[axis][r->cells[axis]];
}

/* A field at a place in L, on a line through the centres of neighbouring cells of one axis. */
static double across(const struct kn_record *r, enum kn_field field, int axis, double at, int cell)
{
    const int nx = r->cells[0], n = r->cells[axis];
    int low = 0;
    while (low < n - 2 && centre(r, axis, low + 1) < at)
        low++;
    const double share = (at - centre(r, axis, low)) / (centre(r, axis, low + 1) - centre(r, axis, low));
    const size_t step = axis == 0 ? 1 : (size_t)nx, first = axis == 0 ? (size_t)cell * nx : (size_t)cell;
    const double *values = r->fields + field;
    return (1 - share) * values[(first + step * (size_t)low) * KN_FIELDS] +
           share * values[(first + step * (size_t)(low + 1)) * KN_FIELDS];
}

/* y / L of the centre of the vortex, where u_x changes sign on the midline below the lid. */
static double vortex_height(const struct kn_record *r)
{
    for (int j = r->cells[1] - 1; j > 0; j--) {
        const double above = across(r, KN_UX, 0, 0.5, j), below = across(r, KN_UX, 0, 0.5, j - 1);
        if (above >= 0 && below < 0)
            return centre(r, 1, j - 1) + (centre(r, 1, j) - centre(r, 1, j - 1)) * below / (below - above);
    }
    return 0.5;
}

static void write_vertical(FILE *to, const struct kn_record *r)
{
    for (int j = 0; j < r->cells[1]; j++)
        fprintf(to, "%.6g %.6g\n", centre(r, 1, j), across(r, KN_UX, 0, 0.5, j));
    fprintf(to, "\n\n");
}

static void write_horizontal(FILE *to, const struct kn_record *r)
{
    const double height = vortex_height(r);
    fprintf(to, "# at y / L = %.4f\n", height);
    for (int i = 0; i < r->cells[0]; i++)
        fprintf(to, "%.6g %.6g\n", centre(r, 0, i), across(r, KN_UY, 1, height, i));
    fprintf(to, "\n\n");
}

/* A run that was not made leaves its blocks, which are counted, without values. */
static void write_both(FILE *to, const struct kn_record *r, const char *delta, const char *name)
{
    fprintf(to, "# delta %s, %s: y / L, u_x / u_w on the vertical midline\n", delta, name);
    if (r->fields)
        write_vertical(to, r);
    else
        fprintf(to, "NaN NaN\n\n\n");
    fprintf(to, "# delta %s, %s: x / L, u_y / u_w through the vortex\n", delta, name);
    if (r->fields)
        write_horizontal(to, r);
    else
        fprintf(to, "NaN NaN\n\n\n");
}

static void write_profiles(FILE *to, const void *of)
{
    const struct kn_paper *p = of;
    for (int k = 0; k < PROFILES; k++) {
        const int i = profiled[k];
        const struct kn_paper_case *c = &kn_paper_cases[i];
        const struct kn_record *runs[] = {&p->run[i], &p->second[i], &p->operated[i]};
        const char *const names[] = {"order 1, stretched", "order 2, uniform", "operator, order 2"};
        for (int n = 0; n < 3; n++)
            write_both(to, runs[n], c->delta, names[n]);
        fprintf(to, "# delta %s, independent computation, unpublished: y / L, u_x / u_w\n", c->delta);
        for (int j = 0; j < KN_PAPER_MIDLINE; j++)
            fprintf(to, "%g %g\n", kn_paper_midline[j], c->midline[j]);
        fprintf(to, "\n\n");
    }
}

/* The lines of one panel: u_x has the even blocks, u_y the odd ones. */
static void plot_panel(FILE *to, int first)
{
    for (int k = 0; k < PROFILES; k++) {
        const int block = BLOCKS * k + first;
        fprintf(
            to,
            "%s data index %d with lines lw 1.8 dt %d lc rgb '%s' title '{/:Italic δ} = %s', data index %d "
            "with lines lw 0.8 lc rgb 'black' title '%s'",
            k ? "," : "plot", block, 2 - k, colours[profiled[k]], kn_paper_cases[profiled[k]].delta,
            block + 2, k ? "" : "order 2");
    }
    fprintf(to, ", data index %d with lines lw 0.8 dt 3 lc rgb 'black' title 'operator, {/:Italic δ} = 10'",
            BLOCKS + first + 4);
}

static void plot_profiles(FILE *to, const void *of)
{
    (void)of;
    fprintf(to,
            "set multiplot layout 1,2\nset key top left Left reverse samplen 2\n"
            "set title '(a) vertical line through the centre'\nset ylabel '{/:Italic u_x} / {/:Italic u_w}'\n"
            "set xlabel '{/:Italic y} / {/:Italic L}'\nset xrange [0:1]\n");
    plot_panel(to, 0);
    for (int k = 0; k < PROFILES; k++)
        fprintf(to, ", data index %d with points pt %d ps 1 lw 1.5 lc rgb '%s' title '%s'", BLOCKS * k + 6,
                k ? 6 : 4, colours[profiled[k]], k ? "" : "reference");
    fprintf(to, "\nset title '(b) horizontal line through the vortex'\nset key top right\n"
                "set ylabel '{/:Italic u_y} / {/:Italic u_w}'\nset xlabel '{/:Italic x} / {/:Italic L}'\n");
    plot_panel(to, 1);
    fprintf(to, "\nunset multiplot\n");
}

/* ------------------------------------------------------------------- fig. 3 */

enum { TIMES = 2 };
static const int timed[TIMES] = {1, 2}; /* the caption has delta = 1, the text delta = 10 */

static void write_history(FILE *to, const struct kn_record *r)
{
    int time = 0, drag = 0;
    for (int i = 0; i < r->ncolumns; i++) {
        time = strcmp(r->columns[i].name, "time") == 0 ? i : time;
        drag = strcmp(r->columns[i].name, "D") == 0 ? i : drag;
    }
    for (int64_t row = 1; row < r->rows; row++) /* nothing has passed the lid at step 0 */
        fprintf(to, "%.8g %.8g\n", r->history[row * r->ncolumns + time],
                r->history[row * r->ncolumns + drag]);
    fprintf(to, "\n\n");
}

static void write_drag(FILE *to, const void *of)
{
    const struct kn_paper *p = of;
    for (int k = 0; k < TIMES; k++) {
        fprintf(to, "# delta %s: t V0 / lambda0, D at the lid\n", kn_paper_cases[timed[k]].delta);
        write_history(to, &p->run[timed[k]]);
        fprintf(to, "# the same by the operator, second order\n");
        write_history(to, &p->operated[timed[k]]);
    }
}

static void plot_drag(FILE *to, const void *of)
{
    (void)of;
    fprintf(to,
            "set multiplot layout 1,2\nset key bottom right samplen 2\nset xlabel '{/:Italic t V}_0 / "
            "{/:Italic λ}_0'\nset ylabel 'drag  {/:Italic D}'\nset offsets 0, 0, graph 0.05, graph 0.05\n");
    for (int k = 0; k < TIMES; k++)
        fprintf(
            to,
            "set title '{/:Italic δ} = %s'\nplot data index %d with lines lw 1.2 lc rgb '%s' title 'Monte "
            "Carlo, the paper', data index %d with lines lw 1.2 lc rgb 'black' title 'operator, order 2'\n",
            kn_paper_cases[timed[k]].delta, 2 * k, colours[timed[k]], 2 * k + 1);
    fprintf(to, "unset multiplot\n");
}

enum kn_status kn_paper_figures(struct kn_reproduce *job, const struct kn_paper *p)
{
    const struct kn_draw figures[] = {
        {"fig1", "Fig. 1: relative error of D and G over the size of the cells", 1100, 900, write_errors,
         plot_errors, p},
        {"fig2", "Fig. 2: profiles of the velocity", 1200, 500, write_profiles, plot_profiles, p},
        {"fig3", "Fig. 3: drag over time", 1200, 450, write_drag, plot_drag, p},
    };
    enum kn_status status = KN_OK;
    for (size_t i = 0; i < sizeof figures / sizeof *figures && status == KN_OK; i++)
        status = kn_reproduce_figure(job, &figures[i]);
    return status;
}
