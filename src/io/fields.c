/* Writes fields.h5 and the series of field files, by one rank or by all together. */
#include "io/fields.h"
#include "config/case.h"
#include "error.h"
#include "io/share.h"
#include "io/store.h"
#include "io/surfaces.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SLAB = 1 << 17, MOST_COMPONENTS = 6 }; /* cells that are written at a time */

#define INDEX(name, symbol, label, shape, field, ...) INDEX_##field,
enum { KN_QUANTITY_LIST(INDEX) QUANTITIES };

static void write_scales(struct kn_store *store, const struct kn_case *c, const struct kn_scales *scales)
{
    if (!scales->known)
        return;
    hid_t group = kn_store_group(store, store->file, "si");
    kn_store_text(store, group, "species", kn_scales_species(c));
    for (const struct kn_scale *scale = kn_scales_list; scale->name; scale++) {
        const double value = kn_scales_value(scales, scale);
        kn_store_attribute(store, group, scale->name, H5T_NATIVE_DOUBLE, &value);
    }
    H5Gclose(group);
}

/* A file that is being written. */
struct writer {
    struct kn_store store;
    const struct kn_snapshot *s;
    const struct kn_surfaces *surfaces; /* NULL: none */
    struct kn_scales scales;
    struct kn_share share;
    /* [SLAB][MOST_COMPONENTS] on rank 0, which gathers; NULL: every rank writes its own cells */
    double *slab;
};

/* Describe a written dataset, in a case with SI units with the conversion to SI, and close it. */
static void finish_set(struct writer *w, hid_t set, enum kn_fields_kind kind, const char *unit,
                       enum kn_dimension dimension, const char *description)
{
    struct kn_store *store = &w->store;
    kn_store_agree(store);
    kn_store_text(store, set, "unit", unit);
    if (w->scales.known && dimension != KN_DIMENSION_NONE) {
        const struct kn_conversion by = kn_fields_conversion(&w->scales, kind, dimension);
        kn_store_text(store, set, "si_unit", kn_units[dimension].si);
        kn_store_attribute(store, set, "si_factor", H5T_NATIVE_DOUBLE, &by.factor);
        kn_store_attribute(store, set, "si_offset", H5T_NATIVE_DOUBLE, &by.offset);
    }
    kn_store_text(store, set, "description", description);
    kn_store_close_set(store, set);
}

/* The columns of one quantity in [ncells][KN_FIELDS]. */
struct columns {
    const double *fields;
    const struct kn_quantity *quantity;
};

static enum kn_status move_columns(void *of, bool in, int64_t first, int64_t count, void *rows)
{
    const struct columns *from = of;
    const size_t width = (size_t)from->quantity->components * sizeof(double);
    const double *row = from->fields + (size_t)first * KN_FIELDS + from->quantity->first;
    (void)in; /* fields are only written */
    for (int64_t i = 0; i < count; i++, row += KN_FIELDS)
        memcpy((char *)rows + (size_t)i * width, row, width);
    return KN_OK;
}

static void write_array(struct writer *w, hid_t where, const char *name, const double *values, hsize_t count,
                        const char *description)
{
    struct kn_store *store = &w->store;
    if (store->status != KN_OK)
        return;
    hid_t set = kn_store_create_set(store, where, name, H5T_IEEE_F64LE, 1, &count, w->slab ? &count : NULL);
    if (set >= 0 && store->comm->rank == 0 &&
        H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0)
        kn_store_fail(store, NULL);
    finish_set(w, set, KN_FIELDS_NOW, "lambda0", KN_DIMENSION_PLACE, description);
}

