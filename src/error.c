/* Stores the message of the last failure of each thread. */
#include "error.h"
#include "text.h"

#include <stdarg.h>
#include <stdio.h>

static _Thread_local char message[1024] = "no error";

const char *kn_error_message(void)
{
    return message;
}

enum kn_status kn_error_set(enum kn_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    kn_text_clean(message); /* it may quote a file, and is printed on a terminal */
    return status;
}

int kn_status_exit_code(enum kn_status status)
{
    static const int codes[] = {
#define KN_STATUS_CODE(name, code, text) code,
        KN_STATUS_LIST(KN_STATUS_CODE)
#undef KN_STATUS_CODE
    };
    return codes[status];
}
