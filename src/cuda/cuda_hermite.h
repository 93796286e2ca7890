/* The frame of the local Maxwellian of a cell: its Hermite polynomials at the nodes of the axes, and sums
 * over columns of nodes along the last axis. A thread processes a column in all octants. */
#ifndef KN_CUDA_HERMITE_H
#define KN_CUDA_HERMITE_H

#include "cuda/cuda_operator.h"

enum { TERMS = KN_HERMITE_TERMS, PLACES = KN_CUDA_PLACES };

/* Axes are 0, 1 and 2, of which the first AX have both signs. Octants differ in the signs along them. */
template <int AX> struct shape {
    enum {
        P = 1 << AX,
        SIGNS0 = AX > 0 ? 2 : 1,
        SIGNS1 = AX > 1 ? 2 : 1,
        SIGNS = SIGNS0 * SIGNS1,             /* along the first two axes */
        ORDERS = AX > 2 ? TERMS : TERMS / 2, /* along the last axis */
        POLYNOMIALS = AX == 3   ? 56
                      : AX == 2 ? 34
                      : AX == 1 ? 20
                                : 10,
        /* floats per cell, chosen to avoid bank conflicts: coefficients by place, and in the order of the
           loops */
        BY_PLACE = P * PLACES + 4,
        MATRIX = P * KN_CUDA_POLYNOMIALS * KN_CUDA_RELAXED,
        IN_ORDER = (POLYNOMIALS + 3) / 4 * 4 + 4
    };
};

/* Loops over the polynomials: degrees n1 and n2, and inside n0. */
#define FOR_SECOND_DEGREE(AX, n1)   _Pragma("unroll") for (int n1 = 0; n1<TERMS; n1 += AX> 1 ? 1 : 2)
#define FOR_LAST_DEGREE(AX, n1, n2) _Pragma("unroll") for (int n2 = 0; n1 + n2<TERMS; n2 += AX> 2 ? 1 : 2)
#define FOR_FIRST_DEGREE(AX, n1, n2, n0)                                                                     \
    _Pragma("unroll") for (int n0 = 0; n0 + n1 + n2<TERMS; n0 += AX> 0 ? 1 : 2)

/* Position of degree n2 among the orders along the last axis: all degrees, or the even ones. */
template <int AX> static __host__ __device__ constexpr int order_of(int n2)
{
    return AX > 2 ? n2 : n2 / 2;
}

template <int AX> static __host__ __device__ constexpr int degree_of(int order)
{
    return AX > 2 ? order : 2 * order;
}

/* The local Maxwellian; velocities by octant bit. */
struct maxwellian {
    float rho, u[3], theta, temperature, constant, inverse, density, rate, beyond;
};

/* One node of an axis of a cell: the factor f of the Maxwellian, 1 + eps f, the polynomials of the peculiar
 * velocity over p_0, which is the same at all nodes, and the weight of the node. */
struct __align__(16) axis_node
{
    float factor, scale, hermite[TERMS - 1], weight;
};

/* p_n / p_0 of a node. */
static __device__ __forceinline__ float hermite(const axis_node &node, int n)
{
    return n == 0 ? 1.0f : node.hermite[n - 1];
}

/* The columns of a thread: (i0, i1) from the first on, in these steps. i1 is the same for as many of them as
 * possible. Nodes along a column start at `turn`: the threads of different cells use different banks. */
struct columns {
    int first[2], step[2], turn;
};

/* Columns of a cell; of a cell that does not exist (-1): none. Sums start at `turn`. It follows from the
 * place of the cell in the whole space, so that no bit depends on the number of ranks. */
template <int LANES>
static __device__ __forceinline__ columns columns_of(const kn_cuda_problem &p, const kn_cuda_quadratic &q,
                                                     int lane, int cell)
{
    const unsigned across = min(q.half[1], LANES), along = LANES / across, i0 = lane / across;
    return columns{{cell >= 0 && i0 < along ? (int)i0 : q.half[0], (int)(lane - i0 * across)},
                   {(int)along, (int)across},
                   cell >= 0 ? (p.box[0] + cell % p.box[1]) % q.half[2] : 0};
}

/* Node i of a column, counted from `turn` on: its number in the tables, its number on half an axis, and
 * whether v < 0. */
struct column_place {
    int i, node;
    bool back;
};

template <int AX>
static __device__ __forceinline__ column_place place_in_column(const kn_cuda_quadratic &q, int turn, int n)
{
    const int count = q.half[2] << (AX > 2), i = n + turn < count ? n + turn : n + turn - count;
    const bool back = AX > 2 && i >= q.half[2];
    return column_place{i, back ? i - q.half[2] : i, back};
}

