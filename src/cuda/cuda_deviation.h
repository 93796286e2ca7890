/* The quadratic part of collisions on the device, theory (47) to (51), for the cells of a block. For every
 * cell: the local Maxwellian, the polynomials of the deviation from it in its frame, and their collisions.
 * The row gets the gain of these collisions; the rest of the deviation, on which the operator acts
 * afterwards, is a second result. LANES threads of a warp process a cell. */
#ifndef KN_CUDA_DEVIATION_H
#define KN_CUDA_DEVIATION_H

#include <cuda_pipeline.h>

#include "cuda/cuda_hermite.h"

enum { DEVIATION_THREADS = 128 };

/* Shared memory of the quadratic part. Part of the coefficients by place are used only before the rest of the
 * deviation is computed, which may overwrite them. */
struct deviation_space {
    float *nodes; /* [cells][node_pitch] */
    int node_pitch;
    float *deviation, *gain;       /* [cells][IN_ORDER] */
    float *local;                  /* [cells][BY_PLACE] */
    float *matrix;                 /* [MATRIX] of the linear step */
    float *relaxed, *middle, *sum; /* [cells][BY_PLACE], used briefly */
};

/* Floats of the nodes of a cell, chosen to avoid bank conflicts. */
template <int AX> static __host__ __device__ inline int node_floats(const kn_cuda_quadratic &q)
{
    int count = 0;
    for (int d = 0; d < 3; d++)
        count += q.half[d] << (d < AX);
    return count * (int)(sizeof(axis_node) / sizeof(float)) + 4;
}

template <int AX> static __host__ __device__ inline int kept_floats(const kn_cuda_quadratic &q, int cells)
{
    return cells * (shape<AX>::BY_PLACE + 2 * shape<AX>::IN_ORDER + node_floats<AX>(q)) + shape<AX>::MATRIX;
}

template <int AX> static __host__ __device__ inline int brief_floats(int cells)
{
    return cells * 3 * shape<AX>::BY_PLACE;
}

template <int AX, int CELLS>
static __device__ __forceinline__ deviation_space deviation_space_of(const kn_cuda_quadratic &q, float *kept,
                                                                     float *brief)
{
    enum { BY_PLACE = CELLS * shape<AX>::BY_PLACE, IN_ORDER = CELLS * shape<AX>::IN_ORDER };
    const int pitch = node_floats<AX>(q);
    float *const deviation = kept + CELLS * pitch;
    return deviation_space{kept,
                           pitch,
                           deviation,
                           deviation + IN_ORDER,
                           deviation + 2 * IN_ORDER,
                           deviation + 2 * IN_ORDER + BY_PLACE,
                           brief,
                           brief + BY_PLACE,
                           brief + 2 * BY_PLACE};
}

/* Mass, energy and momentum of a row, in every thread of its cell. */
template <int AX, int LANES>
static __device__ __forceinline__ invariant_sums find_sums(const kn_cuda_problem &p,
                                                           const kn_cuda_quadratic &q, const columns &g,
                                                           const float *row)
{
    invariant_sums sum = {0, 0, {0, 0, 0}};
    for (int i1 = g.first[1]; i1 < q.half[1]; i1 += g.step[1])
        for (int i0 = g.first[0]; i0 < q.half[0]; i0 += g.step[0]) {
            const float *base = row + i0 * q.apart[0] + i1 * q.apart[1];
            column_moments<AX> c = {};
            for (int n = 0; n < q.half[2] << (AX > 2); n++) {
                const column_place at = place_in_column<AX>(q, g.turn, n);
                const float w = __ldg(q.weight[2] + at.node), speed = __ldg(q.node[2] + at.node);
#pragma unroll
                for (int s = 0; s < shape<AX>::SIGNS; s++)
                    add_node<AX>(w, at.back ? -speed : speed, s,
                                 base[(at.back ? s + 4 : s) * p.mesh.stride + at.node * q.apart[2]], &c);
            }
            add_column<AX>(__ldg(q.node[0] + i0), __ldg(q.node[1] + i1),
                           __ldg(q.weight[0] + i0) * __ldg(q.weight[1] + i1), c, &sum);
        }
    sum_lanes<shape<AX>::P, LANES>(&sum);
    return sum;
}

