/* Table 1 of the paper, and the slopes of its Fig. 1. */
#include "paper.h"

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
    const char name = q == KN_PAPER_FLOW ? 'G' : 'D';
    fprintf(to, "\n%s\n%6s %10s %8s %9s %8s %8s %8s %8s %8s %14s %9s\n", titles[q], "delta", "cells", "",
            "+-", "paper", "off", "", "paper", "off", "BGK (VVS08)", "exact");
    fprintf(to, "%6s %10s %8c %9s %8c %8s %7c_e %7c_e\n", "", "", name, "", name, "", name, name);
    for (int i = 0; i < KN_PAPER_CASES; i++) {
        const struct published of = published(i, q);
        const struct kn_paper_point *s = &p->stretched[i];
        const double limit = p->study[i][0].limit[q];
        char cells[32];
        snprintf(cells, sizeof cells, "%dx%d", s->side, s->side);
        fprintf(to, "%6s %10s %8.4f %9.4f %8.4f %+6.1f %% %8.4f %8.4f %+6.1f %% %14s %9.4f\n",
                kn_paper_cases[i].delta, cells, s->value[q], s->error[q], of.paper,
                percent(s->value[q], of.paper), limit, of.limit, percent(limit, of.limit), of.bgk, of.exact);
    }
}

static void write_slopes(FILE *to, const struct kn_paper *p)
{
    fprintf(to, "\nSlopes of Fig. 1: log error over log h\n%6s %26s %26s\n%6s %8s %8s %8s %8s %8s %8s\n", "",
            "order 1", "order 2", "delta", "D cells", "D lid", "G", "D cells", "D lid", "G");
    for (int i = 0; i < KN_PAPER_CASES; i++) {
        fprintf(to, "%6s", kn_paper_cases[i].delta);
        for (int order = 0; order < KN_PAPER_ORDERS; order++)
            for (int q = 0; q < KN_PAPER_QUANTITIES; q++)
                fprintf(to, " %8.2f", p->study[i][order].slope[q]);
        fprintf(to, "\n");
    }
    fprintf(to, "\nLimits of order 2, by lines in h^2\n%6s %8s %8s %14s %9s\n", "delta", "D_e lid", "G_e",
            "exact D", "exact G");
    for (int i = 0; i < KN_PAPER_CASES; i++)
        fprintf(to, "%6s %8.4f %8.4f %14.4f %9.4f\n", kn_paper_cases[i].delta,
                p->study[i][1].limit[KN_PAPER_WALL], p->study[i][1].limit[KN_PAPER_FLOW],
                kn_paper_cases[i].exact_drag, kn_paper_cases[i].exact_flow);
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
    fprintf(to, "delta,quantity,cells,value,statistical_error,paper,limit,limit_paper,slope,slope_order_2,"
                "bgk,exact\n");
    for (int i = 0; i < KN_PAPER_CASES; i++)
        for (int q = 0; q < KN_PAPER_QUANTITIES; q++) {
            const struct published known = published(i, (enum kn_paper_quantity)q);
            const struct kn_paper_point *s = &p->stretched[i];
            fprintf(to, "%s,%s,%d,%.6f,%.6f,%.4f,%.6f,%.4f,%.3f,%.3f,%s,%.4f\n", kn_paper_cases[i].delta,
                    names[q], s->side * s->side, s->value[q], s->error[q], known.paper,
                    p->study[i][0].limit[q], known.limit, p->study[i][0].slope[q], p->study[i][1].slope[q],
                    known.bgk, known.exact);
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
    fprintf(to, "\nSlopes of the errors over the size of the cells:\n\n"
                "| delta | D in cells | D at lid | G | order 2: D at lid | order 2: G |\n"
                "| --- | --- | --- | --- | --- | --- |\n");
    for (int i = 0; i < KN_PAPER_CASES; i++) {
        const double *one = p->study[i][0].slope, *two = p->study[i][1].slope;
        fprintf(to, "| %s | %.2f | %.2f | %.2f | %.2f | %.2f |\n", kn_paper_cases[i].delta,
                one[KN_PAPER_CELLS], one[KN_PAPER_WALL], one[KN_PAPER_FLOW], two[KN_PAPER_WALL],
                two[KN_PAPER_FLOW]);
    }
}

enum kn_status kn_paper_table(const struct kn_reproduce *job, const struct kn_paper *p)
{
    putchar('\n');
    write_text(stdout, p);
    const enum kn_status status = kn_reproduce_text(job, "table1.txt", write_text, p);
    return status == KN_OK ? kn_reproduce_text(job, "table1.csv", write_csv, p) : status;
}
