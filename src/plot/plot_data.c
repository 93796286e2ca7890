#include "json.h"
#include "plot/plot_data.h"

#include "error.h"
#include "plot/plot_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static enum kn_status no_memory(const char *folder)
{
    return kn_error_set(KN_EMEMORY, "not enough memory to read '%s'", folder);
}

/* --------------------------------------------------------------------- HDF5 */

static enum kn_status damaged(const char *path, const char *reason)
{
    return kn_error_set(KN_EIO, "'%s' is damaged: %s", path, reason);
}

/* A file of the series that is gone is left out; one that is there must be readable. */
static bool is_gone(const struct kn_plot_run *r, const char *name)
{
    char file[KN_FIELDS_LINK + 16], path[KN_PATH];
    snprintf(file, sizeof file, "fields/%s.h5", name);
    return kn_files_join(path, r->folder, file) == KN_OK && access(path, F_OK) != 0;
}

/* The times of the files that the series links to. */
static enum kn_status read_series(hid_t file, const char *path, struct kn_plot_run *r)
{
    const int length = kn_fields_series_length(file);
    if (length < 0)
        return damaged(path, "its series cannot be read");
    r->series = malloc(((size_t)length + 1) * sizeof *r->series);
    r->links = malloc(((size_t)length + 1) * sizeof *r->links);
    if (!r->series || !r->links)
        return no_memory(path);
    for (int i = 0; i < length; i++) {
        char *name = r->links[r->times];
        if (!kn_fields_series_name(file, i, name))
            return damaged(path, "its series cannot be read");
        hid_t group = kn_fields_open_series(file, name);
        const bool good = group >= 0 && kn_store_read_number(group, "time", &r->series[r->times]);
        if (group >= 0)
            H5Gclose(group);
        if (!good && !is_gone(r, name))
            return damaged(path, "a file of its series cannot be read");
        r->times += good;
    }
    return KN_OK;
}

static enum kn_status read_shape(hid_t file, const char *path, struct kn_plot_run *r)
{
    if (!kn_store_read_number(file, "time", &r->time) || !kn_store_read_number(file, "delta", &r->delta) ||
        !isfinite(r->time) || !(r->delta > 0 && isfinite(r->delta)))
        return damaged(path, "the attributes time and delta are not numbers that make sense");
    for (int d = 0; d < 3; d++)
        for (int i = 0; i <= r->grid.cells[d]; i++) {
            r->grid.edges[d][i] /= r->delta;
            if (!isfinite(r->grid.edges[d][i]) || (i > 0 && r->grid.edges[d][i] <= r->grid.edges[d][i - 1]))
                return damaged(path, "its grid does not fit its delta");
        }
    const int mean = kn_fields_has_mean(file);
    r->has_mean = mean > 0;
    return mean < 0 ? damaged(path, "its group mean cannot be read") : read_series(file, path, r);
}

/* No fields: a run that stopped before it wrote any, or no run at all. */
static enum kn_status without_fields(const struct kn_plot_run *r)
{
    if (r->history.rows > 0)
        return KN_OK;
    if (r->summary)
        return kn_error_set(
            KN_EIO,
            "the run in '%s' stopped before it wrote anything to draw: go on with knudsen run "
            "--resume",
            r->folder);
    if (access(r->folder, F_OK) != 0)
        return kn_error_set(KN_EIO, "there is no folder '%s'; knudsen run CASE.yaml --out %s makes one",
                            r->folder, r->folder);
    return kn_error_set(
        KN_EIO,
        "'%s' is no folder of results: it has neither fields.h5 nor history.csv, which knudsen "
        "run writes",
        r->folder);
}

enum kn_status kn_plot_data_open(struct kn_plot_run *r, const char *folder)
{
    char path[KN_PATH];
    hid_t file = H5I_INVALID_HID;
    *r = (struct kn_plot_run){.folder = folder};
    enum kn_status status = kn_files_join(path, folder, "fields.h5");
    if (status == KN_OK)
        status = kn_history_read(&r->history, folder);
    if (status == KN_OK)
        status = kn_plot_case_read(r);
    if (status != KN_OK)
        return status;
    r->has_fields = access(path, F_OK) == 0;
    if (r->has_fields)
        status = kn_fields_open(path, &file, &r->grid);
    if (status == KN_OK && !kn_fields_read_scales(file, r->has_case ? &r->c : NULL, &r->scales, r->species))
        status = damaged(path, "the group si does not hold the species and the scales");
    if (status == KN_OK && r->has_fields)
        status = read_shape(file, path, r);
    if (file >= 0)
        H5Fclose(file);
    return status == KN_OK && !r->has_fields ? without_fields(r) : status;
}

void kn_plot_data_close(struct kn_plot_run *r)
{
    kn_history_free(&r->history);
    kn_fields_free_grid(&r->grid);
    free(r->series);
    free(r->links);
    json_decref(r->summary);
    *r = (struct kn_plot_run){.folder = NULL};
}

/* ---------------------------------------------------------------- the fields */

/* Which axes are left, and which is cut. */
static void choose_axes(const struct kn_plot_run *r, const struct kn_plot_cut *cut, struct kn_plot_gas *g)
{
    int many = 0;
    for (int d = 0; d < 3; d++)
        many += r->grid.cells[d] > 1;
    g->across = 2;
    for (int d = 0; d < 3; d++) /* three axes: the last that is fixed; else one without cells */
        if (many == 3 ? cut->fixed[d] : r->grid.cells[d] == 1)
            g->across = d;
    if (many == 1 && g->across != 0 && r->grid.cells[0] == 1)
        g->across = 0; /* the first of the other two stands behind the axis there is */
    g->cut = many == 3;
    g->axes = many == 3 ? 2 : many;
    g->axis[0] = g->across == 0 ? 1 : 0;
    g->axis[1] = g->across == 2 ? 1 : 2;
    if (g->axes == 1 && r->grid.cells[g->axis[0]] == 1) { /* profiles run along the first */
        const int only = g->axis[1];
        g->axis[1] = g->axis[0];
        g->axis[0] = only;
    }
}

