/* The command knudsen cases: lists the cases that are installed with the program. */
#include "cli/command.h"
#include "config/cases.h"
#include "error.h"

static enum kn_status list_cases(struct kn_command_line *line)
{
    (void)line;
    struct kn_cases all;
    KN_TRY(kn_cases_find(&all));
    for (int i = 0; i < all.count; i++) {
        char title[KN_CASES_LINE];
        KN_TRY(kn_cases_title(&all, all.name[i], title));
        printf("%-20s %s\n", all.name[i], title);
    }
    puts("\nknudsen init NAME --from CASE copies one to start from; knudsen verify CASE runs its checks.");
    return KN_OK;
}

int kn_command_cases(int argc, char **argv)
{
    struct kn_command_line line = {.execute = list_cases,
                                   .doc = "List the cases that are installed with the program."};
    return kn_command_start(&line, argc, argv);
}
