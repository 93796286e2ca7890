/* The quadratic part of collisions on the device, theory (47) to (51). For every cell: the local Maxwellian, the
 * polynomials of the deviation from it in its frame, and their collisions. The result is the gain of these
 * collisions, and the rest of the deviation, on which the operator acts afterwards.
 *
 * A block has 128 threads and 16 or 8 cells. A thread processes columns of nodes along the last axis, in all
 * octants. */
#include "cuda/cuda_operator.h"
#include "cuda/cuda_quadratic.h"

enum { THREADS = 128, TERMS = KN_HERMITE_TERMS, PLACES = KN_CUDA_PLACES };

/* The local Maxwellian; velocities by octant bit. */
struct maxwellian {
    float rho, u[3], theta, constant, inverse, density, rate;
};

/* One node of an axis of a cell: the factor of the Maxwellian, the polynomials of the peculiar velocity (the
 * first is 1), and the weight of the node. */
struct __align__(16) axis_node
{
    float factor, hermite[TERMS - 1], weight, unused;
};

/* Axes are 0, 1 and 2, of which the first AX have both signs. Octants differ in the signs along them. */
template <int AX> struct shape {
    enum {
        P = 1 << AX,
        SIGNS = AX > 1 ? 4 : P,       /* along the first two axes */
        ORDERS = AX > 2 ? TERMS : TERMS / 2, /* along the last axis */
        POLYNOMIALS = AX == 3 ? 56 : AX == 2 ? 34 : AX == 1 ? 20 : 10,
        PADDED = (POLYNOMIALS + 3) / 4 * 4
    };
};

/* Loop over the polynomials: degrees n1 and n2, and inside n0. */
#define FOR_DEGREES(AX, n1, n2)                                                                              \
    _Pragma("unroll") for (int n1 = 0; n1 < TERMS; n1 += AX > 1 ? 1 : 2)                                     \
        _Pragma("unroll") for (int n2 = 0; n1 + n2 < TERMS; n2 += AX > 2 ? 1 : 2)
#define FOR_FIRST_DEGREE(AX, n1, n2, n0)                                                                     \
    _Pragma("unroll") for (int n0 = 0; n0 + n1 + n2 < TERMS; n0 += AX > 0 ? 1 : 2)

/* Shared memory of a block, as offsets in floats. The coefficients by place share memory with the rest of the
 * deviation, which is computed later. */
struct layout {
    int rest, row_pitch; /* pitch 0: rows stay in global memory */
    int nodes, node_pitch;
    int local, relaxed, middle, sum, pitch; /* coefficients by place */
    int deviation, gain, padded;            /* coefficients in the order of the loops */
    int floats;
};

template <int AX>
static __host__ __device__ inline layout layout_of(const kn_cuda_problem &p, const kn_cuda_quadratic &q, int cells,
                                                   bool staged)
{
    layout l = {};
    l.row_pitch = staged ? p.mesh.nnodes + 1 : 0; /* different cells are in different banks */
    l.pitch = shape<AX>::P * PLACES + 4;
    l.padded = shape<AX>::PADDED + 4;
    for (int d = 0; d < 3; d++)
        l.node_pitch += (q.half[d] << (d < AX)) * 8;
    l.rest = (cells * l.row_pitch + 3) / 4 * 4;
    l.local = l.rest;
    l.relaxed = l.local + cells * l.pitch;
    l.middle = l.relaxed + cells * l.pitch;
    l.sum = l.middle + cells * l.pitch;
    const int rest = (cells * l.row_pitch + 3) / 4 * 4, places = 4 * cells * l.pitch;
    l.nodes = l.rest + (rest > places ? rest : places);
    l.deviation = l.nodes + cells * l.node_pitch;
    l.gain = l.deviation + cells * l.padded;
    l.floats = l.gain + cells * l.padded;
    return l;
}

/* A row, with sources that act before the collisions. */
struct row_reader {
    const float *row, *source;
    float time;
};

