/* Physical space: a list of box-shaped cells and the table of their neighbours. */
#ifndef KN_SPACE_H
#define KN_SPACE_H

#include "knudsen.h"

/* One wall face of a cell. */
struct kn_face {
    int32_t cell;
    int32_t side; /* enum kn_side; the patch the face belongs to */
    double area;  /* lambda0^2; unused axes count 1 */
};

/* An entry of the neighbour table is a cell, or ~face where a wall stands.
 * Periodic axes are entries that wrap around; nothing else knows of them. */
struct kn_space {
    int cells[3]; /* per axis */
    int ncells;
    int nfaces;            /* wall faces */
    int naxes;             /* axes along which the gas streams */
    int axes[3];           /* [naxes] */
    double *edges[3];      /* [cells[d] + 1], lambda0 */
    int32_t *neighbour;    /* [ncells][6] */
    float *width;          /* [ncells][3], lambda0 */
    double *volume;        /* [ncells], lambda0^3; unused axes count 1 */
    struct kn_face *faces; /* [nfaces] */
};

enum kn_status kn_space_create(struct kn_space *space, const struct kn_case *c);
void kn_space_destroy(struct kn_space *space);

/* True where nothing drives the gas along the axis: no wall, source or initial
 * state that changes sign with the velocity. */
bool kn_space_is_even(const struct kn_case *c, int axis);

/* True where the axis has one cell along which the gas is uniform: between
 * periodic ends, or between mirrors when nothing drives it along the axis. */
bool kn_space_is_uniform(const struct kn_case *c, int axis);

/* True where a side does nothing but reflect, whatever arrives. */
bool kn_space_is_mirror(const struct kn_wall *wall);

/* The axis with an inflow at both ends; -1 where it is none or more than one. */
int kn_space_inflow_axis(const struct kn_case *c);

/* Width of the narrowest cell along an axis, lambda0. */
double kn_space_narrowest(const struct kn_case *c, int axis);

/* Name of a side as the case file spells it. */
const char *kn_space_side_name(enum kn_side side);

#endif
