/* The ranks of a job: processes that compute one gas together.
 *
 * A program that no launcher has started is a job of one rank, where nothing here does anything.
 * CMake builds comm_mpi.c, or comm_null.c, which knows of no other rank.  What MPI itself finds
 * wrong ends the whole job with its own message; hence most of this returns nothing. */
#ifndef KN_COMM_H
#define KN_COMM_H

#include "knudsen.h"

#include <stddef.h>
#include <stdint.h>

struct kn_comm {
    int rank, size;
    int local_rank, local_size; /* among the ranks on the same computer */
    intptr_t handle;            /* what the library knows these ranks by: the bytes of an MPI_Comm */
};

extern const struct kn_comm kn_comm_alone; /* this rank by itself */

/* Join the job that a launcher (mpirun, srun) has started this process for, if one has.  KN_EINPUT
 * where several processes were started by one and the program cannot talk to the others. */
enum kn_status kn_comm_start(void);
void kn_comm_end(void);                    /* waits until all ranks have come to it */
const struct kn_comm *kn_comm_world(void); /* all ranks of the job */
const char *kn_comm_library(void);         /* what connects them, and its version; "" = nothing can */

/* Ends all ranks at once, those too that wait for this one, with the message of the error on standard
 * error: for what has gone wrong where nobody can be told any more. */
__attribute__((noreturn)) void kn_comm_abort(enum kn_status status);

/* The processors that fall to a rank: those it is bound to, and no more than its part of the computer. */
int kn_comm_processors(const struct kn_comm *comm);

/* ---- All ranks call these, in the same order. */

/* Sums and least values over the ranks, for all of them.  Of integers: the same in any order. */
void kn_comm_sum(const struct kn_comm *comm, int64_t *values, int count);
void kn_comm_least(const struct kn_comm *comm, int64_t *values, int count);
void kn_comm_least_real(const struct kn_comm *comm, double *values, int count);

void kn_comm_broadcast(const struct kn_comm *comm, int root, void *data, size_t bytes);

/* Did all ranks succeed?  If not, all get status and message of the first that did not. */
enum kn_status kn_comm_agree(const struct kn_comm *comm, enum kn_status status);

/* Nobody goes on before all have come.  Those who wait sleep: the processor is for the others. */
void kn_comm_barrier(const struct kn_comm *comm);

/* The first `count` ranks as a job of their own; the others get one of size 0. */
void kn_comm_first(const struct kn_comm *comm, int count, struct kn_comm *part);
void kn_comm_release(struct kn_comm *part);

/* ---- One rank to another. */

void kn_comm_send(const struct kn_comm *comm, int to, const void *data, size_t bytes);
void kn_comm_receive(const struct kn_comm *comm, int from, void *data, size_t bytes);

/* ---- Messages that are the same at every step: begun, and waited for later. */

struct kn_comm_message {
    int rank;      /* the other one */
    bool outgoing; /* or expected */
    void *data;    /* stays where it is */
    size_t bytes;
};

struct kn_comm_exchange;

enum kn_status kn_comm_exchange_create(struct kn_comm_exchange **out, const struct kn_comm *comm,
                                       const struct kn_comm_message *messages, int count);
void kn_comm_exchange_destroy(struct kn_comm_exchange *e);
void kn_comm_exchange_start(struct kn_comm_exchange *e);
bool kn_comm_exchange_test(struct kn_comm_exchange *e); /* moves things on; true when all is done */
void kn_comm_exchange_wait(struct kn_comm_exchange *e);

/* Can messages lie in the memory of a GPU? */
bool kn_comm_takes_device_memory(void);

#endif
