#include "report/report_fields.h"

#include "error.h"
#include "io/fields.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double TEXT_PER_VALUE = 8 * 4 / 3.0; /* bytes of base64 */
enum { WORD = 256, TIMES = 200 };                 /* of a series that a slider can use */

/* ------------------------------------------------------------------ reading */

enum kn_status kn_report_fields_open(struct kn_report_gas *g, const char *folder)
{
    *g = (struct kn_report_gas){.file = H5I_INVALID_HID, .ncells = 1};
    enum kn_status status = kn_files_join(g->path, folder, "fields.h5");
    if (status != KN_OK || access(g->path, F_OK) != 0)
        return status;
    status = kn_fields_open(g->path, &g->file, &g->grid);
    if (status != KN_OK)
        return status;
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

/* ------------------------------------------------- what of it goes into a page */

/* A box of cells, not all of which need be there: every so many of an axis, or a few planes across it. */
struct block {
    int count[3];
    int *keep[3]; /* [count[d]] indices along an axis */
};

struct selection {
    int nblocks;
    struct block block[3];
    bool planes; /* block d has planes across axis d */
    int every;   /* cell along each axis that has some */
};

static double block_cells(const struct block *b)
{
    return (double)b->count[0] * b->count[1] * b->count[2];
}

static double selection_bytes(const struct selection *s)
{
    double cells = 0;
    for (int i = 0; i < s->nblocks; i++)
        cells += block_cells(&s->block[i]);
    return cells * KN_FIELDS * TEXT_PER_VALUE;
}

/* So many of n, evenly, the middle one among them; all where there is room. */
static int *spread(int n, int wanted, int *count)
{
    *count = wanted < n ? wanted : n;
    int *keep = kn_report_allocate((size_t)*count, sizeof *keep);
    for (int i = 0; keep && i < *count; i++)
        keep[i] = *count == n ? i : (int)((2.0 * i + 1) / (2.0 * *count) * n);
    if (keep && *count < n)
        keep[*count / 2] = n / 2;
    return keep;
}

static void drop_selection(struct selection *s)
{
    for (int i = 0; i < s->nblocks; i++)
        for (int d = 0; d < 3; d++)
            free(s->block[i].keep[d]);
    *s = (struct selection){.nblocks = 0};
}

/* All cells, every `every`-th one along each axis; with planes > 0 so many across each axis only. */
static struct selection select_cells(const struct kn_report_gas *g, int every, int planes)
{
    struct selection s = {.nblocks = planes ? 3 : 1, .planes = planes > 0, .every = every};
    for (int i = 0; i < s.nblocks; i++)
        for (int d = 0; d < 3; d++) {
            const int wanted = planes && d == i ? planes : (g->grid.cells[d] + every - 1) / every;
            s.block[i].keep[d] = spread(g->grid.cells[d], wanted, &s.block[i].count[d]);
        }
    return s;
}

/* As much as fits: all; of a box planes across its axes; else fewer cells. */
static struct selection choose_cells(const struct kn_report_gas *g, double bytes)
{
    struct selection s = select_cells(g, 1, 0);
    const bool box = g->grid.cells[0] > 1 && g->grid.cells[1] > 1 && g->grid.cells[2] > 1;
    int most = 0;
    for (int d = 0; d < 3; d++)
        most = g->grid.cells[d] > most ? g->grid.cells[d] : most;
    for (int planes = most; box && planes > 0 && selection_bytes(&s) > bytes; planes = planes * 7 / 8) {
        drop_selection(&s);
        s = select_cells(g, 1, planes);
    }
    for (int every = 2; selection_bytes(&s) > bytes && every <= most; every++) {
        drop_selection(&s);
        s = select_cells(g, every, box ? 1 : 0);
    }
    return s;
}

static bool is_whole(const struct selection *s)
{
    bool whole = true;
    for (int i = 0; i < s->nblocks; i++)
        for (int d = 0; d < 3; d++)
            whole = whole && s->block[i].keep[d];
    return whole;
}

static void print_selection(FILE *to, const struct selection *s)
{
    fputs("\"blocks\": [", to);
    for (int i = 0; i < s->nblocks; i++) {
        fputs(i ? ", [" : "[", to);
        for (int d = 0; d < 3; d++) {
            fputs(d ? ", [" : "[", to);
            for (int k = 0; k < s->block[i].count[d]; k++)
                fprintf(to, "%s%d", k ? "," : "", s->block[i].keep[d][k]);
            fputc(']', to);
        }
        fputc(']', to);
    }
    fputc(']', to);
}

static void note_selection(const struct selection *s, const struct kn_report_gas *g,
                           struct kn_report_notes *notes)
{
    if (s->planes)
        kn_report_note(
            notes,
            "The box has %zu cells, too many for a page: it holds %d, %d and %d planes across x, y and z. "
            "All cells are in fields.h5.",
            g->ncells, s->block[0].count[0], s->block[1].count[1], s->block[2].count[2]);
    if (s->every > 1)
        kn_report_note(notes,
                       "Along each axis the page has about every %d. cell. All of them are in fields.h5.",
                       s->every);
}

/* ----------------------------------------------------------------- moments */

/* One component in one block: its bits, or one number where all are the same. */
static void print_block(FILE *to, const double *values, int components, const struct block *b, const int n[3])
{
    const size_t count = (size_t)block_cells(b);
    double *buffer = kn_report_allocate(count, sizeof *buffer), *next = buffer;
    bool same = true;
    if (!buffer) {
        fputs("null", to);
        return;
    }
    for (int k = 0; k < b->count[2]; k++)
        for (int j = 0; j < b->count[1]; j++)
            for (int i = 0; i < b->count[0]; i++) {
                const size_t cell =
                    ((size_t)b->keep[2][k] * (size_t)n[1] + (size_t)b->keep[1][j]) * (size_t)n[0] +
                    (size_t)b->keep[0][i];
                *next = values[cell * (size_t)components];
                same = same && *next == buffer[0];
                next++;
            }
    if (same && count > 1)
        kn_report_put_number(to, buffer[0]);
    else
        kn_report_put_array(to, buffer, count);
    free(buffer);
}

struct range {
    double low, high;
};

static void widen(struct range *r, double value)
{
    r->low = fmin(r->low, value);
    r->high = fmax(r->high, value);
}

static void print_range(FILE *to, const struct range *r)
{
    fputc('[', to);
    kn_report_put_number(to, r->low);
    fputs(", ", to);
    kn_report_put_number(to, r->high);
    fputc(']', to);
}

/* All components of one quantity: the range over all cells, and the cells of each block. */
static void print_quantity(FILE *to, const double *values, const struct kn_quantity *q,
                           const struct kn_report_gas *g, const struct selection *s)
{
    fprintf(to, "\"%s\": [", q->name);
    for (int c = 0; c < q->components; c++) {
        struct range r = {INFINITY, -INFINITY};
        for (size_t cell = 0; cell < g->ncells; cell++)
            widen(&r, values[cell * (size_t)q->components + (size_t)c]);
        fputs(c ? ", {\"range\": " : "{\"range\": ", to);
        print_range(to, &r);
        fputs(", \"blocks\": [", to);
        for (int i = 0; i < s->nblocks; i++) {
            fputs(i ? ", " : "", to);
            print_block(to, values + c, q->components, &s->block[i], g->grid.cells);
        }
        fputs("]}", to);
    }
    fputc(']', to);
}

static void print_speed(FILE *to, const double *u, size_t ncells)
{
    struct range r = {INFINITY, -INFINITY};
    for (size_t cell = 0; cell < ncells; cell++, u += 3)
        widen(&r, sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]));
    fputs(", \"speed\": ", to);
    print_range(to, &r);
}

