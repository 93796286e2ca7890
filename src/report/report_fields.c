/* Selects the fields of a run for the report page, and writes its arrays, units and notes. */
#include "report/report_fields.h"

#include "error.h"
#include "io/store.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double TEXT_PER_VALUE = 8 * 4 / 3.0; /* bytes of base64 */
enum { WORD = 256, TIMES = 200 };                 /* of a series that a slider can use */

json_t *kn_report_fields_array(const double *values, size_t count)
{
    char *text = NULL;
    size_t size = 0;
    struct kn_base64 b = {.to = open_memstream(&text, &size)};
    if (!b.to)
        return NULL;
    for (size_t i = 0; i < count; i++)
        kn_base64_real(&b, values[i]);
    kn_base64_end(&b);
    const bool whole = !ferror(b.to);
    json_t *array = fclose(b.to) == 0 && whole ? json_stringn_nocheck(text, size) : NULL;
    free(text);
    return array;
}

json_t *kn_report_fields_unit(const char *unit, const char *si_unit, struct kn_conversion by)
{
    json_t *rule = json_pack("{s:o}", "unit", kn_json_text(unit));
    if (si_unit)
        kn_json_set(rule, "si",
                    json_pack("{s:o, s:o, s:o}", "unit", kn_json_text(si_unit), "factor",
                              kn_json_number(by.factor), "offset", kn_json_number(by.offset)));
    return rule;
}

void kn_report_fields_note(json_t *notes, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    kn_json_append(notes, kn_json_text(text));
}

enum kn_status kn_report_fields_open(struct kn_report_gas *g, const char *folder)
{
    *g = (struct kn_report_gas){.file = H5I_INVALID_HID, .ncells = 1};
    KN_TRY(kn_files_join(g->path, folder, "fields.h5"));
    if (access(g->path, F_OK) != 0)
        return KN_OK;
    KN_TRY(kn_fields_open(g->path, &g->file, &g->grid));
    for (int d = 0; d < 3; d++)
        g->ncells *= (size_t)g->grid.cells[d];
    const int mean = kn_fields_has_mean(g->file);
    g->mean = mean > 0;
    return mean >= 0 ? KN_OK
                     : kn_error_set(KN_EIO, "'%s' is damaged: its group mean cannot be read", g->path);
}

void kn_report_fields_close(struct kn_report_gas *g)
{
    kn_fields_free_grid(&g->grid);
    if (g->file >= 0)
        H5Fclose(g->file);
    *g = (struct kn_report_gas){.file = H5I_INVALID_HID};
}

/* Boxes of cells, of which some may be left out: every n-th cell of an axis, or a few planes across it. */
struct selection {
    int nblocks;
    int count[3][3]; /* [block][axis] cells */
    bool planes;     /* block d has planes across axis d */
    int every;       /* n: every n-th cell along each axis */
};

static double selection_bytes(const struct selection *s)
{
    double cells = 0;
    for (int i = 0; i < s->nblocks; i++)
        cells += (double)s->count[i][0] * s->count[i][1] * s->count[i][2];
    return cells * KN_FIELDS * TEXT_PER_VALUE;
}

/* The place of the i-th of `count` cells out of n, evenly spaced, with the middle one among them. */
static int place_of(int i, int count, int n)
{
    if (count == n)
        return i;
    return i == count / 2 ? n / 2 : (int)((2.0 * i + 1) / (2.0 * count) * n);
}

/* Every `every`-th cell along each axis; with planes > 0 only that number of planes across each axis. */
static struct selection select_cells(const struct kn_report_gas *g, int every, int planes)
{
    struct selection s = {.nblocks = planes ? 3 : 1, .planes = planes > 0, .every = every};
    for (int i = 0; i < s.nblocks; i++)
        for (int d = 0; d < 3; d++) {
            const int n = g->grid.cells[d], wanted = planes && d == i ? planes : (n + every - 1) / every;
            s.count[i][d] = wanted < n ? wanted : n;
        }
    return s;
}

/* The largest selection that fits: all cells, planes across the axes of a box, or fewer cells. */
static struct selection choose_cells(const struct kn_report_gas *g, double bytes)
{
    struct selection s = select_cells(g, 1, 0);
    const bool box = g->grid.cells[0] > 1 && g->grid.cells[1] > 1 && g->grid.cells[2] > 1;
    int most = 0;
    for (int d = 0; d < 3; d++)
        most = g->grid.cells[d] > most ? g->grid.cells[d] : most;
    for (int planes = most; box && planes > 0 && selection_bytes(&s) > bytes; planes = planes * 7 / 8)
        s = select_cells(g, 1, planes);
    for (int every = 2; selection_bytes(&s) > bytes && every <= most; every++)
        s = select_cells(g, every, box ? 1 : 0);
    return s;
}

