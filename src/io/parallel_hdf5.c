/* Parallel files with an HDF5 library that was built with MPI. */
#include "io/store.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

/* Rank 0 decides: launchers do not always pass the environment to all ranks. */
bool kn_parallel_is_used(const struct kn_comm *comm)
{
    const char *request = getenv("KNUDSEN_PARALLEL_HDF5");
    bool used = comm->size > 1 && !(request && strcmp(request, "off") == 0);
    kn_comm_broadcast(comm, 0, &used, sizeof used);
    return used;
}

herr_t kn_parallel_set_access(hid_t list, const struct kn_comm *comm)
{
    MPI_Comm handle;
    memcpy(&handle, &comm->handle, sizeof(MPI_Comm));
    return H5Pset_fapl_mpio(list, handle, MPI_INFO_NULL);
}
