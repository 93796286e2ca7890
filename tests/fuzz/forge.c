/* HDF5 files with datasets and attributes of any type and shape. */
#include "fuzz.h"

#include "files/files.h"

#include <hdf5.h>
#include <stdlib.h>
#include <string.h>

/* The remaining bytes; zeros follow the last. */
struct input {
    const uint8_t *at, *end;
};

static unsigned take(struct input *in)
{
    return in->at < in->end ? *in->at++ : 0;
}

static const char *const objects[] = {"/",  "grid",    "grid/x", "grid/y", "grid/z", "rho",
                                      "u",  "theta",   "Pi",     "q",      "series", "mean",
                                      "si", "monitor", "h",      "sums",   "watched"};
static const char *const attributes[] = {
    "format",  "time",      "step",      "delta",        "species",     "temperature",  "pressure",
    "density", "mass",      "viscosity", "velocity",     "length",      "box",          "disturbance",
    "si_unit", "si_factor", "si_offset", "unit",         "fingerprint", "cells",        "nodes",
    "samples", "time_step", "checksum",  "monitor_size", "draws",       "watched_size", "ahead"};
#define PICK(table, in) (table)[take(in) % (sizeof(table) / sizeof *(table))]

enum { MOST = 1 << 16 }; /* bytes of values */
static char values[MOST];

static hid_t take_type(struct input *in)
{
    const hid_t plain[] = {H5T_IEEE_F64LE, H5T_IEEE_F64BE, H5T_IEEE_F32LE, H5T_STD_I64LE,
                           H5T_STD_I32BE,  H5T_STD_U8LE,   H5T_STD_REF_OBJ};
    const unsigned kind = take(in) % 12;
    hid_t type;
    if (kind < 7)
        return H5Tcopy(plain[kind]);
    if (kind == 7 || kind == 8) {
        type = H5Tcopy(H5T_C_S1);
        H5Tset_size(type, kind == 7 ? 1 + take(in) * 16 : H5T_VARIABLE);
        H5Tset_cset(type, H5T_CSET_UTF8);
    } else if (kind == 9) {
        type = H5Tcreate(H5T_COMPOUND, 8 + take(in) * 8);
        H5Tinsert(type, "a", 0, H5T_NATIVE_DOUBLE);
    } else if (kind == 10) {
        type = H5Tarray_create2(H5T_NATIVE_DOUBLE, 1, &(hsize_t){1 + take(in)});
    } else {
        type = H5Tcopy(H5T_IEEE_F64LE); /* wide floating point numbers */
        H5Tset_size(type, 8 + take(in) % 64);
    }
    return type;
}

static hid_t take_space(struct input *in, hsize_t *points, int *rank, hsize_t shape[5])
{
    static const hsize_t sizes[] = {1, 2, 3, 4, 6, 7, 0, 1000, 1 << 27, 1ull << 40};
    *rank = (int)(take(in) % 7);
    *points = 1;
    if (*rank == 5)
        return H5Screate(H5S_NULL);
    *rank = *rank == 6 ? 1 : *rank;
    for (int d = 0; d < *rank; d++)
        *points *= shape[d] = PICK(sizes, in);
    return *rank == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(*rank, shape, NULL);
}

static void fill_values(struct input *in)
{
    for (size_t i = 0; i < 256; i++)
        values[i] = (char)take(in);
    for (size_t i = 256; i < sizeof values; i++)
        values[i] = values[i % 256];
}

static void set_attribute(hid_t file, struct input *in)
{
    hid_t object = H5Oopen(file, PICK(objects, in), H5P_DEFAULT);
    const char *name = PICK(attributes, in), *text = values;
    hsize_t points, shape[5];
    int rank;
    hid_t type = take_type(in), space = take_space(in, &points, &rank, shape);
    fill_values(in);
    values[255] = '\0';
    if (object >= 0 && points * H5Tget_size(type) < MOST && (H5Tis_variable_str(type) <= 0 || points == 1)) {
        H5Adelete(object, name);
        hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
        H5Awrite(attribute, type, H5Tis_variable_str(type) > 0 ? (const void *)&text : values);
        H5Aclose(attribute);
    }
    H5Sclose(space);
    H5Tclose(type);
    H5Oclose(object);
}

