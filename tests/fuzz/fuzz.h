/* Functions for the fuzz targets. A target is one LLVMFuzzerTestOneInput, which must return for any input.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A temporary folder, in memory if possible; it is removed at the end. */
const char *fuzz_folder(void);

/* A file in that folder: new, or a copy of a valid file that make-corpus has written into the folder
 * $FUZZ_CORPUS. */
void fuzz_write(const char *name, const void *data, size_t size);
void fuzz_copy(const char *name, const char *from);

/* An HDF5 file in that folder. Bytes with the signature of HDF5 are the file. Other bytes are interpreted as
 * changes to a valid file of the corpus: attributes and datasets of other types and shapes, links to other
 * files. */
void fuzz_forge(const char *name, const char *good, const uint8_t *data, size_t size);

/* End the program if an HDF5 object is still open. */
void fuzz_check_closed(void);

/* Run knudsen report on the folder. */
void fuzz_show(void);

#endif