static __device__ __forceinline__ float value_at(const row_reader &r, int k)
{
    return r.time != 0 ? kn_collide_driven(r.row[k], r.time, r.source[k]) : r.row[k];
}

static __device__ __forceinline__ float join(float eps, float a, float b)
{
    return a + b * (1 + eps * a);
}

/* Sums over the LANES threads of a cell. */
template <int LANES> static __device__ __forceinline__ float sum_group(float x)
{
#pragma unroll
    for (int offset = LANES / 2; offset > 0; offset /= 2)
        x += __shfl_xor_sync(0xffffffffu, x, offset);
    return x;
}

/* Mass, energy and momentum of a row, in every thread of its cell. */
template <int AX, int LANES>
static __device__ sums find_sums(const kn_cuda_problem &p, const row_reader &r, int lane)
{
    enum { P = shape<AX>::P };
    sums sum = {0, 0, {0, 0, 0}};
    for (int k = lane; k < p.size; k += LANES) {
        float h[P];
#pragma unroll
        for (int o = 0; o < P; o++)
            h[o] = value_at(r, o * p.mesh.stride + k);
        const parities<P> s = parities_of<P>(h);
        const float w = p.w[k];
        sum.mass += (double)w * s.even;
        sum.energy += w * p.square[k] * s.even;
#pragma unroll
        for (int j = 0; j < AX; j++)
            sum.momentum[j] += w * p.along[j][k] * s.odd[j];
    }
    sum_lanes<LANES, AX>(&sum);
    return sum;
}

static __device__ maxwellian maxwellian_of(float epsilon, float exponent, int axes, const sums &s)
{
    const double eps = epsilon, n = 1 + eps * s.mass;
    maxwellian m = {(float)s.mass, {0, 0, 0}};
    double uu = 0;
    for (int j = 0; j < axes; j++) {
        const double u = s.momentum[j] / n;
        m.u[j] = (float)u;
        uu += u * u;
    }
    const double theta = (2.0 / 3 * s.energy - s.mass) / n - 2.0 / 3 * eps * uu, temperature = 1 + eps * theta;
    m.theta = (float)theta;
    m.constant = (float)(-0.5 * kn_deviation_log(eps, theta));
    m.inverse = (float)(1 / temperature);
    m.density = (float)n;
    m.rate = kn_hermite_rate((float)n, (float)temperature, exponent);
    return m;
}

/* The nodes of all axes, those with v > 0 first. */
template <int AX, int LANES>
static __device__ void fill_nodes(const kn_cuda_problem &p, const kn_cuda_quadratic &q, const maxwellian &m,
                                  int lane, axis_node *nodes)
{
    const float eps = p.eps, scale = sqrtf(m.inverse);
    for (int d = 0; d < 3; d++) {
        const int count = q.half[d] << (d < AX);
        const float u = d == 0 ? m.u[0] : d == 1 ? m.u[1] : m.u[2];
        for (int i = lane; i < count; i += LANES) {
            const int at = i < q.half[d] ? i : i - q.half[d];
            const float speed = __ldg(q.node[d] + at), x = i < q.half[d] ? speed : -speed;
            axis_node n;
            n.factor = kn_deviation_exp(eps, m.constant + (x * (2 * u + m.theta * x) - eps * u * u) * m.inverse);
            n.weight = __ldg(q.weight[d] + at);
            n.unused = 0;
            kn_hermite_at((x - eps * u) * scale, n.hermite);
            nodes[i] = n;
        }
        nodes += count;
    }
}

/* A column of nodes of a cell: the two nodes (v > 0, v < 0) along each of the first two axes, the nodes along the
 * last, and the Maxwellian by signs without its factor along the last axis. */
template <int AX> struct column {
    axis_node n0[AX > 0 ? 2 : 1], n1[AX > 1 ? 2 : 1];
    const axis_node *last;
    float maxwell[shape<AX>::SIGNS];
    int base; /* of its nodes in an octant */
};

