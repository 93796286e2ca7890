/* knudsen plot: pictures are drawn by the Python package; this file serves what the package asks of the
 * program. */
#include "cli/command.h"
#include "cli/python.h"
#include "error.h"
#include "files/files.h"
#include "io/folder.h"

#include <stdio.h>
#include <string.h>

static const char PICTURE[] = "picture.png";

/* --adopt DIR: put the temporary file of DIR/picture.png in its place, unless that is a file of the user. */
static enum kn_status adopt(const char *folder)
{
    char path[KN_PATH], temporary[KN_PATH];
    enum kn_status status = kn_files_join(path, folder, PICTURE);
    if (status == KN_OK)
        status = kn_files_temporary(temporary, path);
    if (status == KN_OK)
        status = kn_folder_check(folder, PICTURE);
    if (status == KN_OK)
        status = kn_files_commit(temporary, path);
    return status == KN_OK ? kn_folder_record(folder, PICTURE) : status;
}

int kn_command_plot(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--adopt") == 0)
        return kn_command_finish(adopt(argv[2]), NULL);
    return kn_python_run("knudsen.plot", argc, argv);
}
