/* The list of backends and the search in it. */
#include "backend/backend.h"

#include "config/case.h"

#include <string.h>

/* In order of preference: "auto" is the first that is available. */
static const struct kn_backend *const backends[] = {&kn_backend_cuda, &kn_backend_cpu, &kn_backend_strict};

const char *const kn_backend_names[] = {"auto", "cpu", "cuda", "strict", NULL};

bool kn_backend_collides(const struct kn_backend *backend, enum kn_method method)
{
    return !backend->collides || backend->collides(method);
}

int kn_backend_thinnest(const struct kn_backend *backend, const struct kn_case *c)
{
    return backend->thinnest ? backend->thinnest(c) : kn_case_reach(c);
}

const struct kn_backend *kn_backend_find(const char *name, enum kn_method method)
{
    const bool any = strcmp(name, "auto") == 0;
    for (size_t i = 0; i < sizeof backends / sizeof backends[0]; i++)
        if (any ? kn_backend_collides(backends[i], method) && backends[i]->available() == KN_OK
                : strcmp(name, backends[i]->name) == 0)
            return backends[i];
    return NULL;
}

const struct kn_backend *kn_backend_find_steady(void)
{
    for (size_t i = 0; i < sizeof backends / sizeof backends[0]; i++)
        if (backends[i]->steady && backends[i]->available() == KN_OK)
            return backends[i];
    return &kn_backend_cpu;
}

const struct kn_assembler *kn_backend_assembler(const char *name)
{
    const bool any = strcmp(name, "auto") == 0;
    for (size_t i = 0; i < sizeof backends / sizeof backends[0]; i++)
        if (backends[i]->assembler && (any || strcmp(name, backends[i]->name) == 0) &&
            backends[i]->available() == KN_OK)
            return backends[i]->assembler;
    return NULL;
}

struct kn_mesh kn_backend_mesh(const struct kn_problem *p)
{
    const struct kn_space *x = p->space;
    const struct kn_velocity *v = p->velocity;
    return (struct kn_mesh){
        .neighbour = x->neighbour,
        .width = x->width,
        .nnodes = v->nnodes,
        .stride = v->stride,
        .octants = v->octants,
        .bit = {v->bit[0], v->bit[1], v->bit[2]},
        .naxes = x->naxes,
        .axes = {x->axes[0], x->axes[1], x->axes[2]},
    };
}
