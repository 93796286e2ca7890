#include "cli/command.h"

#include "comm/comm.h"

#include <argp.h>
#include <ctype.h>
#include <string.h>

enum kn_status kn_command_read(const struct kn_command_case *a, struct kn_case *c, struct kn_places *places)
{
    kn_case_default(c);
    enum kn_status status = a->path ? kn_config_load(c, a->path, places) : KN_OK;
    for (int i = 0; i < a->nsets && status == KN_OK; i++)
        status = kn_config_set(c, a->sets[i], places);
    return status == KN_OK ? kn_config_locate(places, kn_case_check(c)) : status;
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
    if (status != KN_OK && kn_comm_world()->rank == 0) /* all ranks have failed together */
        fprintf(stderr, "%s%s\n", placed ? "" : "knudsen: ", message);
    return kn_status_exit_code(status);
}
