/* The number of processors of a rank. */
#include "comm/comm.h"

#include <omp.h>
#include <stdlib.h>
#include <unistd.h>

int kn_comm_processors(const struct kn_comm *comm)
{
    const int most = omp_get_max_threads(), part = (int)sysconf(_SC_NPROCESSORS_ONLN) / comm->local_size;
    if (comm->local_size == 1 || getenv("OMP_NUM_THREADS"))
        return most;
    return part < 1 ? 1 : part < most ? part : most;
}
