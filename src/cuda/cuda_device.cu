/* The GPU of this rank: whether there is one, which one, its properties, and the cases that it cannot
 * compute. */
#include "cuda/cuda_machine.h"

#include <math.h>
#include <stdlib.h>

extern "C" {
#include "config/shape.h"
}

enum kn_status kn_cuda_device_available(void)
{
    int count = 0;
    const cudaError_t status = cudaGetDeviceCount(&count);
    if (status != cudaSuccess)
        return kn_error_set(KN_EDEVICE, "run.backend: no GPU can be used: %s", cudaGetErrorString(status));
    if (count == 0)
        return kn_error_set(KN_EDEVICE, "run.backend: this machine has no GPU that CUDA can use");
    return KN_OK;
}

/* The GPU that this rank has selected. */
int kn_cuda_device_current(void)
{
    int device = 0;
    return cudaGetDevice(&device) == cudaSuccess ? device : 0;
}

/* The operator needs tensor cores. */
bool kn_cuda_device_collides(enum kn_method method)
{
    int major = 0;
    return method != KN_METHOD_OPERATOR ||
           cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, kn_cuda_device_current()) !=
               cudaSuccess ||
           major >= 8;
}

/* The ranks of a computer select the visible GPUs cyclically. If CUDA_VISIBLE_DEVICES is set, each rank
 * may see a different GPU. */
enum kn_status kn_cuda_device_select(const struct kn_comm *comm, char *note, size_t size)
{
    int count = 0;
    snprintf(note, size, "%s", "");
    KN_TRY(kn_cuda_device_available());
    CHECK(cudaGetDeviceCount(&count));
    CHECK(cudaSetDevice(comm->local_rank % count));
    if (comm->local_size > count)
        snprintf(note, size, "%d ranks %s %d GPU%s: %sthey take turns and are not faster", comm->local_size,
                 getenv("CUDA_VISIBLE_DEVICES") ? "see" : "share", count, count == 1 ? "" : "s",
                 getenv("CUDA_VISIBLE_DEVICES") ? "unless CUDA_VISIBLE_DEVICES gives each its own, " : "");
    return KN_OK;
}

void kn_cuda_device_describe(char *text, size_t size)
{
    struct cudaDeviceProp p;
    int driver = 0;
    if (cudaGetDeviceProperties(&p, kn_cuda_device_current()) != cudaSuccess ||
        cudaDriverGetVersion(&driver) != cudaSuccess) {
        snprintf(text, size, "a GPU that does not respond");
        return;
    }
    snprintf(text, size, "%s, %.0f GB, compute capability %d.%d, driver for CUDA %d.%d", p.name,
             (double)p.totalGlobalMem / 1e9, p.major, p.minor, driver / 1000, driver % 1000 / 10);
}

/* With several visible GPUs, also the number of the GPU. */
void kn_cuda_device_name(char *text, size_t size)
{
    struct cudaDeviceProp p;
    const int device = kn_cuda_device_current();
    int count = 1;
    const char *name = cudaGetDeviceProperties(&p, device) == cudaSuccess ? p.name : "a GPU";
    if (cudaGetDeviceCount(&count) == cudaSuccess && count > 1)
        snprintf(text, size, "%s, GPU %d of %d", name, device, count);
    else
        snprintf(text, size, "%s", name);
}

double kn_cuda_device_room(void)
{
    size_t free_bytes = 0, total = 0;
    return cudaMemGetInfo(&free_bytes, &total) == cudaSuccess ? (double)free_bytes : NAN;
}

/* Above first order the kernels share the diagonal neighbour of a cell between two axes. At the end of a
 * mirror in the gas there are two of them. */
static enum kn_status check_mirrors(const struct kn_case *c)
{
    for (int i = 0; i < kn_case_bodies(c); i++)
        if (c->bodies[i].surface.accommodation == 0 && c->space.order > 1)
            return kn_error_set(
                KN_EINPUT,
                "bodies.%s.accommodation: bodies with accommodation 0 need space.order: 1 on a GPU "
                "(or run.backend: cpu)",
                c->bodies[i].name);
    return KN_OK;
}

/* The wall pass has the linear drift of a port of given pressure only. */
static enum kn_status check_ports(const struct kn_case *c)
{
    for (int i = 0; i < kn_case_ports(c); i++)
        if (c->ports[i].kind == KN_PORT_FLOW || (c->ports[i].kind == KN_PORT_PRESSURE && c->disturbance > 0))
            return kn_error_set(
                KN_EINPUT,
                "ports.%s.kind: flow, and pressure at a finite disturbance, are not available "
                "on a GPU (run.backend: cpu)",
                c->ports[i].name);
    return KN_OK;
}

/* The matrices are copied once, and are those of walls at rest. */
static enum kn_status check_scattering(const struct kn_case *c)
{
    for (int i = 0; i < kn_case_surfaces(c) && c->disturbance > 0; i++) {
        const struct kn_wall surface = kn_case_surface(c, i);
        if (kn_case_scatters(&surface))
            return kn_error_set(
                KN_EINPUT,
                "walls: the model of Cercignani and Lampis at a finite disturbance is not available on a GPU "
                "(run.backend: cpu)");
    }
    return KN_OK;
}

enum kn_status kn_cuda_device_check(const struct kn_case *c)
{
    if (kn_shape_any(c))
        return kn_error_set(KN_EINPUT, "bodies: cylinders, spheres, polygons and STL surfaces are not "
                                       "available on a GPU (run.backend: cpu)");
    KN_TRY(check_mirrors(c));
    KN_TRY(check_scattering(c));
    return check_ports(c);
}
