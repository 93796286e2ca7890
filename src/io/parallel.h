/* HDF5 files that all ranks write together.
 *
 * CMake builds parallel_hdf5.c if the HDF5 library supports MPI, else parallel_none.c: rank 0 then writes the
 * data of all ranks. */
#ifndef KN_IO_PARALLEL_H
#define KN_IO_PARALLEL_H

#include "comm/comm.h"

#include <hdf5.h>

/* Whether these ranks write together; the same on all ranks.  KNUDSEN_PARALLEL_HDF5=off on rank 0 disables it
 * for file systems without support. */
bool kn_parallel_is_used(const struct kn_comm *comm);

/* Set the access list of a file for all ranks of `comm`; negative on failure.  Each rank writes its values
 * independently: with some MPI libraries a collective transfer does not end if one rank fails. */
herr_t kn_parallel_set_access(hid_t list, const struct kn_comm *comm);

#endif