/* Sums over the nodes of a column by signs: of 1, v, v^2 along the last axis. */
template <int AX> struct column_moments {
    float of[shape<AX>::SIGNS][3];
};

template <int AX>
static __device__ __forceinline__ void add_node(float weight, float v, int sign, float value,
                                                column_moments<AX> *c)
{
    c->of[sign][0] += weight * value;
    if (AX > 2)
        c->of[sign][1] += weight * v * value;
    c->of[sign][2] += weight * v * v * value;
}

/* Add a column; |v| along the first two axes. */
template <int AX>
static __device__ __forceinline__ void add_column(float v0, float v1, float weight,
                                                  const column_moments<AX> &c, invariant_sums *sum)
{
#pragma unroll
    for (int s = 0; s < shape<AX>::SIGNS; s++) {
        const float mass = weight * c.of[s][0];
        sum->mass += mass;
        sum->energy += weight * c.of[s][2] + (v0 * v0 + v1 * v1) * mass;
        if (AX > 0)
            sum->momentum[0] += s & 1 ? -v0 * mass : v0 * mass;
        if (AX > 1)
            sum->momentum[1] += s & 2 ? -v1 * mass : v1 * mass;
        if (AX > 2)
            sum->momentum[2] += weight * c.of[s][1];
    }
}

static __device__ __forceinline__ maxwellian maxwellian_of(float eps, float exponent, const invariant_sums &s)
{
    maxwellian m = {s.mass};
    float uu = 0;
    m.density = 1 + eps * s.mass;
    const float inverse = kn_point_quotient(1, m.density);
#pragma unroll
    for (int j = 0; j < 3; j++) {
        m.u[j] = s.momentum[j] * inverse;
        uu += m.u[j] * m.u[j];
    }
    m.theta = (2.0f / 3 * s.energy - s.mass) * inverse - 2.0f / 3 * eps * uu;
    m.temperature = 1 + eps * m.theta;
    m.constant = -0.5f * kn_deviation_log_single(eps, m.theta);
    m.inverse = kn_point_quotient(1, m.temperature);
    m.rate = kn_hermite_rate(m.density, m.temperature, exponent);
    m.beyond = kn_hermite_beyond(m.density, m.temperature, m.rate);
    return m;
}

/* Sum over the LANES threads of a cell. */
template <int LANES> static __device__ __forceinline__ float sum_of_lanes(float x)
{
#pragma unroll
    for (int offset = LANES / 2; offset > 0; offset /= 2)
        x += __shfl_xor_sync(0xffffffffu, x, offset);
    return x;
}

/* The nodes of an axis of a cell, at most K of them in a thread: peculiar velocity, weight of the local
 * Maxwellian (0: no node), and two successive polynomials. */
template <int K> struct axis_share {
    axis_node *nodes; /* the first of this thread */
    float x[K], weight[K], p[K], before[K];
    float a, b, next_b, inverse; /* coefficients of the recurrence */
};

/* Nodes with v > 0 first. The factors of the Maxwellian are stored. */
template <int LANES, int K>
static __device__ __forceinline__ void start_axis(const kn_cuda_quadratic &q, float eps, const maxwellian &m,
                                                  int d, int count, int lane, axis_share<K> *s)
{
    const float u = m.u[d];
    s->next_b = 0;
#pragma unroll
    for (int j = 0; j < K; j++) {
        const int i = lane + j * LANES, at = i < q.half[d] ? i : i - q.half[d];
        const bool exists = i < count;
        const float speed = exists ? __ldg(q.node[d] + at) : 0.0f, v = i < q.half[d] ? speed : -speed,
                    factor = kn_deviation_exp(eps, m.constant +
                                                       (v * (2 * u + m.theta * v) - eps * u * u) * m.inverse),
                    scale = 1 + eps * factor, weight = exists ? __ldg(q.weight[d] + at) : 0.0f;
        s->x[j] = v - eps * u;
        s->weight[j] = weight * scale;
        s->p[j] = 1;
        s->before[j] = 0;
        if (exists) {
            axis_node *const to = s->nodes + j * LANES;
            to->factor = factor, to->scale = scale, to->weight = weight;
        }
    }
}

/* The weights get the sum 1; returns their sum before. */
template <int LANES, int K> static __device__ __forceinline__ float normalise_axis(axis_share<K> *s)
{
    float sum = 0;
#pragma unroll
    for (int j = 0; j < K; j++)
        sum += s->weight[j];
    sum = sum_of_lanes<LANES>(sum);
    const float inverse = kn_point_quotient(1, sum);
#pragma unroll
    for (int j = 0; j < K; j++)
        s->weight[j] *= inverse;
    return sum;
}

