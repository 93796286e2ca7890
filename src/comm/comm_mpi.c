/* Communication of ranks by MPI-3. */
#include "comm/comm.h"
#include "comm/launcher.h"

#include "error.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef OPEN_MPI
#include <mpi-ext.h>
#endif

enum { TAG = 1, MESSAGE = 1024, PIECE = 1 << 30 }; /* counts of MPI are int: longer data are sent in pieces */

const struct kn_comm kn_comm_alone = {.size = 1, .local_size = 1};
static struct kn_comm world = {.size = 1, .local_size = 1};
static bool started;

struct kn_comm_exchange {
    int count;
    MPI_Request requests[]; /* [count] */
};

/* MPI_Comm is a pointer in some libraries and an integer in others. */
static MPI_Comm handle_of(const struct kn_comm *comm)
{
    MPI_Comm handle;
    memcpy(&handle, &comm->handle, sizeof handle);
    return handle;
}

static void describe(MPI_Comm handle, struct kn_comm *comm)
{
    _Static_assert(sizeof(MPI_Comm) <= sizeof comm->handle, "an MPI_Comm fits");
    MPI_Comm local;
    memcpy(&comm->handle, &handle, sizeof handle);
    MPI_Comm_rank(handle, &comm->rank);
    MPI_Comm_size(handle, &comm->size);
    MPI_Comm_split_type(handle, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &local);
    MPI_Comm_rank(local, &comm->local_rank);
    MPI_Comm_size(local, &comm->local_size);
    MPI_Comm_free(&local);
}

/* Without a launcher MPI is not initialised: that takes longer than many commands, and fails on machines
 * without a configured MPI. */
enum kn_status kn_comm_start(void)
{
    int provided;
    const struct kn_launcher *launcher = kn_launcher_find();
    const enum kn_status status = kn_launcher_check();
    if (status != KN_OK || started || !launcher)
        return status;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided) != MPI_SUCCESS)
        return kn_error_set(KN_EDEVICE, "MPI cannot be started");
    started = true;
    if (provided < MPI_THREAD_FUNNELED)
        return kn_error_set(KN_EDEVICE, "the MPI library does not support threads (MPI_THREAD_FUNNELED)");
    describe(MPI_COMM_WORLD, &world);
    if (world.size == 1 && launcher->processes > 1)
        return kn_error_set(
            KN_EINPUT,
            "%s has started %d processes, but %s does not connect them: each would compute the "
            "whole case (use the launcher of the MPI library of this program; srun: "
            "--mpi=list)",
            launcher->name, launcher->processes, kn_comm_library());
    return KN_OK;
}

/* The barrier sleeps; MPI_Finalize would use the processor while it waits. */
void kn_comm_end(void)
{
    if (!started)
        return;
    kn_comm_barrier(&world);
    MPI_Finalize();
    started = false;
}

const struct kn_comm *kn_comm_world(void)
{
    return &world;
}

const char *kn_comm_library(void)
{
    static char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    if (!text[0]) {
        MPI_Get_library_version(text, &length);
        text[strcspn(text, ",\n")] = '\0';
    }
    return text;
}

void kn_comm_abort(enum kn_status status)
{
    fflush(stdout);
    fprintf(stderr, "knudsen: rank %d: %s\n", world.rank, kn_error_message());
    if (started)
        MPI_Abort(MPI_COMM_WORLD, kn_status_exit_code(status));
    exit(kn_status_exit_code(status));
}

void kn_comm_sum(const struct kn_comm *comm, int64_t *values, int count)
{
    if (comm->size > 1)
        MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_INT64_T, MPI_SUM, handle_of(comm));
}

void kn_comm_least(const struct kn_comm *comm, int64_t *values, int count)
{
    if (comm->size > 1)
        MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_INT64_T, MPI_MIN, handle_of(comm));
}

void kn_comm_least_real(const struct kn_comm *comm, double *values, int count)
{
    if (comm->size > 1)
        MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_DOUBLE, MPI_MIN, handle_of(comm));
}

void kn_comm_broadcast(const struct kn_comm *comm, int root, void *data, size_t bytes)
{
    for (size_t at = 0; at < bytes && comm->size > 1; at += PIECE)
        MPI_Bcast((char *)data + at, (int)(bytes - at < PIECE ? bytes - at : PIECE), MPI_BYTE, root,
                  handle_of(comm));
}

