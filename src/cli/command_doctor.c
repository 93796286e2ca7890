/* The command knudsen doctor: prints the devices and libraries that the program can use. */
#include "cli/command.h"

#include "backend/backend.h"
#include "comm/comm.h"
#include "cpu/cpu_kernels.h"
#include "error.h"

#include <hdf5.h>
#include <jansson.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void line(const char *what, const char *found, const char *gives)
{
    printf("%-10s %s\n", what, found);
    if (gives)
        printf("%-10s   %s\n", "", gives);
}

static void look_at_backends(void)
{
    char text[256];
    for (int i = 1; kn_backend_names[i]; i++) { /* the first is "auto" */
        const struct kn_backend *backend = kn_backend_find(kn_backend_names[i], KN_METHOD_BGK);
        if (backend->available() == KN_OK) {
            backend->describe(text, sizeof text);
            line(backend->name, text, NULL);
        } else {
            const char *why = kn_error_message(), *key = "run.backend: ";
            why += strncmp(why, key, strlen(key)) == 0 ? strlen(key) : 0;
            line(backend->name, why,
                 "with it: about ten times the speed of a many-core CPU (docs/performance.md)");
        }
    }
    line("auto", kn_backend_find("auto", KN_METHOD_BGK)->name, NULL);
}

/* MPI and the ranks of this job. */
static void look_at_ranks(void)
{
    char text[256];
    const struct kn_comm *world = kn_comm_world();
    if (!*kn_comm_library()) {
        line("MPI", "not in this build",
             "with it: runs on several computers (Debian: apt install libopenmpi-dev, then cmake "
             "-DKN_MPI=ON)");
        return;
    }
    if (world->size > 1)
        snprintf(text, sizeof text, "%s; this job has %d ranks, %d of them here", kn_comm_library(),
                 world->size, world->local_size);
    else
        snprintf(text, sizeof text, "%s; this process is the only rank", kn_comm_library());
    line("MPI", text, NULL);
    if (kn_backend_find("cuda", KN_METHOD_BGK)->available() == KN_OK)
        line("",
             kn_comm_takes_device_memory() ? "data are sent from GPU to GPU"
                                           : "GPUs exchange data through the memory of the host",
             NULL);
}

/* An optional program. */
static void look_for_program(const char *name, const char *gives)
{
    char command[128];
    snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", name);
    /* NOLINTNEXTLINE(cert-env33-c): the PATH of the user is examined */
    const int found = system(command) == 0;
    line(name, found ? "found" : "not installed", found ? NULL : gives);
}

static enum kn_status examine(struct kn_command_line *command)
{
    (void)command;
    char text[256];
    unsigned major = 0, minor = 0, release = 0;
    const double memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    printf("knudsen %s\n", KN_VERSION);
    kn_cpu_processor(text, sizeof text);
    line("processor", text, NULL);
    snprintf(text, sizeof text, "%d available for run.threads", omp_get_max_threads());
    line("threads", text, NULL);
    snprintf(text, sizeof text, "%.1f GB", memory / 1e9);
    line("memory", text, NULL);
    look_at_backends();
    H5get_libversion(&major, &minor, &release);
    snprintf(text, sizeof text, "%u.%u.%u", major, minor, release);
    line("HDF5", text, NULL);
    line("jansson", jansson_version_str(), NULL);
    look_at_ranks();
    look_for_program("python3", "with it: knudsen plot, sweep, verify and reproduce (Debian: apt install "
                                "python3-h5py python3-matplotlib)");
    look_for_program("paraview", "with it: three-dimensional views of fields.pvd");
    return KN_OK;
}

int kn_command_doctor(int argc, char **argv)
{
    struct kn_command_line line = {.execute = examine,
                                   .doc = "Print the devices and libraries of this machine that the program "
                                          "can use, and those that are missing."};
    return kn_command_start(&line, argc, argv);
}