template <int AX>
static __device__ __forceinline__ column<AX> column_of(const kn_cuda_quadratic &q, float eps,
                                                       const maxwellian &m, const axis_node *nodes, int number)
{
    const int i0 = number / q.half[1], i1 = number - i0 * q.half[1];
    const axis_node *first = nodes + i0, *second = nodes + (q.half[0] << (AX > 0)) + i1;
    column<AX> c;
    c.last = nodes + (q.half[0] << (AX > 0)) + (q.half[1] << (AX > 1));
    c.base = i0 * q.apart[0] + i1 * q.apart[1];
#pragma unroll
    for (int s = 0; s < (AX > 0 ? 2 : 1); s++)
        c.n0[s] = first[s * q.half[0]];
#pragma unroll
    for (int s = 0; s < (AX > 1 ? 2 : 1); s++)
        c.n1[s] = second[s * q.half[1]];
#pragma unroll
    for (int s = 0; s < shape<AX>::SIGNS; s++)
        c.maxwell[s] = join(eps, join(eps, m.rho, c.n0[AX > 0 ? s & 1 : 0].factor), c.n1[AX > 1 ? s >> 1 : 0].factor);
    return c;
}

/* h_n of a node. */
static __device__ __forceinline__ float hermite(const axis_node &node, int n)
{
    return n == 0 ? 1.0f : node.hermite[n - 1];
}

/* The order along the last axis of place j: all orders, or the even ones. */
template <int AX> static __host__ __device__ constexpr int degree_of(int j)
{
    return AX > 2 ? j : 2 * j;
}

/* Coefficients of the deviation from the Maxwellian in its frame: sums over the nodes. */
template <int AX, int LANES>
static __device__ __forceinline__ void project(const kn_cuda_problem &p, const kn_cuda_quadratic &q,
                                               const row_reader &r, const maxwellian &m, const axis_node *nodes,
                                               int lane, float a[shape<AX>::POLYNOMIALS])
{
    enum { SIGNS = shape<AX>::SIGNS, ORDERS = shape<AX>::ORDERS, COUNT = shape<AX>::POLYNOMIALS };
#pragma unroll
    for (int i = 0; i < COUNT; i++)
        a[i] = 0;
    for (int number = lane; number < q.half[0] * q.half[1]; number += LANES) {
        const column<AX> c = column_of<AX>(q, p.eps, m, nodes, number);
        float t[SIGNS][ORDERS] = {};
        for (int i = 0; i < q.half[2] << (AX > 2); i++) {
            const bool back = AX > 2 && i >= q.half[2];
            const int k = c.base + (back ? i - q.half[2] : i) * q.apart[2];
            const axis_node last = c.last[i];
#pragma unroll
            for (int s = 0; s < SIGNS; s++) {
                const float h = value_at(r, (back ? s + 4 : s) * p.mesh.stride + k),
                            d = last.weight * (h - join(p.eps, c.maxwell[s], last.factor));
#pragma unroll
                for (int j = 0; j < ORDERS; j++)
                    t[s][j] += hermite(last, degree_of<AX>(j)) * d;
            }
        }
        const float w = c.n0[0].weight * c.n1[0].weight;
        int i = 0;
        FOR_DEGREES(AX, n1, n2)
        {
            float sum[2] = {0, 0};
#pragma unroll
            for (int s = 0; s < SIGNS; s++)
                sum[s & 1] += hermite(c.n1[AX > 1 ? s >> 1 : 0], n1) * t[s][AX > 2 ? n2 : n2 / 2];
            FOR_FIRST_DEGREE(AX, n1, n2, n0)
            {
#pragma unroll
                for (int s = 0; s < (AX > 0 ? 2 : 1); s++)
                    a[i] += w * hermite(c.n0[s], n0) * sum[s];
                i++;
            }
        }
    }
#pragma unroll
    for (int i = 0; i < COUNT; i++)
        a[i] = sum_group<LANES>(a[i]) / m.density;
}

