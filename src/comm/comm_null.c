/* A program without MPI: one rank. */
#include "comm/comm.h"
#include "comm/launcher.h"

#include "error.h"

#include <stdio.h>
#include <stdlib.h>

const struct kn_comm kn_comm_alone = {.size = 1, .local_size = 1};

enum kn_status kn_comm_start(void)
{
    const enum kn_status status = kn_launcher_check();
    const struct kn_launcher *launcher = kn_launcher_find();
    const char *wish = getenv("KNUDSEN_MPI");
    if (status == KN_OK && wish && launcher)
        return kn_error_set(KN_EINPUT, "KNUDSEN_MPI=%s: this program was built without MPI (-DKN_MPI=ON)",
                            wish);
    if (status != KN_OK || !launcher || launcher->processes < 2)
        return status;
    return kn_error_set(KN_EINPUT,
                        "%s has started %d copies of this program, which was built without MPI and would "
                        "write the same files %d times (build with -DKN_MPI=ON, or start it once)",
                        launcher->name, launcher->processes, launcher->processes);
}

void kn_comm_end(void)
{
}

const struct kn_comm *kn_comm_world(void)
{
    return &kn_comm_alone;
}

const char *kn_comm_library(void)
{
    return "";
}

void kn_comm_abort(enum kn_status status)
{
    fprintf(stderr, "knudsen: %s\n", kn_error_message());
    exit(kn_status_exit_code(status));
}

// NOLINTNEXTLINE(readability-non-const-parameter): comm.h gives the type
void kn_comm_sum(const struct kn_comm *comm, int64_t *values, int count)
{
    (void)comm, (void)values, (void)count;
}

// NOLINTNEXTLINE(readability-non-const-parameter): comm.h gives the type
void kn_comm_least(const struct kn_comm *comm, int64_t *values, int count)
{
    (void)comm, (void)values, (void)count;
}

void kn_comm_broadcast(const struct kn_comm *comm, int root, void *data, size_t bytes)
{
    (void)comm, (void)root, (void)data, (void)bytes;
}

enum kn_status kn_comm_agree(const struct kn_comm *comm, enum kn_status status)
{
    (void)comm;
    return status;
}

void kn_comm_barrier(const struct kn_comm *comm)
{
    (void)comm;
}

void kn_comm_first(const struct kn_comm *comm, int count, struct kn_comm *part)
{
    (void)count;
    *part = *comm;
}

void kn_comm_release(struct kn_comm *part)
{
    (void)part;
}

/* Never called: a rank has no messages for itself. */
void kn_comm_send(const struct kn_comm *comm, int to, const void *data, size_t bytes)
{
    (void)comm, (void)to, (void)data, (void)bytes;
}

void kn_comm_receive(const struct kn_comm *comm, int from, void *data, size_t bytes)
{
    (void)comm, (void)from, (void)data, (void)bytes;
}

enum kn_status kn_comm_exchange_create(struct kn_comm_exchange **out, const struct kn_comm *comm,
                                       const struct kn_comm_message *messages, int count)
{
    (void)comm, (void)messages, (void)count;
    *out = NULL;
    return KN_OK;
}

void kn_comm_exchange_destroy(struct kn_comm_exchange *e)
{
    (void)e;
}

void kn_comm_exchange_start(struct kn_comm_exchange *e)
{
    (void)e;
}

bool kn_comm_exchange_test(struct kn_comm_exchange *e)
{
    (void)e;
    return true;
}

void kn_comm_exchange_wait(struct kn_comm_exchange *e)
{
    (void)e;
}

bool kn_comm_takes_device_memory(void)
{
    return false;
}