/* Coefficients of the recurrence from p_n to p_(n+1), theory (48a). */
template <int LANES, int K>
static __device__ __forceinline__ void find_recurrence(int n, bool folded, float temperature,
                                                       axis_share<K> *s)
{
    float first = 0, second = 0;
#pragma unroll
    for (int j = 0; j < K; j++) {
        const float part = s->weight[j] * s->x[j] * s->p[j] * s->p[j];
        first += part;
        second += s->x[j] * part;
    }
    s->a = folded ? 0.0f : sum_of_lanes<LANES>(first);
    s->b = s->next_b;
    s->next_b = kn_hermite_norm(n, temperature, s->a, s->b, sum_of_lanes<LANES>(second));
    s->inverse = s->next_b > 0 ? kn_point_quotient(1, s->next_b) : 0.0f;
}

/* p_(n+1) over p_0. */
template <int LANES, int K>
static __device__ __forceinline__ void advance_axis(int n, int count, int lane, axis_share<K> *s)
{
#pragma unroll
    for (int j = 0; j < K; j++) {
        const float p = kn_hermite_next(s->x[j], s->a, s->b, s->inverse, s->p[j], s->before[j]);
        s->before[j] = s->p[j];
        s->p[j] = p;
        if (lane + j * LANES < count)
            s->nodes[j * LANES].hermite[n] = p;
    }
}

/* The nodes of all axes, at most K of an axis in a thread. Returns the product of the polynomials p_0 of the
 * axes. */
template <int AX, int LANES, int K>
static __device__ __forceinline__ float fill_axes(const kn_cuda_quadratic &q, float eps, const maxwellian &m,
                                                  int lane, axis_node *nodes)
{
    axis_share<K> axis[3];
    float mass = 1;
#pragma unroll
    for (int d = 0; d < 3; d++) {
        const int count = q.half[d] << (d < AX);
        axis[d].nodes = nodes + lane;
        nodes += count;
        start_axis<LANES, K>(q, eps, m, d, count, lane, &axis[d]);
    }
#pragma unroll
    for (int d = 0; d < 3; d++)
        mass *= normalise_axis<LANES, K>(&axis[d]);
#pragma unroll 1 /* the kernel has more instructions than the cache */
    for (int n = 0; n < TERMS - 1; n++) {
#pragma unroll
        for (int d = 0; d < 3; d++)
            find_recurrence<LANES, K>(n, d >= AX, m.temperature, &axis[d]);
#pragma unroll
        for (int d = 0; d < 3; d++)
            advance_axis<LANES, K>(n, q.half[d] << (d < AX), lane, &axis[d]);
    }
    return rsqrtf(mass);
}

/* The same for any number of nodes. */
template <int AX, int LANES>
static __device__ __forceinline__ float fill_nodes(const kn_cuda_quadratic &q, float eps, const maxwellian &m,
                                                   int lane, axis_node *nodes)
{
    int most = 0;
#pragma unroll
    for (int d = 0; d < 3; d++)
        most = max(most, q.half[d] << (d < AX));
    return most <= LANES
               ? fill_axes<AX, LANES, 1>(q, eps, m, lane, nodes)
               : fill_axes<AX, LANES, (KN_OPERATOR_NODES + LANES - 1) / LANES>(q, eps, m, lane, nodes);
}

/* The nodes of a column (v > 0, v < 0) along one of the first two axes. */
template <int SIGNS> struct node_pair {
    axis_node of[SIGNS];
};

template <int SIGNS>
static __device__ __forceinline__ node_pair<SIGNS> read_pair(const axis_node *at, int half)
{
    node_pair<SIGNS> pair;
#pragma unroll
    for (int s = 0; s < SIGNS; s++)
        pair.of[s] = at[s * half];
    return pair;
}

/* The Maxwellian of a column by signs, without its factor along the last axis: M, and 1 + eps M. */
template <int AX> struct column_maxwell {
    float value[shape<AX>::SIGNS], scale[shape<AX>::SIGNS];
};

template <int AX>
static __device__ __forceinline__ column_maxwell<AX> maxwell_of(const maxwellian &m,
                                                                const node_pair<shape<AX>::SIGNS0> &n0,
                                                                const node_pair<shape<AX>::SIGNS1> &n1)
{
    column_maxwell<AX> c;
#pragma unroll
    for (int s = 0; s < shape<AX>::SIGNS; s++) {
        const axis_node &a = n0.of[AX > 0 ? s & 1 : 0], &b = n1.of[AX > 1 ? s >> 1 : 0];
        const float first = m.rho + a.factor * m.density, scale = m.density * a.scale;
        c.value[s] = first + b.factor * scale;
        c.scale[s] = scale * b.scale;
    }
    return c;
}

