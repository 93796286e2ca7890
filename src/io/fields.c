#include "io/fields.h"
#include "error.h"
#include "io/store.h"
#include "io/vtk.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FORMAT = 1 };

const struct kn_quantity kn_fields_quantities[] = {
    {"rho", KN_RHO, 1, {0}, "n0 eps", KN_DIMENSION_DENSITY, "density deviation, (n - n0) / (n0 eps)"},
    {"u", KN_UX, 3, {"x", "y", "z"}, "V0 eps", KN_DIMENSION_VELOCITY, "bulk velocity"},
    {"theta",
     KN_THETA,
     1,
     {0},
     "T0 eps",
     KN_DIMENSION_TEMPERATURE,
     "temperature deviation, (T - T0) / (T0 eps)"},
    {"Pi",
     KN_PXX,
     6,
     {"xx", "yy", "zz", "xy", "xz", "yz"},
     "p0 eps",
     KN_DIMENSION_STRESS,
     "stress deviation, (p_ij - p0 delta_ij) / (p0 eps), order xx yy zz xy xz yz"},
    {"q", KN_QX, 3, {"x", "y", "z"}, "p0 V0 eps", KN_DIMENSION_HEAT_FLUX, "heat flux"},
    {NULL, KN_FIELDS, 0, {0}, NULL, KN_DIMENSION_NONE, NULL},
};

/* What a dataset holds; in a case with SI units also how it becomes SI. */
static void write_unit(struct kn_store *store, hid_t set, const char *unit, enum kn_dimension dimension,
                       const struct kn_scales *scales)
{
    kn_store_text(store, set, "unit", unit);
    if (!scales->known)
        return;
    const struct kn_conversion by = kn_scales_conversion(scales, dimension);
    kn_store_text(store, set, "si_unit", kn_units_si(dimension));
    kn_store_attribute(store, set, "si_factor", H5T_NATIVE_DOUBLE, &by.factor);
    kn_store_attribute(store, set, "si_offset", H5T_NATIVE_DOUBLE, &by.offset);
}

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
    if (group >= 0)
        H5Gclose(group);
}

static void write_array(struct kn_store *store, hid_t where, const char *name, const double *values,
                        hsize_t count, const char *description, const struct kn_scales *scales)
{
    if (store->status != KN_OK)
        return;
    hid_t list = kn_store_dataset_list();
    hid_t space = H5Screate_simple(1, &count, NULL);
    hid_t set = H5Dcreate2(where, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, list, H5P_DEFAULT);
    if (set < 0 || H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0)
        kn_store_fail(store, NULL);
    write_unit(store, set, "lambda0", KN_DIMENSION_PLACE, scales);
    kn_store_text(store, set, "description", description);
    if (set >= 0)
        H5Dclose(set);
    H5Sclose(space);
    H5Pclose(list);
}

static void write_grid(struct kn_store *store, const struct kn_space *space, const struct kn_scales *scales)
{
    static const char *const edges[] = {"x", "y", "z"};
    static const char *const centres[] = {"x_centre", "y_centre", "z_centre"};
    hid_t group = kn_store_group(store, store->file, "grid");
    for (int d = 0; d < 3 && store->status == KN_OK; d++) {
        int n = space->cells[d];
        double *centre = malloc((size_t)n * sizeof *centre);
        if (!centre) {
            store->status = kn_error_set(KN_EMEMORY, "not enough memory to write '%s'", store->path);
            break;
        }
        for (int i = 0; i < n; i++)
            centre[i] = 0.5 * (space->edges[d][i] + space->edges[d][i + 1]);
        write_array(store, group, edges[d], space->edges[d], (hsize_t)n + 1, "edges of the cells", scales);
        write_array(store, group, centres[d], centre, (hsize_t)n, "centres of the cells", scales);
        free(centre);
    }
    if (group >= 0)
        H5Gclose(group);
}