/* One look at the gas; false, and nothing printed, where it cannot be read whole. */
static bool print_moment(FILE *to, hid_t where, const char *prefix, bool mean, const struct kn_report_gas *g,
                         const struct selection *s)
{
    double step = 0, time = 0, *values[8] = {NULL};
    int count = 0;
    bool good = kn_store_read_number(where, "step", &step) && kn_store_read_number(where, "time", &time);
    hid_t group = !good ? H5I_INVALID_HID : mean ? kn_store_open_group(where, "mean") : where;
    for (const struct kn_quantity *q = kn_fields_quantities; q->name && good; q++)
        good = (values[count++] = kn_fields_read_quantity(group, q, &g->grid));
    if (good && values[1]) {
        fprintf(to, "%s{\"mean\": %s, \"step\": %.0f, \"time\": ", prefix, mean ? "true" : "false", step);
        kn_report_put_number(to, time);
        print_speed(to, values[1], g->ncells);
        fputs(", \"fields\": {", to);
        for (int i = 0; i < count; i++) {
            fputs(i ? ", " : "", to);
            print_quantity(to, values[i], &kn_fields_quantities[i], g, s);
        }
        fputs("}}", to);
    }
    for (int i = 0; i < count; i++)
        free(values[i]);
    if (mean && group >= 0)
        H5Gclose(group);
    return good;
}