/* Coefficients of the deviation from the Maxwellian in its frame: sums over the nodes of this thread. */
template <int AX>
static __device__ __forceinline__ void project(const kn_cuda_problem &p, const kn_cuda_quadratic &q,
                                               const columns &g, const maxwellian &m, const axis_node *nodes,
                                               const float *row, float a[shape<AX>::POLYNOMIALS])
{
    const axis_node *second = nodes + (q.half[0] << (AX > 0)), *third = second + (q.half[1] << (AX > 1));
    for (int i1 = g.first[1]; i1 < q.half[1]; i1 += g.step[1]) {
        const node_pair<shape<AX>::SIGNS1> n1 = read_pair<shape<AX>::SIGNS1>(second + i1, q.half[1]);
        plane<AX> sum = {};
        for (int i0 = g.first[0]; i0 < q.half[0]; i0 += g.step[0]) {
            const node_pair<shape<AX>::SIGNS0> n0 = read_pair<shape<AX>::SIGNS0>(nodes + i0, q.half[0]);
            const column_maxwell<AX> maxwell = maxwell_of<AX>(m, n0, n1);
            const float *base = row + i0 * q.apart[0] + i1 * q.apart[1];
            line<AX> t = {};
            for (int n = 0; n < q.half[2] << (AX > 2); n++) {
                const column_place at = place_in_column<AX>(q, g.turn, n);
                const axis_node last = third[at.i];
#pragma unroll
                for (int s = 0; s < shape<AX>::SIGNS; s++) {
                    const float h = base[(at.back ? s + 4 : s) * p.mesh.stride + at.node * q.apart[2]],
                                d = last.weight * (h - (maxwell.value[s] + last.factor * maxwell.scale[s]));
#pragma unroll
                    for (int j = 0; j < shape<AX>::ORDERS; j++)
                        t.of[s][j] += hermite(last, degree_of<AX>(j)) * d;
                }
            }
            add_line<AX>(n0, t, &sum);
        }
        add_plane<AX>(n1, sum, a);
    }
}

/* Numbers first to end - 1 of a list. */
struct range {
    int first, end;
};

/* Sum N numbers over the threads of a cell. Each step halves the numbers of a thread: it gives the others to
 * the thread at distance OFFSET. */
template <int N, int OFFSET> static __device__ __forceinline__ void share_sums(float *a, range *mine)
{
    enum { HALF = (N + 1) / 2 };
    const bool upper = threadIdx.x & OFFSET;
#pragma unroll
    for (int i = 0; i < HALF; i++) {
        const float high = HALF + i < N ? a[HALF + i] : 0.0f;
        a[i] = (upper ? high : a[i]) + __shfl_xor_sync(0xffffffffu, upper ? a[i] : high, OFFSET);
    }
    mine->end = upper ? mine->end : min(mine->end, mine->first + HALF);
    mine->first += upper ? HALF : 0;
    if constexpr (OFFSET > 1)
        share_sums<HALF, OFFSET / 2>(a, mine);
}

/* Store the coefficients of this cell, by place, and in the order of the loops times `first`, which is the
 * product of the polynomials p_0. */
template <int AX, int LANES>
static __device__ __forceinline__ void put_coefficients(const kn_cuda_quadratic &q, int lane, float scale,
                                                        float first, float a[shape<AX>::POLYNOMIALS],
                                                        float *local, float *deviation)
{
    enum { MINE = (shape<AX>::POLYNOMIALS + LANES - 1) / LANES };
    range mine = {0, shape<AX>::POLYNOMIALS};
    share_sums<shape<AX>::POLYNOMIALS, LANES / 2>(a, &mine);
#pragma unroll
    for (int i = 4 * lane; i < shape<AX>::P * PLACES; i += 4 * LANES)
        write4(local + i, four{{0, 0, 0, 0}});
    __syncwarp();
#pragma unroll
    for (int i = 0; i < MINE; i++) {
        const int n = mine.first + i, place = n < mine.end ? q.place[n] : KN_CUDA_UNUSED;
        if (n < mine.end)
            deviation[n] = place == KN_CUDA_UNUSED ? 0.0f : first * scale * a[i];
        if (place != KN_CUDA_UNUSED)
            local[place] = scale * a[i];
    }
}