/* One quantity out of fields[ncells][KN_FIELDS]: HDF5 picks the columns. */
static void write_quantity(struct kn_store *store, hid_t where, const struct kn_quantity *quantity,
                           const struct kn_space *space, const double *fields, const struct kn_scales *scales)
{
    if (store->status != KN_OK)
        return;
    hsize_t shape[4] = {(hsize_t)space->cells[2], (hsize_t)space->cells[1], (hsize_t)space->cells[0],
                        (hsize_t)quantity->components};
    hsize_t table[2] = {(hsize_t)space->ncells, KN_FIELDS};
    hsize_t start[2] = {0, (hsize_t)quantity->first};
    hsize_t count[2] = {(hsize_t)space->ncells, (hsize_t)quantity->components};
    hid_t list = kn_store_dataset_list();
    hid_t file_space = H5Screate_simple(quantity->components > 1 ? 4 : 3, shape, NULL);
    hid_t memory_space = H5Screate_simple(2, table, NULL);
    H5Sselect_hyperslab(memory_space, H5S_SELECT_SET, start, NULL, count, NULL);
    hid_t set = H5Dcreate2(where, quantity->name, H5T_IEEE_F64LE, file_space, H5P_DEFAULT, list, H5P_DEFAULT);
    if (set < 0 || H5Dwrite(set, H5T_NATIVE_DOUBLE, memory_space, H5S_ALL, H5P_DEFAULT, fields) < 0)
        kn_store_fail(store, NULL);
    write_unit(store, set, quantity->unit, quantity->dimension, scales);
    kn_store_text(store, set, "description", quantity->description);
    if (set >= 0)
        H5Dclose(set);
    H5Sclose(memory_space);
    H5Sclose(file_space);
    H5Pclose(list);
}