static hid_t take_list(struct input *in, int rank, const hsize_t *shape)
{
    hid_t list = H5Pcreate(H5P_DATASET_CREATE);
    const unsigned layout = take(in) % 6;
    hsize_t chunk[5];
    for (int d = 0; d < rank; d++)
        chunk[d] = shape[d] < 1 ? 1 : shape[d] < 16 ? shape[d] : 16;
    if (layout >= 1 && layout <= 3 && rank > 0)
        H5Pset_chunk(list, rank, chunk);
    if (layout == 2 && rank > 0)
        H5Pset_deflate(list, 6);
    if (layout == 3 && rank > 0)
        H5Pset_fletcher32(list);
    if (layout == 4)
        H5Pset_external(list, "/dev/zero", 0, H5F_UNLIMITED);
    if (layout == 5)
        H5Pset_layout(list, H5D_COMPACT);
    return list;
}

static void set_dataset(hid_t file, struct input *in)
{
    const char *name = PICK(objects, in);
    hsize_t points, shape[5];
    int rank;
    hid_t type = take_type(in), space = take_space(in, &points, &rank, shape),
          list = take_list(in, rank, shape);
    H5Ldelete(file, name, H5P_DEFAULT);
    hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, list, H5P_DEFAULT);
    fill_values(in);
    if (set >= 0 && points * H5Tget_size(type) <= MOST && H5Tis_variable_str(type) <= 0)
        H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    H5Dclose(set);
    H5Pclose(list);
    H5Sclose(space);
    H5Tclose(type);
}

static void set_link(hid_t file, struct input *in)
{
    const char *name = PICK(objects, in), *to = PICK(objects, in);
    const unsigned kind = take(in) % 3;
    H5Ldelete(file, name, H5P_DEFAULT);
    if (kind == 0)
        H5Lcreate_hard(file, to, file, name, H5P_DEFAULT, H5P_DEFAULT);
    else if (kind == 1)
        H5Lcreate_soft(to, file, name, H5P_DEFAULT, H5P_DEFAULT);
    else
        H5Lcreate_external("fields/00000000.h5", to, file, name, H5P_DEFAULT, H5P_DEFAULT);
}

static void change(hid_t file, struct input *in)
{
    const unsigned kind = take(in) % 5;
    if (kind == 0)
        H5Ldelete(file, PICK(objects, in), H5P_DEFAULT);
    else if (kind == 1)
        H5Adelete(file, PICK(attributes, in));
    else if (kind == 2)
        set_link(file, in);
    else if (kind == 3)
        set_dataset(file, in);
    else
        set_attribute(file, in);
}

void fuzz_forge(const char *name, const char *good, const uint8_t *data, size_t size)
{
    struct input in = {data, data + size};
    char path[KN_PATH];
    if (size >= 4 && memcmp(data, "\x89HDF", 4) == 0) {
        fuzz_write(name, data, size);
        return;
    }
    fuzz_copy(name, good);
    if (kn_files_join(path, fuzz_folder(), name) != KN_OK)
        return;
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_fclose_degree(access, H5F_CLOSE_STRONG);
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, access);
    for (int i = 0; i < 8 && in.at < in.end; i++)
        change(file, &in);
    H5Fclose(file);
    H5Pclose(access);
}

void fuzz_check_closed(void)
{
    static const H5I_type_t kinds[] = {H5I_FILE, H5I_GROUP, H5I_DATASET, H5I_ATTR, H5I_DATASPACE};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        hsize_t open = 0;
        if (H5Itype_exists(kinds[i]) > 0 && H5Inmembers(kinds[i], &open) >= 0 && open > 0)
            abort();
    }
}
