/* Reads fields.h5; the file is not trusted, so everything in it is checked. */
#include "error.h"
#include "io/fields.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_CELLS = 1 << 30 }; /* along an axis */

static enum kn_status damaged(const char *path, const char *what, const char *reason)
{
    return kn_error_set(KN_EIO, "'%s' is damaged: %s %s", path, what, reason);
}

static enum kn_status check_format(hid_t file, const char *path)
{
    double format = 0;
    if (!kn_store_read_number(file, "format", &format))
        return kn_error_set(KN_EIO, "'%s' is not a fields file of this program: it has no attribute 'format'",
                            path);
    if (format != KN_FIELDS_FORMAT)
        return kn_error_set(KN_EIO, "'%s' has format %.17g; this program reads format %d", path, format,
                            KN_FIELDS_FORMAT);
    return KN_OK;
}

static enum kn_status read_axis(hid_t file, const char *path, int d, struct kn_fields_grid *g)
{
    const char name[] = {'g', 'r', 'i', 'd', '/', (char)('x' + d), '\0'};
    hsize_t count = 0;
    double *edges = g->edges[d] = kn_store_read_array(file, name, 1, &count);
    if (!edges)
        return damaged(path, name, "is missing or cannot be read");
    if (count < 2 || count > MOST_CELLS)
        return damaged(path, name, "does not have between 2 and 2^30 edges of cells");
    for (hsize_t i = 0; i < count; i++)
        if (!isfinite(edges[i]) || (i > 0 && edges[i] <= edges[i - 1]))
            return damaged(path, name, "does not hold finite numbers that increase");
    g->cells[d] = (int)count - 1;
    return KN_OK;
}

static bool has_shape(const hsize_t *shape, const struct kn_quantity *q, const struct kn_fields_grid *g)
{
    bool same = q->components == 1 || shape[3] == (hsize_t)q->components;
    for (int d = 0; d < 3; d++)
        same = same && shape[2 - d] == (hsize_t)g->cells[d];
    return same;
}

static hid_t open_quantity(hid_t where, const struct kn_quantity *q, const struct kn_fields_grid *g)
{
    hsize_t shape[4];
    hid_t set = kn_store_open_set(where, q->name, q->components > 1 ? 4 : 3, shape);
    if (set < 0 || has_shape(shape, q, g))
        return set;
    H5Dclose(set);
    return H5I_INVALID_HID;
}

double *kn_fields_read_quantity(hid_t where, const struct kn_quantity *q, const struct kn_fields_grid *g)
{
    hid_t set = open_quantity(where, q, g);
    errno = 0;
    if (set < 0)
        return NULL;
    const size_t cells = (size_t)g->cells[0] * (size_t)g->cells[1] * (size_t)g->cells[2];
    double *values = malloc(cells * (size_t)q->components * sizeof *values);
    const bool allocated = values != NULL;
    if (values && H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0) {
        free(values);
        values = NULL;
    }
    H5Dclose(set);
    errno = allocated ? 0 : ENOMEM;
    return values;
}

static enum kn_status check_quantities(hid_t file, const char *path, const struct kn_fields_grid *g)
{
    for (const struct kn_quantity *q = kn_quantities; q->name; q++) {
        hid_t set = open_quantity(file, q, g);
        if (set < 0)
            return damaged(path, q->name, "is missing or does not fit the grid");
        H5Dclose(set);
    }
    return KN_OK;
}

enum kn_status kn_fields_open(const char *path, hid_t *file, struct kn_fields_grid *g)
{
    char reason[KN_STORE_REASON];
    *g = (struct kn_fields_grid){.cells = {0}};
    *file = kn_store_open(path, reason);
    if (*file < 0)
        return kn_error_set(KN_EIO, "cannot read '%s': %s", path, reason);
    enum kn_status status = check_format(*file, path);
    for (int d = 0; d < 3 && status == KN_OK; d++)
        status = read_axis(*file, path, d, g);
    if (status == KN_OK)
        status = check_quantities(*file, path, g);
    if (status == KN_OK)
        return KN_OK;
    kn_fields_free_grid(g);
    H5Fclose(*file);
    *file = H5I_INVALID_HID;
    return status;
}

