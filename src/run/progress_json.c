/* Events of a run for programs: one JSON object per line (docs/format.md). */
#include "run/progress.h"

#include "config/case.h"
#include "config/config.h"
#include "config/scales.h"
#include "files/json.h"
#include "monitor/verdict.h"

#include <math.h>
#include <stdlib.h>

#define NUMBER(value) kn_json_number(value)

/* Write an event as one text if JSON is requested, and release it. */
static void emit(const struct kn_progress *p, json_t *event)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = kn_progress_speaks(p, KN_REPORT_JSON) ? open_memstream(&text, &size) : NULL;
    if (!to) {
        kn_json_drop(event);
        return;
    }
    const enum kn_status status = kn_json_print_line(to, event);
    if (fclose(to) == 0 && status == KN_OK)
        kn_progress_say(p, text);
    free(text);
}

void kn_progress_json_prepare(struct kn_progress *p, const char *event, double part, double left)
{
    emit(p, json_pack("{s:s, s:o, s:o}", "event", event, "part", NUMBER(part), "eta_s", NUMBER(left)));
}

void kn_progress_json_start(struct kn_progress *p, const struct kn_progress_job *job)
{
    const struct kn_case *c = job->c;
    const int *n = job->cells;
    json_t *o = json_pack(
        "{s:s, s:s, s:o, s:s, s:o, s:i, s:i, s:I, s:[i, i, i], s:I, s:o, s:o, s:o, s:o, s:o, s:s, s:o, s:I, "
        "s:I, s:o, s:o}",
        "event", "start", "version", KN_VERSION, "folder", kn_json_text(p->options->folder), "backend",
        job->backend, "device", kn_json_text(job->device), "ranks", job->ranks, "threads", job->threads,
        "cells", (json_int_t)n[0] * n[1] * n[2], "shape", n[0], n[1], n[2], "nodes", (json_int_t)job->nodes,
        "memory_bytes", NUMBER(job->needed + job->host_needed), "memory_free", NUMBER(job->free), "knudsen",
        NUMBER(KN_SCALES_FREE_PATH / c->gas.delta), "delta", NUMBER(c->gas.delta), "mach",
        NUMBER(kn_scales_mach(c)), "collision",
        kn_config_choice_name("collision.method", c->collision.method), "time_step", NUMBER(job->time_step),
        "first_step", (json_int_t)job->first, "steps", (json_int_t)job->last, "residual_limit",
        NUMBER(c->time.residual > 0 ? c->time.residual : NAN), "walltime_s",
        NUMBER(c->run.walltime > 0 ? c->run.walltime : NAN));
    if (kn_case_is_sampled(c->collision.method))
        kn_json_set(o, "samples", json_integer(c->collision.samples));
    emit(p, o);
}

void kn_progress_json_step(struct kn_progress *p, const struct kn_eta_mark *now, double time,
                           const struct kn_row *row)
{
    static const char *const by[] = {"last step", "residual", "steady", "walltime"}; /* enum kn_eta_end */
    const double updates = kn_eta_rate(&p->eta) * p->updates_per_step;
    const struct kn_eta_left left = kn_eta_left(&p->eta, now);
    json_t *o =
        json_pack("{s:s, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s}", "event", "progress", "step",
                  (json_int_t)now->step, "steps", (json_int_t)p->last, "time", NUMBER(time), "elapsed_s",
                  NUMBER(now->clock - p->started), "residual", NUMBER(row->residual), "mass_drift",
                  NUMBER(row->mass_drift), "updates_per_s", NUMBER(updates), "bytes_per_s",
                  NUMBER(2 * sizeof(float) * updates), "eta_s", NUMBER(left.seconds), "eta_by", by[left.by]);
    if (p->steady) {
        kn_json_set(o, "equation_residual", NUMBER(row->equation_residual));
        kn_json_set(o, "update", NUMBER(row->update));
    }
    if (isfinite(row->drag)) {
        kn_json_set(o, "D", NUMBER(row->drag));
        kn_json_set(o, "G", NUMBER(row->vortex_flow));
    }
    emit(p, o);
}

void kn_progress_json_note(struct kn_progress *p, const char *what)
{
    emit(p, json_pack("{s:s, s:o}", "event", "note", "text", kn_json_text(what)));
}

/* The results are in summary.json. */
void kn_progress_json_end(struct kn_progress *p, const struct kn_summary *s)
{
    emit(p, json_pack("{s:s, s:s, s:s?, s:o?, s:o, s:I, s:o, s:o, s:o}", "event", "end", "outcome",
                      s->outcome, "verdict", s->verdict ? kn_verdict_name(s->verdict->word) : NULL,
                      "sentence", s->verdict ? kn_json_text(s->verdict->text) : NULL, "folder",
                      kn_json_text(p->options->folder), "step", (json_int_t)s->steps, "time", NUMBER(s->time),
                      "wall_s", NUMBER(s->wall_s), "updates_per_s", NUMBER(s->updates_per_s)));
}

void kn_progress_json_fail(struct kn_progress *p, const char *outcome, const char *reason)
{
    emit(p, json_pack("{s:s, s:s, s:o, s:o}", "event", "end", "outcome", outcome, "folder",
                      kn_json_text(p->options->folder), "message", kn_json_text(reason)));
}
