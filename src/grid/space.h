/* Physical space: a list of box-shaped cells and the table of their neighbours. */
#ifndef KN_SPACE_H
#define KN_SPACE_H

#include "knudsen.h"

#include <stdint.h>

/* Cells first..end-1 along each axis. */
struct kn_box {
    int first[3], end[3];
};

/* One wall face of a cell. */
struct kn_face {
    int32_t cell;
    int32_t side; /* enum kn_side; the patch the face belongs to */
    double area;  /* lambda0^2; unused axes count 1 */
};

/* The cells of one rank: a box of the whole space, in which they are numbered x fastest, and
 * behind them in the tables its halo: cells of other ranks from which the gas streams in, at most
 * space.order steps away.
 *
 * An entry of the neighbour table is a cell, or ~face where a wall stands.  Periodic axes are
 * entries that wrap around; nothing else knows of them.  Walls and cells beyond a cell of the halo
 * are KN_SPACE_OUTSIDE: negative like any wall, and nobody's face. */
#define KN_SPACE_OUTSIDE INT32_MIN

struct kn_space {
    int whole[3];          /* cells per axis, of all ranks */
    struct kn_box box;     /* of them, those of this rank */
    int cells[3];          /* per axis, in the box */
    int ncells;            /* in the box */
    int nhalo;             /* of other ranks */
    int nfaces;            /* wall faces of the box */
    int naxes;             /* axes along which the gas streams */
    int axes[3];           /* [naxes] */
    double *edges[3];      /* [whole[d] + 1], lambda0 */
    int32_t *neighbour;    /* [ncells + nhalo][6] */
    float *width;          /* [ncells + nhalo][3], lambda0 */
    double *volume;        /* [ncells], lambda0^3; unused axes count 1 */
    struct kn_face *faces; /* [nfaces] */
    int64_t *halo;         /* [nhalo] numbers of these cells in the whole space, ascending */
};

/* The cells of a box; NULL: all.  Boxes are at least space.order cells thick along axes that are cut. */
enum kn_status kn_space_create(struct kn_space *space, const struct kn_case *c, const struct kn_box *box);
void kn_space_destroy(struct kn_space *space);

/* Where a cell of the box lies in the whole space, and its number there, x fastest. */
void kn_space_place(const struct kn_space *space, int cell, int at[3]);
int64_t kn_space_number(const struct kn_space *space, int cell);
void kn_space_locate(const struct kn_space *space, int64_t number, int at[3]); /* and back */
int64_t kn_space_count(const struct kn_space *space);                          /* of the cells of all ranks */

/* The cell of the tables at a place; KN_SPACE_OUTSIDE where that is none of box and halo. */
int32_t kn_space_find(const struct kn_space *space, const int at[3]);

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

/* Mean over the length of an axis of a power of the widths of its cells, lambda0. */
double kn_space_mean_width(const struct kn_case *c, int axis, double power);

/* Name of a side as the case file spells it. */
const char *kn_space_side_name(enum kn_side side);

#endif
