#include "plot/plot_map.h"

#include "error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PIXELS = 256 /* of the longer side */, FEW = 8 /* cells across that streamlines would not follow */ };
#define LINES_APART  (1 / 22.0) /* of the longer side as drawn; of a stripe less */
#define ARROWS_APART (1 / 18.0)
#define SLOWEST      2e-3 /* of the greatest speed: below it the gas rests */

#define ROUNDING 1e-5 /* of the greatest number in the plane: state is kept in single precision */

static const char axis_names[] = "xyz";

static enum kn_status no_memory(void)
{
    return kn_error_set(KN_EMEMORY, "not enough memory for a map");
}

double kn_plot_map_aspect(const struct kn_plot_map *m)
{
    return fmin(fmax((m->high[1] - m->low[1]) / (m->high[0] - m->low[0]), 0.2), 2);
}

/* -------------------------------------------------------------------- values */

/* The extremes are those of the cells; the picture has pixels between them. */
static void find_extremes(struct kn_plot_map *m, const struct kn_plot_gas *g,
                          const struct kn_plot_quantity *q, const struct kn_plot_scale *scale, double length)
{
    m->most[0] = -INFINITY;
    m->least[0] = INFINITY;
    for (int j = 0; j < g->cells[1]; j++)
        for (int i = 0; i < g->cells[0]; i++) {
            const size_t cell = (size_t)j * (size_t)g->cells[0] + (size_t)i;
            const double value =
                scale->offset + scale->factor * kn_plot_quantity_value(q, g->fields + cell * KN_FIELDS);
            const double found[3] = {value, length * g->centres[0][i], length * g->centres[1][j]};
            if (value > m->most[0])
                memcpy(m->most, found, sizeof found);
            if (value < m->least[0])
                memcpy(m->least, found, sizeof found);
        }
}

/* Round zero (or the undisturbed gas) where there are values on both sides of it, else from it. */
static void set_range(struct kn_plot_map *m, const struct kn_plot_quantity *q, double rest)
{
    const double above = m->most[0] - rest, below = rest - m->least[0], most = fmax(above, below);
    m->is_signed = q->is_signed && below > 0.05 * above;
    m->range[0] = m->is_signed ? rest - most : rest;
    m->range[1] = most > 0 ? rest + most : rest + 1;
}

/* The plane as pixels: pictures know no stretched grids. */
static enum kn_status resample(struct kn_plot_map *m, const struct kn_plot_gas *g,
                               const struct kn_plot_quantity *q, const struct kn_plot_scale *scale)
{
    const double width = g->edges[0][g->cells[0]] - g->edges[0][0],
                 height = g->edges[1][g->cells[1]] - g->edges[1][0];
    const double aspect = kn_plot_map_aspect(m);
    struct kn_plane p;
    m->pixels[0] = aspect > 1 ? (int)fmax(2, round(PIXELS / aspect)) : PIXELS;
    m->pixels[1] = aspect > 1 ? PIXELS : (int)fmax(2, round(PIXELS * aspect));
    m->value = malloc((size_t)m->pixels[0] * (size_t)m->pixels[1] * sizeof *m->value);
    if (!m->value)
        return no_memory();
    enum kn_status status = kn_plane_create(&p, g->cells, (const double *const *)g->edges, 1);
    if (status != KN_OK)
        return status;
    for (int j = 0; j < g->cells[1]; j++)
        for (int i = 0; i < g->cells[0]; i++) {
            const size_t cell = (size_t)j * (size_t)g->cells[0] + (size_t)i;
            *kn_plane_node(&p, i + 1, j + 1) =
                scale->offset + scale->factor * kn_plot_quantity_value(q, g->fields + cell * KN_FIELDS);
        }
    kn_plane_extend(&p);
    for (int j = 0; j < m->pixels[1]; j++)
        for (int i = 0; i < m->pixels[0]; i++) {
            const double at[2] = {g->edges[0][0] + (i + 0.5) * width / m->pixels[0],
                                  g->edges[1][0] + (j + 0.5) * height / m->pixels[1]};
            kn_plane_sample(&p, at, &m->value[(size_t)j * (size_t)m->pixels[0] + (size_t)i]);
        }
    kn_plane_destroy(&p);
    return KN_OK;
}

/* ------------------------------------------------------------- the flow over it */

