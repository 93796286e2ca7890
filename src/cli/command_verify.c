/* knudsen verify: a module of the Python package. */
#include "cli/command.h"
#include "cli/python.h"

int kn_command_verify(int argc, char **argv)
{
    return kn_python_run("knudsen.verify", argc, argv);
}
