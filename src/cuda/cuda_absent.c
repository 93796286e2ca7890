/* Replaces the CUDA backend in a build without CUDA: it reports why it is not available. */
#include "backend/backend.h"
#include "error.h"

static enum kn_status available(void)
{
    return kn_error_set(
        KN_EDEVICE,
        "run.backend: this build has no GPU code (it needs nvcc: make clean all CMAKE_FLAGS=-DKN_CUDA=ON)");
}

static enum kn_status create(void **machine, const struct kn_problem *problem)
{
    (void)machine;
    (void)problem;
    return available();
}

static double memory(const struct kn_problem *problem)
{
    (void)problem;
    return 0;
}

const struct kn_backend kn_backend_cuda = {
    .name = "cuda",
    .doc = "an NVIDIA GPU",
    .available = available,
    .create = create,
    .memory = memory,
};