/* relaxed <- change of the coefficients by the linear step; middle <- coefficients in its middle. */
template <int AX, int LANES>
static __device__ __forceinline__ void relax_places(const float *matrix, int lane, const float *local,
                                                    float *relaxed, float *middle)
{
    enum { ROWS = KN_CUDA_POLYNOMIALS };
    for (int f = lane; f < shape<AX>::P * ROWS; f += LANES) {
        const int parity = f / ROWS, at = parity * PLACES + f % ROWS;
        float sum = 0;
#pragma unroll
        for (int j = 0; j < 12; j += 4) {
            const four row = read4(matrix + at * PLACES + j), x = read4(local + parity * PLACES + j);
#pragma unroll
            for (int i = 0; i < 4; i++)
                sum += row.v[i] * x.v[i];
        }
        relaxed[at] = sum;
        middle[at] = local[at] + 0.5f * sum;
    }
}

/* Collisions between the polynomials of all cells of the block: products times the tensor, one parity after the
 * other, on tensor cores. With 8 cells the second half of a product repeats the first. */
template <int CELLS>
static __device__ void collide_pairs(const kn_cuda_quadratic &q, int octants, const float *middle, int pitch,
                                     float *sum)
{
    const int lane = threadIdx.x % WARP, column = lane % 4;
    const float *low = middle + lane / 4 * pitch, *high = low + (CELLS > 8 ? 8 : 0) * pitch;
    for (int parity = threadIdx.x / WARP; parity < octants; parity += THREADS / WARP) {
        changes<1, 2> d = {};
        for (int step = q.first_step[parity]; step < q.first_step[parity + 1]; step++) {
            const factors<2> b = read_factors<2>(q.tensor + (int64_t)step * 4 * WARP);
            float a[1][4], rest[1][4];
#pragma unroll
            for (int half = 0; half < 2; half++) {
                const uint32_t pair = __ldg(q.pairs + step * 8 + half * 4 + column);
                a[0][2 * half] = low[pair & 0xffff] * low[pair >> 16];
                a[0][2 * half + 1] = high[pair & 0xffff] * high[pair >> 16];
            }
#pragma unroll
            for (int i = 0; i < 4; i++)
                rest[0][i] = rest_of(a[0][i]);
            add_products<1, 2>(a, rest, b, &d);
        }
        float *at = sum + lane / 4 * pitch + parity * PLACES + 2 * column;
#pragma unroll
        for (int i = 0; i < (CELLS > 8 ? 4 : 2); i++) /* two tiles of nodes, two of cells */
            *(float2 *)(at + i / 2 * 8 * pitch + i % 2 * NODES_ACROSS) =
                make_float2(d.of[0][i % 2][i / 2 * 2], d.of[0][i % 2][i / 2 * 2 + 1]);
    }
}

/* Sums over the columns of a cell: mass, energy, momentum of the gain, mass lost by round-off. */
struct gain_errors {
    float mass, energy, momentum[3], lost;
};

/* Polynomials of a column by signs and order along the last axis, from coefficients in the order of the loops. */
template <int AX>
static __device__ __forceinline__ void contract(const column<AX> &c, const float *coefficients,
                                                float t[shape<AX>::SIGNS][shape<AX>::ORDERS])
{
    int i = 0;
#pragma unroll
    for (int j = 0; j < shape<AX>::SIGNS * shape<AX>::ORDERS; j++)
        t[j / shape<AX>::ORDERS][j % shape<AX>::ORDERS] = 0;
    FOR_DEGREES(AX, n1, n2)
    {
        float sum[2] = {0, 0};
        FOR_FIRST_DEGREE(AX, n1, n2, n0)
        {
            const float x = coefficients[i++];
#pragma unroll
            for (int s = 0; s < (AX > 0 ? 2 : 1); s++)
                sum[s] += hermite(c.n0[s], n0) * x;
        }
#pragma unroll
        for (int s = 0; s < shape<AX>::SIGNS; s++)
            t[s][AX > 2 ? n2 : n2 / 2] += hermite(c.n1[AX > 1 ? s >> 1 : 0], n1) * sum[s & 1];
    }
}