/* Copy the matrix of relax_places to shared memory; wait_for_matrix waits for the end. */
template <int AX> static __device__ __forceinline__ void start_matrix(const float *from, float *matrix)
{
    for (int i = 4 * threadIdx.x; i < shape<AX>::MATRIX; i += 4 * DEVIATION_THREADS)
        __pipeline_memcpy_async(matrix + i, from + i, sizeof(float4));
    __pipeline_commit();
}

static __device__ __forceinline__ void wait_for_matrix(void)
{
    __pipeline_wait_prior(0);
    __syncthreads();
}

/* relaxed <- change of the coefficients by the linear step; middle <- coefficients in its middle. */
template <int AX, int LANES>
static __device__ __forceinline__ void relax_places(const float *matrix, int lane, const float *local,
                                                    float *relaxed, float *middle)
{
    enum { USED = KN_CUDA_POLYNOMIALS, ROW = KN_CUDA_RELAXED };
#pragma unroll
    for (int f = lane; f < shape<AX>::P * USED; f += LANES) {
        const int parity = f / USED, at = parity * PLACES + f % USED;
        float sum = 0;
#pragma unroll
        for (int j = 0; j < ROW; j += 4) {
            const four row = read4(matrix + f * ROW + j), x = read4(local + parity * PLACES + j);
#pragma unroll
            for (int i = 0; i < 4; i++)
                sum += row.v[i] * x.v[i];
        }
        relaxed[at] = sum;
        middle[at] = local[at] + 0.5f * sum;
    }
}

/* 8 products of a parity: the tensor for this lane, and the places of the factors of its two products, in
 * bytes. */
struct pair_step {
    float4 tensor;
    uint2 pairs;
};

static __device__ __forceinline__ pair_step read_step(const float4 *tensor, const uint2 *pairs)
{
    return pair_step{__ldg(tensor), __ldg(pairs)};
}

/* The product of two coefficients of a cell. */
static __device__ __forceinline__ float product_of(const float *coefficients, uint32_t pair)
{
    const char *at = (const char *)coefficients;
    return *(const float *)(at + (pair & 0xffff)) * *(const float *)(at + (pair >> 16));
}

/* Collisions between the polynomials of all cells of the block: the tensor times products of coefficients,
 * one parity after the other, on tensor cores: 16 polynomials x 8 cells. */
template <int AX, int CELLS>
static __device__ __forceinline__ void collide_pairs(const kn_cuda_quadratic &q, const float *middle,
                                                     float *sum)
{
    enum { PITCH = shape<AX>::BY_PLACE, GROUPS = CELLS / 8 };
    const int lane = threadIdx.x % WARP;
    const float *const cell = middle + lane / 4 * PITCH;
    for (int parity = threadIdx.x / WARP; parity < shape<AX>::P; parity += DEVIATION_THREADS / WARP) {
        const int first = q.first_step[parity], steps = q.first_step[parity + 1] - first;
        const float4 *tensor = (const float4 *)q.tensor + first * WARP + lane;
        const uint2 *pairs = (const uint2 *)q.pairs + first * 4 + lane % 4;
        float d[GROUPS][4] = {};
        pair_step next = read_step(tensor, pairs);
#pragma unroll 2
        for (int step = 0; step < steps; step++) {
            const pair_step now = next;
            next = read_step(tensor += WARP, pairs += 4); /* a step follows the last */
            const float a[4] = {now.tensor.x, now.tensor.y, now.tensor.z, now.tensor.w},
                        a_rest[4] = {rest_of(a[0]), rest_of(a[1]), rest_of(a[2]), rest_of(a[3])};
#pragma unroll
            for (int g = 0; g < GROUPS; g++) {
                const float b[2] = {product_of(cell + g * 8 * PITCH, now.pairs.x),
                                    product_of(cell + g * 8 * PITCH, now.pairs.y)},
                            b_rest[2] = {rest_of(b[0]), rest_of(b[1])};
                add_product(d[g], a_rest, b);
                add_product(d[g], a, b_rest);
                add_product(d[g], a, b);
            }
        }
#pragma unroll
        for (int i = 0; i < GROUPS * 4; i++)
            sum[(i / 4 * 8 + lane % 4 * 2 + i % 2) * PITCH + parity * PLACES + lane / 4 + i / 2 % 2 * 8] =
                d[i / 4][i % 4];
    }
}