static void write_grid(struct writer *w)
{
    static const char *const edges[] = {"x", "y", "z"};
    static const char *const centres[] = {"x_centre", "y_centre", "z_centre"};
    const struct kn_space *space = w->s->space;
    hid_t group = kn_store_group(&w->store, w->store.file, "grid");
    for (int d = 0; d < 3; d++) {
        int n = space->whole[d];
        double *centre = malloc((size_t)n * sizeof *centre);
        if (!centre && w->store.status == KN_OK)
            w->store.status = kn_error_set(KN_EMEMORY, "not enough memory to write '%s'", w->store.path);
        for (int i = 0; i < n && centre; i++)
            centre[i] = 0.5 * (space->edges[d][i] + space->edges[d][i + 1]);
        kn_store_agree(&w->store);
        write_array(w, group, edges[d], space->edges[d], (hsize_t)n + 1, "edges of the cells");
        write_array(w, group, centres[d], centre, (hsize_t)n, "centres of the cells");
        free(centre);
    }
    H5Gclose(group);
}

/* The size of equal parts of n, at most `most` and at least 1. */
static int64_t even_part(int64_t n, int64_t most)
{
    const int64_t parts = most < 1 ? n : (n + most - 1) / most;
    return (n + parts - 1) / parts;
}

/* The size of the blocks in which a grid is written, which are also the chunks of its datasets: planes, lines
 * of one plane, or a part of a line, with at most SLAB cells.  size is [z][y][x]. */
static void block_of(const int n[3], hsize_t size[3])
{
    const int64_t line = n[0], plane = line * n[1];
    size[2] = (hsize_t)even_part(n[0], SLAB);
    size[1] = (hsize_t)even_part(n[1], SLAB / line);
    size[0] = (hsize_t)even_part(n[2], SLAB / plane);
}

/* The block that begins with cell `first`.  Returns the number of its cells; start and size are [z][y][x]. */
static int64_t take_block(const int n[3], int64_t first, hsize_t start[3], hsize_t size[3])
{
    const int64_t line = n[0], plane = line * n[1];
    const hsize_t end[3] = {(hsize_t)n[2], (hsize_t)n[1], (hsize_t)n[0]};
    start[0] = (hsize_t)(first / plane), start[1] = (hsize_t)(first / line % n[1]);
    start[2] = (hsize_t)(first % line);
    block_of(n, size);
    for (int d = 0; d < 3; d++)
        size[d] = size[d] < end[d] - start[d] ? size[d] : end[d] - start[d];
    return (int64_t)(size[0] * size[1] * size[2]);
}

/* Rank 0 gathers the cells of all ranks and writes them. */
static void write_gathered(struct writer *w, hid_t set, int table, const struct kn_quantity *quantity)
{
    struct kn_store *store = &w->store;
    const int64_t ncells = kn_space_count(w->s->space);
    const int rank = quantity->components > 1 ? 4 : 3;
    hsize_t start[4] = {0}, size[4] = {0, 0, 0, (hsize_t)quantity->components};
    hid_t space = H5Dget_space(set);
    int64_t count;
    for (int64_t first = 0; first < ncells && store->status == KN_OK; first += count) {
        count = take_block(w->s->space->whole, first, start, size);
        store->status = kn_share_get(&w->share, table, first, count, w->slab);
        if (store->status != KN_OK)
            break;
        hid_t memory = H5Screate_simple(rank, size, NULL);
        H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, size, NULL);
        if (H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, w->slab) < 0)
            kn_store_fail(store, NULL);
        H5Sclose(memory);
    }
    H5Sclose(space);
}

/* Every rank writes its own box; HDF5 selects the columns. */
static void write_own(struct writer *w, hid_t set, const struct columns *from)
{
    const struct kn_space *own = w->s->space;
    const hsize_t components = (hsize_t)from->quantity->components;
    const hsize_t table[2] = {(hsize_t)own->ncells, KN_FIELDS}, first[2] = {0, from->quantity->first},
                  count[2] = {(hsize_t)own->ncells, components};
    hsize_t start[4] = {0}, size[4] = {0, 0, 0, components};
    for (int d = 0; d < 3; d++) {
        start[d] = (hsize_t)own->box.first[2 - d];
        size[d] = (hsize_t)own->cells[2 - d];
    }
    hid_t memory = H5Screate_simple(2, table, NULL), space = H5Dget_space(set);
    H5Sselect_hyperslab(memory, H5S_SELECT_SET, first, NULL, count, NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, size, NULL);
    if (H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, from->fields) < 0)
        kn_store_fail(&w->store, NULL);
    H5Sclose(space);
    H5Sclose(memory);
}