/* The first component of what flows in a map of q: the gas, or heat; -1: nothing is drawn over it. */
static int flow_in(const struct kn_plot_quantity *q)
{
    return q->dimension == KN_DIMENSION_VELOCITY                                                ? KN_UX
           : q->dimension == KN_DIMENSION_TEMPERATURE || q->dimension == KN_DIMENSION_HEAT_FLUX ? KN_QX
                                                                                                : -1;
}

static bool is_solid(const struct kn_plot_run *r, int axis, int end)
{
    const enum kn_wall_kind kind = r->c.walls[2 * axis + end].kind;
    return r->has_case && (kind == KN_WALL_DIFFUSE || kind == KN_WALL_SPECULAR || kind == KN_WALL_SYMMETRY);
}

/* What flows in the plane, over lengths as they are drawn (the longer side is 1); gas flows through no wall.
 */
static enum kn_status make_flow(struct kn_plane *p, const struct kn_plot_map *m,
                                const struct kn_plot_state *state, int first)
{
    const struct kn_plot_gas *g = &state->gas;
    const double aspect = kn_plot_map_aspect(m),
                 drawn[2] = {aspect > 1 ? 1 / aspect : 1, aspect > 1 ? 1 : aspect};
    double scale[2];
    enum kn_status status = kn_plane_create(p, g->cells, (const double *const *)g->edges, 2);
    if (status != KN_OK)
        return status;
    for (int k = 0; k < 2; k++) {
        scale[k] = drawn[k] / (g->edges[k][g->cells[k]] - g->edges[k][0]);
        for (int i = 0; i < p->n[k]; i++)
            p->at[k][i] = (p->at[k][i] - g->edges[k][0]) * scale[k];
    }
    for (int j = 0; j < g->cells[1]; j++)
        for (int i = 0; i < g->cells[0]; i++)
            for (int k = 0; k < 2; k++)
                kn_plane_node(p, i + 1, j + 1)[k] =
                    scale[k] * g->fields[((size_t)j * (size_t)g->cells[0] + (size_t)i) * KN_FIELDS +
                                         (size_t)(first + g->axis[k])];
    kn_plane_extend(p);
    for (int end = 0; end < 2 && first == KN_UX; end++) {
        for (int j = 0; j < p->n[1] && is_solid(state->run, g->axis[0], end); j++)
            kn_plane_node(p, end ? p->n[0] - 1 : 0, j)[0] = 0;
        for (int i = 0; i < p->n[0] && is_solid(state->run, g->axis[1], end); i++)
            kn_plane_node(p, i, end ? p->n[1] - 1 : 0)[1] = 0;
    }
    return KN_OK;
}

static double fastest(const struct kn_plane *p)
{
    double most = 0;
    for (int j = 0; j < p->n[1]; j++)
        for (int i = 0; i < p->n[0]; i++)
            most = fmax(most, hypot(kn_plane_node(p, i, j)[0], kn_plane_node(p, i, j)[1]));
    return most;
}

static enum kn_status add_arrows(struct kn_plot_map *m, const struct kn_plane *p, double most)
{
    const double size[2] = {p->at[0][p->n[0] - 1], p->at[1][p->n[1] - 1]};
    const int n[2] = {(int)fmax(1, round(size[0] / ARROWS_APART)),
                      (int)fmax(1, round(size[1] / ARROWS_APART))};
    m->arrow = calloc((size_t)n[0] * (size_t)n[1], sizeof *m->arrow);
    if (!m->arrow)
        return no_memory();
    for (int j = 0; j < n[1]; j++)
        for (int i = 0; i < n[0]; i++) {
            const double at[2] = {(i + 0.5) * size[0] / n[0], (j + 0.5) * size[1] / n[1]};
            double v[2];
            kn_plane_sample(p, at, v);
            if (!(hypot(v[0], v[1]) > 0.03 * most))
                continue;
            double *arrow = m->arrow[m->arrows++];
            for (int k = 0; k < 2; k++) { /* the middle of an arrow is where it belongs */
                const double length = 0.95 * ARROWS_APART * v[k] / most,
                             per = (m->high[k] - m->low[k]) / size[k];
                arrow[k] = m->low[k] + (at[k] - 0.5 * length) * per;
                arrow[2 + k] = length * per;
            }
        }
    return KN_OK;
}

