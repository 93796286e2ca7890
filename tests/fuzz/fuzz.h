/* What the fuzz targets share.  A target is one LLVMFuzzerTestOneInput: whatever the bytes are, it returns.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A folder in memory where there is one; it is removed at the end. */
const char *fuzz_folder(void);

/* A file of that folder, written anew, or copied from the good files that make-corpus has put into the folder
 * FUZZ_CORPUS of the environment. */
void fuzz_write(const char *name, const void *data, size_t size);
void fuzz_copy(const char *name, const char *from);

/* An HDF5 file of that folder.  Bytes that begin like HDF5 are the file; others are read as changes to a good
 * file of the corpus: attributes and datasets of other types and shapes, links that lead elsewhere. */
void fuzz_forge(const char *name, const char *good, const uint8_t *data, size_t size);

/* End the program if anything of HDF5 is still open. */
void fuzz_check_closed(void);

/* knudsen plot --terminal and knudsen report over the folder. */
void fuzz_show(void);

#endif