/* `wanted` of the series, the first and the last among them; the end follows by itself. */
static void print_series(FILE *to, struct kn_report_gas *g, const struct selection *s, int wanted,
                         struct kn_report_notes *notes)
{
    const int all = kn_fields_series_length(g->file), shown = wanted < all ? wanted : all;
    int lost = 0;
    double step = -1; /* the last of the series may be what fields.h5 holds itself; the step names it */
    if (all < 0 || !kn_store_read_number(g->file, "step", &step)) {
        g->damaged = true;
        return;
    }
    for (int i = 0; i < shown; i++) {
        char name[KN_FIELDS_LINK];
        const int at = (int)(shown > 1 ? (double)i * (all - 1) / (shown - 1) + 0.5 : 0);
        if (!kn_fields_series_name(g->file, at, name)) {
            lost++;
            continue;
        }
        if (strtod(name, NULL) == step)
            continue;
        hid_t group = kn_fields_open_series(g->file, name);
        lost += group < 0 || !print_moment(to, group, ", ", false, g, s);
        if (group >= 0)
            H5Gclose(group);
    }
    if (shown < all)
        kn_report_note(notes, "The page has %d of the %d times of the series. All are in fields/.", shown,
                       all);
    if (lost)
        kn_report_note(notes, "%d files of the series could not be read, and are left out.", lost);
}

/* --------------------------------------------------------------------- all */

/* As the attributes of the dataset say. */
static void print_rule(FILE *to, struct kn_report_gas *g, const char *name, int rank, const char *unit)
{
    hsize_t shape[4];
    hid_t set = kn_store_open_set(g->file, name, rank, shape);
    char si_unit[WORD];
    double factor = 1, offset = 0;
    const htri_t there = set < 0 ? -1 : H5Aexists(set, "si_unit");
    const bool si = there > 0 && kn_store_read_text(set, "si_unit", si_unit, sizeof si_unit) &&
                    kn_store_read_number(set, "si_factor", &factor) &&
                    kn_store_read_number(set, "si_offset", &offset);
    g->damaged = g->damaged || there < 0 || (there > 0 && !si);
    kn_report_put_rule(to, unit, si ? si_unit : NULL, factor, offset);
    if (set >= 0)
        H5Dclose(set);
}

static void print_grid(FILE *to, struct kn_report_gas *g)
{
    fprintf(to, "\"cells\": [%d, %d, %d], \"edges\": [", g->grid.cells[0], g->grid.cells[1],
            g->grid.cells[2]);
    for (int d = 0; d < 3; d++) {
        fputs(d ? ", " : "", to);
        kn_report_put_array(to, g->grid.edges[d], (size_t)g->grid.cells[d] + 1);
    }
    fputs("], \"units\": {\"grid\": ", to);
    print_rule(to, g, "grid/x", 1, "lambda0");
    for (const struct kn_quantity *q = kn_fields_quantities; q->name; q++) {
        fprintf(to, ", \"%s\": ", q->name);
        print_rule(to, g, q->name, q->components > 1 ? 4 : 3, q->unit);
    }
    fputs("}, ", to);
}

void kn_report_fields_print(FILE *to, struct kn_report_gas *g, double bytes, struct kn_report_notes *notes)
{
    double delta = NAN;
    const int series = g->file < 0 ? 0 : kn_fields_series_length(g->file), own = g->mean ? 2 : 1;
    if (g->file < 0) {
        fputs("null", to);
        return;
    }
    struct selection s = choose_cells(g, (series > 1 ? bytes / 2 : bytes) / own);
    const double room = (bytes - own * selection_bytes(&s)) / selection_bytes(&s);
    if (!is_whole(&s)) {
        kn_report_note(notes, "The memory was not enough for the fields: they are left out.");
        fputs("null", to);
        drop_selection(&s);
        return;
    }
    note_selection(&s, g, notes);
    g->damaged |= !kn_store_read_number(g->file, "delta", &delta);
    fputs("{\"delta\": ", to);
    kn_report_put_number(to, delta);
    fputs(", ", to);
    print_grid(to, g);
    print_selection(to, &s);
    fputs(", \"moments\": [", to);
    g->damaged = !print_moment(to, g->file, "", false, g, &s) ||
                 (g->mean && !print_moment(to, g->file, ", ", true, g, &s)) || series < 0 || g->damaged;
    if (g->damaged)
        kn_report_note(notes, "Fields could not be read: '%s' is damaged.", g->path);
    else
        print_series(to, g, &s, (int)fmin(fmax(room, 0), TIMES), notes);
    fputs("]}", to);
    drop_selection(&s);
}
