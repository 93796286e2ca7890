/* Values on the surfaces of control volumes and their gradients, theory (69) to (73). */
#ifndef KN_POINT_CUT_H
#define KN_POINT_CUT_H

#include "point/point.h"

/* Weight of a value at a distance in the least-squares gradient; width: of the cells. */
POINT double kn_cut_weight(double square, double width)
{
    return 1 / (square + 0.25 * width * width);
}

/* A component of a symmetric matrix (xx yy zz xy xz yz) times a vector. */
POINT float kn_cut_component(const float m[6], int axis, float x, float y, float z)
{
    return axis == 0   ? m[0] * x + m[3] * y + m[4] * z
           : axis == 1 ? m[3] * x + m[1] * y + m[5] * z
                       : m[4] * x + m[5] * y + m[2] * z;
}

/* h on a piece of the surface, half a step ahead: rise is the gradient times the displacement from the
 * centre minus that of a molecule in half a step, theory (71). */
POINT float kn_cut_value(float h, float rise)
{
    return h + rise;
}

/* Change of h in a volume by the flow through one piece, theory (70): share = area dt / volume. */
POINT double kn_cut_flow(double normal_speed, double h)
{
    return normal_speed * h;
}

/* What arrives with the reversed velocity in excess of the emission, a term of the moments of (74). */
POINT double kn_cut_excess(double weight, double normal_speed, double arriving, double emitted)
{
    return weight * normal_speed * (arriving - emitted);
}

/* The reflected molecules at a node: a polynomial of the velocity, theory (74). */
POINT double kn_cut_reflected(int count, const double *coefficients, const double *values)
{
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int j = 0; j < count; j++)
        sum += coefficients[j] * values[j];
    return sum;
}

#endif
