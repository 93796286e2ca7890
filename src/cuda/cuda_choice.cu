/* Decides which kernel computes which cells; the decisions are in struct kn_cuda_choice. */
#include "cuda/cuda_machine.h"

#include <stdio.h>

enum { LONGEST_LINEAR = 4 * 512 }; /* nodes per octant that a block of linear_kernel holds in registers */

static enum kn_cuda_sweep sweep_of(const struct kn_cuda_problem *p)
{
    return p->method == KN_METHOD_MONTE_CARLO ? KN_CUDA_MONTE_CARLO
           : p->mesh.stride <= LONGEST_LINEAR ? KN_CUDA_LINEAR
                                              : KN_CUDA_MODEL;
}

/* A uniform gas does not stream: its collisions have their own kernel. */
static enum kn_cuda_collisions collisions_of(const struct kn_cuda_problem *p)
{
    const bool projects = p->method == KN_METHOD_BGK && p->eps == 0 && !p->source && p->mesh.naxes > 0 &&
                          p->conservation != KN_CONSERVATION_NONE,
               free = p->method == KN_METHOD_NONE && !p->source;
    return p->choice.sweep != KN_CUDA_LINEAR || free ? KN_CUDA_FREE
           : p->method == KN_METHOD_OPERATOR         ? KN_CUDA_OPERATE
           : projects                                ? KN_CUDA_PROJECT
                                                     : KN_CUDA_RELAX;
}

/* As many cells as leave space for three blocks. */
static int cells_together(const struct kn_cuda_problem *p)
{
    for (int cells = 4; cells > 1; cells /= 2)
        if (3 * kn_cuda_monte_carlo_bytes(p, cells) <= p->shared_limit)
            return cells;
    return kn_cuda_monte_carlo_bytes(p, 1) <= p->shared_limit ? 1 : 0;
}

/* The march is for uniform plane meshes above first order without bodies. */
static bool can_march(const struct kn_cuda *machine)
{
    const struct kn_cuda_problem *p = &machine->device;
    const struct kn_mesh *m = &p->mesh;
    const struct kn_cuda_quadratic none = {}; /* its memory is small */
    return p->choice.sweep == KN_CUDA_LINEAR && p->order > 1 && p->uniform &&
           (p->limiter == KN_LIMITER_VAN_LEER || p->limiter == KN_LIMITER_NONE) && m->naxes == 2 &&
           m->axes[0] == 0 && m->axes[1] == 1 && m->octants == 4 && kn_case_bodies(machine->problem.c) == 0 &&
           kn_cuda_march_bytes(p, &none) <= p->shared_limit;
}

/* In three dimensions it is for short rows and a single rank. */
static bool can_march_cube(const struct kn_cuda *m)
{
    const struct kn_cuda_problem *p = &m->device;
    return p->choice.sweep == KN_CUDA_LINEAR && p->order > 1 && p->uniform &&
           (p->limiter == KN_LIMITER_VAN_LEER || p->limiter == KN_LIMITER_NONE) && p->mesh.naxes == 3 &&
           p->mesh.octants == 8 && p->mesh.stride <= KN_CUDA_SHORT && !m->problem.halo;
}

void kn_cuda_choose(struct kn_cuda *m)
{
    struct kn_cuda_problem *p = &m->device;
    struct kn_cuda_choice *c = &p->choice;
    c->sweep = sweep_of(p);
    c->collisions = collisions_of(p);
    c->together = c->sweep == KN_CUDA_MONTE_CARLO ? cells_together(p) : 1;
    c->staged = (size_t)p->mesh.nnodes * sizeof(float) <= p->shared_limit;
    c->short_rows = p->mesh.stride <= KN_CUDA_SHORT;
    c->march_collides =
        c->collisions == KN_CUDA_RELAX || (c->collisions == KN_CUDA_OPERATE && !p->source && c->short_rows);
    const int least = (c->short_rows ? 4 : 1) * p->multiprocessors; /* tiles that fill the device */
    const struct kn_cuda_inner inner = kn_cuda_layout_inner(m);
    c->marches = can_march(m) && inner.tiles[0] * inner.tiles[1] >= least;
    c->march_collides = c->march_collides && c->marches;
    if (c->marches)
        p->inner = inner;
    const struct kn_cuda_cube cube = kn_cuda_layout_cube(m);
    if (can_march_cube(m) && cube.tiles[0] * cube.tiles[1] * cube.tiles[2] >= 2 * p->multiprocessors)
        m->cube = cube;
}

void kn_cuda_kernels(const void *machine, FILE *to)
{
    static const char *const sweeps[] = {"linear_kernel", "model_kernel", "monte_carlo_kernel"};
    const struct kn_cuda *m = (const struct kn_cuda *)machine;
    const struct kn_cuda_choice *c = &m->device.choice;
    const bool cube = m->cube.tiles[0] > 0;
    const int others = c->marches || cube ? m->unmarched : m->device.ncells,
              marched = m->device.ncells - others, apart = c->march_collides ? others : m->device.ncells;
    fprintf(to, "%-20s %d wall faces\n", "wall_kernel", m->device.nfaces);
    if (c->marches)
        fprintf(to, "%-20s %d cells in tiles of %d%s\n",
                c->collisions == KN_CUDA_RELAX ? "relax_march_kernel"
                : c->short_rows                ? "short_march_kernel"
                                               : "march_kernel",
                marched, KN_CUDA_COLUMNS * KN_CUDA_ROWS, c->march_collides ? ", with their collisions" : "");
    if (cube)
        fprintf(to, "%-20s %d cells in tiles of %d\n", "cube_kernel", marched,
                KN_CUDA_ALONG * KN_CUDA_WIDE * KN_CUDA_DEEP);
    fprintf(to, "%-20s %d cells", sweeps[c->sweep], others);
    if (c->sweep == KN_CUDA_MONTE_CARLO && c->together == 0)
        fputs(", rows in global memory", to);
    else if (c->sweep == KN_CUDA_MONTE_CARLO)
        fprintf(to, ", %d per block", c->together);
    fputc('\n', to);
    if (m->quadratic.exists)
        fprintf(to, "%-20s %d cells\n", "deviation_kernel", apart);
    if (c->collisions == KN_CUDA_OPERATE || c->collisions == KN_CUDA_RELAX)
        fprintf(to, "%-20s %d cells\n", c->collisions == KN_CUDA_RELAX ? "relax_kernel" : "operator_kernel",
                apart);
}
