/* HDF5 files that all ranks write at once.  CMake builds parallel_hdf5.c where the HDF5 library can do
 * that, else parallel_none.c: rank 0 then writes what it is sent. */
#ifndef KN_IO_PARALLEL_H
#define KN_IO_PARALLEL_H

#include "comm/comm.h"

#include <hdf5.h>

/* Whether these ranks write together.  The same on all of them; KNUDSEN_PARALLEL_HDF5=off on rank 0 is for
 * file systems that cannot. */
bool kn_parallel_is_used(const struct kn_comm *comm);

/* A list of file access, for all ranks of `comm`; negative on failure.  Values are written by each rank by
 * itself: a transfer that all make together does not end in every MPI library when one of them fails. */
herr_t kn_parallel_set_access(hid_t list, const struct kn_comm *comm);

#endif