/* gain <- change of the coefficients in the order of the loops; local <- coefficients times `beyond`, for the
 * operator. */
template <int AX, int LANES>
static __device__ __forceinline__ void add_changes(const kn_cuda_quadratic &q, int lane, float rate,
                                                   float beyond, const deviation_space &of)
{
    for (int i = lane; i < shape<AX>::POLYNOMIALS; i += LANES) {
        const int place = q.place[i];
        of.gain[i] = place == KN_CUDA_UNUSED ? 0.0f : rate * (of.relaxed[place] + q.factor * of.sum[place]);
        if (place != KN_CUDA_UNUSED)
            of.local[place] *= beyond;
    }
}

/* What the gain has changed by quadrature errors and round-off in a cell: mass, energy, momentum; and the
 * mass lost when it was added to the row. */
struct gain_errors {
    invariant_sums sum;
    float lost;
};

/* A column of this thread: polynomials of the deviation and of the gain, the Maxwellian, the weight. */
template <int AX> struct gained_column {
    line<AX> deviation, gain;
    column_maxwell<AX> maxwell;
    float weight;
    int base;              /* of its nodes in an octant */
    const axis_node *last; /* nodes along the last axis, which starts at `turn` */
    int turn;
};

/* Add the gain to the row of a column. `put` stores the rest of the deviation: put(first octant, node, values
 * by sign). */
template <int AX, class PUT>
static __device__ __forceinline__ column_moments<AX>
add_gain(const kn_cuda_problem &p, const kn_cuda_quadratic &q, const gained_column<AX> &c, float *row,
         PUT put, float *lost)
{
    column_moments<AX> sum = {};
    float missing = 0;
    for (int n = 0; n < q.half[2] << (AX > 2); n++) {
        const column_place at = place_in_column<AX>(q, c.turn, n);
        const int first = at.back ? 4 : 0, k = c.base + at.node * q.apart[2];
        const axis_node last = c.last[at.i];
        const float speed = __ldg(q.node[2] + at.node);
        float rest[shape<AX>::SIGNS];
#pragma unroll
        for (int s = 0; s < shape<AX>::SIGNS; s++) {
            float *const here = row + (first + s) * p.mesh.stride + k;
            const float h = *here, m = c.maxwell.value[s] + last.factor * c.maxwell.scale[s],
                        weight = c.maxwell.scale[s] * last.scale,
                        change = weight * value_at<AX>(last, c.gain.of[s]), next = h + change;
            rest[s] = h - m - weight * value_at<AX>(last, c.deviation.of[s]);
            *here = next;
            missing += last.weight * kn_stream_lost(h, change, next);
            add_node<AX>(last.weight, at.back ? -speed : speed, s, change, &sum);
        }
        put(first, k, rest);
    }
    *lost += c.weight * missing;
    return sum;
}