static void write_quantity(struct writer *w, hid_t where, int table)
{
    const struct columns *from = w->share.tables[table].of;
    const struct kn_quantity *quantity = from->quantity;
    const int *n = w->s->space->whole;
    const hsize_t shape[4] = {(hsize_t)n[2], (hsize_t)n[1], (hsize_t)n[0], (hsize_t)quantity->components};
    struct kn_store *store = &w->store;
    if (store->status != KN_OK)
        return;
    hsize_t chunk[4] = {0, 0, 0, shape[3]};
    block_of(n, chunk);
    /* parallel HDF5 supports filters only for collective writes */
    hid_t set = kn_store_create_set(store, where, quantity->name, H5T_IEEE_F64LE,
                                    quantity->components > 1 ? 4 : 3, shape, w->slab ? chunk : NULL);
    if (set >= 0 && w->slab)
        write_gathered(w, set, table, quantity);
    else if (set >= 0)
        write_own(w, set, from);
    const enum kn_fields_kind kind = (enum kn_fields_kind)(table / QUANTITIES);
    const bool angle = kind == KN_FIELDS_PHASE;
    finish_set(w, set, kind, angle ? "rad" : quantity->unit, angle ? KN_DIMENSION_ANGLE : quantity->dimension,
               angle                         ? "phase"
               : kind == KN_FIELDS_AMPLITUDE ? "amplitude"
                                             : quantity->description);
}

/* The datasets of the group surfaces: columns of the rows of struct kn_surfaces. */
static const struct surface_set {
    const char *name;
    int first, width;
    const char *unit;
    enum kn_dimension dimension;
    const char *description;
} surface_sets[] = {
    {"surface", KN_SURFACES_SURFACE, 1, "1", KN_DIMENSION_NONE, "number of the surface in the list names"},
    {"side", KN_SURFACES_SIDE, 1, "1", KN_DIMENSION_NONE,
     "direction from the gas to the surface: 0 to 5 for -x, +x, -y, +y, -z, +z; -1 for a facet in a cell"},
    {"centre", KN_SURFACES_CENTRE, 3, "lambda0", KN_DIMENSION_PLACE, "centre of the face"},
    {"normal", KN_SURFACES_NORMAL, 3, "1", KN_DIMENSION_NONE, "unit vector out of the gas"},
    {"area", KN_SURFACES_AREA, 1, "lambda0^2", KN_DIMENSION_NONE,
     "area of the face, per lambda0 of every axis along which the gas is uniform"},
    {"force", KN_SURFACES_FORCE, 3, "p0 eps", KN_DIMENSION_STRESS,
     "force per area on the surface, without the pressure of the gas at rest"},
    {"heat_flux", KN_SURFACES_HEAT, 1, "p0 V0 eps", KN_DIMENSION_HEAT_FLUX, "heat flux into the surface"},
    {"mass_flux", KN_SURFACES_MASS, 1, "n0 V0 eps", KN_DIMENSION_MASS_FLUX, "mass flux into the surface"},
};

/* Written by rank 0. */
static void write_surface_set(struct writer *w, hid_t where, const struct surface_set *d)
{
    struct kn_store *store = &w->store;
    const size_t width = (size_t)d->width, count = (size_t)w->surfaces->count;
    const hsize_t shape[2] = {count, width};
    double *values = NULL;
    if (store->status != KN_OK)
        return;
    hid_t set = kn_store_create_set(store, where, d->name, H5T_IEEE_F64LE, width > 1 ? 2 : 1, shape,
                                    w->slab ? shape : NULL);
    if (set >= 0 && store->comm->rank == 0) {
        if (!(values = malloc(count * width * sizeof *values)))
            store->status = kn_error_set(KN_EMEMORY, "not enough memory to write '%s'", store->path);
        for (size_t i = 0; i < count * width && values; i++)
            values[i] = w->surfaces->rows[i / width * KN_SURFACES_ROW + (size_t)d->first + i % width];
        if (values && H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0)
            kn_store_fail(store, NULL);
        free(values);
    }
    finish_set(w, set, KN_FIELDS_NOW, d->unit, d->dimension, d->description);
}

