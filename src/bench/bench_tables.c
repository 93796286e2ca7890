#include "bench/bench_scaling.h"

#include "files.h"

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

/* What the model makes of a line; NaN where there is nothing to exchange. */
static double model_of(const struct kn_scaling *s, const struct kn_scaling_line *line)
{
    return line->messages > 0 ? kn_bench_exchange(&s->model, &s->model.measured, line) : NAN;
}

static double hidden(const struct kn_scaling *s, const struct kn_scaling_line *line)
{
    return fmax(0, 1 - line->exchange / model_of(s, line));
}

/* ------------------------------------------------------------------------- text */

static void print_lines(FILE *to, const struct kn_scaling *s, const struct kn_scaling_line *lines, bool weak)
{
    fprintf(to, "\n%s\n",
            weak ? "Weak scaling: the gas grows with the ranks; efficiency = t(1) / t(n)"
                 : "Strong scaling: the gas stays the same; efficiency = t(1) / (n t(n))");
    fprintf(to, "%6s %18s %11s %10s %11s %13s %10s %9s %10s %9s %8s\n", "ranks", "cells", "cells/rank",
            "step, ms", "efficiency", "exchange, us", "sent, kB", "messages", "model, us", "exch/mod",
            "hidden");
    for (int i = 0; i < s->sizes; i++) {
        const struct kn_scaling_line *l = &lines[i];
        char cells[64];
        cells_text(l->whole, cells);
        fprintf(to, "%6d %18s %11lld %10.3f %9.1f %% ", l->ranks, cells, (long long)l->cells, 1e3 * l->step,
                100 * efficiency(lines, i, weak));
        if (l->messages == 0) {
            fprintf(to, "%13s %10s %9s %10s %9s %8s\n", "-", "-", "-", "-", "-", "-");
            continue;
        }
        fprintf(to, "%13.1f %10.1f %9lld %10.1f %9.2f %6.0f %%\n", 1e6 * l->exchange, 1e-3 * (double)l->bytes,
                (long long)l->messages, 1e6 * model_of(s, l), l->exchange / model_of(s, l),
                100 * hidden(s, l));
    }
}

/* A rank that computes or waits for messages never sleeps by itself. */
static void print_doubt(FILE *to, const struct kn_scaling *s)
{
    double idle = 0;
    for (int i = 0; i < s->sizes; i++)
        idle = fmax(idle, fmax(s->weak[i].idle, s->strong[i].idle));
    if (s->crowded)
        fputs("\nMore threads than processors: they take turns, and this says nothing of scaling.\n", to);
    else if (idle > BUSY_ELSEWHERE && strcmp(s->backend, "cpu") == 0)
        fprintf(to,
                "\nA rank did without its processor for %.0f %% of the time: others use this computer, and "
                "this says little of scaling.\n",
                100 * idle);
}

static void print_model(FILE *to, const struct kn_scaling *s)
{
    const struct kn_scaling_model *m = &s->model;
    fputc('\n', to);
    if (m->measured.rate == 0) {
        fputs("One rank has nobody to exchange rows with: no model.  mpirun -n 2 has more to say.\n", to);
        return;
    }
    fprintf(
        to,
        "exchange   time of a step in which a rank packs and unpacks rows or waits for them\n"
        "model      2 sent / copy + messages x latency + sent / rate: the exchange, nothing hidden\n"
        "           copy %.1f GB/s, latency %.2f us, rate %.2f GB/s (messages of 8 B and %.0f kB, %d ranks "
        "at once)\n"
        "hidden     1 - exchange / model: what went on behind the inner cells, at least\n",
        1e-9 * m->copy_rate, 1e6 * m->measured.latency, 1e-9 * m->measured.rate, 1e-3 * (double)m->message,
        s->ranks);
}

