/* Position of the rows of h in memory, and the upwind and downwind neighbours of a row. */
#ifndef KN_POINT_MESH_H
#define KN_POINT_MESH_H

#include "point/stream.h"

/* An entry of the neighbour table is a cell, or ~(face + KN_MESH_MIRROR if the face is a mirror).
 * KN_MESH_NO_FACE is the number of a face of another rank. */
enum { KN_MESH_MIRROR = 1 << 30, KN_MESH_NO_FACE = KN_MESH_MIRROR - 1 };

struct kn_mesh {
    const int32_t *neighbour; /* [ncells][6] */
    const float *width;       /* [ncells][3] */
    int32_t nnodes, stride;   /* floats from cell to cell, from octant to octant */
    int32_t octants;
    int32_t bit[3];         /* octant bit set where v < 0 */
    int32_t naxes, axes[3]; /* those along which the gas streams */
};

/* `reflection`: 0 or KN_MESH_MIRROR. */
POINT int32_t kn_mesh_wall(int32_t face, int32_t reflection)
{
    return ~(face | reflection);
}

POINT int32_t kn_mesh_face(int32_t entry)
{
    return ~entry & KN_MESH_NO_FACE;
}

POINT int32_t kn_mesh_reflection(int32_t entry)
{
    return entry < 0 ? ~entry & KN_MESH_MIRROR : 0;
}

/* A cell and an octant of velocities.  cell < 0: wall face ~cell, which emits into the octant. */
struct kn_site {
    int32_t cell;
    int32_t octant;
};

/* Index in h of the first node of a site. */
POINT int64_t kn_mesh_row(const struct kn_mesh *m, struct kn_site s)
{
    return (int64_t)s.cell * m->nnodes + (int64_t)s.octant * m->stride;
}

/* The same, or ~index in outgoing[face][node] of a site beyond a wall. */
POINT int64_t kn_mesh_source(const struct kn_mesh *m, struct kn_site s)
{
    const struct kn_site face = {~s.cell, s.octant};
    return s.cell < 0 ? ~kn_mesh_row(m, face) : kn_mesh_row(m, s);
}

/* The first node of a source. */
POINT const float *kn_mesh_at(const float *h, const float *outgoing, int64_t source)
{
    return source < 0 ? outgoing + ~source : h + source;
}

POINT float kn_mesh_width(const struct kn_mesh *m, int cell, int axis)
{
    return m->width[3 * (int64_t)cell + axis];
}

/* The upwind (downwind = 0) or downwind (1) neighbour.  A mirror leads back into the same cell with the
 * velocity reflected. */
POINT struct kn_site kn_mesh_walk(const struct kn_mesh *m, struct kn_site from, int axis, int downwind)
{
    const int negative = (from.octant & m->bit[axis]) != 0;
    const int side = 2 * axis + (negative ^ downwind);
    struct kn_site to = {m->neighbour[6 * (int64_t)from.cell + side], from.octant};
    if (kn_mesh_reflection(to.cell)) {
        to.cell = from.cell;
        to.octant = from.octant ^ m->bit[axis];
    }
    return to;
}

/* The rows for the values on the downwind face of a site along an axis, theory (15) to (17a). */
struct kn_stencil {
    int64_t here, up, down; /* rows; up: kn_mesh_source; down < 0: one-sided slope, without a limiter */
    float up_scale, down_scale;
    struct kn_weight weight;
    float courant;      /* per unit speed */
    int32_t transverse; /* other axes with an upwind cell */
    int64_t side[2];    /* their rows */
    int32_t side_axis[2];
    float side_courant[2];
};

/* Upwind neighbours along the other axes. A wall is omitted: its emission may depend on the same face (in
 * corner cells), and the omission does not reduce the mean order of accuracy. */
POINT void kn_mesh_transverse(const struct kn_mesh *m, struct kn_site s, int axis, float dt,
                              struct kn_stencil *t)
{
    t->transverse = 0;
    for (int i = 0; i < m->naxes; i++) {
        const int other = m->axes[i];
        if (other == axis)
            continue;
        const struct kn_site up = kn_mesh_walk(m, s, other, 0);
        if (up.cell < 0)
            continue;
        t->side[t->transverse] = kn_mesh_row(m, up);
        t->side_axis[t->transverse] = other;
        t->side_courant[t->transverse++] = dt / kn_mesh_width(m, s.cell, other);
    }
}

/* For order 2 or 3. */
POINT struct kn_stencil kn_mesh_stencil(const struct kn_mesh *m, struct kn_site s, int axis, int order,
                                        float dt)
{
    const struct kn_site up = kn_mesh_walk(m, s, axis, 0), down = kn_mesh_walk(m, s, axis, 1);
    const float width = kn_mesh_width(m, s.cell, axis),
                up_width = up.cell < 0 ? 0 : kn_mesh_width(m, up.cell, axis),
                down_width = down.cell < 0 ? 0 : kn_mesh_width(m, down.cell, axis);
    const struct kn_weight one_sided = {0, 0};
    struct kn_stencil t;
    t.here = kn_mesh_row(m, s);
    t.courant = dt / width;
    kn_mesh_transverse(m, s, axis, dt, &t);
    t.down = down.cell < 0 ? -1 : kn_mesh_row(m, down);
    t.down_scale = kn_stream_scale(width, down_width);
    t.weight = down.cell < 0 ? one_sided : kn_stream_weight(order, up_width, width, down_width);
    t.up = kn_mesh_source(m, up);
    t.up_scale = kn_stream_scale(width, up_width);
    if (up.cell < 0 && down.cell < 0) { /* one cell between two walls: no slope */
        t.up = t.here;
        t.up_scale = 0;
    }
    return t;
}

#endif
