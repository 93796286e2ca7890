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

/* Write an event as one text and release it. */
static void emit(const struct kn_progress *p, json_t *event)
{
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    const enum kn_status status = to ? kn_json_print_line(to, event) : KN_EMEMORY;
    if (to && fclose(to) == 0 && status == KN_OK)
        kn_progress_say(p, text);
    free(text);
}

void kn_progress_json_prepare(struct kn_progress *p, const char *event, double part, double left)
{
    if (kn_progress_speaks(p, KN_REPORT_JSON))
        emit(p, json_pack("{s:s, s:o, s:o}", "event", event, "part", kn_json_number(part), "eta_s",
                          kn_json_number(left)));
}

void kn_progress_json_start(struct kn_progress *p, const struct kn_progress_job *job)
{
    const struct kn_case *c = job->c;
    if (!kn_progress_speaks(p, KN_REPORT_JSON))
        return;
    json_t *o = json_pack("{s:s, s:s, s:o, s:s, s:o, s:i, s:i}", "event", "start", "version", KN_VERSION,
                          "folder", kn_json_text(p->options->folder), "backend", job->backend, "device",
                          kn_json_text(job->device), "ranks", job->ranks, "threads", job->threads);
    kn_json_set(o, "cells", json_integer((json_int_t)job->cells[0] * job->cells[1] * job->cells[2]));
    kn_json_set(o, "shape", json_pack("[i, i, i]", job->cells[0], job->cells[1], job->cells[2]));
    kn_json_set(o, "nodes", json_integer(job->nodes));
    kn_json_set(o, "memory_bytes", kn_json_number(job->needed + job->host_needed));
    kn_json_set(o, "memory_free", kn_json_number(job->free));
    kn_json_set(o, "knudsen", kn_json_number(KN_SCALES_FREE_PATH / c->gas.delta));
    kn_json_set(o, "delta", kn_json_number(c->gas.delta));
    kn_json_set(o, "mach", kn_json_number(kn_scales_mach(c)));
    kn_json_set(o, "collision", json_string(kn_config_choice_name("collision.method", c->collision.method)));
    if (kn_case_is_noisy(c))
        kn_json_set(o, "samples", json_integer(c->collision.samples));
    kn_json_set(o, "time_step", kn_json_number(job->time_step));
    kn_json_set(o, "first_step", json_integer(job->first));
    kn_json_set(o, "steps", json_integer(job->last));
    kn_json_set(o, "residual_limit", kn_json_number(c->time.residual > 0 ? c->time.residual : NAN));
    kn_json_set(o, "walltime_s", kn_json_number(c->run.walltime > 0 ? c->run.walltime : NAN));
    emit(p, o);
}

void kn_progress_json_step(struct kn_progress *p, const struct kn_eta_mark *now, double time,
                           const struct kn_row *row)
{
    static const char *const by[] = {
        [KN_ETA_LAST_STEP] = "last step",
        [KN_ETA_RESIDUAL] = "residual",
        [KN_ETA_STEADY] = "steady",
        [KN_ETA_DEADLINE] = "walltime",
    };
    const double updates = kn_eta_rate(&p->eta) * p->updates_per_step;
    const struct kn_eta_left left = kn_eta_left(&p->eta, now);
    if (!kn_progress_speaks(p, KN_REPORT_JSON))
        return;
    json_t *o = json_pack("{s:s, s:I, s:I, s:o, s:o, s:o, s:o}", "event", "progress", "step",
                          (json_int_t)now->step, "steps", (json_int_t)p->last, "time", kn_json_number(time),
                          "elapsed_s", kn_json_number(now->clock - p->started), "residual",
                          kn_json_number(row->residual), "mass_drift", kn_json_number(row->mass_drift));
    if (isfinite(row->drag)) {
        kn_json_set(o, "D", kn_json_number(row->drag));
        kn_json_set(o, "G", kn_json_number(row->vortex_flow));
    }
    kn_json_set(o, "updates_per_s", kn_json_number(updates));
    kn_json_set(o, "bytes_per_s", kn_json_number(2 * sizeof(float) * updates));
    kn_json_set(o, "eta_s", kn_json_number(left.seconds));
    kn_json_set(o, "eta_by", json_string(by[left.by]));
    emit(p, o);
}

void kn_progress_json_note(struct kn_progress *p, const char *what)
{
    if (kn_progress_speaks(p, KN_REPORT_JSON))
        emit(p, json_pack("{s:s, s:o}", "event", "note", "text", kn_json_text(what)));
}

/* ------------------------------------------------------------------ the end */

static json_t *phases(const struct kn_summary *s)
{
    json_t *o = json_object();
    for (int i = 0; i < KN_PHASES; i++)
        kn_json_set(o, kn_summary_phase_name((enum kn_phase)i), kn_json_number(s->phase_s[i]));
    return o;
}

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
            kn_json_set(o, m->columns[i].name, kn_json_number(kn_monitor_value(m, i)));
            snprintf(name, sizeof name, "%s_error", m->columns[i].name);
            if (m->batches)
                kn_json_set(o, name, kn_json_number(kn_monitor_error(m, i)));
        }
}

void kn_progress_json_end(struct kn_progress *p, const struct kn_summary *s)
{
    if (!kn_progress_speaks(p, KN_REPORT_JSON))
        return;
    json_t *o = json_pack("{s:s, s:s}", "event", "end", "outcome", s->outcome);
    if (s->verdict) {
        kn_json_set(o, "verdict", json_string(kn_verdict_name(s->verdict->word)));
        kn_json_set(o, "sentence", kn_json_text(s->verdict->text));
        kn_json_set(o, "remaining_change", kn_json_number(s->verdict->remaining));
    }
    kn_json_set(o, "folder", kn_json_text(p->options->folder));
    kn_json_set(o, "step", json_integer(s->steps));
    kn_json_set(o, "time", kn_json_number(s->time));
    kn_json_set(o, "wall_s", kn_json_number(s->wall_s));
    kn_json_set(o, "updates_per_s", kn_json_number(s->updates_per_s));
    kn_json_set(o, "residual", kn_json_number(s->m->row.residual));
    kn_json_set(o, "mass_drift", kn_json_number(s->m->row.mass_drift));
    put_values(o, s->m);
    if (s->target > 0) {
        kn_json_set(o, "samples", json_integer(s->m->c->collision.samples));
        kn_json_set(o, "error_target", kn_json_number(s->target));
        kn_json_set(o, "error", kn_json_number(kn_summary_error(s)));
    }
    kn_json_set(o, "phase_s", phases(s));
    kn_json_set(o, "files", files_in(p->options->folder));
    emit(p, o);
}

void kn_progress_json_fail(struct kn_progress *p, const char *outcome, const char *reason)
{
    if (kn_progress_speaks(p, KN_REPORT_JSON))
        emit(p, json_pack("{s:s, s:s, s:o, s:o}", "event", "end", "outcome", outcome, "folder",
                          kn_json_text(p->options->folder), "message", kn_json_text(reason)));
}
