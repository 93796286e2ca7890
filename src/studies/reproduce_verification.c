/* knudsen reproduce verification: the page docs/verification.md with its pictures. */
#include "studies/convergence.h"

#include "backend/backend.h"
#include "error.h"
#include "files.h"
#include "verify/verify_print.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ----------------------------------------------------------------- pictures */

static void print_data(FILE *to, const void *what)
{
    const struct kn_study *s = what;
    for (int i = 0; i < s->ncurves; i++) {
        fprintf(to, "# %s: %s, value, error\n", s->curve[i].name, s->x);
        for (int k = 0; k < s->curve[i].n; k++)
            fprintf(to, "%.10g %.10g %.6g\n", s->curve[i].x[k], s->curve[i].value[k], s->curve[i].error[k]);
        fprintf(to, "\n\n");
    }
}

static void print_commands(FILE *to, const void *what)
{
    const struct kn_study *s = what;
    fprintf(to, "set logscale xy\nset format y '10^{%%T}'\nset xlabel '%s'\nset ylabel '%s'\n", s->x, s->y);
    double low = INFINITY, high = 0;
    for (int i = 0; i < s->ncurves; i++)
        for (int k = 0; k < s->curve[i].n; k++) {
            low = fmin(low, s->curve[i].x[k]);
            high = fmax(high, s->curve[i].x[k]);
        }
    fprintf(to, "set key outside right top\nset xrange [%g:%g]\nset xtics (", low / 1.3, 1.3 * high);
    for (int k = 0; k < s->curve[0].n; k++)
        fprintf(to, "%s'%.3g' %.10g", k ? ", " : "", s->curve[0].x[k], s->curve[0].x[k]);
    fprintf(to, ")\nplot");
    for (int i = 0; i < s->ncurves; i++) {
        const struct kn_curve *c = &s->curve[i];
        fprintf(to, "%s data index %d using 1:3 with linespoints pt %d lw 1.5 title '%s", i ? "," : "", i,
                5 + 2 * i, c->name);
        if (isfinite(c->slope))
            fprintf(to, ", slope %.2f", c->slope);
        fprintf(to, "'");
    }
    fprintf(to, "\n");
}

/* --------------------------------------------------------------------- page */

static void print_study(FILE *to, const struct kn_study *s)
{
    fprintf(to, "\n## %s\n\n%s\n\n![%s](pictures/%s.svg)\n\n", s->title, s->text, s->title, s->name);
    fprintf(to, "| curve | %s: %s | slope | expected |\n| --- | --- | --- | --- |\n", s->x, s->y);
    for (int i = 0; i < s->ncurves; i++) {
        const struct kn_curve *c = &s->curve[i];
        fprintf(to, "| %s |", c->name);
        for (int k = 0; k < c->n; k++)
            fprintf(to, "%s %.4g: %.2e", k ? "," : "", c->x[k], c->error[k]);
        if (isfinite(c->slope))
            fprintf(to, " | %.2f | %g |\n", c->slope, c->expected);
        else
            fprintf(to, " | | |\n");
    }
}

struct page {
    struct kn_study study[KN_CONVERGENCE_STUDIES];
    bool gpu;
    char *table; /* of the checks, in Markdown */
    size_t length;
    int checks, passed;
};

static void print_page(FILE *to, const void *what)
{
    const struct page *p = what;
    fprintf(
        to,
        "# Verification\n\n"
        "Written by `knudsen reproduce verification --out docs`. Values below come from that one run%s.\n\n"
        "* [Checks](#checks) against exact and published values: `knudsen verify%s`.\n"
        "* Convergence in [space](#order-in-space), [time](#order-in-time), "
        "[velocity](#velocity-nodes), and of the [noise](#statistical-error).\n"
        "* The paper's own table and figures: `paper.md`. Against particles: `dsmc.md`.\n",
        p->gpu ? " on a GPU" : " on a CPU", p->gpu ? " --full" : "");
    for (int i = 0; i < KN_CONVERGENCE_STUDIES; i++)
        print_study(to, &p->study[i]);
    fprintf(
        to,
        "\n## Checks\n\n%d of %d pass; misses are explained on the pages of their cases "
        "(`cases/NAME/README.md`). In brackets stand the errors of the last digits, after +- those of more "
        "than a hundredth: of the reference, and of Knudsen as estimated from coarser grids (`knudsen verify "
        "--help`); what is allowed is their sum, or what is claimed where that is less.\n\n%s",
        p->passed, p->checks, p->table);
}

static void print_slopes(const struct kn_study *s)
{
    for (int k = 0; k < s->ncurves; k++)
        if (isfinite(s->curve[k].slope))
            printf("%-20s %-22s slope %6.2f, expected %g\n", s->title, s->curve[k].name, s->curve[k].slope,
                   s->curve[k].expected);
        else
            printf("%-20s %-22s error %.1e to %.1e\n", s->title, s->curve[k].name, s->curve[k].error[0],
                   s->curve[k].error[s->curve[k].n - 1]);
    fflush(stdout);
}

/* Figures go into a folder of their own beside the page. */
static enum kn_status make_studies(struct kn_reproduce *job, struct page *p)
{
    char pictures[KN_PATH];
    const char *const folder = job->folder;
    enum kn_status status = kn_files_join(pictures, folder, "pictures");
    if (status == KN_OK)
        status = kn_files_make_folder(pictures);
    job->folder = pictures;
    for (int i = 0; i < KN_CONVERGENCE_STUDIES && status == KN_OK; i++) {
        struct kn_study *s = &p->study[i];
        status = kn_convergence_studies[i](s, job);
        if (status == KN_OK)
            print_slopes(s);
        const struct kn_draw figure = {s->name, s->title, 800, 420, print_data, print_commands, s};
        if (status == KN_OK)
            status = kn_reproduce_figure(job, &figure);
    }
    job->folder = folder;
    return status;
}

/* ------------------------------------------------------------------- checks */

struct taking {
    struct page *page;
    FILE *to;
};

static void take(void *to, const struct kn_verify_result *result)
{
    const struct taking *t = to;
    kn_verify_print_markdown(t->to, result);
    t->page->checks++;
    t->page->passed += result->pass && !result->open;
}

/* A check that fails is part of the page, and the command fails after it has written it. */
static enum kn_status make_checks(struct page *p)
{
    FILE *to = open_memstream(&p->table, &p->length);
    if (!to)
        return kn_error_set(KN_EMEMORY, "not enough memory");
    fprintf(
        to,
        "| case | quantity | conditions | reference | source | Knudsen | deviation | allowed | verdict |\n"
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
    struct taking taking = {p, to};
    const struct kn_verify_options options = {.full = p->gpu, .take = take, .to = &taking};
    const enum kn_status status = kn_verify(&options);
    if (fclose(to) != 0)
        return kn_error_set(KN_EMEMORY, "not enough memory");
    return status;
}

enum kn_status kn_reproduce_verification(struct kn_reproduce *job)
{
    struct page p = {.gpu = strcmp(kn_backend_find("auto", KN_METHOD_OPERATOR)->name, "cuda") == 0};
    enum kn_status status = make_studies(job, &p), checks = KN_OK;
    if (status == KN_OK)
        checks = make_checks(&p);
    if (status == KN_OK && (checks == KN_OK || checks == KN_ENUMERIC))
        status = kn_reproduce_text(job, "verification.md", print_page, &p);
    free(p.table);
    return status == KN_OK ? checks : status;
}
