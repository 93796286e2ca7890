#include "plot/plane.h"

#include "error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum kn_status kn_plane_create(struct kn_plane *p, const int cells[2], const double *const edges[2],
                               int parts)
{
    *p = (struct kn_plane){.n = {cells[0] + 2, cells[1] + 2}, .parts = parts};
    for (int k = 0; k < 2; k++)
        p->at[k] = malloc((size_t)p->n[k] * sizeof(double));
    p->value = calloc((size_t)p->n[0] * (size_t)p->n[1], (size_t)parts * sizeof(double));
    if (!p->at[0] || !p->at[1] || !p->value) {
        kn_plane_destroy(p);
        return kn_error_set(KN_EMEMORY, "not enough memory for a plane of %d x %d cells", cells[0], cells[1]);
    }
    for (int k = 0; k < 2; k++) {
        p->at[k][0] = edges[k][0];
        for (int i = 0; i < cells[k]; i++)
            p->at[k][i + 1] = 0.5 * (edges[k][i] + edges[k][i + 1]);
        p->at[k][cells[k] + 1] = edges[k][cells[k]];
    }
    return KN_OK;
}

void kn_plane_destroy(struct kn_plane *p)
{
    free(p->at[0]);
    free(p->at[1]);
    free(p->value);
    *p = (struct kn_plane){.parts = 0};
}

double *kn_plane_node(const struct kn_plane *p, int i, int j)
{
    return p->value + ((size_t)j * (size_t)p->n[0] + (size_t)i) * (size_t)p->parts;
}

void kn_plane_extend(struct kn_plane *p)
{
    const size_t size = (size_t)p->parts * sizeof(double);
    for (int j = 1; j < p->n[1] - 1; j++) {
        memcpy(kn_plane_node(p, 0, j), kn_plane_node(p, 1, j), size);
        memcpy(kn_plane_node(p, p->n[0] - 1, j), kn_plane_node(p, p->n[0] - 2, j), size);
    }
    for (int i = 0; i < p->n[0]; i++) {
        memcpy(kn_plane_node(p, i, 0), kn_plane_node(p, i, 1), size);
        memcpy(kn_plane_node(p, i, p->n[1] - 1), kn_plane_node(p, i, p->n[1] - 2), size);
    }
}

/* The node at or below a place, and how far the next one is gone to. */
static int locate(const double *at, int n, double place, double *part)
{
    int low = 0, high = n - 1;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        if (at[middle] <= place)
            low = middle;
        else
            high = middle;
    }
    *part = fmin(fmax((place - at[low]) / (at[high] - at[low]), 0), 1);
    return low;
}

void kn_plane_sample(const struct kn_plane *p, const double place[2], double *value)
{
    double part[2];
    int at[2];
    for (int k = 0; k < 2; k++)
        at[k] = locate(p->at[k], p->n[k], place[k], &part[k]);
    memset(value, 0, (size_t)p->parts * sizeof *value);
    for (int corner = 0; corner < 4; corner++) {
        const int i = corner & 1, j = corner >> 1;
        const double weight = (i ? part[0] : 1 - part[0]) * (j ? part[1] : 1 - part[1]);
        const double *node = kn_plane_node(p, at[0] + i, at[1] + j);
        for (int k = 0; k < p->parts; k++)
            value[k] += weight * node[k];
    }
}
