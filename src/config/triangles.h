/* A surface of triangles: signed distances, which need no watertight surface, and samples of it. */
#ifndef KN_TRIANGLES_H
#define KN_TRIANGLES_H

#include "knudsen.h"

/* A box around triangles, and what they look like from far away. */
struct kn_triangles_node {
    double low[3], high[3];
    double centre[3], area[3]; /* mean position by area; sum of the area vectors */
    double radius;             /* of a sphere about the centre around the box */
};

struct kn_triangles {
    int count, leaves;              /* leaves: a power of two */
    double (*corner)[3][3];         /* [count][corner][axis] */
    double *sum;                    /* [count] area of the triangles up to each */
    int open;                       /* edges that no second triangle has */
    struct kn_triangles_node *node; /* [2 leaves] a binary tree: 1 is the root, 2i and 2i + 1 are below i */
};

/* From corners, which are taken over also after an error.  KN_EMEMORY. */
enum kn_status kn_triangles_create(struct kn_triangles *t, double (*corner)[3][3], int count);
void kn_triangles_destroy(struct kn_triangles *t);

/* Distance to the nearest triangle, negative where the winding number is above a half (Jacobson et al. 2013).
 * The orientation of a whole surface does not matter. */
double kn_triangles_distance(const struct kn_triangles *t, const double at[3]);

/* The winding number of a point: 1 inside and 0 outside of a closed surface. */
double kn_triangles_winding(const struct kn_triangles *t, const double at[3]);

/* A point of the surface and the normal of its triangle: number `index` of `count`, uniform by area. */
void kn_triangles_sample(const struct kn_triangles *t, int index, int count, double at[3], double normal[3]);

#endif
