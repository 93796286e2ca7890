/* The ranks of a job: processes that compute one gas together.
 *
 * Without a launcher the job has one rank, and the functions have no effect.  CMake builds comm_mpi.c, or
 * comm_null.c for one rank.  An error inside MPI ends the job with a message of MPI; most functions therefore
 * return no status. */
#ifndef KN_COMM_H
#define KN_COMM_H

#include "knudsen.h"

#include <stddef.h>
#include <stdint.h>

struct kn_comm {
    int rank, size;
    int local_rank, local_size; /* among the ranks on the same computer */
    intptr_t handle;            /* the bytes of an MPI_Comm */
};

extern const struct kn_comm kn_comm_alone; /* this rank by itself */

/* Join the job of the launcher (mpirun, srun) that started this process, if there is one.  KN_EINPUT if the
 * processes of the job cannot communicate. */
enum kn_status kn_comm_start(void);
void kn_comm_end(void);                    /* waits for all ranks */
const struct kn_comm *kn_comm_world(void); /* all ranks of the job */
const char *kn_comm_library(void);         /* name and version of the MPI library; "": none */

/* End all ranks at once, with the message of the error on standard error: for a failure while other ranks
 * wait for this one. */
__attribute__((noreturn)) void kn_comm_abort(enum kn_status status);

/* The processors of a rank: those to which it is bound, at most its part of the computer. */
int kn_comm_processors(const struct kn_comm *comm);

/* Sums and minima over the ranks; all ranks receive them.  They do not depend on the order of the ranks. */
void kn_comm_sum(const struct kn_comm *comm, int64_t *values, int count);
void kn_comm_least(const struct kn_comm *comm, int64_t *values, int count);
void kn_comm_least_real(const struct kn_comm *comm, double *values, int count);

void kn_comm_broadcast(const struct kn_comm *comm, int root, void *data, size_t bytes);

/* KN_OK if all ranks succeeded; else all get the status and the message of the first rank that failed. */
enum kn_status kn_comm_agree(const struct kn_comm *comm, enum kn_status status);

/* Wait for all ranks.  A waiting rank sleeps, so that others can use its processor. */
void kn_comm_barrier(const struct kn_comm *comm);

/* A communicator of the first `count` ranks; the other ranks get one of size 0. */
void kn_comm_first(const struct kn_comm *comm, int count, struct kn_comm *part);
void kn_comm_release(struct kn_comm *part);

void kn_comm_send(const struct kn_comm *comm, int to, const void *data, size_t bytes);
void kn_comm_receive(const struct kn_comm *comm, int from, void *data, size_t bytes);

struct kn_comm_message {
    int rank;      /* sender or receiver */
    bool outgoing; /* else incoming */
    void *data;    /* must remain valid */
    size_t bytes;
    int tag; /* the same of sender and receiver; messages with different tags may be sent in any order */
};

struct kn_comm_exchange;

enum kn_status kn_comm_exchange_create(struct kn_comm_exchange **out, const struct kn_comm *comm,
                                       const struct kn_comm_message *messages, int count);
void kn_comm_exchange_destroy(struct kn_comm_exchange *e);
void kn_comm_exchange_start(struct kn_comm_exchange *e);
bool kn_comm_exchange_test(struct kn_comm_exchange *e); /* makes progress; true: all messages are complete */
void kn_comm_exchange_wait(struct kn_comm_exchange *e);

/* Can MPI send and receive data in the memory of a GPU? */
bool kn_comm_takes_device_memory(void);

#endif
