/* A thread that does one piece of work at a time beside the main thread. */
#include "run/background.h"

#include "error.h"

#include <signal.h>
#include <stdio.h>

static void *loop(void *of)
{
    struct kn_background *b = of;
    pthread_mutex_lock(&b->lock);
    for (;;) {
        while (!b->work && !b->ends)
            pthread_cond_wait(&b->changed, &b->lock);
        if (!b->work)
            break;
        pthread_mutex_unlock(&b->lock);
        const enum kn_status status = b->work(b->of);
        pthread_mutex_lock(&b->lock);
        b->status = status;
        if (status != KN_OK) /* every thread has its own message */
            snprintf(b->message, sizeof b->message, "%s", kn_error_message());
        b->work = NULL;
        pthread_cond_broadcast(&b->changed);
    }
    pthread_mutex_unlock(&b->lock);
    return NULL;
}

enum kn_status kn_background_create(struct kn_background *b)
{
    sigset_t all, before;
    *b = (struct kn_background){.status = KN_OK};
    pthread_mutex_init(&b->lock, NULL);
    pthread_cond_init(&b->changed, NULL);
    sigfillset(&all); /* signals are for the main thread */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    b->exists = pthread_create(&b->thread, NULL, loop, b) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return b->exists ? KN_OK : kn_error_set(KN_EMEMORY, "cannot create a thread to monitor the gas");
}

void kn_background_destroy(struct kn_background *b)
{
    if (!b->exists)
        return;
    pthread_mutex_lock(&b->lock);
    b->ends = true;
    pthread_cond_broadcast(&b->changed);
    pthread_mutex_unlock(&b->lock);
    pthread_join(b->thread, NULL);
    pthread_cond_destroy(&b->changed);
    pthread_mutex_destroy(&b->lock);
    b->exists = false;
}

void kn_background_start(struct kn_background *b, enum kn_status (*work)(void *of), void *of)
{
    pthread_mutex_lock(&b->lock);
    b->of = of;
    b->work = work;
    pthread_cond_broadcast(&b->changed);
    pthread_mutex_unlock(&b->lock);
}

enum kn_status kn_background_wait(struct kn_background *b)
{
    pthread_mutex_lock(&b->lock);
    while (b->work)
        pthread_cond_wait(&b->changed, &b->lock);
    const enum kn_status status = b->status;
    pthread_mutex_unlock(&b->lock);
    return status == KN_OK ? KN_OK : kn_error_set(status, "%s", b->message);
}
