/* A thread that does one piece of work at a time beside the main thread. */
#ifndef KN_BACKGROUND_H
#define KN_BACKGROUND_H

#include "knudsen.h"

#include <pthread.h>

enum { KN_BACKGROUND_MESSAGE = 1024 };

struct kn_background {
    bool exists;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    enum kn_status (*work)(void *of); /* NULL: none */
    void *of;
    bool ends;             /* the thread must end */
    enum kn_status status; /* of the last work, with the message of its error */
    char message[KN_BACKGROUND_MESSAGE];
};

enum kn_status kn_background_create(struct kn_background *b);
void kn_background_destroy(struct kn_background *b); /* after the work; `exists` may be false */

/* Start work.  No other work may be in progress. */
void kn_background_start(struct kn_background *b, enum kn_status (*work)(void *of), void *of);

/* Wait for the end of the work.  Returns its status and sets its message. */
enum kn_status kn_background_wait(struct kn_background *b);

#endif