void kn_fields_free_grid(struct kn_fields_grid *g)
{
    for (int d = 0; d < 3; d++)
        free(g->edges[d]);
    *g = (struct kn_fields_grid){.cells = {0}};
}

/* 1: it is there, and in *group; 0: there is none; -1: it cannot be opened, or is a link. */
static int find_group(hid_t file, const char *name, hid_t *group)
{
    const htri_t there = H5Lexists(file, name, H5P_DEFAULT);
    *group = there > 0 ? kn_store_open_group(file, name) : H5I_INVALID_HID;
    return there <= 0 ? there : *group >= 0 ? 1 : -1;
}

int kn_fields_has_mean(hid_t file)
{
    hid_t group;
    const int found = find_group(file, "mean", &group);
    H5Gclose(group);
    return found;
}

int kn_fields_series_length(hid_t file)
{
    H5G_info_t info;
    hid_t group;
    const int found = find_group(file, "series", &group);
    if (found == 0)
        return 0;
    const bool good = group >= 0 && H5Gget_info(group, &info) >= 0 && info.nlinks <= 1 << 30;
    H5Gclose(group);
    return good ? (int)info.nlinks : -1;
}

/* Only a link to the file of the step is followed. */
static bool is_link_to_step(hid_t series, const char *name)
{
    char wanted[KN_FIELDS_LINK + 16], target[KN_FIELDS_LINK + 64];
    const char *to = NULL, *object = NULL;
    unsigned flags;
    H5L_info_t info;
    snprintf(wanted, sizeof wanted, "fields/%s.h5", name);
    return !strchr(name, '/') && H5Lget_info(series, name, &info, H5P_DEFAULT) >= 0 &&
           info.type == H5L_TYPE_EXTERNAL && info.u.val_size <= sizeof target &&
           H5Lget_val(series, name, target, sizeof target, H5P_DEFAULT) >= 0 &&
           H5Lunpack_elink_val(target, info.u.val_size, &flags, &to, &object) >= 0 &&
           strcmp(to, wanted) == 0 && strcmp(object, "/") == 0;
}

hid_t kn_fields_open_series(hid_t file, const char *name)
{
    hid_t series = kn_store_open_group(file, "series"), group = H5I_INVALID_HID;
    if (series >= 0 && is_link_to_step(series, name))
        group = H5Gopen2(series, name, H5P_DEFAULT);
    H5Gclose(series);
    return group;
}

bool kn_fields_series_name(hid_t file, int index, char name[KN_FIELDS_LINK])
{
    const ssize_t length = H5Lget_name_by_idx(file, "series", H5_INDEX_NAME, H5_ITER_INC, (hsize_t)index,
                                              name, KN_FIELDS_LINK, H5P_DEFAULT);
    return length > 0 && length < KN_FIELDS_LINK;
}

bool kn_fields_read_scales(hid_t file, const struct kn_case *c, struct kn_scales *scales,
                           char species[KN_FIELDS_SPECIES])
{
    hid_t group = H5I_INVALID_HID;
    bool good = file < 0 || find_group(file, "si", &group) >= 0;
    *scales = (struct kn_scales){.known = group >= 0};
    species[0] = '\0';
    if (group >= 0) {
        good = kn_store_read_text(group, "species", species, KN_FIELDS_SPECIES);
        for (const struct kn_scale *scale = kn_scales_list; scale->name; scale++) {
            double value = 0;
            good = kn_store_read_number(group, scale->name, &value) && isfinite(value) && good;
            kn_scales_set(scales, scale, value);
        }
        H5Gclose(group);
    } else if (file < 0 && c && kn_scales_create(scales, c) == KN_OK && scales->known) {
        snprintf(species, KN_FIELDS_SPECIES, "%s", kn_scales_species(c));
    }
    return good;
}
