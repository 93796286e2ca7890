/* Table 1 of the paper, and the slopes of its Fig. 1. */
#include "studies/paper.h"

#include <math.h>

static double percent(double value, double of)
{
    return 100 * (value / of - 1);
}

/* What the paper and others have for a quantity. */
struct published {
    double paper, limit;
    const char *bgk;
    double exact;
};

static struct published published(int number, enum kn_paper_quantity q)
{
    const struct kn_paper_case *c = &kn_paper_cases[number];
    return q == KN_PAPER_FLOW ? (struct published){c->flow, c->flow_limit, c->bgk_flow, c->exact_flow}
                              : (struct published){c->drag, c->drag_limit, c->bgk_drag, c->exact_drag};
}

/* -------------------------------------------------------------------- screen */

static void write_quantity(FILE *to, const struct kn_paper *p, enum kn_paper_quantity q)
{
    static const char *const titles[KN_PAPER_QUANTITIES] = {
        "D, shear stress in the cells at the lid, which is what the paper has",
        "D, shear stress on the lid itself", "G, flow of the vortex"};
    const char *const name = q == KN_PAPER_FLOW ? "G" : "D";
    const char *const heads[] = {"delta", "cells", "here", "+-", "paper", "off", "here", "paper", "off"};
    fprintf(to, "\n%s\n%33s%-24s%s_e\n", titles[q], "", name, name);
    fprintf(to, "%6s %8s %9s %8s %8s %8s %9s %8s %8s", heads[0], heads[1], heads[2], heads[3], heads[4],
            heads[5], heads[6], heads[7], heads[8]);
    fprintf(to, " %14s %8s\n", "BGK (VVS08)", "exact");
    for (int i = 0; i < KN_PAPER_CASES; i++) {
        const struct published of = published(i, q);
        const struct kn_paper_point *s = &p->stretched[i];
        const double limit = p->study[i][0].limit[q];
        char cells[32];
        snprintf(cells, sizeof cells, "%dx%d", s->side, s->side);
        fprintf(to, "%6s %8s %9.4f %8.5f %8.4f %+6.1f %% %9.4f %8.4f %+6.1f %% %14s %8.4f\n",
                kn_paper_cases[i].delta, cells, s->value[q], s->error[q], of.paper,
                percent(s->value[q], of.paper), limit, of.limit, percent(limit, of.limit), of.bgk, of.exact);
    }
}

static void write_slopes(FILE *to, const struct kn_paper *p)
{
    fprintf(
        to,
        "\nFig. 1: slope of log error over log h, against the extrapolated limit; and p of a + b h^p through "
        "the\nfinest three grids, which assumes no limit (- where they do not lie on such a curve)\n"
        "%6s %16s %16s %16s %18s %16s\n%6s",
        "", "order 1: D cells", "D lid", "G", "order 2: D lid", "G", "delta");
    for (int i = 0; i < 5; i++)
        fprintf(to, "%*s %8s", i == 3 ? 10 : 8, "slope", "p");
    fprintf(to, "\n");
    for (int i = 0; i < KN_PAPER_CASES; i++) {
        fprintf(to, "%6s", kn_paper_cases[i].delta);
        for (int k = 0; k < 5; k++) {
            const struct kn_paper_study *s = &p->study[i][k / 3];
            const int q = k < 3 ? k : k - 2;
            fprintf(to, "%*.2f", k == 3 ? 10 : 8, s->slope[q]);
            if (isnan(s->order[q]))
                fprintf(to, " %8s", "-");
            else
                fprintf(to, " %8.2f", s->order[q]);
        }
        fprintf(to, "\n");
    }
    fprintf(to, "\nOrder 2, extrapolated in h^2\n%6s %8s %9s %8s %9s\n", "delta", "D_e lid", "D exact", "G_e",
            "G exact");
    for (int i = 0; i < KN_PAPER_CASES; i++)
        fprintf(to, "%6s %8.4f %9.4f %8.4f %9.4f\n", kn_paper_cases[i].delta,
                p->study[i][1].limit[KN_PAPER_WALL], kn_paper_cases[i].exact_drag,
                p->study[i][1].limit[KN_PAPER_FLOW], kn_paper_cases[i].exact_flow);
}

