/* Numbers on the nodes of a plane, rectilinear grid, and anywhere between them. */
#ifndef KN_PLANE_H
#define KN_PLANE_H

#include "knudsen.h"

#include <stddef.h>

struct kn_plane {
    int n[2];      /* nodes along each axis, 2 or more */
    double *at[2]; /* [n[k]] where they lie, rising */
    int parts;     /* numbers at each node */
    double *value; /* [n[1]][n[0]][parts] */
};

/* Nodes in the centres of cells, and on the edges of the box around them. */
enum kn_status kn_plane_create(struct kn_plane *p, const int cells[2], const double *const edges[2],
                               int parts);
void kn_plane_destroy(struct kn_plane *p);

/* The numbers at a node. */
double *kn_plane_node(const struct kn_plane *p, int i, int j);

/* Give each node on the edge of the box the numbers of the centre next to it. */
void kn_plane_extend(struct kn_plane *p);

/* Bilinear between nodes, constant beyond the last: value[parts]. */
void kn_plane_sample(const struct kn_plane *p, const double place[2], double *value);

#endif
