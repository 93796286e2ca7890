/* Prints the results of knudsen bench --scaling as tables and as JSON. */
#include "bench/bench_scaling.h"

#include "files/json.h"

#include <math.h>
#include <string.h>

static const double BUSY_ELSEWHERE = 0.05; /* part of the time; a quiet computer takes a hundredth */

static void cells_text(const int cells[3], char text[64])
{
    const bool solid = cells[2] > 1;
    snprintf(text, 64, solid ? "%d x %d x %d" : "%d x %d", cells[0], cells[1], cells[2]);
}

static double efficiency(const struct kn_scaling_line *lines, int i, bool weak)
{
    return lines[0].step / lines[i].step / (weak ? 1 : lines[i].ranks);
}

/* ------------------------------------------------------------------------- text */

static void print_lines(FILE *to, const struct kn_scaling *s, const struct kn_scaling_line *lines, bool weak)
{
    fprintf(to, "\n%s\n",
            weak ? "Weak scaling: the gas grows with the ranks; efficiency = t(1) / t(n)"
                 : "Strong scaling: the gas stays the same; efficiency = t(1) / (n t(n))");
    fprintf(to, "%6s %18s %11s %10s %11s %13s %10s %9s\n", "ranks", "cells", "cells/rank", "step, ms",
            "efficiency", "exchange, us", "sent, kB", "messages");
    for (int i = 0; i < s->sizes; i++) {
        const struct kn_scaling_line *l = &lines[i];
        char cells[64];
        cells_text(l->whole, cells);
        fprintf(to, "%6d %18s %11lld %10.3f %9.1f %% %13.1f %10.1f %9lld\n", l->ranks, cells,
                (long long)l->cells, 1e3 * l->step, 100 * efficiency(lines, i, weak), 1e6 * l->exchange,
                1e-3 * (double)l->bytes, (long long)l->messages);
    }
}

/* A rank that computes or waits for messages never sleeps by itself. */
static void print_doubt(FILE *to, const struct kn_scaling *s)
{
    double idle = 0;
    for (int i = 0; i < s->sizes; i++)
        idle = fmax(idle, fmax(s->weak[i].idle, s->strong[i].idle));
    if (s->crowded)
        fputs("\nThere are more threads than processors: these times do not show the scaling.\n", to);
    else if (idle > BUSY_ELSEWHERE && strcmp(s->backend, "cpu") == 0)
        fprintf(
            to,
            "\nA rank did not have its processor for %.0f %% of the time: other programs use this computer, "
            "and these times hardly show the scaling.\n",
            100 * idle);
}

void kn_bench_tables(FILE *to, const struct kn_scaling *s)
{
    char cells[64];
    cells_text(s->c.space.cells, cells);
    fprintf(to, "%s, %s cells of %d nodes, on %s (%s)\n", s->name, cells, s->nodes, s->backend, s->device);
    fprintf(to, "%d %s, %d %s each for all numbers of ranks; best of some repetitions\n", s->ranks,
            s->ranks == 1 ? "rank" : "ranks", s->threads, s->threads == 1 ? "thread" : "threads");
    print_lines(to, s, s->weak, true);
    print_lines(to, s, s->strong, false);
    print_doubt(to, s);
    fputs("\nexchange: time of a step in which a rank packs and unpacks rows or waits for them\n", to);
}

/* ------------------------------------------------------------------------- JSON */

static json_t *json_lines(const struct kn_scaling *s, bool weak)
{
    const struct kn_scaling_line *lines = weak ? s->weak : s->strong;
    json_t *array = json_array();
    for (int i = 0; i < s->sizes; i++) {
        const struct kn_scaling_line *l = &lines[i];
        kn_json_append(array,
                       json_pack("{s:i, s:[i, i, i], s:I, s:I, s:I, s:f, s:f, s:f, s:f}", "ranks", l->ranks,
                                 "cells", l->whole[0], l->whole[1], l->whole[2], "cells_per_rank",
                                 (json_int_t)l->cells, "sent_bytes", (json_int_t)l->bytes, "messages",
                                 (json_int_t)l->messages, "step_s", l->step, "efficiency",
                                 efficiency(lines, i, weak), "exchange_s", l->exchange, "idle", l->idle));
    }
    return array;
}

enum kn_status kn_bench_tables_json(FILE *to, const struct kn_scaling *s)
{
    return kn_json_print_line(to, json_pack("{s:o, s:o, s:s, s:i, s:i, s:i, s:b, s:o, s:o}", "case",
                                            kn_json_text(s->name), "device", kn_json_text(s->device),
                                            "backend", s->backend, "nodes", s->nodes, "ranks", s->ranks,
                                            "threads", s->threads, "crowded", s->crowded, "weak",
                                            json_lines(s, true), "strong", json_lines(s, false)));
}