/* The faces of walls, bodies and ports. */
static void write_surfaces(struct writer *w)
{
    struct kn_store *store = &w->store;
    if (!w->surfaces || w->surfaces->count == 0)
        return;
    hid_t group = kn_store_group(store, store->file, "surfaces");
    char *names = kn_surfaces_names(w->s->c);
    if (!names && store->status == KN_OK)
        store->status = kn_error_set(KN_EMEMORY, "not enough memory to write '%s'", store->path);
    kn_store_agree(store);
    if (names)
        kn_store_text(store, group, "names", names);
    free(names);
    for (size_t i = 0; i < sizeof surface_sets / sizeof *surface_sets; i++)
        write_surface_set(w, group, &surface_sets[i]);
    H5Gclose(group);
}

/* The step of a series file "NNNNNNNN.<extension>"; -1 for any other name. */
static int64_t step_of(const char *name, const char *extension)
{
    char again[64], *end;
    errno = 0;
    long long step = strtoll(name, &end, 10);
    if (end == name || errno || step < 0)
        return -1;
    snprintf(again, sizeof again, "%08lld.%s", step, extension);
    return strcmp(name, again) == 0 ? step : -1;
}

static int is_hdf5(const struct dirent *entry)
{
    return step_of(entry->d_name, "h5") >= 0;
}

static int by_step(const struct dirent **a, const struct dirent **b)
{
    int64_t left = step_of((*a)->d_name, "h5"), right = step_of((*b)->d_name, "h5");
    return (left > right) - (left < right);
}

struct series {
    int64_t count;
    int64_t *steps; /* [count], ascending */
};

/* The series is listed from the folder, because a resumed run continues it. */
static enum kn_status look_into(const char *folder, int64_t last, struct series *series)
{
    struct dirent **names = NULL;
    const int n = scandir(folder, &names, is_hdf5, by_step);
    series->steps = malloc((size_t)(n > 0 ? n : 1) * sizeof *series->steps);
    if (n < 0 && errno != ENOMEM)
        return kn_error_set(KN_EIO, "cannot list '%s': %s", folder, strerror(errno));
    for (int i = 0; i < n; i++) {
        const int64_t step = step_of(names[i]->d_name, "h5");
        if (step <= last && series->steps)
            series->steps[series->count++] = step;
        free(names[i]);
    }
    free(names);
    return series->steps && n >= 0 ? KN_OK
                                   : kn_error_set(KN_EMEMORY, "not enough memory to list '%s'", folder);
}

/* List the series on rank 0 for all ranks: a file system may not show the same files on all nodes. */
static enum kn_status list_series(const struct kn_comm *comm, const char *folder, int64_t last,
                                  struct series *series)
{
    enum kn_status status = kn_comm_agree(comm, comm->rank == 0 ? look_into(folder, last, series) : KN_OK);
    kn_comm_broadcast(comm, 0, &series->count, sizeof series->count);
    const size_t bytes = (size_t)series->count * sizeof *series->steps;
    if (status == KN_OK && comm->rank > 0 && !(series->steps = malloc(bytes + 1)))
        status = kn_error_set(KN_EMEMORY, "not enough memory to list '%s'", folder);
    status = kn_comm_agree(comm, status);
    if (status == KN_OK)
        kn_comm_broadcast(comm, 0, series->steps, bytes);
    return status;
}