static json_t *selection_json(const struct selection *s, const int n[3])
{
    json_t *blocks = json_array();
    for (int i = 0; i < s->nblocks; i++) {
        json_t *axes = json_array();
        for (int d = 0; d < 3; d++) {
            json_t *keep = json_array();
            for (int k = 0; k < s->count[i][d]; k++)
                kn_json_append(keep, json_integer(place_of(k, s->count[i][d], n[d])));
            kn_json_append(axes, keep);
        }
        kn_json_append(blocks, axes);
    }
    return blocks;
}

static void note_selection(const struct selection *s, const struct kn_report_gas *g, json_t *notes)
{
    if (s->planes)
        kn_report_fields_note(
            notes,
            "The box has %zu cells, too many for a page: it holds %d, %d and %d planes across x, y and z. "
            "All cells are in fields.h5.",
            g->ncells, s->count[0][0], s->count[1][1], s->count[2][2]);
    if (s->every > 1)
        kn_report_fields_note(
            notes, "Along each axis the page has about one of %d cells. All cells are in fields.h5.",
            s->every);
}

/* One component in one block: its bits, or one number if all values are the same. */
static json_t *block_json(const double *values, int components, const int count[3], const int n[3])
{
    const size_t cells = (size_t)count[0] * (size_t)count[1] * (size_t)count[2];
    double *buffer = calloc(cells, sizeof *buffer), *next = buffer;
    bool same = true;
    if (!buffer)
        return NULL;
    for (int k = 0; k < count[2]; k++)
        for (int j = 0; j < count[1]; j++) {
            const size_t row =
                (size_t)place_of(k, count[2], n[2]) * (size_t)n[1] + (size_t)place_of(j, count[1], n[1]);
            for (int i = 0; i < count[0]; i++, next++) {
                const size_t cell = row * (size_t)n[0] + (size_t)place_of(i, count[0], n[0]);
                *next = values[cell * (size_t)components];
                same = same && *next == buffer[0];
            }
        }
    json_t *block = same && cells > 1 ? kn_json_number(buffer[0]) : kn_report_fields_array(buffer, cells);
    free(buffer);
    return block;
}

struct range {
    double low, high;
};

static void widen(struct range *r, double value)
{
    r->low = fmin(r->low, value);
    r->high = fmax(r->high, value);
}

static json_t *range_json(const struct range *r)
{
    return json_pack("[o, o]", kn_json_number(r->low), kn_json_number(r->high));
}

/* All components of one quantity: the range over all cells, and the cells of each block. */
static json_t *quantity_json(const double *values, const struct kn_quantity *q, const struct kn_report_gas *g,
                             const struct selection *s)
{
    json_t *components = json_array();
    for (int c = 0; c < q->components; c++) {
        struct range r = {INFINITY, -INFINITY};
        json_t *blocks = json_array();
        for (size_t cell = 0; cell < g->ncells; cell++)
            widen(&r, values[cell * (size_t)q->components + (size_t)c]);
        for (int i = 0; i < s->nblocks; i++)
            kn_json_append(blocks, block_json(values + c, q->components, s->count[i], g->grid.cells));
        kn_json_append(components, json_pack("{s:o, s:o}", "range", range_json(&r), "blocks", blocks));
    }
    return components;
}

static json_t *speed_json(const double *u, size_t ncells)
{
    struct range r = {INFINITY, -INFINITY};
    for (size_t cell = 0; cell < ncells; cell++, u += 3)
        widen(&r, sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]));
    return range_json(&r);
}

/* Append the fields of one time; false, and nothing appended, if they cannot be read completely. */
static bool add_moment(json_t *moments, hid_t where, bool mean, const struct kn_report_gas *g,
                       const struct selection *s)
{
    double step = 0, time = 0;
    json_t *fields = json_object(), *speed = NULL;
    bool good = kn_store_read_number(where, "step", &step) && kn_store_read_number(where, "time", &time);
    hid_t group = !good ? H5I_INVALID_HID : mean ? kn_store_open_group(where, "mean") : where;
    for (const struct kn_quantity *q = kn_quantities; q->name && good; q++) {
        double *values = kn_fields_read_quantity(group, q, &g->grid);
        good = values != NULL;
        if (!good && errno == ENOMEM)
            kn_json_append(moments, NULL); /* the page must not lack a part because of memory */
        if (good)
            kn_json_set(fields, q->name, quantity_json(values, q, g, s));
        if (good && q->first == KN_UX)
            speed = speed_json(values, g->ncells);
        free(values);
    }
    if (good)
        kn_json_append(moments,
                       json_pack("{s:b, s:o, s:o, s:o, s:o}", "mean", mean, "step", kn_json_number(step),
                                 "time", kn_json_number(time), "speed", speed, "fields", fields));
    else {
        json_decref(fields);
        json_decref(speed);
    }
    if (mean && group >= 0)
        H5Gclose(group);
    return good;
}

