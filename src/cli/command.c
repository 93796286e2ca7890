/* Functions that the commands share: reading a case, and error messages. */
#include "cli/command.h"

#include "comm/comm.h"
#include "error.h"

#include <argp.h>
#include <ctype.h>
#include <string.h>

enum kn_status kn_command_read(const struct kn_command_case *a, struct kn_case *c, struct kn_places *places)
{
    kn_case_default(c);
    if (a->path)
        KN_TRY(kn_config_load(c, a->path, places));
    for (int i = 0; i < a->nsets; i++)
        KN_TRY(kn_config_set(c, a->sets[i], places));
    return kn_config_locate(places, kn_case_check(c));
}

unsigned kn_command_silence(void)
{
    return kn_comm_world()->rank == 0 ? 0 : ARGP_NO_ERRS | ARGP_NO_HELP;
}

int kn_command_finish(enum kn_status status, const char *path)
{
    const char *message = kn_error_message();
    size_t length = path ? strlen(path) : 0;
    bool placed = length > 0 && strncmp(message, path, length) == 0 && message[length] == ':' &&
                  isdigit((unsigned char)message[length + 1]);
    fflush(stdout);
    if (status != KN_OK && kn_comm_world()->rank == 0) /* all ranks have the same error */
        fprintf(stderr, "%s%s\n", placed ? "" : "knudsen: ", message);
    return kn_status_exit_code(status);
}
