/* Writes HDF5 files that are complete or absent, and reads untrusted files. */
#include "io/store.h"
#include "error.h"
#include "text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

static herr_t take_innermost(unsigned n, const H5E_error2_t *error, void *to)
{
    static const char before[] = "error message = '";
    char *reason = to;
    if (n > 0 || !error->desc)
        return 0;
    const char *start = strstr(error->desc, before);
    if (start) {
        start += strlen(before);
        snprintf(reason, KN_STORE_REASON, "%.*s", (int)strcspn(start, "'"), start);
    } else {
        snprintf(reason, KN_STORE_REASON, "%s", error->desc);
    }
    return 0;
}

void kn_store_reason(char *reason)
{
    strcpy(reason, "unknown reason");
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_innermost, reason);
}

void kn_store_fail(struct kn_store *s, const char *reason)
{
    char found[KN_STORE_REASON];
    if (s->status != KN_OK)
        return;
    if (!reason)
        kn_store_reason(found);
    s->status = kn_error_set(KN_EIO, "cannot write '%s': %s", s->path, reason ? reason : found);
}

static bool is_allowed(double bytes)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
           bytes <= (double)limit.rlim_cur;
}

/* HDF5 buffers data and cannot close a file whose last writes fail; a full disk must therefore be detected
 * here. Returns an errno value. */
static int reserve(int fd, double bytes)
{
    struct statvfs disk;
    int reason;
    do
        reason = fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, (off_t)bytes) == 0 ? 0 : errno;
    while (reason == EINTR);
    if (reason != EOPNOTSUPP && reason != ENOSYS)
        return reason;
    return fstatvfs(fd, &disk) == 0 && bytes > (double)disk.f_bavail * (double)disk.f_frsize ? ENOSPC : 0;
}

/* The property list if all properties could be set, else an identifier that HDF5 rejects. */
static hid_t complete(hid_t list, bool good)
{
    if (good || list < 0)
        return list;
    H5Pclose(list);
    return H5I_INVALID_HID;
}

static hid_t access_list(void)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    hid_t list = H5Pcreate(H5P_FILE_ACCESS);
    const bool good =
        H5Pset_fclose_degree(list, H5F_CLOSE_STRONG) >= 0 &&
        H5Pset_file_locking(list, false, true) >= 0; /* network file systems may have no locks */
    return complete(list, good);
}

/* For an object without time stamps: equal runs give equal bytes. */
static hid_t creation_list(hid_t class)
{
    hid_t list = H5Pcreate(class);
    return complete(list, H5Pset_obj_track_times(list, false) >= 0);
}

static void begin(struct kn_store *s, const struct kn_comm *comm, const char *path, double bytes)
{
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* a library does not print */
    s->file = H5I_INVALID_HID;
    s->comm = comm;
    s->path[0] = s->temporary[0] = '\0';
    s->made = false;
    s->status = kn_files_temporary(s->temporary, path);
    if (s->status != KN_OK)
        return;
    strcpy(s->path, path);
    if (!is_allowed(bytes))
        kn_store_fail(s, strerror(EFBIG));
}

static void create_file(struct kn_store *s, hid_t access)
{
    hid_t creation = creation_list(H5P_FILE_CREATE);
    /* without a buffer a failing write is reported by its own call; since HDF5 1.10 all metadata have
     * checksums */
    if (H5Pset_sieve_buf_size(access, 0) < 0 ||
        H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110) < 0 ||
        (s->file = H5Fcreate(s->temporary, H5F_ACC_TRUNC, creation, access)) < 0)
        kn_store_fail(s, NULL);
    H5Pclose(creation);
}

/* HDF5 opens files by name and follows links.  The file is therefore created before with O_EXCL, so that HDF5
 * truncates this file. */
static void make(struct kn_store *s)
{
    if (s->status != KN_OK)
        return;
    const int fd = kn_files_create(s->temporary);
    if (fd < 0) {
        kn_store_fail(s, strerror(errno));
        return;
    }
    s->made = true;
    close(fd);
}

/* Open the temporary file independently of HDF5, reserve space for `bytes`, and close it. */
static void touch(struct kn_store *s, int flags, double bytes)
{
    if (s->status != KN_OK)
        return;
    int fd = open(s->temporary, flags | O_NOFOLLOW | O_CLOEXEC);
    int reason = fd < 0 ? errno : bytes > 0 ? reserve(fd, bytes) : 0;
    if (fd >= 0)
        close(fd);
    if (reason)
        kn_store_fail(s, strerror(reason));
}

void kn_store_create(struct kn_store *s, const struct kn_comm *comm, const char *path, double bytes)
{
    begin(s, comm, path, bytes);
    /* if one rank could not open the file, the others would wait for it in HDF5: all try before */
    if (comm->rank == 0)
        make(s);
    kn_store_agree(s);
    touch(s, O_RDWR, 0);
    kn_store_agree(s);
    if (s->status != KN_OK)
        return;
    hid_t access = access_list();
    if (comm->size > 1 && kn_parallel_set_access(access, comm) < 0)
        kn_store_fail(s, NULL);
    else
        create_file(s, access);
    H5Pclose(access);
    if (comm->rank == 0)
        touch(s, O_WRONLY, bytes);
    kn_store_agree(s);
}