/* All columns of this thread. */
template <int AX, int LANES, class PUT>
static __device__ __forceinline__ gain_errors add_gains(const kn_cuda_problem &p, const kn_cuda_quadratic &q,
                                                        const columns &g, const maxwellian &m,
                                                        const deviation_space &of, float *row, PUT put)
{
    const axis_node *first = (const axis_node *)of.nodes, *second = first + (q.half[0] << (AX > 0)),
                    *third = second + (q.half[1] << (AX > 1));
    gain_errors e = {};
    for (int i1 = g.first[1]; i1 < q.half[1]; i1 += g.step[1]) {
        const node_pair<shape<AX>::SIGNS1> n1 = read_pair<shape<AX>::SIGNS1>(second + i1, q.half[1]);
        const plane<AX> deviation = plane_of<AX>(n1, of.deviation), gain = plane_of<AX>(n1, of.gain);
        for (int i0 = g.first[0]; i0 < q.half[0]; i0 += g.step[0]) {
            const node_pair<shape<AX>::SIGNS0> n0 = read_pair<shape<AX>::SIGNS0>(first + i0, q.half[0]);
            const gained_column<AX> c = {line_of<AX>(n0, deviation),
                                         line_of<AX>(n0, gain),
                                         maxwell_of<AX>(m, n0, n1),
                                         n0.of[0].weight * n1.of[0].weight,
                                         i0 * q.apart[0] + i1 * q.apart[1],
                                         third,
                                         g.turn};
            const column_moments<AX> sum = add_gain<AX>(p, q, c, row, put, &e.lost);
            add_column<AX>(__ldg(q.node[0] + i0), __ldg(q.node[1] + i1), c.weight, sum, &e.sum);
        }
    }
    sum_lanes<shape<AX>::P, LANES>(&e.sum);
    e.lost = sum_of_lanes<LANES>(e.lost);
    return e;
}

/* The memory of cell c alone. */
template <int AX> static __device__ __forceinline__ deviation_space space_of_cell(deviation_space of, int c)
{
    of.local += c * shape<AX>::BY_PLACE;
    of.deviation += c * shape<AX>::IN_ORDER;
    of.gain += c * shape<AX>::IN_ORDER;
    of.nodes += c * of.node_pitch;
    of.relaxed += c * shape<AX>::BY_PLACE;
    of.middle += c * shape<AX>::BY_PLACE;
    of.sum += c * shape<AX>::BY_PLACE;
    return of;
}

/* The quadratic part in CELLS cells, one after the other in the block. `row`: of the cell of this thread,
 * which does not exist if it is -1; `put`: see add_gain. */
template <int AX, int CELLS, class PUT>
static __device__ __forceinline__ gain_errors deviate(const kn_cuda_problem &p, const kn_cuda_quadratic &q,
                                                      const deviation_space &all, int cell, float *row,
                                                      PUT put)
{
    enum { LANES = DEVIATION_THREADS / CELLS };
    const int lane = threadIdx.x % LANES;
    const deviation_space mine = space_of_cell<AX>(all, threadIdx.x / LANES);
    const columns g = columns_of<LANES>(p, q, lane, cell);
    start_matrix<AX>(q.relaxed, all.matrix);
    const maxwellian m = maxwellian_of(p.eps, q.exponent, find_sums<AX, LANES>(p, q, g, row));
    const float first = fill_nodes<AX, LANES>(q, p.eps, m, lane, (axis_node *)mine.nodes);
    __syncwarp();
    float a[shape<AX>::POLYNOMIALS] = {};
    project<AX>(p, q, g, m, (const axis_node *)mine.nodes, row, a);
    put_coefficients<AX, LANES>(q, lane, kn_point_quotient(first, m.density), first, a, mine.local,
                                mine.deviation);
    wait_for_matrix();
    relax_places<AX, LANES>(all.matrix, lane, mine.local, mine.relaxed, mine.middle);
    __syncthreads();
    collide_pairs<AX, CELLS>(q, all.middle, all.sum);
    __syncthreads();
    add_changes<AX, LANES>(q, lane, first * m.rate, m.beyond, mine);
    __syncthreads(); /* `put` may overwrite the coefficients that are used briefly */
    return add_gains<AX, LANES>(p, q, g, m, mine, row, put);
}

#endif