enum kn_status kn_comm_agree(const struct kn_comm *comm, enum kn_status status)
{
    struct {
        int32_t status;
        char message[MESSAGE];
    } failure;
    int64_t first = status == KN_OK ? comm->size : comm->rank;
    if (comm->size == 1)
        return status;
    kn_comm_least(comm, &first, 1);
    if (first == comm->size)
        return KN_OK;
    failure.status = (int32_t)status;
    snprintf(failure.message, sizeof failure.message, "%s", kn_error_message());
    kn_comm_broadcast(comm, (int)first, &failure, sizeof failure);
    return kn_error_set((enum kn_status)failure.status, "%s", failure.message);
}

void kn_comm_barrier(const struct kn_comm *comm)
{
    const struct timespec nap = {.tv_nsec = 200000};
    MPI_Request request;
    int done = 0;
    if (comm->size == 1)
        return;
    MPI_Ibarrier(handle_of(comm), &request);
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    while (!done) {
        nanosleep(&nap, NULL);
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    }
}

void kn_comm_first(const struct kn_comm *comm, int count, struct kn_comm *part)
{
    MPI_Comm handle;
    *part = kn_comm_alone;
    if (comm->size == 1)
        return;
    MPI_Comm_split(handle_of(comm), comm->rank < count ? 0 : MPI_UNDEFINED, comm->rank, &handle);
    if (handle == MPI_COMM_NULL)
        *part = (struct kn_comm){.size = 0};
    else
        describe(handle, part);
}

void kn_comm_release(struct kn_comm *part)
{
    MPI_Comm handle = handle_of(part);
    if (started && part->handle)
        MPI_Comm_free(&handle);
    *part = (struct kn_comm){.size = 0};
}

void kn_comm_send(const struct kn_comm *comm, int to, const void *data, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += PIECE)
        MPI_Send((const char *)data + at, (int)(bytes - at < PIECE ? bytes - at : PIECE), MPI_BYTE, to, TAG,
                 handle_of(comm));
}

void kn_comm_receive(const struct kn_comm *comm, int from, void *data, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += PIECE)
        MPI_Recv((char *)data + at, (int)(bytes - at < PIECE ? bytes - at : PIECE), MPI_BYTE, from, TAG,
                 handle_of(comm), MPI_STATUS_IGNORE);
}

enum kn_status kn_comm_exchange_create(struct kn_comm_exchange **out, const struct kn_comm *comm,
                                       const struct kn_comm_message *messages, int count)
{
    struct kn_comm_exchange *e = calloc(1, sizeof *e + (size_t)count * sizeof *e->requests);
    *out = e;
    if (!e)
        return kn_error_set(KN_EMEMORY, "no memory for the messages between ranks");
    for (int i = 0; i < count; i++) {
        const struct kn_comm_message *m = &messages[i];
        MPI_Request *request = &e->requests[e->count];
        if (m->bytes > INT32_MAX)
            return kn_error_set(KN_EINPUT,
                                "rank %d sends %.1f GB to rank %d at every step, more than an MPI message "
                                "can hold; use more ranks",
                                comm->rank, (double)m->bytes / 1e9, m->rank);
        if (m->outgoing)
            MPI_Send_init(m->data, (int)m->bytes, MPI_BYTE, m->rank, TAG + m->tag, handle_of(comm), request);
        else
            MPI_Recv_init(m->data, (int)m->bytes, MPI_BYTE, m->rank, TAG + m->tag, handle_of(comm), request);
        e->count++;
    }
    return KN_OK;
}

void kn_comm_exchange_destroy(struct kn_comm_exchange *e)
{
    for (int i = 0; e && i < e->count; i++)
        MPI_Request_free(&e->requests[i]);
    free(e);
}

void kn_comm_exchange_start(struct kn_comm_exchange *e)
{
    MPI_Startall(e->count, e->requests);
}

bool kn_comm_exchange_test(struct kn_comm_exchange *e)
{
    int done;
    MPI_Testall(e->count, e->requests, &done, MPI_STATUSES_IGNORE);
    return done;
}

void kn_comm_exchange_wait(struct kn_comm_exchange *e)
{
    MPI_Waitall(e->count, e->requests, MPI_STATUSES_IGNORE);
}

/* Open MPI has a query; for other libraries there is an environment variable, or a key of the case. */
bool kn_comm_takes_device_memory(void)
{
#if defined(MPIX_CUDA_AWARE_SUPPORT)
    return MPIX_Query_cuda_support() == 1;
#else
    const char *cray = getenv("MPICH_GPU_SUPPORT_ENABLED");
    return cray && strcmp(cray, "1") == 0;
#endif
}
