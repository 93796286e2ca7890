/* Writes the geometry of a case as JSON and starts the Python package, which draws it. */
#include "cli/picture.h"

#include "cli/python.h"
#include "config/case.h"
#include "config/config.h"
#include "config/geometry.h"
#include "config/scales.h"
#include "config/shape.h"
#include "error.h"
#include "files/json.h"
#include "grid/space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A plane through the cells: axes from left to right and upwards, and the cell on the third axis. */
struct plane {
    int right, up, across, at;
};

static void append_temperature(const struct kn_case *c, double theta, char text[KN_TEXT])
{
    struct kn_scales s;
    const size_t n = strlen(text);
    if (kn_scales_create(&s, c) == KN_OK && s.known) {
        const struct kn_conversion by = kn_scales_conversion(&s, KN_DIMENSION_TEMPERATURE);
        snprintf(text + n, KN_TEXT - n, "%.4g K", by.offset + by.factor * theta);
    } else {
        snprintf(text + n, KN_TEXT - n, "%s%.4g eps", theta < 0 ? "T0 - " : "T0 + ", fabs(theta));
    }
}

/* "diffuse, 300 K to 350 K, moves", "pressure 2 kPa". */
static json_t *surface_label(const struct kn_case *c, int surface)
{
    const int port = surface - KN_SIDES - kn_case_bodies(c);
    const struct kn_wall w = kn_case_surface(c, surface);
    char text[KN_TEXT] = "", unit[KN_UNITS_TEXT];
    struct kn_scales s;
    const bool known = kn_scales_create(&s, c) == KN_OK && s.known;
    snprintf(text, sizeof text, "%s",
             port >= 0 ? kn_config_choice_name("ports.<name>.kind", c->ports[port].kind)
                       : kn_config_choice_name("walls.<side>.kind", w.kind));
    if (port >= 0 && (c->ports[port].kind == KN_PORT_PRESSURE || c->ports[port].kind == KN_PORT_RESERVOIR)) {
        const struct kn_conversion by = kn_scales_conversion(&s, KN_DIMENSION_PORT_PRESSURE);
        const double p = c->ports[port].pressure;
        if (known)
            snprintf(text + strlen(text), KN_TEXT - strlen(text), " %s",
                     kn_units_text(KN_DIMENSION_PRESSURE, by.offset + by.factor * p, unit));
        else
            snprintf(text + strlen(text), KN_TEXT - strlen(text), " p0 %+.4g eps", p);
    }
    for (int i = 0; i < kn_case_points(&w) && kn_case_emits(&w); i++) {
        snprintf(text + strlen(text), KN_TEXT - strlen(text), "%s", i ? " to " : ", ");
        append_temperature(c, w.temperatures[i], text);
    }
    if (w.velocity[0] != 0 || w.velocity[1] != 0 || w.velocity[2] != 0)
        snprintf(text + strlen(text), KN_TEXT - strlen(text), ", moves");
    return kn_json_text(text);
}

static json_t *surfaces_of(const struct kn_case *c)
{
    json_t *list = json_array();
    for (int i = 0; i < kn_case_surfaces(c); i++) {
        const int body = i - KN_SIDES, port = body - kn_case_bodies(c);
        const char *group = port >= 0   ? "port"
                            : body >= 0 ? "body"
                                        : "wall",
                   *name = kn_case_surface_name(c, i);
        kn_json_append(list,
                       json_pack("{s:s, s:o, s:s, s:o}", "group", group, "name", kn_json_text(name), "kind",
                                 port >= 0
                                     ? "port"
                                     : kn_config_choice_name("walls.<side>.kind", kn_case_surface(c, i).kind),
                                 "label", surface_label(c, i)));
    }
    return list;
}

/* The body that fills a cell; -1: there is gas. */
static int body_at(const struct kn_shapes *shapes, const struct kn_space *s, const struct kn_geometry *g,
                   const int at[3])
{
    const int body = kn_geometry_fills(g, at);
    double centre[3];
    if (body >= 0 || kn_volumes_at(&s->volumes, kn_space_find(s, at)) != KN_VOLUMES_SOLID)
        return body;
    for (int d = 0; d < 3; d++)
        centre[d] = (s->edges[d][at[d]] + s->edges[d][at[d] + 1]) / 2;
    return kn_shape_nearest(shapes, centre, 0, NULL);
}

static json_t *point_of(double by, const double at[3])
{
    return json_pack("[f, f, f]", by * at[0], by * at[1], by * at[2]);
}

/* The facets of smooth bodies, in the unit of the edges. */
static json_t *facets_of(const struct kn_space *s, double by)
{
    json_t *centres = json_array(), *normals = json_array(), *areas = json_array(), *surfaces = json_array();
    for (int i = 0; i < s->volumes.nfacets; i++) {
        const struct kn_facet *f = &s->volumes.facets[i];
        if (f->axis >= 0)
            continue;
        kn_json_append(centres, point_of(by, f->centre));
        kn_json_append(normals, point_of(1, f->normal));
        kn_json_append(areas, json_real(by * f->area)); /* in two dimensions a length */
        kn_json_append(surfaces, json_integer(f->surface));
    }
    return json_pack("{s:o, s:o, s:o, s:o}", "centre", centres, "normal", normals, "area", areas, "surface",
                     surfaces);
}