static void write_quantities(struct kn_store *store, hid_t where, const struct kn_space *space,
                             const double *fields, const struct kn_scales *scales)
{
    for (const struct kn_quantity *quantity = kn_fields_quantities; quantity->name; quantity++)
        write_quantity(store, where, quantity, space, fields, scales);
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

static int is_series(const struct dirent *entry)
{
    return step_of(entry->d_name, "h5") >= 0;
}

static int by_step(const struct dirent **a, const struct dirent **b)
{
    int64_t left = step_of((*a)->d_name, "h5"), right = step_of((*b)->d_name, "h5");
    return (left > right) - (left < right);
}

/* The folder, not our memory, knows the series: a resumed run goes on with it. */
static void write_links(struct kn_store *store, const char *folder, int64_t last)
{
    struct dirent **names = NULL;
    hid_t group = kn_store_group(store, store->file, "series");
    int n = scandir(folder, &names, is_series, by_step);
    for (int i = 0; i < n; i++) {
        char file[300], step[32];
        snprintf(file, sizeof file, "fields/%s", names[i]->d_name);
        snprintf(step, sizeof step, "%08lld", (long long)step_of(names[i]->d_name, "h5"));
        if (store->status == KN_OK && step_of(names[i]->d_name, "h5") <= last &&
            H5Lcreate_external(file, "/", group, step, H5P_DEFAULT, H5P_DEFAULT) < 0)
            kn_store_fail(store, NULL);
        free(names[i]);
    }
    free(names);
    if (group >= 0)
        H5Gclose(group);
}

static double expected_bytes(const struct kn_snapshot *s)
{
    double values = (double)s->space->ncells * KN_FIELDS * (s->mean ? 2 : 1);
    for (int d = 0; d < 3; d++)
        values += 2.0 * s->space->cells[d] + 1;
    return 8 * values + 65536;
}

/* One complete file; `series` is the folder to link to, or NULL. */
static enum kn_status write_file(const char *path, const struct kn_snapshot *s, const char *series)
{
    struct kn_store store;
    struct kn_scales scales;
    int format = FORMAT;
    enum kn_status status = kn_scales_create(&scales, s->c);
    if (status != KN_OK)
        return status;
    kn_store_create(&store, path, KN_STORE_PORTABLE, expected_bytes(s));
    kn_store_attribute(&store, store.file, "format", H5T_NATIVE_INT, &format);
    kn_store_text(&store, store.file, "version", KN_VERSION);
    kn_store_attribute(&store, store.file, "step", H5T_NATIVE_INT64, &s->step);
    kn_store_attribute(&store, store.file, "time", H5T_NATIVE_DOUBLE, &s->time);
    kn_store_attribute(&store, store.file, "delta", H5T_NATIVE_DOUBLE, &s->c->gas.delta);
    kn_store_attribute(&store, store.file, "disturbance", H5T_NATIVE_DOUBLE, &s->c->disturbance);
    write_scales(&store, s->c, &scales);
    write_grid(&store, s->space, &scales);
    write_quantities(&store, store.file, s->space, s->fields, &scales);
    if (s->mean) {
        hid_t mean = kn_store_group(&store, store.file, "mean");
        write_quantities(&store, mean, s->space, s->mean, &scales);
        if (mean >= 0)
            H5Gclose(mean);
    }
    if (series)
        write_links(&store, series, s->step);
    return kn_store_finish(&store);
}

enum kn_status kn_fields_write(const char *folder, const struct kn_snapshot *s)
{
    char series[KN_PATH], path[KN_PATH];
    bool as_series = s->c->output.fields > 0;
    enum kn_status status = kn_files_join(series, folder, "fields");
    if (status == KN_OK && as_series) {
        char name[32];
        snprintf(name, sizeof name, "%08lld.h5", (long long)s->step);
        status = kn_files_make_folder(series);
        if (status == KN_OK)
            status = kn_files_join(path, series, name);
        if (status == KN_OK)
            status = write_file(path, s, NULL);
    }
    if (status == KN_OK && s->c->output.vtk)
        status = kn_vtk_write(folder, s);
    if (status == KN_OK)
        status = kn_files_join(path, folder, "fields.h5");
    if (status == KN_OK)
        status = write_file(path, s, as_series ? series : NULL);
    return status;
}

static int is_ours(const struct dirent *entry)
{
    return step_of(entry->d_name, "h5") >= 0 || step_of(entry->d_name, "vtr") >= 0;
}

enum kn_status kn_fields_clear(const char *folder)
{
    char series[KN_PATH], path[KN_PATH];
    struct dirent **names = NULL;
    enum kn_status status = kn_files_join(path, folder, "fields.pvd");
    if (status == KN_OK)
        status = kn_files_remove(path);
    if (status == KN_OK)
        status = kn_files_join(path, folder, "fields.h5");
    if (status == KN_OK)
        status = kn_files_remove(path);
    if (status == KN_OK)
        status = kn_files_join(series, folder, "fields");
    if (status != KN_OK)
        return status;
    int n = scandir(series, &names, is_ours, NULL);
    for (int i = 0; i < n; i++) {
        if (status == KN_OK)
            status = kn_files_join(path, series, names[i]->d_name);
        if (status == KN_OK)
            status = kn_files_remove(path);
        free(names[i]);
    }
    free(names);
    return status;
}

void kn_fields_read_scales(hid_t file, const struct kn_case *c, struct kn_scales *scales,
                           char species[KN_FIELDS_SPECIES])
{
    const bool there = file >= 0 && H5Lexists(file, "si", H5P_DEFAULT) > 0;
    hid_t group = there ? H5Gopen2(file, "si", H5P_DEFAULT) : H5I_INVALID_HID;
    *scales = (struct kn_scales){.known = group >= 0};
    species[0] = '\0';
    if (group >= 0) {
        kn_store_read_text(group, "species", species, KN_FIELDS_SPECIES);
        for (const struct kn_scale *scale = kn_scales_list; scale->name; scale++) {
            double value = 0;
            scales->known = kn_store_read_number(group, scale->name, &value) && scales->known;
            kn_scales_set(scales, scale, value);
        }
        H5Gclose(group);
    } else if (file < 0 && c && kn_scales_create(scales, c) == KN_OK && scales->known) {
        snprintf(species, KN_FIELDS_SPECIES, "%s", kn_scales_species(c));
    }
}