/* Sums over the degree along the second axis, for its node of each sign. */
template <int AX> struct plane {
    float of[shape<AX>::SIGNS1][shape<AX>::ORDERS][TERMS];
};

/* Polynomials of a column by signs and order along the last axis. */
template <int AX> struct line {
    float of[shape<AX>::SIGNS][shape<AX>::ORDERS];
};

/* Add the coefficients of a column to those of the plane. */
template <int AX>
static __device__ __forceinline__ void add_line(const node_pair<shape<AX>::SIGNS0> &n0, const line<AX> &t,
                                                plane<AX> *to)
{
#pragma unroll
    for (int s1 = 0; s1 < shape<AX>::SIGNS1; s1++)
        FOR_LAST_DEGREE(AX, 0, n2)
        {
            float part[shape<AX>::SIGNS0];
#pragma unroll
            for (int s0 = 0; s0 < shape<AX>::SIGNS0; s0++)
                part[s0] = n0.of[0].weight * t.of[shape<AX>::SIGNS0 * s1 + s0][order_of<AX>(n2)];
            FOR_FIRST_DEGREE(AX, 0, n2, n0_degree)
#pragma unroll
            for (int s0 = 0; s0 < shape<AX>::SIGNS0; s0++)
                to->of[s1][order_of<AX>(n2)][n0_degree] += hermite(n0.of[s0], n0_degree) * part[s0];
        }
}

/* Add the coefficients of a plane to those of the cell. */
template <int AX>
static __device__ __forceinline__ void add_plane(const node_pair<shape<AX>::SIGNS1> &n1,
                                                 const plane<AX> &from, float a[shape<AX>::POLYNOMIALS])
{
    int i = 0;
    FOR_SECOND_DEGREE(AX, n1_degree)
    {
        float factor[shape<AX>::SIGNS1];
#pragma unroll
        for (int s1 = 0; s1 < shape<AX>::SIGNS1; s1++)
            factor[s1] = n1.of[0].weight * hermite(n1.of[s1], n1_degree);
        FOR_LAST_DEGREE(AX, n1_degree, n2)
        FOR_FIRST_DEGREE(AX, n1_degree, n2, n0)
        {
#pragma unroll
            for (int s1 = 0; s1 < shape<AX>::SIGNS1; s1++)
                a[i] += factor[s1] * from.of[s1][order_of<AX>(n2)][n0];
            i++;
        }
    }
}

/* The inverse: the plane of a node from coefficients in the order of the loops. */
template <int AX>
static __device__ __forceinline__ plane<AX> plane_of(const node_pair<shape<AX>::SIGNS1> &n1,
                                                     const float *coefficients)
{
    plane<AX> to = {};
    int i = 0;
    FOR_SECOND_DEGREE(AX, n1_degree)
    FOR_LAST_DEGREE(AX, n1_degree, n2)
    FOR_FIRST_DEGREE(AX, n1_degree, n2, n0)
    {
        const float x = coefficients[i++];
#pragma unroll
        for (int s1 = 0; s1 < shape<AX>::SIGNS1; s1++)
            to.of[s1][order_of<AX>(n2)][n0] += hermite(n1.of[s1], n1_degree) * x;
    }
    return to;
}

template <int AX>
static __device__ __forceinline__ line<AX> line_of(const node_pair<shape<AX>::SIGNS0> &n0,
                                                   const plane<AX> &from)
{
    line<AX> t;
#pragma unroll
    for (int s = 0; s < shape<AX>::SIGNS; s++)
        FOR_LAST_DEGREE(AX, 0, n2)
        {
            float sum = 0;
            FOR_FIRST_DEGREE(AX, 0, n2, n0_degree)
            sum += hermite(n0.of[s % shape<AX>::SIGNS0], n0_degree) *
                   from.of[s / shape<AX>::SIGNS0][order_of<AX>(n2)][n0_degree];
            t.of[s][order_of<AX>(n2)] = sum;
        }
    return t;
}

/* Value of a column of polynomials at a node of the last axis. */
template <int AX>
static __device__ __forceinline__ float value_at(const axis_node &last, const float of[shape<AX>::ORDERS])
{
    float sum = of[0];
#pragma unroll
    for (int j = 1; j < shape<AX>::ORDERS; j++)
        sum += hermite(last, degree_of<AX>(j)) * of[j];
    return sum;
}

#endif