/* Where a cell is stored: rows in shared memory, or in global memory. */
struct cell_rows {
    float *rest, *to;
};

/* One column: store the rest of the deviation, and the row with the gain. */
template <int AX>
static __device__ __forceinline__ void store_column(const kn_cuda_problem &p, const kn_cuda_quadratic &q,
                                                    const row_reader &r, const column<AX> &c,
                                                    const float *deviation, const float *gain, const cell_rows &to,
                                                    gain_errors *e)
{
    enum { SIGNS = shape<AX>::SIGNS, ORDERS = shape<AX>::ORDERS };
    float t[SIGNS][ORDERS], g[SIGNS][ORDERS];
    contract<AX>(c, deviation, t);
    contract<AX>(c, gain, g);
    for (int i = 0; i < q.half[2] << (AX > 2); i++) {
        const bool back = AX > 2 && i >= q.half[2];
        const int node = back ? i - q.half[2] : i, k = c.base + node * q.apart[2];
        const axis_node last = c.last[i];
        const float w = p.w[k];
        float even = 0, odd[2] = {0, 0};
#pragma unroll
        for (int s = 0; s < SIGNS; s++) {
            const int at = (back ? s + 4 : s) * p.mesh.stride + k;
            const float h = value_at(r, at), m = join(p.eps, c.maxwell[s], last.factor), weight = 1 + p.eps * m;
            float smooth = 0, added = 0;
#pragma unroll
            for (int j = 0; j < ORDERS; j++) {
                smooth += hermite(last, degree_of<AX>(j)) * t[s][j];
                added += hermite(last, degree_of<AX>(j)) * g[s][j];
            }
            const float change = weight * added, next = h + change;
            to.rest[at] = h - m - weight * smooth;
            to.to[at] = next;
            e->lost += w * kn_stream_lost(h, change, next);
            even += change;
            odd[0] += s & 1 ? -change : change;
            odd[1] += s & 2 ? -change : change;
        }
        e->mass += w * even;
        e->energy += w * p.square[k] * even;
        if (AX > 0)
            e->momentum[0] += w * p.along[0][k] * odd[0];
        if (AX > 1)
            e->momentum[1] += w * p.along[1][k] * odd[1];
        if (AX > 2)
            e->momentum[2] += w * p.along[2][k] * (back ? -even : even);
    }
}

/* Copy the rows of a block from global to shared memory, with sources. */
template <int CELLS>
static __device__ void load_rows(const kn_cuda_problem &p, const kn_cuda_deviation &d, int first, int here,
                                 int pitch, float *rows)
{
    const int quads = p.mesh.nnodes / 4;
    for (int i = threadIdx.x; i < CELLS * quads; i += THREADS) {
        const int c = i / quads, k = 4 * (i - c * quads), from = first + (c < here ? c : here - 1);
        const four h = read_row(d.h + (int64_t)(d.list ? d.list[from] : from) * p.mesh.nnodes + k);
#pragma unroll
        for (int j = 0; j < 4; j++)
            rows[c * pitch + k + j] =
                d.before != 0 ? kn_collide_driven(h.v[j], d.before, p.source[k + j]) : h.v[j];
    }
    __syncthreads();
}

/* Copy them back; padding in shared memory is not used. */
static __device__ void store_rows(const kn_cuda_problem &p, const kn_cuda_deviation &d, int first, int here,
                                  int pitch, const float *rows, float *to)
{
    const int quads = p.mesh.nnodes / 4, padding = p.mesh.stride - p.size;
    for (int i = threadIdx.x; i < here * quads; i += THREADS) {
        const int c = i / quads, k = 4 * (i - c * quads), at = first + c, node = k % p.mesh.stride;
        four h;
#pragma unroll
        for (int j = 0; j < 4; j++)
            h.v[j] = padding == 0 || node + j < p.size ? rows[c * pitch + k + j] : 0.0f;
        write4(to + (int64_t)(d.list ? d.list[at] : at) * p.mesh.nnodes + k, h);
    }
}