void kn_store_agree(struct kn_store *s)
{
    s->status = kn_comm_agree(s->comm, s->status);
}

/* Release the space that was reserved beyond the end. */
static void trim(const char *path)
{
    struct stat info;
    if (stat(path, &info) == 0 && truncate(path, info.st_size) != 0)
        return; /* this only wastes disk space */
}

/* After a failure the file is useless: its space allows HDF5 to write its buffers and to close the file. */
static void make_room(struct kn_store *s)
{
    if (s->comm->rank == 0 && truncate(s->temporary, 0) != 0)
        return; /* no space can be released */
}

enum kn_status kn_store_finish(struct kn_store *s)
{
    kn_store_agree(s);
    /* data of other ranks are in their caches, not in that of rank 0 */
    if (s->status == KN_OK && s->comm->size > 1 && H5Fflush(s->file, H5F_SCOPE_GLOBAL) < 0)
        kn_store_fail(s, NULL);
    kn_store_agree(s);
    if (s->status != KN_OK && s->file >= 0) {
        make_room(s);
        kn_comm_barrier(s->comm);
    }
    if (s->file >= 0 && H5Fclose(s->file) < 0)
        kn_store_fail(s, NULL);
    s->file = H5I_INVALID_HID;
    kn_store_agree(s);
    if (s->status != KN_OK) {
        if (s->made)
            unlink(s->temporary);
    } else if (s->comm->rank == 0) {
        trim(s->temporary);
        s->status = kn_files_commit(s->temporary, s->path);
    }
    kn_store_agree(s);
    return s->status;
}

hid_t kn_store_group(struct kn_store *s, hid_t where, const char *name)
{
    if (s->status != KN_OK)
        return H5I_INVALID_HID;
    hid_t list = creation_list(H5P_GROUP_CREATE);
    hid_t group = H5Gcreate2(where, name, H5P_DEFAULT, list, H5P_DEFAULT);
    if (group < 0)
        kn_store_fail(s, NULL);
    H5Pclose(list);
    return group;
}

void kn_store_attribute(struct kn_store *s, hid_t object, const char *name, hid_t type, const void *value)
{
    if (s->status != KN_OK)
        return;
    hid_t scalar = H5Screate(H5S_SCALAR);
    hid_t attribute = H5Acreate2(object, name, type, scalar, H5P_DEFAULT, H5P_DEFAULT);
    if (attribute < 0 || H5Awrite(attribute, type, value) < 0)
        kn_store_fail(s, NULL);
    H5Aclose(attribute);
    H5Sclose(scalar);
}

void kn_store_text(struct kn_store *s, hid_t object, const char *name, const char *text)
{
    hid_t type = H5Tcopy(H5T_C_S1);
    if (H5Tset_size(type, H5T_VARIABLE) < 0 || H5Tset_cset(type, H5T_CSET_UTF8) < 0)
        kn_store_fail(s, NULL);
    kn_store_attribute(s, object, name, type, &text);
    H5Tclose(type);
}

hid_t kn_store_create_set(struct kn_store *s, hid_t where, const char *name, hid_t type, int rank,
                          const hsize_t *shape, const hsize_t *chunk)
{
    if (s->status != KN_OK)
        return H5I_INVALID_HID;
    hid_t list = creation_list(H5P_DATASET_CREATE), space = H5Screate_simple(rank, shape, NULL);
    const bool good = H5Pset_fill_time(list, H5D_FILL_TIME_NEVER) >= 0 &&
                      (!chunk || (H5Pset_chunk(list, rank, chunk) >= 0 && H5Pset_fletcher32(list) >= 0));
    hid_t set = good ? H5Dcreate2(where, name, type, space, H5P_DEFAULT, list, H5P_DEFAULT) : H5I_INVALID_HID;
    if (set < 0)
        kn_store_fail(s, NULL);
    H5Sclose(space);
    H5Pclose(list);
    return set;
}

void kn_store_close_set(struct kn_store *s, hid_t set)
{
    if (set >= 0 && H5Dclose(set) < 0)
        kn_store_fail(s, NULL);
}

hid_t kn_store_open(const char *path, char *reason)
{
    struct stat info;
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) {
        strcpy(reason, "it is not a regular file");
        return H5I_INVALID_HID;
    }
    hid_t access = access_list();
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, access);
    if (file < 0)
        kn_store_reason(reason);
    H5Pclose(access);
    return file;
}

/* True if all values are in the file itself and not compressed: a small file then cannot require much memory,
 * and no other file is read. */
