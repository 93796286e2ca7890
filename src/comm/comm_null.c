/* The functions of comm.h for a program without MPI, which has one rank. */
#include "comm/comm.h"
#include "comm/launcher.h"

#include "error.h"

#include <stdio.h>
#include <stdlib.h>

/* One rank has no communication: most functions do not use their parameters, whose types comm.h gives.
 * NOLINTBEGIN(readability-non-const-parameter) */
#pragma GCC diagnostic ignored "-Wunused-parameter"

const struct kn_comm kn_comm_alone = {.size = 1, .local_size = 1};

enum kn_status kn_comm_start(void)
{
    const enum kn_status status = kn_launcher_check();
    const struct kn_launcher *launcher = kn_launcher_find();
    const char *requested = getenv("KNUDSEN_MPI");
    if (status == KN_OK && requested && launcher)
        return kn_error_set(KN_EINPUT, "KNUDSEN_MPI=%s: this program was built without MPI (-DKN_MPI=ON)",
                            requested);
    if (status != KN_OK || !launcher || launcher->processes < 2)
        return status;
    return kn_error_set(KN_EINPUT,
                        "%s has started %d copies of this program, which was built without MPI and would "
                        "write the same files %d times (build with -DKN_MPI=ON, or start it once)",
                        launcher->name, launcher->processes, launcher->processes);
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

/* clang-format off */
void kn_comm_end(void) {}
void kn_comm_sum(const struct kn_comm *comm, int64_t *values, int count) {}
void kn_comm_least(const struct kn_comm *comm, int64_t *values, int count) {}
void kn_comm_least_real(const struct kn_comm *comm, double *values, int count) {}
void kn_comm_broadcast(const struct kn_comm *comm, int root, void *data, size_t bytes) {}
void kn_comm_barrier(const struct kn_comm *comm) {}
void kn_comm_release(struct kn_comm *part) {}
void kn_comm_send(const struct kn_comm *comm, int to, const void *data, size_t bytes) {}
void kn_comm_receive(const struct kn_comm *comm, int from, void *data, size_t bytes) {}
void kn_comm_exchange_destroy(struct kn_comm_exchange *e) {}
void kn_comm_exchange_start(struct kn_comm_exchange *e) {}
void kn_comm_exchange_wait(struct kn_comm_exchange *e) {}
/* clang-format on */

enum kn_status kn_comm_agree(const struct kn_comm *comm, enum kn_status status)
{
    return status;
}

void kn_comm_first(const struct kn_comm *comm, int count, struct kn_comm *part)
{
    *part = *comm;
}

enum kn_status kn_comm_exchange_create(struct kn_comm_exchange **out, const struct kn_comm *comm,
                                       const struct kn_comm_message *messages, int count)
{
    *out = NULL;
    return KN_OK;
}

bool kn_comm_exchange_test(struct kn_comm_exchange *e)
{
    return true;
}

bool kn_comm_takes_device_memory(void)
{
    return false;
}

/* NOLINTEND(readability-non-const-parameter) */