/* Append `wanted` times of the series, with the first and the last among them. */
static void add_series(json_t *moments, struct kn_report_gas *g, const struct selection *s, int wanted,
                       json_t *notes)
{
    const int all = kn_fields_series_length(g->file), shown = wanted < all ? wanted : all;
    int lost = 0;
    double step = -1; /* the last of the series may be the step of fields.h5 itself */
    if (all < 0 || !kn_store_read_number(g->file, "step", &step)) {
        g->damaged = true;
        return;
    }
    for (int i = 0; i < shown; i++) {
        char name[KN_FIELDS_LINK];
        const int at = (int)(shown > 1 ? (double)i * (all - 1) / (shown - 1) + 0.5 : 0);
        const bool named = kn_fields_series_name(g->file, at, name);
        if (named && strtod(name, NULL) == step)
            continue;
        hid_t group = named ? kn_fields_open_series(g->file, name) : H5I_INVALID_HID;
        lost += group < 0 || !add_moment(moments, group, false, g, s);
        if (group >= 0)
            H5Gclose(group);
    }
    if (shown < all)
        kn_report_fields_note(notes, "The page has %d of the %d times of the series. All are in fields/.",
                              shown, all);
    if (lost)
        kn_report_fields_note(notes, "%d files of the series cannot be read and are left out.", lost);
}

/* The unit of a dataset, from its attributes. */
static json_t *unit_json(struct kn_report_gas *g, const char *name, int rank, const char *unit)
{
    hsize_t shape[4];
    hid_t set = kn_store_open_set(g->file, name, rank, shape);
    char si_unit[WORD];
    struct kn_conversion by = {1, 0};
    const htri_t there = set < 0 ? -1 : H5Aexists(set, "si_unit");
    const bool si = there > 0 && kn_store_read_text(set, "si_unit", si_unit, sizeof si_unit) &&
                    kn_store_read_number(set, "si_factor", &by.factor) &&
                    kn_store_read_number(set, "si_offset", &by.offset);
    g->damaged = g->damaged || there < 0 || (there > 0 && !si);
    if (set >= 0)
        H5Dclose(set);
    return kn_report_fields_unit(unit, si ? si_unit : NULL, by);
}

static void add_grid(json_t *to, struct kn_report_gas *g)
{
    json_t *cells = json_array(), *edges = json_array();
    json_t *units = json_pack("{s:o}", "grid", unit_json(g, "grid/x", 1, "lambda0"));
    for (int d = 0; d < 3; d++) {
        kn_json_append(cells, json_integer(g->grid.cells[d]));
        kn_json_append(edges, kn_report_fields_array(g->grid.edges[d], (size_t)g->grid.cells[d] + 1));
    }
    for (const struct kn_quantity *q = kn_quantities; q->name; q++)
        kn_json_set(units, q->name, unit_json(g, q->name, q->components > 1 ? 4 : 3, q->unit));
    kn_json_set(to, "cells", cells);
    kn_json_set(to, "edges", edges);
    kn_json_set(to, "units", units);
}

json_t *kn_report_fields_json(struct kn_report_gas *g, double bytes, json_t *notes)
{
    double delta = NAN;
    if (g->file < 0)
        return json_null();
    const int series = kn_fields_series_length(g->file), own = g->mean ? 2 : 1;
    const struct selection s = choose_cells(g, (series > 1 ? bytes / 2 : bytes) / own);
    const double room = (bytes - own * selection_bytes(&s)) / selection_bytes(&s);
    note_selection(&s, g, notes);
    g->damaged |= !kn_store_read_number(g->file, "delta", &delta);
    json_t *all = json_pack("{s:o}", "delta", kn_json_number(delta)), *moments = json_array();
    add_grid(all, g);
    kn_json_set(all, "blocks", selection_json(&s, g->grid.cells));
    g->damaged = !add_moment(moments, g->file, false, g, &s) ||
                 (g->mean && !add_moment(moments, g->file, true, g, &s)) || series < 0 || g->damaged;
    if (g->damaged)
        kn_report_fields_note(notes, "Fields cannot be read: '%s' is damaged.", g->path);
    else
        add_series(moments, g, &s, (int)fmin(fmax(room, 0), TIMES), notes);
    kn_json_set(all, "moments", moments);
    return all;
}
