/* Upwind differences along one axis, theory (13) to (17a). */
#ifndef KN_POINT_STREAM_H
#define KN_POINT_STREAM_H

#include "knudsen.h"
#include "point/point.h"

/* Change of h by the flow between two places: of a cell from its faces, theory (13), or from the upwind cell
 * at first order, theory (14); across the other axes, theory (15). */
POINT float kn_stream_flow(float courant, float from, float to)
{
    return courant * (from - to);
}

/* Scale of a difference between two cells to the width of the first, theory (16); a wall is a neighbour of
 * width zero. */
POINT float kn_stream_scale(float width, float other)
{
    return 2 * width / (width + other);
}

/* Weight of the downwind difference in a slope without a limiter, theory (17a). */
struct kn_weight {
    float at_rest, per_courant; /* at_rest - per_courant times the Courant number */
};

/* In a cell between two others: the mean of both differences at order 2; at order 3 the parabola with the
 * means of the three cells, averaged over the part of the cell that leaves it in a step. */
POINT struct kn_weight kn_stream_weight(int order, float up, float width, float down)
{
    const float per_length = 1 / (up + width + down);
    const struct kn_weight mean = {0.5f, 0}, parabola = {(up + width) * per_length, width * per_length};
    return order == 2 ? mean : parabola;
}

POINT float kn_stream_weigh(struct kn_weight weight, float courant)
{
    return weight.at_rest - weight.per_courant * courant;
}

/* Difference of h across a cell from the differences to the upwind (a) and the downwind (b) neighbour, both
 * scaled to the width of the cell, theory (17), (17a); `weight` is that of b if there is no limiter. The
 * limiter, an enum kn_limiter, should be a compile-time constant. */
POINT float kn_stream_slope(int limiter, float a, float b, float weight)
{
    const float product = a * b;
    if (limiter == KN_LIMITER_NONE)
        return kn_point_fused(weight, b - a, a);
    if (limiter == KN_LIMITER_VAN_LEER)
        return product > 0 ? kn_point_quotient(2 * product, a + b) : 0.0f;
    const float small = fabsf(a) < fabsf(b) ? a : b;
    if (limiter == KN_LIMITER_MINMOD)
        return product > 0 ? small : 0.0f;
    const float mean = 0.5f * (a + b), twice = 2 * small; /* monotonised central */
    return product > 0 ? (fabsf(mean) < fabsf(twice) ? mean : twice) : 0.0f;
}

/* h on the downwind face, half a step ahead, theory (15): slope across the cell, Courant number along the
 * axis, and the upwind differences of the other axes times their Courant numbers (transverse). */
POINT float kn_stream_face(float h, float slope, float courant, float transverse)
{
    return h + 0.5f * ((1 - courant) * slope - transverse);
}

/* Value on the downwind face minus that on the upwind face, for cells of equal width along every axis.
 * `step` is the difference to the upwind cell; `across` is the difference between this cell and the upwind
 * cell of the transverse terms. */
POINT float kn_stream_rise(float step, float slope, float slope_up, float courant, float across)
{
    return step + 0.5f * ((1 - courant) * (slope - slope_up) - across);
}

/* The part of a change that is lost by round-off when it is added to h. Near a steady state changes are
 * smaller than half a unit in the last place and would be lost systematically; sweeps restore this mass. */
POINT float kn_stream_lost(float h, float change, float sum)
{
    return change - (sum - h);
}

/* Change of h in one node of weight w that restores this mass. */
POINT float kn_stream_restored(float lost, float w)
{
    return lost / w;
}

#endif
