/* knudsen reproduce: a module of the Python package. */
#include "cli/command.h"
#include "cli/python.h"

int kn_command_reproduce(int argc, char **argv)
{
    return kn_python_run("knudsen.reproduce", argc, argv);
}