static bool is_stored_plainly(hid_t set, hssize_t points, size_t size)
{
    hid_t list = H5Dget_create_plist(set), file = H5Iget_file_id(set);
    const double bytes = (double)points * (double)size;
    hsize_t length = 0;
    const H5D_layout_t layout = list >= 0 ? H5Pget_layout(list) : H5D_LAYOUT_ERROR;
    const int filters = list >= 0 ? H5Pget_nfilters(list) : -1;
    bool good = layout != H5D_LAYOUT_ERROR && layout != H5D_VIRTUAL && filters >= 0;
    good = good && (layout != H5D_CONTIGUOUS || H5Pget_external_count(list) == 0);
    for (int i = 0; good && i < filters; i++) {
        unsigned flags, settings;
        size_t count = 0;
        good = H5Pget_filter2(list, (unsigned)i, &flags, &count, NULL, 0, NULL, &settings) ==
               H5Z_FILTER_FLETCHER32;
    }
    good = good && bytes <= (double)H5Dget_storage_size(set) && H5Fget_filesize(file, &length) >= 0 &&
           bytes <= (double)length;
    H5Pclose(list);
    H5Fclose(file);
    return good;
}

/* True for floating-point numbers and integers of at most eight bytes. */
static bool is_number(hid_t type)
{
    const H5T_class_t class = H5Tget_class(type);
    return (class == H5T_FLOAT || class == H5T_INTEGER) && H5Tget_size(type) <= sizeof(double);
}

/* Soft and external links count as missing. */
static bool is_link_hard(hid_t where, const char *name)
{
    H5L_info_t info;
    return H5Lexists(where, name, H5P_DEFAULT) > 0 && H5Lget_info(where, name, &info, H5P_DEFAULT) >= 0 &&
           info.type == H5L_TYPE_HARD;
}

static bool is_own(hid_t where, const char *name)
{
    char part[KN_STORE_NAME];
    bool own = strlen(name) < sizeof part;
    for (const char *end = name; own && *end; end += *end == '/') {
        end += strcspn(end, "/");
        snprintf(part, sizeof part, "%.*s", (int)(end - name), name);
        own = is_link_hard(where, part);
    }
    return own;
}

hid_t kn_store_open_group(hid_t where, const char *name)
{
    return is_own(where, name) ? H5Gopen2(where, name, H5P_DEFAULT) : H5I_INVALID_HID;
}

hid_t kn_store_open_set(hid_t where, const char *name, int rank, hsize_t *shape)
{
    hid_t set = is_own(where, name) ? H5Dopen2(where, name, H5P_DEFAULT) : H5I_INVALID_HID;
    if (set < 0)
        return set;
    hid_t space = H5Dget_space(set), type = H5Dget_type(set);
    const hssize_t points = H5Sget_simple_extent_npoints(space);
    const bool good = H5Sget_simple_extent_ndims(space) == rank &&
                      H5Sget_simple_extent_dims(space, shape, NULL) == rank && points > 0 &&
                      is_number(type) && is_stored_plainly(set, points, H5Tget_size(type));
    H5Tclose(type);
    H5Sclose(space);
    if (good)
        return set;
    H5Dclose(set);
    return H5I_INVALID_HID;
}

double *kn_store_read_array(hid_t where, const char *name, int rank, hsize_t *shape)
{
    hid_t set = kn_store_open_set(where, name, rank, shape);
    size_t count = 1;
    if (set < 0)
        return NULL;
    for (int d = 0; d < rank; d++)
        count *= (size_t)shape[d];
    double *values = malloc(count * sizeof *values);
    if (values && H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) < 0) {
        free(values);
        values = NULL;
    }
    H5Dclose(set);
    return values;
}

/* Open an attribute with one value; negative if there is none. */
static hid_t open_attribute(hid_t object, const char *name)
{
    hid_t attribute = H5Aexists(object, name) > 0 ? H5Aopen(object, name, H5P_DEFAULT) : H5I_INVALID_HID;
    if (attribute < 0)
        return attribute;
    hid_t space = H5Aget_space(attribute);
    const hssize_t points = H5Sget_simple_extent_npoints(space);
    H5Sclose(space);
    if (points == 1)
        return attribute;
    H5Aclose(attribute);
    return H5I_INVALID_HID;
}

bool kn_store_read_value(hid_t object, const char *name, hid_t as, void *value)
{
    hid_t attribute = open_attribute(object, name);
    if (attribute < 0)
        return false;
    hid_t type = H5Aget_type(attribute);
    const bool good = is_number(type) && H5Aread(attribute, as, value) >= 0;
    H5Tclose(type);
    H5Aclose(attribute);
    return good;
}

bool kn_store_read_number(hid_t object, const char *name, double *value)
{
    return kn_store_read_value(object, name, H5T_NATIVE_DOUBLE, value);
}

bool kn_store_read_text(hid_t object, const char *name, char *text, size_t size)
{
    hid_t attribute = open_attribute(object, name);
    if (attribute < 0)
        return false;
    hid_t type = H5Aget_type(attribute);
    char *found = NULL;
    bool good = H5Tis_variable_str(type) > 0 && H5Aread(attribute, type, &found) >= 0 && found;
    good = good && strlen(found) < size && kn_text_is_clean(found);
    if (good)
        strcpy(text, found);
    H5free_memory(found);
    H5Tclose(type);
    H5Aclose(attribute);
    return good;
}