/* Solid cells of a plane: for every row of cells a list of first cell, number of cells, body. */
static json_t *solid_of(const struct kn_shapes *shapes, const struct kn_space *s, const struct kn_geometry *g,
                        const struct plane *p)
{
    json_t *rows = json_array();
    int at[3];
    at[p->across] = p->at;
    for (at[p->up] = 0; at[p->up] < s->whole[p->up]; at[p->up]++) {
        json_t *row = json_array();
        int first = 0, present = -1;
        for (at[p->right] = 0; at[p->right] <= s->whole[p->right]; at[p->right]++) {
            const int body = at[p->right] < s->whole[p->right] ? body_at(shapes, s, g, at) : -1;
            if (body == present)
                continue;
            if (present >= 0)
                kn_json_append(row, json_pack("[i, i, i]", first, at[p->right] - first, present));
            first = at[p->right];
            present = body;
        }
        kn_json_append(rows, row);
    }
    return rows;
}

/* The faces of a plane: the corners of each, in edges of cells, and its surface. */
static json_t *faces_of(const struct kn_space *s, const struct plane *p)
{
    json_t *list = json_array();
    for (int i = 0; i < s->nown; i++) {
        const struct kn_face *f = &s->faces[i];
        const int axis = f->side / 2, high = f->side & 1;
        int at[3];
        kn_space_place(s, f->cell, at);
        if (axis == p->across || at[p->across] != p->at)
            continue;
        const int x = at[p->right], y = at[p->up];
        kn_json_append(list, axis == p->right
                                 ? json_pack("[i, i, i, i, i]", x + high, y, x + high, y + 1, f->surface)
                                 : json_pack("[i, i, i, i, i]", x, y + high, x + 1, y + high, f->surface));
    }
    return list;
}

/* The factor from lambda0 to the unit of the picture. */
static double find_unit(const struct kn_case *c, const struct kn_space *s, char unit[KN_UNITS_TEXT])
{
    struct kn_scales scales;
    const bool known = kn_scales_create(&scales, c) == KN_OK && scales.known;
    double largest = 0;
    for (int d = 0; d < 3; d++)
        if (!kn_case_is_uniform(c, d))
            largest = fmax(largest, s->edges[d][s->whole[d]]);
    strcpy(unit, "L");
    return known ? scales.length * kn_units_scale(KN_DIMENSION_LENGTH, largest * scales.length, unit)
                 : 1 / c->gas.delta;
}

static json_t *edges_of(const struct kn_space *s, double by, const char *unit)
{
    json_t *edges = json_array();
    for (int d = 0; d < 3; d++) {
        json_t *axis = json_array();
        for (int i = 0; i <= s->whole[d]; i++)
            kn_json_append(axis, kn_json_number(by * s->edges[d][i]));
        kn_json_append(edges, axis);
    }
    return json_pack("{s:o, s:o}", "at", edges, "unit", kn_json_text(unit));
}

/* The planes in which the gas is not uniform, through the middle of the third axis. */
static json_t *planes_of(const struct kn_case *c, const struct kn_space *s, const struct kn_geometry *g,
                         const struct kn_shapes *shapes)
{
    json_t *planes = json_array();
    for (int across = 2; across >= 0; across--) {
        const int right = across == 0 ? 1 : 0, up = 3 - across - right;
        const struct plane p = {right, up, across, s->whole[across] / 2};
        if (kn_case_is_uniform(c, right) || kn_case_is_uniform(c, up))
            continue;
        kn_json_append(planes,
                       json_pack("{s:i, s:i, s:i, s:i, s:o, s:o}", "right", right, "up", up, "across", across,
                                 "at", p.at, "solid", solid_of(shapes, s, g, &p), "faces", faces_of(s, &p)));
    }
    return planes;
}

/* Write the description to a new file; *path is its name. */
static enum kn_status describe(const struct kn_case *c, char path[32])
{
    struct kn_space s;
    struct kn_geometry g;
    struct kn_shapes shapes = {0};
    KN_TRY(kn_geometry_create(&g, c));
    enum kn_status status = kn_space_create(&s, c, NULL);
    if (status == KN_OK)
        status = kn_shape_create(&shapes, c);
    strcpy(path, "/tmp/knudsen-XXXXXX");
    const int descriptor = status == KN_OK ? mkstemp(path) : -1;
    FILE *to = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
    if (status == KN_OK && !to)
        status = kn_error_set(KN_EIO, "cannot create a temporary file in /tmp");
    if (to) {
        char unit[KN_UNITS_TEXT];
        const double by = find_unit(c, &s, unit);
        json_t *all =
            json_pack("{s:o, s:o, s:o, s:o}", "edges", edges_of(&s, by, unit), "surfaces", surfaces_of(c),
                      "facets", facets_of(&s, by), "planes", planes_of(c, &s, &g, &shapes));
        status = kn_json_print(to, all, (struct kn_json_layout){0});
        if (fclose(to) != 0 && status == KN_OK)
            status = kn_error_set(KN_EIO, "cannot write a temporary file in /tmp");
    }
    kn_shape_destroy(&shapes);
    kn_space_destroy(&s);
    kn_geometry_destroy(&g);
    return status;
}

enum kn_status kn_picture_draw(const struct kn_case *c, const char *output)
{
    char path[32] = "";
    int axes = 0;
    for (int d = 0; d < 3; d++)
        axes += !kn_case_is_uniform(c, d);
    if (axes < 2)
        return kn_error_set(KN_EINPUT,
                            "--picture: the case has %d axis along which the gas is not uniform (at "
                            "least 2 are drawn)",
                            axes);
    KN_TRY(kn_case_check(c));
    enum kn_status status = describe(c, path);
    if (status == KN_OK) {
        char *words[] = {"", path, (char *)output, NULL};
        const int code = kn_python_run("knudsen.plot.geometry", 3, words);
        const enum kn_status refused = code == kn_status_exit_code(KN_EINPUT) ? KN_EINPUT : KN_EIO;
        status = code == 0 ? KN_OK : kn_error_set(refused, "the picture '%.500s' is not drawn", output);
    }
    if (*path)
        unlink(path);
    return status;
}
