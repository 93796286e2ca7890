/* The message of a status, and the macro KN_TRY. */
#ifndef KN_ERROR_H
#define KN_ERROR_H

#include "knudsen.h"

/* Store the message for this thread and return the status: `return kn_error_set(KN_EIO, "...")`. */
enum kn_status kn_error_set(enum kn_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Return the status of an expression from the calling function unless it is KN_OK. */
#define KN_TRY(expression)                                                                                   \
    do {                                                                                                     \
        const enum kn_status kn_try_ = (expression);                                                         \
        if (kn_try_ != KN_OK)                                                                                \
            return kn_try_;                                                                                  \
    } while (0)

#endif
