/* The ranks of a job: processes that compute one gas together.
 *
 * A program without a launcher is a job of one rank, in which these functions do nothing. CMake builds
 * comm_mpi.c, or comm_null.c for one rank. An error inside MPI ends the whole job with a message of MPI; most
 * functions therefore return nothing. */
#ifndef KN_COMM_H
#define KN_COMM_H

#include "knudsen.h"

#include <stddef.h>
#include <stdint.h>

struct kn_comm {
    int rank, size;
    int local_rank, local_size; /* among the ranks on the same computer */
    intptr_t handle;            /* handle of the library: the bytes of an MPI_Comm */
};

extern const struct kn_comm kn_comm_alone; /* this rank by itself */

/* Join the job of the launcher (mpirun, srun) that started this process, if there is one. KN_EINPUT if the
 * launcher has started several processes and MPI does not connect them. */
enum kn_status kn_comm_start(void);
void kn_comm_end(void);                    /* waits until all ranks have called it */
const struct kn_comm *kn_comm_world(void); /* all ranks of the job */
const char *kn_comm_library(void);         /* name and version of the MPI library; "": none */

/* Ends all ranks immediately, including those that wait for this one, with the error message on standard
 * error: for failures that cannot be reported to the other ranks. */
__attribute__((noreturn)) void kn_comm_abort(enum kn_status status);

/* Number of processors of a rank: those to which it is bound, but at most its share of the computer. */
int kn_comm_processors(const struct kn_comm *comm);

/* ---- All ranks call these, in the same order. */

/* Sums and minima over the ranks; all ranks get the result. Integers: the order does not matter. */
void kn_comm_sum(const struct kn_comm *comm, int64_t *values, int count);
void kn_comm_least(const struct kn_comm *comm, int64_t *values, int count);

void kn_comm_broadcast(const struct kn_comm *comm, int root, void *data, size_t bytes);

/* KN_OK if all ranks succeeded. Otherwise all get the status and the message of the first rank that
 * failed. */
enum kn_status kn_comm_agree(const struct kn_comm *comm, enum kn_status status);

/* Wait until all ranks have called this. Waiting ranks sleep, so that others can use the processor. */
void kn_comm_barrier(const struct kn_comm *comm);

/* A communicator of the first `count` ranks; the others get one of size 0. */
void kn_comm_first(const struct kn_comm *comm, int count, struct kn_comm *part);
void kn_comm_release(struct kn_comm *part);

/* ---- From one rank to another. */

void kn_comm_send(const struct kn_comm *comm, int to, const void *data, size_t bytes);
void kn_comm_receive(const struct kn_comm *comm, int from, void *data, size_t bytes);

/* ---- Persistent messages, the same at every step: they are started first and completed later. */

struct kn_comm_message {
    int rank;      /* the other rank */
    bool outgoing; /* else incoming */
    void *data;    /* must not be moved */
    size_t bytes;
};

struct kn_comm_exchange;

enum kn_status kn_comm_exchange_create(struct kn_comm_exchange **out, const struct kn_comm *comm,
                                       const struct kn_comm_message *messages, int count);
void kn_comm_exchange_destroy(struct kn_comm_exchange *e);
void kn_comm_exchange_start(struct kn_comm_exchange *e);
bool kn_comm_exchange_test(struct kn_comm_exchange *e); /* true if all messages are complete */
void kn_comm_exchange_wait(struct kn_comm_exchange *e);

/* True if messages may be in the memory of a GPU. */
bool kn_comm_takes_device_memory(void);

#endif
