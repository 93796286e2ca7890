/* The velocity grid in device memory. */
#include "cuda/cuda_machine.h"
#include "point/interpolate.h"

#include <stdlib.h>

/* Tables over the nodes of an octant. */
static enum kn_status upload_octant(struct kn_cuda *m)
{
    const struct kn_velocity *v = m->problem.velocity;
    const size_t row = (size_t)v->stride * sizeof(float);
    for (int d = 0; d < 3; d++) {
        KN_TRY(kn_cuda_upload(m, (const void **)&m->device.speed[d], v->speed[d], row));
        KN_TRY(kn_cuda_upload(m, (const void **)&m->plan.edge[d], v->edge[d],
                              ((size_t)v->half[d] + 1) * sizeof(float)));
    }
    for (int i = 0; i < 3; i++)
        m->device.along[i] = m->device.speed[v->basis.axes[i]];
    m->device.basis = v->basis;
    KN_TRY(kn_cuda_upload(m, (const void **)&m->device.square, v->square, row));
    return kn_cuda_upload(m, (const void **)&m->device.w, v->w, row);
}

/* Positions of the nodes of an octant on the half axes, by place. */
static enum kn_status upload_places(struct kn_cuda *m)
{
    const struct kn_velocity *v = m->problem.velocity;
    int32_t *places = (int32_t *)calloc((size_t)v->stride, sizeof *places);
    if (!places)
        return kn_error_set(KN_EMEMORY, "no memory for the velocity tables");
    for (int k = 0; k < v->size; k++) {
        int at[3];
        kn_interpolate_place(v->half, k, at);
        for (int i = 0; i < 3; i++)
            places[k] |= at[v->basis.axes[i]] << 8 * i;
    }
    const enum kn_status status = kn_cuda_upload(m, (const void **)&m->device.tables.places, places,
                                                 (size_t)v->stride * sizeof *places);
    free(places);
    return status;
}

/* What the tables of the factors of a Gaussian need. */
static enum kn_status upload_lines(struct kn_cuda *m)
{
    const struct kn_velocity *v = m->problem.velocity;
    struct kn_cuda_tables *t = &m->device.tables;
    const int last = v->basis.axes[2], after = v->half[last];
    for (int i = 0; i < 3; i++) {
        t->half[i] = v->half[v->basis.axes[i]];
        t->nodes[i] = (v->bit[v->basis.axes[i]] ? 2 : 1) * t->half[i];
        KN_TRY(
            kn_cuda_upload(m, (const void **)&t->line[i], v->line[i], (size_t)t->nodes[i] * sizeof(float)));
    }
    t->share = last != 2 ? 1 : after % 4 == 0 ? 4 : after % 2 == 0 ? 2 : 1; /* the last axis is the fastest */
    t->crossed = m->problem.c->collision.method == KN_METHOD_ES_BGK && v->octants > 2;
    t->skipped = t->crossed ? t->nodes[0] + t->nodes[1] : 0;
    t->entries = t->nodes[0] + t->nodes[1] + t->nodes[2] - t->skipped;
    return KN_OK;
}

enum kn_status kn_cuda_velocity_upload(struct kn_cuda *m)
{
    KN_TRY(upload_octant(m));
    KN_TRY(upload_lines(m));
    return upload_places(m);
}
