/* Calls the checks of a case, and keeps the list of their findings. */
#include "validity/validity.h"

#include "config/config.h"
#include "config/scales.h"
#include "error.h"
#include "files/json.h"

#include <math.h>
#include <stdarg.h>

struct kn_finding *kn_validity_add(struct kn_validity *v, double from, const char *code, double error,
                                   const char *format, ...)
{
    va_list values;
    if (error < from || v->count == KN_VALIDITY_MOST)
        return NULL;
    struct kn_finding *f = &v->finding[v->count++];
    f->level = KN_LEVEL_WARNING;
    f->code = code;
    f->error = error;
    va_start(values, format);
    vsnprintf(f->text, sizeof f->text, format, values);
    va_end(values);
    return f;
}

enum kn_level kn_validity_worst(const struct kn_validity *v)
{
    enum kn_level worst = KN_LEVEL_SILENT;
    for (int i = 0; i < v->count; i++)
        worst = v->finding[i].level > worst ? v->finding[i].level : worst;
    return worst;
}

double kn_validity_error(const struct kn_validity *v)
{
    double largest = NAN;
    for (int i = 0; i < v->count; i++)
        largest = fmax(largest, v->finding[i].error); /* fmax ignores NaN */
    return largest;
}

double kn_validity_bounded(double error)
{
    return error > 1 ? 1 : error;
}

const char *kn_validity_quality(const struct kn_validity *v)
{
    static const char *const names[] = {"good", "warning", "refused"};
    return v->forced ? "forced" : names[kn_validity_worst(v)];
}

const char *kn_validity_level_name(enum kn_level level)
{
    static const char *const names[] = {"silent", "warning", "refusal"};
    return names[level];
}

const char *kn_validity_percent(double error, char text[32])
{
    if (error > 1)
        snprintf(text, 32, "more than 100 %%");
    else if (error < 1e-4)
        snprintf(text, 32, "less than 0.01 %%");
    else
        snprintf(text, 32, "%.2g %%", 100 * error);
    return text;
}

json_t *kn_validity_json(const struct kn_validity *v)
{
    json_t *list = json_array();
    for (int i = 0; i < v->count; i++) {
        const struct kn_finding *f = &v->finding[i];
        kn_json_append(list,
                       json_pack("{s:s, s:s, s:o, s:o}", "level", kn_validity_level_name(f->level), "code",
                                 f->code, "error", kn_json_number(kn_validity_bounded(f->error)), "text",
                                 kn_json_text(f->text)));
    }
    return list;
}

enum kn_status kn_validity_judge_case(struct kn_validity *v, const struct kn_case *c, double time_step)
{
    char text[KN_TEXT];
    *v = (struct kn_validity){.time_step = time_step};
    KN_TRY(kn_validity_judge_fluxes(v, c));
    KN_TRY(kn_validity_judge_surfaces(v, c));
    kn_validity_judge_grid(v, c);
    kn_validity_judge_model(v, c);
    if (kn_scales_bare(c, text))
        kn_validity_add(v, 0, "unit", NAN, "%s", text);
    for (int i = 0; i < v->count && c->run.force; i++)
        if (v->finding[i].level == KN_LEVEL_REFUSAL) {
            v->finding[i].level = KN_LEVEL_WARNING;
            v->forced = true;
        }
    return KN_OK;
}

enum kn_status kn_validity_refuse(const struct kn_validity *v)
{
    for (int i = 0; i < v->count; i++)
        if (v->finding[i].level == KN_LEVEL_REFUSAL)
            return kn_error_set(KN_EINPUT, "%s; run.force: true runs it anyway", v->finding[i].text);
    return KN_OK;
}