/* One cell of a block, as its threads see it. */
struct member {
    int number, lane; /* in the block; thread of the cell */
    int64_t cell;
    bool exists;
};

/* Store the coefficients by place and in the order of the loops. */
template <int AX, int LANES>
static __device__ __forceinline__ void store_coefficients(const kn_cuda_quadratic &q, const member &me,
                                                          const float a[shape<AX>::POLYNOMIALS], float *local,
                                                          float *deviation)
{
    enum { P = shape<AX>::P };
    for (int i = me.lane; i < P * PLACES; i += LANES)
        local[i] = 0;
    __syncwarp();
#pragma unroll
    for (int i = 0; i < shape<AX>::POLYNOMIALS; i++)
        if (i % LANES == me.lane) {
            const bool used = q.place[i] != KN_CUDA_UNUSED;
            deviation[i] = used ? a[i] : 0.0f;
            if (used)
                local[q.place[i]] = a[i];
        }
    __syncwarp();
    for (int i = 4 * me.lane; i < P * PLACES && me.exists; i += 4 * LANES)
        write4(q.coefficients + me.cell * P * PLACES + i, read4(local + i));
}

/* gain <- change of the coefficients in the order of the loops. */
template <int AX, int LANES>
static __device__ __forceinline__ void add_changes(const kn_cuda_quadratic &q, const maxwellian &m, float factor,
                                                   int lane, const float *relaxed, const float *sum, float *gain)
{
#pragma unroll
    for (int i = 0; i < shape<AX>::POLYNOMIALS; i++)
        if (i % LANES == lane) {
            const bool used = q.place[i] != KN_CUDA_UNUSED;
            const int at = used ? q.place[i] : 0;
            gain[i] = used ? m.rate * (relaxed[at] + factor * sum[at]) : 0.0f;
        }
}

/* All columns of a cell; the errors of the gain are stored for the operator. */
template <int AX, int LANES>
static __device__ __forceinline__ void store_cell(const kn_cuda_problem &p, const kn_cuda_quadratic &q,
                                                  const row_reader &r, const maxwellian &m, const member &me,
                                                  const axis_node *nodes, const float *deviation,
                                                  const float *gain, const cell_rows &to)
{
    gain_errors e = {};
    for (int number = me.lane; number < q.half[0] * q.half[1] && me.exists; number += LANES)
        store_column<AX>(p, q, r, column_of<AX>(q, p.eps, m, nodes, number), deviation, gain, to, &e);
    const float all[KN_CUDA_ERRORS] = {e.mass, e.energy, e.momentum[0], e.momentum[1], e.momentum[2], e.lost};
#pragma unroll
    for (int i = 0; i < KN_CUDA_ERRORS; i++) {
        const float total = sum_group<LANES>(all[i]);
        if (me.lane == 0 && me.exists)
            q.errors[me.cell * KN_CUDA_ERRORS + i] = total;
    }
}

