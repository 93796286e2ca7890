/* Finds the launcher by the environment variables that it sets. */
#include "comm/launcher.h"

#include "error.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *rank, *count; /* names of variables; count may be NULL */
} known[] = {
    {"mpirun", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}, /* Open MPI */
    {"mpirun", "MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"},   /* MVAPICH */
    {"mpirun", "PMI_RANK", "PMI_SIZE"},                         /* MPICH, Intel MPI, srun --mpi=pmi2 */
    {"aprun", "ALPS_APP_PE", NULL},                             /* Cray */
    {"srun", "PMIX_RANK", "SLURM_STEP_NUM_TASKS"},              /* srun --mpi=pmix, prun */
    {NULL, NULL, NULL},
};

/* For KNUDSEN_MPI=on and an unknown launcher: srun sets these variables without MPI too. */
static const char *const any_rank = "SLURM_PROCID", *const any_count = "SLURM_STEP_NUM_TASKS";

static int number(const char *variable, int otherwise)
{
    const char *text = variable ? getenv(variable) : NULL;
    return text ? atoi(text) : otherwise;
}

static bool is_set(const char *value)
{
    const char *mpi = getenv("KNUDSEN_MPI");
    return mpi && strcmp(mpi, value) == 0;
}

enum kn_status kn_launcher_check(void)
{
    if (!getenv("KNUDSEN_MPI") || is_set("on") || is_set("off"))
        return KN_OK;
    return kn_error_set(KN_EINPUT, "KNUDSEN_MPI=%s: expected on or off", getenv("KNUDSEN_MPI"));
}

/* KNUDSEN_MPI=on joins the job of an unknown launcher, off ignores a launcher. */
const struct kn_launcher *kn_launcher_find(void)
{
    static struct kn_launcher found;
    if (is_set("off"))
        return NULL;
    for (int i = 0; known[i].name; i++)
        if (getenv(known[i].rank)) {
            found = (struct kn_launcher){known[i].name, number(known[i].count, 1), number(known[i].rank, 0)};
            return &found;
        }
    found = (struct kn_launcher){"KNUDSEN_MPI=on", number(any_count, 1), number(any_rank, 0)};
    return is_set("on") ? &found : NULL;
}
