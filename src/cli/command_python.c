/* The commands knudsen plot, sweep, verify and reproduce, which are modules of the Python package. */
#include "cli/command.h"
#include "cli/python.h"
#include "config/cases.h"
#include "error.h"
#include "files/files.h"
#include "io/folder.h"

#include <stdlib.h>
#include <string.h>

static const char PICTURE[] = "picture.png";

/* --adopt DIR: put the temporary file of DIR/picture.png in its place, unless that is a file of the user. */
static enum kn_status adopt(const char *folder)
{
    char path[KN_PATH], temporary[KN_PATH];
    KN_TRY(kn_files_join(path, folder, PICTURE));
    KN_TRY(kn_files_temporary(temporary, path));
    KN_TRY(kn_folder_check(folder, PICTURE));
    KN_TRY(kn_files_commit(temporary, path));
    return kn_folder_record(folder, PICTURE);
}

int kn_command_plot(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--adopt") == 0)
        return kn_command_finish(adopt(argv[2]), NULL);
    return kn_python_run("knudsen.plot", argc, argv);
}

int kn_command_verify(int argc, char **argv)
{
    struct kn_cases all;
    if (kn_cases_find(&all) == KN_OK) /* else the module reports it, unless --cases names a folder */
        setenv("KNUDSEN_CASES", all.folder, 1);
    return kn_python_run("knudsen.verify", argc, argv);
}

int kn_command_sweep(int argc, char **argv)
{
    return kn_python_run("knudsen.sweeping", argc, argv);
}

int kn_command_reproduce(int argc, char **argv)
{
    return kn_python_run("knudsen.reproduce", argc, argv);
}
