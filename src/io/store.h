/* HDF5 files that are complete or absent, with error messages for failures of HDF5. */
#ifndef KN_IO_STORE_H
#define KN_IO_STORE_H

#include "comm/comm.h"
#include "files/files.h"

#include <hdf5.h>

/* A file that is being written.  `status` keeps the first failure; all later calls then do nothing.  A writer
 * is therefore a plain list of calls and checks the status once, in kn_store_finish. */
struct kn_store {
    enum kn_status status;
    hid_t file;
    const struct kn_comm *comm; /* the ranks that write the file; usually one */
    char path[KN_PATH];
    char temporary[KN_PATH];
    bool made; /* this rank has created the temporary file and may remove it */
};

/* Create the temporary file and reserve space for `bytes`, so that a full disk is detected before writing.
 * Several ranks write one file if kn_parallel_is_used: all create the same groups, datasets and attributes in
 * the same order, each writes its part of the values, and all call kn_store_agree after every step that can
 * fail on one rank. */
void kn_store_create(struct kn_store *s, const struct kn_comm *comm, const char *path, double bytes);
void kn_store_agree(struct kn_store *s);

/* Close the file and give it its name, or remove it after a failure. */
enum kn_status kn_store_finish(struct kn_store *s);

/* Record a failure; if the reason is NULL, that of the last HDF5 call. */
void kn_store_fail(struct kn_store *s, const char *reason);

hid_t kn_store_group(struct kn_store *s, hid_t where, const char *name);
void kn_store_attribute(struct kn_store *s, hid_t object, const char *name, hid_t type, const void *value);
void kn_store_text(struct kn_store *s, hid_t object, const char *name, const char *text);

/* A dataset of which every value will be written; in chunks of this shape with checksums unless it is NULL.
 */
hid_t kn_store_create_set(struct kn_store *s, hid_t where, const char *name, hid_t type, int rank,
                          const hsize_t *shape, const hsize_t *chunk);

/* Close a written dataset; HDF5 may write its values only now. */
void kn_store_close_set(struct kn_store *s, hid_t set);

/* Why the last HDF5 call failed, or the message of the system if a system call failed.  Any other HDF5 call
 * deletes it. */
enum { KN_STORE_REASON = 256 };
void kn_store_reason(char *reason); /* [KN_STORE_REASON] */

/* Open for reading; negative on failure, with the reason filled in. */
hid_t kn_store_open(const char *path, char *reason);

/* A group of the file itself; negative if it is missing or if its path has a soft or external link. */
enum { KN_STORE_NAME = 64 }; /* longest path of a group or dataset, with the final zero */
hid_t kn_store_open_group(hid_t where, const char *name);

/* A dataset of numbers of this rank, stored uncompressed in the file itself, and its shape; negative if it is
 * missing or different, or if its path has a soft or external link. */
hid_t kn_store_open_set(hid_t where, const char *name, int rank, hsize_t *shape);

/* All values of such a dataset, to be freed; NULL if it cannot be read. */
double *kn_store_read_array(hid_t where, const char *name, int rank, hsize_t *shape);

/* Attributes with one value; false if it is missing, or not a number of at most eight bytes, or not printable
 * UTF-8 text shorter than `size`. */
bool kn_store_read_value(hid_t object, const char *name, hid_t as, void *value);
bool kn_store_read_number(hid_t object, const char *name, double *value);
bool kn_store_read_text(hid_t object, const char *name, char *text, size_t size);

/* Whether these ranks write together; the same on all ranks.  KNUDSEN_PARALLEL_HDF5=off on rank 0 disables it
 * for file systems without support. */
bool kn_parallel_is_used(const struct kn_comm *comm);

/* Set the access list of a file for all ranks of `comm`; negative on failure.  Each rank writes its values
 * independently: with some MPI libraries a collective transfer does not end if one rank fails. */
herr_t kn_parallel_set_access(hid_t list, const struct kn_comm *comm);

struct kn_base64 {
    FILE *to;
    unsigned char waiting[3];
    int n; /* bytes that wait */
};

void kn_base64_byte(struct kn_base64 *b, unsigned char byte);
void kn_base64_word(struct kn_base64 *b, uint64_t word);
void kn_base64_real(struct kn_base64 *b, double value);
void kn_base64_end(struct kn_base64 *b); /* writes the last bytes; the next text may follow */

#endif