static void print_forecast(FILE *to, const struct kn_scaling *s)
{
    const struct kn_scaling_model *m = &s->model;
    char cells[64];
    cells_text(m->many.whole, cells);
    fprintf(
        to,
        "\nExtrapolation to %d ranks (GPUs, where a rank has one), weak, %s cells: no measurement\n"
        "step = 2 sent / copy + max(inner, messages x latency + sent / rate) + rim, efficiency = t(1) / "
        "step\n"
        "with inner + rim = t(1) = %.3f ms; %.3f ms of it the rim, which waits for other ranks; %lld "
        "messages,\n"
        "%.1f kB sent, of the rank that has most.  Left out: sums over all ranks (a few for a row of the\n"
        "history), output, ranks slower than others%s.\n",
        m->many.ranks, cells, 1e3 * m->many.step, 1e3 * m->rim, (long long)m->many.messages,
        1e-3 * (double)m->many.bytes,
        strcmp(s->backend, "cuda") == 0 ? ", rows on their way from the GPU to the host and back" : "");
    fprintf(to, "%-40s %12s %10s %10s %10s %11s\n", "network", "latency, us", "GB/s", "model, us", "step, ms",
            "efficiency");
    for (int i = 0; i < m->nforecasts; i++) {
        const struct kn_scaling_forecast *f = &m->forecasts[i];
        fprintf(to, "%-40s %12.2f %10.2f %10.1f %10.3f %9.1f %%\n", f->network.name, 1e6 * f->network.latency,
                1e-9 * f->network.rate, 1e6 * f->exchange, 1e3 * f->step, 100 * m->many.step / f->step);
    }
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
    print_model(to, s);
    print_forecast(to, s);
}

/* ------------------------------------------------------------------------- JSON */

/* JSON knows no NaN. */
static void print_number(FILE *to, const char *name, double value)
{
    if (isfinite(value))
        fprintf(to, ", \"%s\": %.6e", name, value);
    else
        fprintf(to, ", \"%s\": null", name);
}

static void print_line(FILE *to, const struct kn_scaling_line *l)
{
    fprintf(to,
            "{\"ranks\": %d, \"cells\": [%d, %d, %d], \"cells_per_rank\": %lld, \"sent_bytes\": %lld, "
            "\"messages\": %lld",
            l->ranks, l->whole[0], l->whole[1], l->whole[2], (long long)l->cells, (long long)l->bytes,
            (long long)l->messages);
}

static void print_line_array(FILE *to, const struct kn_scaling *s, bool weak)
{
    const struct kn_scaling_line *lines = weak ? s->weak : s->strong;
    fprintf(to, ",\n \"%s\": [", weak ? "weak" : "strong");
    for (int i = 0; i < s->sizes; i++) {
        const struct kn_scaling_line *l = &lines[i];
        fputs(i ? ",\n  " : "\n  ", to);
        print_line(to, l);
        print_number(to, "step_s", l->step);
        print_number(to, "efficiency", efficiency(lines, i, weak));
        print_number(to, "exchange_s", l->exchange);
        print_number(to, "model_s", model_of(s, l));
        print_number(to, "idle", l->idle);
        fputc('}', to);
    }
    fputc(']', to);
}

void kn_bench_tables_json(FILE *to, const struct kn_scaling *s)
{
    const struct kn_scaling_model *m = &s->model;
    fputs("{\"case\": ", to);
    kn_files_json_text(to, s->name, "");
    fputs(", \"device\": ", to);
    kn_files_json_text(to, s->device, "");
    fprintf(to, ", \"backend\": \"%s\", \"nodes\": %d, \"ranks\": %d, \"threads\": %d, \"crowded\": %s",
            s->backend, s->nodes, s->ranks, s->threads, s->crowded ? "true" : "false");
    print_line_array(to, s, true);
    print_line_array(to, s, false);
    fprintf(to, ",\n \"network\": {\"message_bytes\": %lld", (long long)m->message);
    print_number(to, "latency_s", m->measured.rate > 0 ? m->measured.latency : NAN);
    print_number(to, "bytes_per_s", m->measured.rate > 0 ? m->measured.rate : NAN);
    print_number(to, "copy_bytes_per_s", m->copy_rate);
    fputs("},\n \"extrapolation\": [", to);
    for (int i = 0; i < m->nforecasts; i++) {
        const struct kn_scaling_forecast *f = &m->forecasts[i];
        fputs(i ? ",\n  " : "\n  ", to);
        print_line(to, &m->many);
        fprintf(to, ", \"network\": \"%s\"", f->network.name);
        print_number(to, "latency_s", f->network.latency);
        print_number(to, "bytes_per_s", f->network.rate);
        print_number(to, "rim_s", m->rim);
        print_number(to, "model_s", f->exchange);
        print_number(to, "step_s", f->step);
        print_number(to, "efficiency", m->many.step / f->step);
        fputc('}', to);
    }
    fputs("]}\n", to);
}
