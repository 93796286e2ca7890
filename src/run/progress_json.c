/* The report for machines: one JSON object a line, docs/format.md. */
#include "run/progress_parts.h"

#include "collision/collision.h"
#include "config/config.h"
#include "files.h"
#include "config/scales.h"
#include "monitor/verdict.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

enum { PART = KN_PROGRESS_PART };

/* --------------------------------------------------------------- an object */

/* Built in memory: one object has to leave as one text. */
struct object {
    char *text;
    size_t size;
    FILE *to;
};

static bool begin(const struct kn_progress *p, struct object *o, const char *event)
{
    *o = (struct object){0};
    if (!kn_progress_speaks(p, KN_REPORT_JSON))
        return false;
    o->to = open_memstream(&o->text, &o->size);
    if (o->to)
        fprintf(o->to, "{\"event\":\"%s\"", event);
    return o->to != NULL;
}

static void text(struct object *o, const char *key, const char *value)
{
    fprintf(o->to, ",\"%s\":", key);
    kn_files_json_text(o->to, value, "");
}

static void count(struct object *o, const char *key, int64_t value)
{
    fprintf(o->to, ",\"%s\":%lld", key, (long long)value);
}

static void number(struct object *o, const char *key, double value)
{
    if (isfinite(value))
        fprintf(o->to, ",\"%s\":%.10g", key, value);
    else
        fprintf(o->to, ",\"%s\":null", key);
}

static void end(const struct kn_progress *p, struct object *o)
{
    fputs("}\n", o->to);
    if (fclose(o->to) == 0)
        kn_progress_say(p, o->text);
    free(o->text);
}

/* ------------------------------------------------------------------ events */

void kn_progress_json_prepare(struct kn_progress *p, const char *event, double part, double left)
{
    struct object o;
    if (!begin(p, &o, event))
        return;
    number(&o, "part", part);
    number(&o, "eta_s", left);
    end(p, &o);
}

void kn_progress_json_start(struct kn_progress *p, const struct kn_progress_job *job)
{
    const struct kn_case *c = job->c;
    struct object o;
    if (!begin(p, &o, "start"))
        return;
    text(&o, "version", KN_VERSION);
    text(&o, "folder", p->options->folder);
    text(&o, "backend", job->backend);
    text(&o, "device", job->device);
    count(&o, "ranks", job->ranks);
    count(&o, "threads", job->threads);
    count(&o, "cells", (int64_t)job->cells[0] * job->cells[1] * job->cells[2]);
    fprintf(o.to, ",\"shape\":[%d,%d,%d]", job->cells[0], job->cells[1], job->cells[2]);
    count(&o, "nodes", job->nodes);
    number(&o, "memory_bytes", job->needed + job->host_needed);
    number(&o, "memory_free", job->free);
    number(&o, "knudsen", KN_SCALES_FREE_PATH / c->gas.delta);
    number(&o, "delta", c->gas.delta);
    number(&o, "mach", kn_scales_mach(c));
    text(&o, "collision", kn_config_choice_name("collision.method", c->collision.method));
    if (kn_collision_is_noisy(c))
        count(&o, "samples", c->collision.samples);
    number(&o, "time_step", job->time_step);
    count(&o, "first_step", job->first);
    count(&o, "steps", job->last);
    number(&o, "residual_limit", c->time.residual > 0 ? c->time.residual : NAN);
    number(&o, "walltime_s", c->run.walltime > 0 ? c->run.walltime : NAN);
    end(p, &o);
}

void kn_progress_json_step(struct kn_progress *p, const struct kn_progress_state *s)
{
    static const char *const by[] = {
        [KN_ETA_LAST_STEP] = "last step",
        [KN_ETA_RESIDUAL] = "residual",
        [KN_ETA_STEADY] = "steady",
        [KN_ETA_DEADLINE] = "walltime",
    };
    const double updates = s->steps_per_s * p->updates_per_step;
    struct object o;
    if (!begin(p, &o, "progress"))
        return;
    count(&o, "step", s->step);
    count(&o, "steps", p->last);
    number(&o, "time", s->time);
    number(&o, "elapsed_s", s->elapsed);
    number(&o, "residual", s->row->residual);
    number(&o, "mass_drift", s->row->mass_drift);
    if (isfinite(s->row->drag)) {
        number(&o, "D", s->row->drag);
        number(&o, "G", s->row->vortex_flow);
    }
    number(&o, "updates_per_s", updates);
    number(&o, "bytes_per_s", 2 * sizeof(float) * updates);
    number(&o, "eta_s", s->left.seconds);
    text(&o, "eta_by", by[s->left.by]);
    end(p, &o);
}

void kn_progress_json_note(struct kn_progress *p, const char *what)
{
    struct object o;
    if (!begin(p, &o, "note"))
        return;
    text(&o, "text", what);
    end(p, &o);
}

static void put_phases(struct object *o, const struct kn_summary *s)
{
    fputs(",\"phase_s\":{", o->to);
    for (int i = 0; i < KN_PHASES; i++)
        fprintf(o->to, "%s\"%s\":%.6g", i ? "," : "", kn_summary_phase_name((enum kn_phase)i), s->phase_s[i]);
    fputc('}', o->to);
}

static void put_files(struct object *o, const char *folder)
{
    char path[KN_PATH];
    bool some = false;
    fputs(",\"files\":[", o->to);
    for (int i = 0; kn_progress_files[i]; i++)
        if (kn_files_join(path, folder, kn_progress_files[i]) == KN_OK && access(path, F_OK) == 0) {
            fprintf(o->to, "%s\"%s\"", some ? "," : "", kn_progress_files[i]);
            some = true;
        }
    fputc(']', o->to);
}

static void put_values(struct object *o, const struct kn_monitor *m)
{
    for (int i = 0; i < m->ncolumns; i++)
        if (kn_progress_is_headline(m, &m->columns[i])) {
            char name[PART];
            number(o, m->columns[i].name, kn_monitor_value(m, i));
            snprintf(name, sizeof name, "%s_error", m->columns[i].name);
            if (m->batches)
                number(o, name, kn_monitor_error(m, i));
        }
}

void kn_progress_json_end(struct kn_progress *p, const struct kn_summary *s)
{
    struct object o;
    if (!begin(p, &o, "end"))
        return;
    text(&o, "outcome", s->outcome);
    if (s->verdict) {
        text(&o, "verdict", kn_verdict_name(s->verdict->word));
        text(&o, "sentence", s->verdict->text);
        number(&o, "remaining_change", s->verdict->remaining);
    }
    text(&o, "folder", p->options->folder);
    count(&o, "step", s->steps);
    number(&o, "time", s->time);
    number(&o, "wall_s", s->wall_s);
    number(&o, "updates_per_s", s->updates_per_s);
    number(&o, "residual", s->m->row.residual);
    number(&o, "mass_drift", s->m->row.mass_drift);
    put_values(&o, s->m);
    if (s->target > 0) {
        count(&o, "samples", s->m->c->collision.samples);
        number(&o, "error_target", s->target);
        number(&o, "error", kn_summary_error(s));
    }
    put_phases(&o, s);
    put_files(&o, p->options->folder);
    end(p, &o);
}

void kn_progress_json_fail(struct kn_progress *p, const char *outcome, const char *reason)
{
    struct object o;
    if (!begin(p, &o, "end"))
        return;
    text(&o, "outcome", outcome);
    text(&o, "folder", p->options->folder);
    text(&o, "message", reason);
    end(p, &o);
}