static void write_links(struct kn_store *store, const struct series *series)
{
    hid_t group = kn_store_group(store, store->file, "series");
    for (int64_t i = 0; i < series->count && store->status == KN_OK; i++) {
        char file[64], step[32];
        snprintf(step, sizeof step, "%08lld", (long long)series->steps[i]);
        snprintf(file, sizeof file, "fields/%s.h5", step);
        if (H5Lcreate_external(file, "/", group, step, H5P_DEFAULT, H5P_DEFAULT) < 0)
            kn_store_fail(store, NULL);
    }
    H5Gclose(group);
}

static double expected_bytes(const struct kn_snapshot *s)
{
    double values = 0;
    for (int kind = 0; kind < KN_FIELDS_KINDS; kind++)
        values += kn_fields_values(s, kind) ? KN_FIELDS : 0;
    hsize_t block[3];
    block_of(s->space->whole, block);
    for (int d = 0; d < 3; d++) /* the last chunk along an axis has the full size, too */
        values *= ceil((double)s->space->whole[d] / (double)block[2 - d]) * (double)block[2 - d];
    for (int d = 0; d < 3; d++)
        values += 2.0 * s->space->whole[d] + 1;
    return 8 * values + 65536;
}

/* Averages over time, or the amplitudes or phases of an oscillation, in a group of this name. */
static void write_group(struct writer *w, int kind)
{
    static const char *const names[KN_FIELDS_KINDS] = {
        [KN_FIELDS_MEAN] = "mean", [KN_FIELDS_AMPLITUDE] = "amplitude", [KN_FIELDS_PHASE] = "phase"};
    hid_t group = kn_store_group(&w->store, w->store.file, names[kind]);
    const double frequency = kn_case_frequency(w->s->c);
    if (kind == KN_FIELDS_AMPLITUDE)
        kn_store_attribute(&w->store, group, "frequency", H5T_NATIVE_DOUBLE, &frequency);
    for (int i = 0; i < QUANTITIES; i++)
        write_quantity(w, group, kind * QUANTITIES + i);
    H5Gclose(group);
}

static void fill(struct writer *w, const struct series *series)
{
    const struct kn_snapshot *s = w->s;
    struct kn_store *store = &w->store;
    const int format = KN_FIELDS_FORMAT;
    kn_store_attribute(store, store->file, "format", H5T_NATIVE_INT, &format);
    kn_store_text(store, store->file, "version", KN_VERSION);
    kn_store_attribute(store, store->file, "step", H5T_NATIVE_INT64, &s->step);
    kn_store_attribute(store, store->file, "time", H5T_NATIVE_DOUBLE, &s->time);
    kn_store_attribute(store, store->file, "delta", H5T_NATIVE_DOUBLE, &s->c->gas.delta);
    kn_store_attribute(store, store->file, "disturbance", H5T_NATIVE_DOUBLE, &s->c->disturbance);
    write_scales(store, s->c, &w->scales);
    write_grid(w);
    for (int i = 0; i < QUANTITIES; i++)
        write_quantity(w, store->file, i);
    for (int kind = 1; kind < KN_FIELDS_KINDS; kind++)
        if (kn_fields_values(s, kind))
            write_group(w, kind);
    write_surfaces(w);
    if (series)
        write_links(store, series);
}

static void begin(struct writer *w, const char *path, bool together)
{
    const int64_t ncells = kn_space_count(w->s->space);
    kn_store_create(&w->store, together ? w->s->comm : &kn_comm_alone, path,
                    expected_bytes(w->s) +
                        (w->surfaces ? 8.0 * KN_SURFACES_ROW * (double)w->surfaces->count : 0));
    if (together)
        return;
    w->slab = malloc((size_t)(ncells < SLAB ? ncells : SLAB) * MOST_COMPONENTS * sizeof *w->slab);
    if (!w->slab && w->store.status == KN_OK)
        w->store.status = kn_error_set(KN_EMEMORY, "not enough memory to write '%s'", path);
}

