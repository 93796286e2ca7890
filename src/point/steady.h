/* Face values of the steady equations, theory (60). */
#ifndef KN_POINT_STEADY_H
#define KN_POINT_STEADY_H

#include "point/cut.h"
#include "point/mesh.h"

/* h on the downwind face of a site, theory (15) to (17a) at a Courant number of 0: here + before (here - up)
 * + after (down - here). */
struct kn_steady_face {
    struct kn_site up, down; /* up.cell < 0: the emission of face ~up.cell; not used if the weight is 0 */
    double before, after;
};

POINT struct kn_steady_face kn_steady_face_of(const struct kn_mesh *m, struct kn_site s, int axis, int order)
{
    const struct kn_stencil t = kn_mesh_stencil(m, s, axis, order, 0);
    const double weight = kn_stream_weigh(t.weight, 0);
    const struct kn_steady_face first = {s, s, 0, 0},
                                face = {kn_mesh_walk(m, s, axis, 0), kn_mesh_walk(m, s, axis, 1),
                                        0.5 * t.up_scale * (1 - weight), 0.5 * t.down_scale * weight};
    return order == 1 ? first : face;
}

POINT double kn_steady_face_value(double before, double after, double up, double here, double down)
{
    return here + before * (here - up) + after * (down - here);
}

/* A component of a symmetric matrix (xx yy zz xy xz yz) times a vector. */
POINT double kn_steady_component(const double m[6], int axis, const double v[3])
{
    return axis == 0   ? m[0] * v[0] + m[3] * v[1] + m[4] * v[2]
           : axis == 1 ? m[3] * v[0] + m[1] * v[1] + m[5] * v[2]
                       : m[4] * v[0] + m[5] * v[1] + m[2] * v[2];
}

/* h on a piece of the surface of a control volume, theory (71) without a step: rise is the gradient times the
 * displacement from the centre. */
POINT double kn_steady_piece(double h, double rise)
{
    return h + rise;
}

/* True if the upwind cell of a site is computed before it in a sweep: it is not beyond a wall, a mirror or a
 * periodic end.  Cells are numbered in ascending order along every axis. */
POINT int kn_steady_follows(const struct kn_mesh *m, struct kn_site s, struct kn_site up, int axis)
{
    return up.octant == s.octant &&
           (s.octant & m->bit[axis] ? up.cell > s.cell : up.cell >= 0 && up.cell < s.cell);
}

/* The emission of a surface per unit of its density, theory (20), or of a pressure port per unit of the
 * drift, (22e); vn is the speed away from it. */
POINT double kn_steady_unit(double eps, int drifts, double excess, double vn)
{
    return drifts ? 2 * vn : 1 + eps * excess;
}

/* The emission of a port of given flow at eps = 0, where the flow is the velocity of the gas, theory (22g).
 */
POINT double kn_steady_drift(double excess, double flow, double vn)
{
    return excess + 2 * flow * vn;
}

/* The distribution that a surface emits, theory (20) to (22), in double precision; data: 1, or 0 for the part
 * that is linear in h. */
POINT double kn_steady_emission(double unit, double data, double rho, double excess)
{
    return rho * unit + data * excess;
}

/* kn_wall_scatter in double precision. */
POINT double kn_steady_scatter(int n, const float *same, const double *values, const float *other,
                               const double *opposite)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += same[i] * values[i] + other[i] * opposite[i];
    return sum;
}

#endif