static void write_text(FILE *to, const void *of)
{
    const struct kn_paper *p = of;
    fprintf(to, "Table 1 of the paper, on %s%s\n", p->machine,
            p->reduced ? ": its own D and G are from 160x160 (delta 10: 192x192) cells, stretched" : "");
    for (int q = 0; q < KN_PAPER_QUANTITIES; q++)
        write_quantity(to, p, (enum kn_paper_quantity)q);
    write_slopes(to, p);
}

/* --------------------------------------------------------------------- files */

static void write_csv(FILE *to, const void *of)
{
    static const char *const names[KN_PAPER_QUANTITIES] = {"D cells", "D lid", "G"};
    const struct kn_paper *p = of;
    fprintf(to,
            "delta,quantity,cells,value,statistical_error,paper,limit,limit_paper,slope,order,slope_order_2,"
            "bgk,exact\n");
    for (int i = 0; i < KN_PAPER_CASES; i++)
        for (int q = 0; q < KN_PAPER_QUANTITIES; q++) {
            const struct published known = published(i, (enum kn_paper_quantity)q);
            const struct kn_paper_point *s = &p->stretched[i];
            fprintf(to, "%s,%s,%d,%.6f,%.6f,%.4f,%.6f,%.4f,%.3f,%.3f,%.3f,%s,%.4f\n", kn_paper_cases[i].delta,
                    names[q], s->side * s->side, s->value[q], s->error[q], known.paper,
                    p->study[i][0].limit[q], known.limit, p->study[i][0].slope[q], p->study[i][0].order[q],
                    p->study[i][1].slope[q], known.bgk, known.exact);
        }
}

void kn_paper_table_markdown(FILE *to, const struct kn_paper *p)
{
    fprintf(
        to,
        "## Table 1\n\n"
        "| delta | cells | D in cells | D paper | D_e in cells | D_e paper | D at lid | D_e at lid | D BGK "
        "(VVS08) | D exact |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for (int i = 0; i < KN_PAPER_CASES; i++) {
        const struct kn_paper_point *s = &p->stretched[i];
        const struct kn_paper_case *c = &kn_paper_cases[i];
        const double *limit = p->study[i][0].limit;
        fprintf(to, "| %s | %d x %d | %.4f | %.4f | %.4f | %.4f | %.4f | %.4f | %s | %.4f |\n", c->delta,
                s->side, s->side, s->value[KN_PAPER_CELLS], c->drag, limit[KN_PAPER_CELLS], c->drag_limit,
                s->value[KN_PAPER_WALL], limit[KN_PAPER_WALL], c->bgk_drag, c->exact_drag);
    }
    fprintf(to, "\n| delta | cells | G | G paper | G_e | G_e paper | G BGK (VVS08) | G exact |\n"
                "| --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for (int i = 0; i < KN_PAPER_CASES; i++) {
        const struct kn_paper_point *s = &p->stretched[i];
        const struct kn_paper_case *c = &kn_paper_cases[i];
        fprintf(to, "| %s | %d x %d | %.4f | %.4f | %.4f | %.4f | %s | %.4f |\n", c->delta, s->side, s->side,
                s->value[KN_PAPER_FLOW], c->flow, p->study[i][0].limit[KN_PAPER_FLOW], c->flow_limit,
                c->bgk_flow, c->exact_flow);
    }
    fprintf(to, "\nSlopes of the errors over the size of the cells, and in brackets p of a + b h^p through "
                "the finest three grids:\n\n"
                "| delta | D in cells | D at lid | G | order 2: D at lid | order 2: G |\n"
                "| --- | --- | --- | --- | --- | --- |\n");
    for (int i = 0; i < KN_PAPER_CASES; i++) {
        const struct kn_paper_study *one = &p->study[i][0], *two = &p->study[i][1];
        fprintf(to, "| %s |", kn_paper_cases[i].delta);
        for (int q = 0; q < KN_PAPER_QUANTITIES; q++)
            fprintf(to, " %.2f (%.2f) |", one->slope[q], one->order[q]);
        for (int q = KN_PAPER_WALL; q < KN_PAPER_QUANTITIES; q++)
            fprintf(to, " %.2f (%.2f) |", two->slope[q], two->order[q]);
        fprintf(to, "\n");
    }
}

enum kn_status kn_paper_table(const struct kn_reproduce *job, const struct kn_paper *p)
{
    putchar('\n');
    write_text(stdout, p);
    const enum kn_status status = kn_reproduce_text(job, "table1.txt", write_text, p);
    return status == KN_OK ? kn_reproduce_text(job, "table1.csv", write_csv, p) : status;
}