static double place_on(const struct kn_plot_run *r, const struct kn_plot_cut *cut, int d)
{
    return cut->fixed[d] ? cut->at[d] : 0.5 * (r->grid.edges[d][0] + r->grid.edges[d][r->grid.cells[d]]);
}

static bool shape_gas(const struct kn_plot_run *r, const struct kn_plot_cut *cut, struct kn_plot_gas *g)
{
    choose_axes(r, cut, g);
    g->at = place_on(r, cut, g->across);
    for (int k = 0; k < 2; k++) {
        const int d = g->axis[k], n = r->grid.cells[d];
        g->cells[k] = n;
        g->fixed[k] = cut->fixed[d];
        g->line[k] = place_on(r, cut, d);
        g->edges[k] = malloc(((size_t)n + 1) * sizeof(double));
        g->centres[k] = malloc((size_t)n * sizeof(double));
        if (!g->edges[k] || !g->centres[k])
            return false;
        memcpy(g->edges[k], r->grid.edges[d], ((size_t)n + 1) * sizeof(double));
        for (int i = 0; i < n; i++)
            g->centres[k][i] = 0.5 * (g->edges[k][i] + g->edges[k][i + 1]);
    }
    g->fields = calloc((size_t)g->cells[0] * (size_t)g->cells[1], KN_FIELDS * sizeof(double));
    return g->fields != NULL;
}

/* Add a layer of one dataset, times a weight, to its columns of the fields. */
static bool add_layer(hid_t where, const struct kn_quantity *q, const struct kn_fields_grid *grid,
                      const struct kn_plot_gas *g, int layer, double weight)
{
    hsize_t start[4] = {0, 0, 0, 0}, count[4] = {1, 1, 1, (hsize_t)q->components};
    const size_t cells = (size_t)g->cells[0] * (size_t)g->cells[1], components = (size_t)q->components;
    start[2 - g->across] = (hsize_t)layer;
    for (int k = 0; k < 2; k++)
        count[2 - g->axis[k]] = (hsize_t)g->cells[k];
    hid_t set = kn_fields_open_quantity(where, q, grid);
    if (set < 0)
        return false;
    hid_t space = H5Dget_space(set), memory = H5Screate_simple(components > 1 ? 4 : 3, count, NULL);
    double *values = malloc(cells * components * sizeof *values);
    const bool good = values && H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
                      H5Dread(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, values) >= 0;
    for (size_t i = 0; good && i < cells; i++)
        for (size_t k = 0; k < components; k++)
            g->fields[i * KN_FIELDS + (size_t)q->first + k] += weight * values[i * components + k];
    free(values);
    H5Sclose(memory);
    H5Sclose(space);
    H5Dclose(set);
    return good;
}

/* Between the two layers of cells whose centres are next to the cut. */
static bool read_fields(const struct kn_plot_run *r, hid_t where, const struct kn_plot_gas *g)
{
    const double *edges = r->grid.edges[g->across];
    int layer = 0;
    double part = 0;
    while (layer + 2 < r->grid.cells[g->across] && 0.5 * (edges[layer + 1] + edges[layer + 2]) <= g->at)
        layer++;
    if (r->grid.cells[g->across] > 1) {
        const double here = 0.5 * (edges[layer] + edges[layer + 1]);
        part = fmin(fmax((g->at - here) / (0.5 * (edges[layer + 1] + edges[layer + 2]) - here), 0), 1);
    }
    for (const struct kn_quantity *q = kn_quantities; q->name; q++)
        if (!add_layer(where, q, &r->grid, g, layer, 1 - part) ||
            (part > 0 && !add_layer(where, q, &r->grid, g, layer + 1, part)))
            return false;
    return true;
}

enum kn_status kn_plot_data_read(const struct kn_plot_run *r, int time, bool mean,
                                 const struct kn_plot_cut *cut, struct kn_plot_gas *g)
{
    char path[KN_PATH], reason[KN_STORE_REASON];
    *g = (struct kn_plot_gas){.time = time >= 0 ? r->series[time] : r->time, .mean = mean};
    if (kn_files_join(path, r->folder, "fields.h5") != KN_OK)
        return KN_EIO;
    hid_t file = kn_store_open(path, reason);
    if (file < 0)
        return kn_error_set(KN_EIO, "cannot read '%s': %s", path, reason);
    hid_t where = time >= 0 ? kn_fields_open_series(file, r->links[time])
                  : mean    ? kn_store_open_group(file, "mean")
                            : file;
    const bool shaped = shape_gas(r, cut, g), good = shaped && where >= 0 && read_fields(r, where, g);
    if (where >= 0 && where != file)
        H5Gclose(where);
    H5Fclose(file);
    if (good)
        return KN_OK;
    kn_plot_data_free(g);
    return shaped ? damaged(path, "its values cannot be read or do not match their checksums")
                  : no_memory(path);
}

void kn_plot_data_free(struct kn_plot_gas *g)
{
    for (int k = 0; k < 2; k++) {
        free(g->edges[k]);
        free(g->centres[k]);
    }
    free(g->fields);
    *g = (struct kn_plot_gas){.axes = 0};
}
