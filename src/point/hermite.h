/* Polynomials of the peculiar velocity, which are Hermite polynomials on a fine velocity grid, theory (47c).
 */
#ifndef KN_POINT_HERMITE_H
#define KN_POINT_HERMITE_H

#include "point/point.h"

enum { KN_HERMITE_DEGREE = 5, KN_HERMITE_TERMS = KN_HERMITE_DEGREE + 1 };

/* Polynomials p_n(x) of the peculiar velocity x along an axis, orthonormal in the sums over the nodes with
 * the weights of the local Maxwellian, theory (47c): p_0 = 1 / sqrt m,  b_(n+1) p_(n+1) = (x - a_n) p_n - b_n
 * p_(n-1). */
POINT float kn_hermite_next(float x, float a, float b, float inverse, float p, float before)
{
    return ((x - a) * p - b * before) * inverse;
}

/* b_(n+1)^2 from b_n and the sums of x p_n^2 (which is a_n) and x^2 p_n^2. It is (n + 1) T / 2 if the sums
 * are exact. It is 0 if the nodes are too few for the polynomial, which is then omitted. */
POINT float kn_hermite_norm(int n, float temperature, float a, float b, float second)
{
    const float square = second - a * a - b * b, exact = 0.5f * (float)(n + 1) * temperature;
    return square > 0.1f * exact ? kn_point_root(square) : 0.0f;
}

/* Collision frequency of a gas of density n and temperature T over that of the gas at rest: molecules whose
 * frequency is proportional to a power of the relative speed. */
POINT float kn_hermite_rate(float n, float temperature, float exponent)
{
    return n * powf(temperature, 0.5f * exponent);
}

/* Factor of the polynomials of higher degree that collisions create from those of degree 5 and less, if they
 * are taken from the gas at rest, theory (47e). Their moments decrease with the temperature; without the last
 * factor a cold gas is unstable. */
POINT float kn_hermite_beyond(float n, float temperature, float rate)
{
    return n * rate * temperature;
}

#endif
