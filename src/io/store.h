/* HDF5 files that appear whole or not at all, and HDF5's failures as sentences. */
#ifndef KN_IO_STORE_H
#define KN_IO_STORE_H

#include "comm/comm.h"
#include "files.h"

#include <hdf5.h>

/* A file being written.  The first failure is kept in `status` with its
 * sentence; every later call then does nothing, so that a writer reads as a
 * plain list and asks once, in kn_store_finish. */
struct kn_store {
    enum kn_status status;
    hid_t file;
    const struct kn_comm *comm; /* the ranks that write it; of most files one */
    char path[KN_PATH];
    char temporary[KN_PATH];
    bool made; /* by this rank: the temporary file may be removed */
};

/* Create the temporary file and reserve room for `bytes`, so that a full disk
 * shows before anything is written. */
void kn_store_create(struct kn_store *s, const char *path, double bytes);

/* The same file for all ranks of `comm`, where kn_parallel_is_used.  All of them then make the same groups,
 * datasets and attributes in the same order, each writes its part of the values, and all agree behind
 * whatever can fail on one of them alone. */
void kn_store_create_together(struct kn_store *s, const struct kn_comm *comm, const char *path, double bytes);
void kn_store_agree(struct kn_store *s);

/* Close; give the file its name, or remove it when anything failed. */
enum kn_status kn_store_finish(struct kn_store *s);

/* Record a failure; without a reason, that of the HDF5 call just made. */
void kn_store_fail(struct kn_store *s, const char *reason);

hid_t kn_store_group(struct kn_store *s, hid_t where, const char *name);
void kn_store_attribute(struct kn_store *s, hid_t object, const char *name, hid_t type, const void *value);
void kn_store_text(struct kn_store *s, hid_t object, const char *name, const char *text);

/* A dataset creation list without time stamps: equal runs give equal bytes. */
hid_t kn_store_dataset_list(void);

/* Values in chunks of this shape, each with a checksum. */
void kn_store_check_chunks(struct kn_store *s, hid_t list, int rank, const hsize_t *chunk);

/* Close a dataset that was written: HDF5 may write its values only now. */
void kn_store_close_set(struct kn_store *s, hid_t set);

/* Why the last HDF5 call failed: the system's words where it was the system.
 * Any other HDF5 call wipes it. */
enum { KN_STORE_REASON = 256 };
void kn_store_reason(char *reason); /* [KN_STORE_REASON] */

/* Open for reading; negative on failure, with the reason filled in. */
hid_t kn_store_open(const char *path, char *reason);

/* A group of the file itself; negative: it is not there, or is a soft or external link, or its path has one.
 */
enum { KN_STORE_NAME = 64 }; /* longest path of a group or dataset in a file, and its end */
hid_t kn_store_open_group(hid_t where, const char *name);

/* A dataset of numbers of this rank, all of which are in its own file and not compressed, with its shape;
 * negative: it is not there, or is anything else, or its path has a soft or external link. */
hid_t kn_store_open_set(hid_t where, const char *name, int rank, hsize_t *shape);

/* All values of such a dataset, to be freed; NULL: it cannot be read. */
double *kn_store_read_array(hid_t where, const char *name, int rank, hsize_t *shape);

/* Attributes of one value; false: there is none, or it is not a number of at most eight bytes or, for text,
 * not printable UTF-8 shorter than `size`. */
bool kn_store_read_value(hid_t object, const char *name, hid_t as, void *value);
bool kn_store_read_number(hid_t object, const char *name, double *value);
bool kn_store_read_text(hid_t object, const char *name, char *text, size_t size);

#endif