static enum kn_status add_lines(struct kn_plot_map *m, const struct kn_plane *p, double most)
{
    const double aspect = kn_plot_map_aspect(m), apart = LINES_APART * sqrt(fmin(aspect, 1 / aspect));
    enum kn_status status = kn_streamline_trace(&m->lines, p, apart, SLOWEST * most);
    for (int i = 0; status == KN_OK && m->lines.lines > 0 && i < m->lines.first[m->lines.lines]; i++)
        for (int k = 0; k < 2; k++)
            m->lines.points[i][k] =
                m->low[k] + m->lines.points[i][k] / p->at[k][p->n[k] - 1] * (m->high[k] - m->low[k]);
    return status;
}

static double largest_number(const struct kn_plot_gas *g)
{
    double most = 0;
    for (size_t i = 0; i < (size_t)g->cells[0] * (size_t)g->cells[1] * KN_FIELDS; i++)
        most = fmax(most, fabs(g->fields[i]));
    return most;
}

/* What flows in the plane no more than by rounding has no lines that mean anything. */
static enum kn_status add_flow(struct kn_plot_panel *panel, const struct kn_plot_scene *s, int first)
{
    const struct kn_plot_state *state = &s->states[0];
    struct kn_plot_map *m = &panel->map;
    struct kn_plane p;
    enum kn_status status = make_flow(&p, m, state, first);
    if (status != KN_OK)
        return status;
    const double most = fastest(&p);
    const bool coarse = state->gas.cells[0] < FEW || state->gas.cells[1] < FEW;
    const bool arrows = s->flow == KN_PLOT_FLOW_ARROWS || (s->flow == KN_PLOT_FLOW_SUITS && coarse);
    const bool flows = most > ROUNDING * largest_number(&state->gas);
    if (flows) {
        const char *lines = first == KN_UX ? "streamlines" : "lines";
        status = arrows ? add_arrows(m, &p, most) : add_lines(m, &p, most);
        kn_plot_sheet_append(panel->what, sizeof panel->what, " with %s%s", arrows ? "arrows" : lines,
                             first == KN_UX ? "" : " of the heat flux");
    }
    kn_plane_destroy(&p);
    return status;
}

/* ------------------------------------------------------------------- the panel */

static void label_axes(struct kn_plot_panel *panel, const struct kn_plot_gas *g,
                       const struct kn_plot_scale *length)
{
    char *const labels[2] = {panel->x_label, panel->y_label};
    for (int k = 0; k < 2; k++)
        snprintf(labels[k], KN_PLOT_TEXT, length->is_si ? "{/:Italic %c}  (%s)" : "{/:Italic %c} / %s",
                 axis_names[g->axis[k]], length->unit);
}

enum kn_status kn_plot_map_add(struct kn_plot_sheet *sheet, const struct kn_plot_scene *s,
                               const struct kn_plot_quantity *q)
{
    const struct kn_plot_gas *g = &s->states[0].gas;
    const struct kn_scales *si = kn_plot_panels_si(s, s->states[0].run);
    struct kn_plot_panel *panel = kn_plot_sheet_add(sheet);
    double largest = 0;
    if (!panel)
        return kn_error_set(KN_EINPUT, "a sheet has room for %d panels: ask for fewer quantities",
                            KN_PLOT_PANELS);
    for (size_t i = 0; i < (size_t)g->cells[0] * (size_t)g->cells[1]; i++)
        largest = fmax(largest, fabs(kn_plot_quantity_value(q, g->fields + i * KN_FIELDS)));
    const struct kn_plot_scale scale = kn_plot_quantity_scale(q->dimension, si, largest);
    const struct kn_plot_scale length = kn_plot_quantity_scale(
        KN_DIMENSION_LENGTH, si, fmax(g->edges[0][g->cells[0]], g->edges[1][g->cells[1]]));
    struct kn_plot_map *m = &panel->map;
    panel->is_map = true;
    snprintf(panel->what, sizeof panel->what, "map of %s", q->name);
    label_axes(panel, g, &length);
    kn_plot_quantity_label(panel->value_label, q, &scale);
    for (int k = 0; k < 2; k++) {
        m->low[k] = length.factor * g->edges[k][0];
        m->high[k] = length.factor * g->edges[k][g->cells[k]];
    }
    find_extremes(m, g, q, &scale, length.factor);
    set_range(m, q, scale.offset);
    enum kn_status status = resample(m, g, q, &scale);
    if (status == KN_OK && flow_in(q) >= 0 && s->flow != KN_PLOT_FLOW_NONE)
        status = add_flow(panel, s, flow_in(q));
    return status;
}
