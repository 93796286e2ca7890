/* Quadratic interpolation on a half axis of the velocity grid, theory section 12. */
#ifndef KN_POINT_INTERPOLATE_H
#define KN_POINT_INTERPOLATE_H

#include "point/point.h"

enum {
    KN_STENCIL_POINTS = 3,                            /* of a stencil along an axis */
    KN_LINES = KN_STENCIL_POINTS * KN_STENCIL_POINTS, /* of a stencil: KN_STENCIL_POINTS consecutive nodes */
    KN_STENCIL = KN_LINES * KN_STENCIL_POINTS
};

/* Lagrange weights of the three nodes around x >= 0; returns the first of them. */
POINT int kn_interpolate_axis(const double *node, int half, double x, double weight[KN_STENCIL_POINTS])
{
    int first = 0;
    while (first + KN_STENCIL_POINTS < half && x > 0.5 * (node[first + 1] + node[first + 2]))
        first++;
    for (int i = 0; i < KN_STENCIL_POINTS; i++) {
        weight[i] = 1;
        for (int j = 0; j < KN_STENCIL_POINTS; j++)
            if (j != i)
                weight[i] *= (x - node[first + j]) / (node[first + i] - node[first + j]);
    }
    return first;
}

/* Position of node k of an octant along each axis. */
POINT void kn_interpolate_place(const int half[3], int k, int at[3])
{
    at[0] = k / (half[1] * half[2]);
    at[1] = k / half[2] % half[1];
    at[2] = k % half[2];
}

/* Offset of line i of a stencil in an octant with these numbers of nodes per axis, from the lowest corner. */
POINT int kn_interpolate_line(const int half[3], int i)
{
    return (i / KN_STENCIL_POINTS * half[1] + i % KN_STENCIL_POINTS) * half[2];
}

#endif