template <int AX, int CELLS>
static __global__ void __launch_bounds__(THREADS, AX > 2 ? 2 : 4)
    deviation_kernel(const __grid_constant__ kn_cuda_problem p, const __grid_constant__ kn_cuda_quadratic q,
                     const __grid_constant__ kn_cuda_deviation d, bool staged)
{
    enum { P = shape<AX>::P, LANES = THREADS / CELLS };
    extern __shared__ __align__(16) float shared[];
    const layout l = layout_of<AX>(p, q, CELLS, staged);
    const int first = blockIdx.x * CELLS, here = min(d.total - first, (int)CELLS), c = threadIdx.x / LANES,
              from = first + (c < here ? c : here - 1);
    const member me = {c, (int)threadIdx.x % LANES, d.list ? d.list[from] : from, c < here};
    axis_node *const nodes = (axis_node *)(shared + l.nodes + c * l.node_pitch);
    float *const deviation = shared + l.deviation + c * l.padded, *const gain = shared + l.gain + c * l.padded,
                 *const local = shared + l.local + c * l.pitch, *const relaxed = shared + l.relaxed + c * l.pitch,
                 *const middle = shared + l.middle + c * l.pitch, *const sum = shared + l.sum + c * l.pitch,
                 *const row = shared + c * l.row_pitch;
    if (staged)
        load_rows<CELLS>(p, d, first, here, l.row_pitch, shared);
    const int64_t start = me.cell * p.mesh.nnodes;
    const row_reader r = {staged ? row : d.h + start, p.source, staged ? 0.0f : d.before};
    const maxwellian m = maxwellian_of(p.eps, q.exponent, AX, find_sums<AX, LANES>(p, r, me.lane));
    fill_nodes<AX, LANES>(p, q, m, me.lane, nodes);
    __syncwarp();
    float a[shape<AX>::POLYNOMIALS];
    project<AX, LANES>(p, q, r, m, nodes, me.lane, a);
    store_coefficients<AX, LANES>(q, me, a, local, deviation);
    relax_places<AX, LANES>(d.relaxed, me.lane, local, relaxed, middle);
    __syncthreads();
    collide_pairs<CELLS>(q, P, shared + l.middle, l.pitch, shared + l.sum);
    __syncthreads();
    add_changes<AX, LANES>(q, m, d.factor, me.lane, relaxed, sum, gain);
    __syncthreads(); /* the rest of the deviation overwrites the coefficients by place */
    const cell_rows to = {staged ? shared + l.rest + c * l.row_pitch : d.rest + start, staged ? row : d.to + start};
    store_cell<AX, LANES>(p, q, r, m, me, nodes, deviation, gain, to);
    if (!staged)
        return;
    __syncthreads();
    store_rows(p, d, first, here, l.row_pitch, shared + l.rest, d.rest);
    store_rows(p, d, first, here, l.row_pitch, shared, d.to);
}

/* Blocks of this kernel that a multiprocessor holds; 0: not even one. */
template <int AX, int CELLS>
static int blocks_of(const kn_cuda_problem *p, const kn_cuda_quadratic *q)
{
    const size_t bytes = (size_t)layout_of<AX>(*p, *q, CELLS, true).floats * sizeof(float);
    return bytes <= p->shared_limit ? (int)(p->shared_whole / (bytes + 1024)) : 0;
}

template <int AX, int CELLS>
static cudaError_t launch(const kn_cuda_problem *p, const kn_cuda_quadratic *q, const kn_cuda_deviation *d,
                          bool staged, cudaStream_t stream)
{
    const size_t bytes = (size_t)layout_of<AX>(*p, *q, CELLS, staged).floats * sizeof(float);
    const auto kernel = deviation_kernel<AX, CELLS>;
    const cudaError_t status =
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
    if (status != cudaSuccess)
        return status;
    kernel<<<(unsigned)((d->total + CELLS - 1) / CELLS), THREADS, bytes, stream>>>(*p, *q, *d, staged);
    return cudaGetLastError();
}

/* 16 cells per block, or 8 if their rows leave space for few blocks; rows that are too long for shared memory stay
 * in global memory. */
template <int AX>
static cudaError_t launch_cells(const kn_cuda_problem *p, const kn_cuda_quadratic *q, const kn_cuda_deviation *d,
                                cudaStream_t stream)
{
    if (blocks_of<AX, 16>(p, q) >= 3 || blocks_of<AX, 8>(p, q) == 0)
        return launch<AX, 16>(p, q, d, blocks_of<AX, 16>(p, q) > 0, stream);
    return launch<AX, 8>(p, q, d, true, stream);
}

cudaError_t kn_cuda_deviate(const struct kn_cuda_problem *p, const struct kn_cuda_quadratic *q,
                            const struct kn_cuda_deviation *d, cudaStream_t stream)
{
    switch (p->mesh.octants) {
    case 1:
        return launch_cells<0>(p, q, d, stream);
    case 2:
        return launch_cells<1>(p, q, d, stream);
    case 4:
        return launch_cells<2>(p, q, d, stream);
    default:
        return launch_cells<3>(p, q, d, stream);
    }
}
