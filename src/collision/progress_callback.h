/* A function that receives the progress of a long computation and may stop it. */
#ifndef KN_PROGRESS_CALLBACK_H
#define KN_PROGRESS_CALLBACK_H

#include <stdbool.h>
#include <stddef.h>

/* `report` receives the part that this rank has completed, from 0 to 1, and returns false to stop.  Calls
 * come one at a time, from any thread. */
struct kn_progress_callback {
    bool (*report)(void *to, double part);
    void *to;
    bool hollow; /* skip the assembly of the operator and use zeros: for measuring the duration of a step */
};

static inline bool kn_progress_report(const struct kn_progress_callback *callback, double part)
{
    return !callback || callback->report(callback->to, part);
}

#endif
