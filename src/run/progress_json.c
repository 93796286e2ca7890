/* Events of a run for programs: one JSON object per line (docs/format.md). */
#include "run/progress.h"

#include "config/case.h"
#include "config/config.h"
#include "config/scales.h"
#include "files/files.h"
#include "files/json.h"
#include "io/folder.h"
#include "monitor/verdict.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#define NUMBER(value) kn_json_number(value)

/* Write an event as one text if JSON is requested, and release it. */
static void emit(const struct kn_progress *p, json_t *event)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = kn_progress_speaks(p, KN_REPORT_JSON) ? open_memstream(&text, &size) : NULL;
    if (!to) {
        json_decref(event);
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
    if (kn_case_is_noisy(c))
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

/* ------------------------------------------------------------------ the end */

static json_t *files_in(const char *folder)
{
    static const char *const files[] = {KN_FOLDER_CASE,    "summary.json",    "history.csv",
                                        "fields.h5",       "fields.pvd",      "fields",
                                        "checkpoint-a.h5", "checkpoint-b.h5", "run.log"};
    json_t *list = json_array();
    char path[KN_PATH];
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (kn_files_join(path, folder, files[i]) == KN_OK && access(path, F_OK) == 0)
            kn_json_append(list, json_string(files[i]));
    return list;
}

static void put_values(json_t *o, const struct kn_monitor *m)
{
    for (int i = 0; i < m->ncolumns; i++)
        if (kn_progress_is_headline(m, &m->columns[i])) {
            char name[KN_PROGRESS_PART];
            kn_json_set(o, m->columns[i].name, NUMBER(kn_monitor_value(m, i)));
            snprintf(name, sizeof name, "%s_error", m->columns[i].name);
            if (m->batches)
                kn_json_set(o, name, NUMBER(kn_monitor_error(m, i)));
        }
}

void kn_progress_json_end(struct kn_progress *p, const struct kn_summary *s)
{
    const struct kn_verdict *v = s->verdict;
    json_t *phases = json_object();
    for (int i = 0; i < KN_PHASES; i++)
        kn_json_set(phases, kn_summary_phase_name((enum kn_phase)i), NUMBER(s->phase_s[i]));
    json_t *o =
        json_pack("{s:s, s:s, s:o, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "event", "end", "outcome",
                  s->outcome, "folder", kn_json_text(p->options->folder), "step", (json_int_t)s->steps,
                  "time", NUMBER(s->time), "wall_s", NUMBER(s->wall_s), "updates_per_s",
                  NUMBER(s->updates_per_s), "residual", NUMBER(s->m->row.residual), "mass_drift",
                  NUMBER(s->m->row.mass_drift), "phase_s", phases, "files", files_in(p->options->folder));
    if (v) {
        kn_json_set(o, "verdict", json_string(kn_verdict_name(v->word)));
        kn_json_set(o, "sentence", kn_json_text(v->text));
        kn_json_set(o, "remaining_change", NUMBER(v->remaining));
    }
    put_values(o, s->m);
    if (s->target > 0) {
        kn_json_set(o, "samples", json_integer(s->m->c->collision.samples));
        kn_json_set(o, "error_target", NUMBER(s->target));
        kn_json_set(o, "error", NUMBER(kn_summary_error(s)));
    }
    emit(p, o);
}

void kn_progress_json_fail(struct kn_progress *p, const char *outcome, const char *reason)
{
    emit(p, json_pack("{s:s, s:s, s:o, s:o}", "event", "end", "outcome", outcome, "folder",
                      kn_json_text(p->options->folder), "message", kn_json_text(reason)));
}
