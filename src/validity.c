/* The list of findings, and the checks that need no grid. */
#include "validity.h"

#include "config.h"
#include "error.h"
#include "io/files.h"
#include "scales.h"

#include <math.h>
#include <stdarg.h>

/* --------------------------------------------------------------------- list */

void kn_validity_add(struct kn_validity *v, enum kn_level level, const char *code, double error,
                     const char *format, ...)
{
    va_list values;
    if (level == KN_LEVEL_SILENT || v->count == KN_VALIDITY_MOST)
        return;
    struct kn_finding *f = &v->finding[v->count++];
    f->level = level;
    f->code = code;
    f->error = error;
    va_start(values, format);
    vsnprintf(f->text, sizeof f->text, format, values);
    va_end(values);
}

enum kn_level kn_validity_level(double error, enum kn_level most)
{
    const enum kn_level level = error < KN_VALIDITY_WARN     ? KN_LEVEL_SILENT
                                : error < KN_VALIDITY_REFUSE ? KN_LEVEL_WARNING
                                                             : KN_LEVEL_REFUSAL;
    return level < most ? level : most;
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
        largest = fmax(largest, v->finding[i].error); /* fmax passes over NaN */
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

void kn_validity_print_json(FILE *to, const struct kn_validity *v)
{
    char digits[32];
    fputc('[', to);
    for (int i = 0; i < v->count; i++) {
        const struct kn_finding *f = &v->finding[i];
        fprintf(to, "%s{\"level\": \"%s\", \"code\": \"%s\", \"error\": %s, \"text\": ", i ? ", " : "",
                kn_validity_level_name(f->level), f->code,
                isnan(f->error) ? "null" : kn_files_number(digits, kn_validity_bounded(f->error)));
        kn_files_json_text(to, f->text, "");
        fputc('}', to);
    }
    fputc(']', to);
}

/* ----------------------------------------------------- checks without a grid */

/* Largest deviation of an inflow's density from n0, over n0; 0 where only its ratio to eps is known. */
static double density_contrast(const struct kn_case *c)
{
    struct kn_scales scales;
    double largest = 0;
    const bool known = kn_scales_create(&scales, c) == KN_OK && scales.known;
    for (int side = 0; side < KN_SIDES; side++)
        if (c->walls[side].kind == KN_WALL_INFLOW)
            largest = fmax(largest, fabs(c->walls[side].density));
    return (known ? scales.disturbance : c->disturbance) * largest;
}

/* What the linearised equation leaves out is of the order of the square of the drive. */
static void judge_linearity(struct kn_validity *v, const struct kn_case *c)
{
    const double mach = kn_scales_mach(c), heating = kn_scales_heating(c), contrast = density_contrast(c);
    if (c->disturbance > 0 || !(kn_scales_is_strong(c) || contrast > 0.05))
        return;
    kn_validity_add(v, KN_LEVEL_WARNING, "linearised", NAN,
                    "the linearised equation is used for a drive that is not small (Ma %.2g, temperatures up "
                    "to %.2g %% and densities up to %.2g %% from the reference state); disturbance: 1 solves "
                    "the whole equation",
                    mach, 100 * heating, 100 * contrast);
}

/* Nitrogen carries heat in its rotation too: free-molecular heat fluxes are 3 / 2 of the monatomic ones, and
 * in dense gas the conductivity is 1.3 times that of a monatomic gas of the same viscosity (Eucken). */
static void judge_molecules(struct kn_validity *v, const struct kn_case *c)
{
    bool heated = c->source.temperature_gradient[0] != 0 || c->source.temperature_gradient[1] != 0 ||
                  c->source.temperature_gradient[2] != 0;
    for (int side = 0; side < KN_SIDES; side++) {
        const struct kn_wall *w = &c->walls[side];
        heated = heated || fabs(w->temperature) > 1e-9 || w->oscillation.temperature != 0 ||
                 w->gradient.temperature != 0;
    }
    if (c->gas.species != KN_SPECIES_NITROGEN || !(heated || (c->disturbance > 0 && kn_scales_mach(c) > 0.3)))
        return;
    kn_validity_add(v, KN_LEVEL_WARNING, "diatomic", 0.3,
                    "nitrogen is computed as a monatomic gas: heat fluxes are too low, by a factor of 1.3 "
                    "(dense) to 1.5 (free-molecular), because rotation carries no energy; stresses and mass "
                    "fluxes are not affected");
}

static void judge_units(struct kn_validity *v, const struct kn_case *c)
{
    char text[KN_TEXT];
    if (kn_scales_bare(c, text))
        kn_validity_add(v, KN_LEVEL_WARNING, "unit", NAN, "%s", text);
}

/* -------------------------------------------------------------------- a case */

/* The densest gas that a case names, n0. */
static double largest_density(const struct kn_case *c)
{
    double largest = 1;
    for (int side = 0; side < KN_SIDES; side++)
        if (c->walls[side].kind == KN_WALL_INFLOW)
            largest = fmax(largest, 1 + c->disturbance * c->walls[side].density);
    return largest;
}

static void force(struct kn_validity *v)
{
    for (int i = 0; i < v->count; i++)
        if (v->finding[i].level == KN_LEVEL_REFUSAL) {
            v->finding[i].level = KN_LEVEL_WARNING;
            v->forced = true;
        }
}

enum kn_status kn_validity_judge_case(struct kn_validity *v, const struct kn_case *c, double time_step)
{
    *v = (struct kn_validity){0};
    const enum kn_status status = kn_validity_judge_fluxes(v, c);
    if (status != KN_OK)
        return status;
    kn_validity_judge_cells(v, c, largest_density(c));
    kn_validity_judge_step(v, c, time_step);
    kn_validity_judge_rounding(v, c, time_step);
    kn_validity_judge_rays(v, c);
    judge_molecules(v, c);
    judge_linearity(v, c);
    judge_units(v, c);
    if (c->run.force)
        force(v);
    return KN_OK;
}

enum kn_status kn_validity_refuse(const struct kn_validity *v)
{
    for (int i = 0; i < v->count; i++)
        if (v->finding[i].level == KN_LEVEL_REFUSAL)
            return kn_error_set(KN_EINPUT, "%s; run.force: true computes it nevertheless",
                                v->finding[i].text);
    return KN_OK;
}