/* The tables of the quantities of a snapshot, by kind. */
static void list_tables(const struct kn_snapshot *s, struct columns *columns, struct kn_share_table *tables)
{
    for (int i = 0; i < KN_FIELDS_KINDS * QUANTITIES; i++) {
        const struct kn_quantity *quantity = &kn_quantities[i % QUANTITIES];
        columns[i] = (struct columns){kn_fields_values(s, i / QUANTITIES), quantity};
        tables[i] =
            (struct kn_share_table){(size_t)quantity->components * sizeof(double), move_columns, &columns[i]};
    }
}

/* One complete file, with links to the series if there is one. */
static enum kn_status write_file(const char *path, const struct kn_snapshot *s,
                                 const struct kn_surfaces *surfaces, const struct series *series)
{
    struct columns columns[KN_FIELDS_KINDS * QUANTITIES];
    struct kn_share_table tables[KN_FIELDS_KINDS * QUANTITIES];
    struct writer w = {.s = s, .surfaces = surfaces, .share = {s->comm, s->space, s->boxes, tables}};
    KN_TRY(kn_scales_create(&w.scales, s->c));
    list_tables(s, columns, tables);
    const bool together = kn_parallel_is_used(s->comm);
    if (!together && s->comm->rank > 0)
        return kn_share_finish(&w.share, KN_OK);
    begin(&w, path, together);
    fill(&w, series);
    enum kn_status status = kn_store_finish(&w.store);
    free(w.slab);
    return together ? status : kn_share_finish(&w.share, status);
}

static enum kn_status write_series(const char *folder, const struct kn_snapshot *s)
{
    char name[32], path[KN_PATH];
    snprintf(name, sizeof name, "%08lld.h5", (long long)s->step);
    KN_TRY(kn_comm_agree(s->comm, kn_files_make_folder(folder)));
    KN_TRY(kn_files_join(path, folder, name));
    return write_file(path, s, NULL, NULL);
}

static enum kn_status write_all(const char *folder, const struct kn_snapshot *s,
                                const struct kn_surfaces *surfaces)
{
    char within[KN_PATH], path[KN_PATH];
    struct series series = {0};
    const bool as_series = s->c->output.fields > 0, vtk = s->c->output.vtk && !s->unfinished;
    KN_TRY(kn_files_join(within, folder, "fields"));
    KN_TRY(kn_files_join(path, folder, "fields.h5"));
    if (as_series && !s->unfinished)
        KN_TRY(write_series(within, s));
    if (vtk)
        KN_TRY(kn_vtk_write(folder, s));
    if (vtk && surfaces && surfaces->count > 0)
        KN_TRY(
            kn_comm_agree(s->comm, s->comm->rank == 0 ? kn_surfaces_write_vtk(folder, surfaces, s) : KN_OK));
    if (!as_series)
        return write_file(path, s, surfaces, NULL);
    enum kn_status status = list_series(s->comm, within, s->step, &series);
    if (status == KN_OK)
        status = write_file(path, s, surfaces, &series);
    free(series.steps);
    return status;
}

enum kn_status kn_fields_write(const char *folder, const struct kn_snapshot *s)
{
    struct kn_surfaces surfaces = {0};
    if (s->surfaces)
        KN_TRY(kn_surfaces_gather(&surfaces, s));
    const enum kn_status status = write_all(folder, s, s->surfaces ? &surfaces : NULL);
    kn_surfaces_destroy(&surfaces);
    return status;
}

/* True for the file of one of several ranks, "NNNNNNNN.RANK.vtr". */
static bool is_piece(const char *name)
{
    char extension[32];
    const char *dot = strchr(name, '.');
    const long rank = dot ? strtol(dot + 1, NULL, 10) : -1;
    snprintf(extension, sizeof extension, "%ld.vtr", rank);
    return rank >= 0 && step_of(name, extension) >= 0;
}

bool kn_fields_is_series(const char *name)
{
    return step_of(name, "h5") >= 0 || step_of(name, "vtr") >= 0 || step_of(name, "pvtr") >= 0 ||
           is_piece(name);
}
