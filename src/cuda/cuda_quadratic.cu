/* The quadratic part of collisions on the device, theory (47) to (51). For every cell: the local Maxwellian, the
 * polynomials of the deviation from it, and their collisions in its frame. The result is the gain of these
 * collisions, and the rest of the deviation, on which the operator acts afterwards.
 *
 * A block has 16 cells, 8 threads per cell. A thread processes columns of nodes along the last axis. */
#include "cuda/cuda_operator.h"
#include "cuda/cuda_quadratic.h"

enum {
    CELLS = CELLS_ACROSS,
    LANES = 8, /* threads per cell */
    THREADS = CELLS * LANES,
    TERMS = KN_HERMITE_TERMS,
    ORDERS = TERMS / 2, /* even or odd polynomials along an axis */
    PLACES = KN_CUDA_PLACES
};

/* The local Maxwellian; velocities by octant bit. */
struct maxwellian {
    float rho, u[3], theta, constant, inverse, density, rate;
};

/* Shared memory of a block, as offsets in floats. Coefficients of a cell are `pitch` apart. */
struct layout {
    int rows, row_pitch; /* 0: rows stay in global memory */
    int factors, factor_pitch, maps, local, relaxed, middle, sum, pitch, floats;
};

static __host__ __device__ inline layout layout_of(const kn_cuda_problem &p, const kn_cuda_quadratic &q,
                                                   bool staged)
{
    const int octants = p.mesh.octants;
    layout l = {};
    l.row_pitch = staged ? p.mesh.nnodes + 1 : 0; /* different cells are in different banks */
    l.pitch = octants * PLACES + 4;
    for (int d = 0; d < 3; d++)
        l.factor_pitch += q.half[d] << (octants > 1 << d);
    l.local = CELLS * l.row_pitch;
    l.local += l.local % 2; /* pairs of floats are written */
    l.relaxed = l.local + CELLS * l.pitch;
    l.middle = l.relaxed + CELLS * l.pitch;
    l.sum = l.middle + CELLS * l.pitch;
    l.maps = l.sum + CELLS * l.pitch;
    l.factors = l.maps + CELLS * 3 * TERMS * TERMS;
    l.floats = l.factors + CELLS * l.factor_pitch;
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

/* Loop over the polynomials: degrees n0, n1, n2 along the axes, of which the first AX are not folded. */
#define FOR_POLYNOMIALS(AX, n0, n1, n2, i)                                                                   \
    _Pragma("unroll") for (int n0 = 0, i = 0; n0 < TERMS; n0 += AX > 0 ? 1 : 2)                              \
        _Pragma("unroll") for (int n1 = 0; n0 + n1 < TERMS; n1 += AX > 1 ? 1 : 2)                            \
            _Pragma("unroll") for (int n2 = 0; n0 + n1 + n2 < TERMS; n2 += AX > 2 ? 1 : 2, i++)

template <int AX> static __host__ __device__ constexpr int parity_of(int n0, int n1, int n2)
{
    return (AX > 0 ? n0 % 2 : 0) | (AX > 1 ? n1 % 2 * 2 : 0) | (AX > 2 ? n2 % 2 * 4 : 0);
}

template <int AX> static __host__ __device__ constexpr int polynomials_of()
{
    return AX == 3 ? 56 : AX == 2 ? 34 : AX == 1 ? 20 : 10;
}

/* 1 if functions of this parity are odd along the last axis. */
template <int AX> static __host__ __device__ constexpr int odd_along_last(int parity)
{
    return AX > 2 ? parity >> 2 : 0;
}

static __device__ __forceinline__ float sum_group(float x)
{
#pragma unroll
    for (int offset = LANES / 2; offset > 0; offset /= 2)
        x += __shfl_xor_sync(0xffffffffu, x, offset);
    return x;
}

/* Mass, energy and momentum of a row, in every thread of its group. */
template <int AX>
static __device__ sums find_sums(const kn_cuda_problem &p, const row_reader &r, int lane)
{
    enum { P = 1 << AX };
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
            sum.momentum[j] += w * p.odd[j][k] * s.odd[j];
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

/* Factors of the Maxwellian along the axes, and the maps to its frame. */
template <int AX>
static __device__ void fill_tables(const kn_cuda_problem &p, const kn_cuda_quadratic &q, const maxwellian &m,
                                   int lane, float *factors, float *maps)
{
    const float eps = p.eps;
    for (int d = 0; d < 3; d++) {
        const int count = q.half[d] << (d < AX);
        for (int i = lane; i < count; i += LANES) {
            const bool back = i >= q.half[d];
            const float x = back ? -q.node[d][i - q.half[d]] : q.node[d][i], u = m.u[d];
            factors[i] =
                kn_deviation_exp(eps, m.constant + (x * (2 * u + m.theta * x) - eps * u * u) * m.inverse);
        }
        factors += count;
    }
    if (lane < 3) {
        float map[TERMS][TERMS];
        kn_hermite_map(eps * (lane == 0 ? m.u[0] : lane == 1 ? m.u[1] : m.u[2]), 1 / m.inverse, map);
        for (int i = 0; i < TERMS * TERMS; i++)
            maps[lane * TERMS * TERMS + i] = map[i / TERMS][i % TERMS];
    }
}

/* A column of nodes of a cell: positions along the first two axes, and the Maxwellian there by octant, without
 * the factor of the last axis. */
template <int AX> struct column {
    int i0, i1;
    float maxwell[AX > 1 ? 4 : AX > 0 ? 2 : 1];
};

template <int AX>
static __device__ __forceinline__ column<AX> column_of(const kn_cuda_quadratic &q, float eps,
                                                       const maxwellian &m, const float *factors, int number)
{
    column<AX> c = {number / q.half[1], number % q.half[1]};
    const float *along0 = factors + c.i0, *along1 = factors + (q.half[0] << (AX > 0)) + c.i1;
#pragma unroll
    for (int o = 0; o < (AX > 1 ? 4 : AX > 0 ? 2 : 1); o++)
        c.maxwell[o] = join(eps, join(eps, m.rho, along0[o & 1 ? q.half[0] : 0]), along1[o & 2 ? q.half[1] : 0]);
    return c;
}

/* The factors along the last axis. */
template <int AX> static __device__ __forceinline__ const float *last_factors(const kn_cuda_quadratic &q, const float *factors)
{
    return factors + (q.half[0] << (AX > 0)) + (q.half[1] << (AX > 1));
}

/* The Maxwellian of octant o at node i of a column. */
template <int AX>
static __device__ __forceinline__ float maxwell_at(const kn_cuda_quadratic &q, float eps, const column<AX> &c,
                                                   const float *last, int o, int i)
{
    return join(eps, c.maxwell[AX > 1 ? o & 3 : AX > 0 ? o & 1 : 0], last[(AX > 2 && o & 4 ? q.half[2] : 0) + i]);
}

/* Polynomials of one component at a node. */
struct hermites {
    float at[TERMS];
};

static __device__ __forceinline__ hermites hermites_of(const float *table, int i)
{
    hermites h;
#pragma unroll
    for (int n = 0; n < TERMS; n++)
        h.at[n] = __ldg(table + i * TERMS + n);
    return h;
}

/* Coefficients of the deviation from the Maxwellian: sums over the nodes, to `to` by place. */
template <int AX>
static __device__ void project(const kn_cuda_problem &p, const kn_cuda_quadratic &q, const row_reader &r,
                               const maxwellian &m, const float *factors, int lane, float *to)
{
    enum { P = 1 << AX, COUNT = polynomials_of<AX>() };
    const float *last = last_factors<AX>(q, factors);
    float a[COUNT];
#pragma unroll
    for (int i = 0; i < COUNT; i++)
        a[i] = 0;
    for (int number = lane; number < q.half[0] * q.half[1]; number += LANES) {
        const column<AX> c = column_of<AX>(q, p.eps, m, factors, number);
        const int base = c.i0 * q.apart[0] + c.i1 * q.apart[1];
        float t[P][ORDERS] = {};
        for (int i = 0; i < q.half[2]; i++) {
            const int k = base + i * q.apart[2];
            const hermites h2 = hermites_of(q.hermite[2], i);
            const float w = __ldg(q.weight[2] + i);
            float d[P];
#pragma unroll
            for (int o = 0; o < P; o++)
                d[o] = w * (value_at(r, o * p.mesh.stride + k) - maxwell_at<AX>(q, p.eps, c, last, o, i));
            to_parities<P>(d);
#pragma unroll
            for (int j = 0; j < P * ORDERS; j++)
                t[j / ORDERS][j % ORDERS] +=
                    h2.at[2 * (j % ORDERS) + odd_along_last<AX>(j / ORDERS)] * d[j / ORDERS];
        }
        const hermites h0 = hermites_of(q.hermite[0], c.i0), h1 = hermites_of(q.hermite[1], c.i1);
        const float w = __ldg(q.weight[0] + c.i0) * __ldg(q.weight[1] + c.i1);
        FOR_POLYNOMIALS(AX, n0, n1, n2, i)
        a[i] += w * h0.at[n0] * h1.at[n1] * t[parity_of<AX>(n0, n1, n2)][n2 / 2];
    }
    for (int i = lane; i < P * PLACES; i += LANES)
        to[i] = 0;
    __syncwarp();
#pragma unroll
    for (int i = 0; i < COUNT; i++) {
        const float total = sum_group(a[i]);
        if (i % LANES == lane && q.place[i] != KN_CUDA_UNUSED)
            to[q.place[i]] = total;
    }
    __syncwarp();
}

/* to <- matrix times from, parity by parity; `transposed`: its transpose. */
static __device__ void multiply_places(const float *matrix, int octants, bool transposed, int lane,
                                       const float *from, float *to)
{
    for (int i = lane; i < octants * PLACES; i += LANES) {
        const int parity = i / PLACES, row = i % PLACES;
        const float *m = matrix + parity * PLACES * PLACES + (transposed ? row : row * PLACES);
        float sum = 0;
        for (int j = 0; j < PLACES; j++)
            sum += __ldg(m + (transposed ? j * PLACES : j)) * from[parity * PLACES + j];
        to[i] = sum;
    }
    __syncwarp();
}

/* Moments of polynomials of the velocity become those of the peculiar velocity, in place. */
static __device__ void to_local(const kn_cuda_quadratic &q, const float *maps, int lane, float *x)
{
    for (int d = 0; d < 3; d++) {
        const kn_cuda_lines &lines = q.lines[d];
        for (int l = lane; l < lines.lines; l += LANES)
            for (int n = lines.count[l] - 1; n >= 0; n--) {
                const float *map = maps + (d * TERMS + n * lines.step) * TERMS;
                float sum = 0;
                for (int k = 0; k <= n; k++)
                    sum += map[k * lines.step] * x[lines.at[l][k]];
                x[lines.at[l][n]] = sum;
            }
        __syncwarp();
    }
}

/* A sum of polynomials of the peculiar velocity becomes one of polynomials of the velocity, in place. */
static __device__ void to_global(const kn_cuda_quadratic &q, const float *maps, int lane, float *x)
{
    for (int d = 0; d < 3; d++) {
        const kn_cuda_lines &lines = q.lines[d];
        for (int l = lane; l < lines.lines; l += LANES)
            for (int k = 0; k < lines.count[l]; k++) {
                float sum = 0;
                for (int n = k; n < lines.count[l]; n++)
                    sum += maps[(d * TERMS + n * lines.step) * TERMS + k * lines.step] * x[lines.at[l][n]];
                x[lines.at[l][k]] = sum;
            }
        __syncwarp();
    }
}

/* Collisions between the polynomials of all cells of the block: products times the tensor, one parity after the
 * other, on tensor cores. */
static __device__ void collide_pairs(const kn_cuda_quadratic &q, int octants, const float *middle, int pitch,
                                     float *sum)
{
    const int lane = threadIdx.x % WARP, column = lane % 4;
    const float *low = middle + lane / 4 * pitch, *high = low + 8 * pitch;
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
        put_changes<1, 2>(d, change_rows{sum, pitch, PLACES}, parity, 0);
    }
}

/* Sums over the columns of a cell: mass, energy, momentum of the gain, mass lost by round-off. */
struct gain_errors {
    float mass, energy, momentum[3], lost;
};

/* One column: store the rest of the deviation and the row with the gain. `moved` and `gain` are coefficients of
 * polynomials of the velocity by place. */
template <int AX>
static __device__ __forceinline__ void store_column(const kn_cuda_problem &p, const kn_cuda_quadratic &q,
                                                    const row_reader &r, const column<AX> &c, const float *last,
                                                    const float *moved, const float *gain, float *rest, float *to,
                                                    gain_errors *e)
{
    enum { P = 1 << AX };
    float t[P][ORDERS] = {}, g[P][ORDERS] = {};
    const hermites h0 = hermites_of(q.hermite[0], c.i0), h1 = hermites_of(q.hermite[1], c.i1);
    FOR_POLYNOMIALS(AX, n0, n1, n2, i)
    {
        const int parity = parity_of<AX>(n0, n1, n2);
        const float product = h0.at[n0] * h1.at[n1];
        if (q.place[i] != KN_CUDA_UNUSED) {
            t[parity][n2 / 2] += product * moved[q.place[i]];
            g[parity][n2 / 2] += product * gain[q.place[i]];
        }
    }
    for (int i = 0; i < q.half[2]; i++) {
        const int k = c.i0 * q.apart[0] + c.i1 * q.apart[1] + i * q.apart[2];
        const hermites h2 = hermites_of(q.hermite[2], i);
        float smooth[P], added[P], change[P];
#pragma unroll
        for (int o = 0; o < P; o++) {
            smooth[o] = added[o] = 0;
#pragma unroll
            for (int j = 0; j < ORDERS; j++) {
                smooth[o] += h2.at[2 * j + odd_along_last<AX>(o)] * t[o][j];
                added[o] += h2.at[2 * j + odd_along_last<AX>(o)] * g[o][j];
            }
        }
        to_parities<P>(smooth);
        to_parities<P>(added);
        const float w = p.w[k];
#pragma unroll
        for (int o = 0; o < P; o++) {
            const float h = value_at(r, o * p.mesh.stride + k), m = maxwell_at<AX>(q, p.eps, c, last, o, i),
                        weight = 1 + p.eps * m, next = h + weight * added[o];
            change[o] = weight * added[o];
            rest[o * p.mesh.stride + k] = h - m - weight * smooth[o];
            to[o * p.mesh.stride + k] = next;
            e->lost += w * kn_stream_lost(h, change[o], next);
        }
        const parities<P> s = parities_of<P>(change);
        e->mass += w * s.even;
        e->energy += w * p.square[k] * s.even;
#pragma unroll
        for (int j = 0; j < AX; j++)
            e->momentum[j] += w * p.odd[j][k] * s.odd[j];
    }
}

template <int AX>
static __device__ void store_cell(const kn_cuda_problem &p, const kn_cuda_quadratic &q,
                                  const kn_cuda_deviation &d, const row_reader &r, const maxwellian &m,
                                  const float *factors, const float *moved, const float *gain, int lane, int cell,
                                  bool exists)
{
    gain_errors e = {};
    const int64_t row = (int64_t)cell * p.mesh.nnodes;
    for (int number = lane; number < q.half[0] * q.half[1] && exists; number += LANES)
        store_column<AX>(p, q, r, column_of<AX>(q, p.eps, m, factors, number), last_factors<AX>(q, factors),
                         moved, gain, d.rest + row, d.to + row, &e);
    const float all[KN_CUDA_ERRORS] = {e.mass, e.energy, e.momentum[0], e.momentum[1], e.momentum[2], e.lost};
#pragma unroll
    for (int i = 0; i < KN_CUDA_ERRORS; i++) {
        const float total = sum_group(all[i]);
        if (lane == 0 && exists)
            q.errors[(int64_t)cell * KN_CUDA_ERRORS + i] = total;
    }
}

/* Copy the rows of the block to shared memory, with sources. */
static __device__ void stage_rows(const kn_cuda_problem &p, const kn_cuda_deviation &d, int first, int here,
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

template <int AX>
static __global__ void __launch_bounds__(THREADS, AX > 2 ? 2 : 4)
    deviation_kernel(const __grid_constant__ kn_cuda_problem p, const __grid_constant__ kn_cuda_quadratic q,
                     const __grid_constant__ kn_cuda_deviation d, bool staged)
{
    enum { P = 1 << AX };
    extern __shared__ __align__(16) float shared[];
    const layout l = layout_of(p, q, staged);
    const int first = blockIdx.x * CELLS, here = min(d.total - first, (int)CELLS), c = threadIdx.x / LANES,
              lane = threadIdx.x % LANES, from = first + (c < here ? c : here - 1),
              cell = d.list ? d.list[from] : from;
    float *const factors = shared + l.factors + c * l.factor_pitch, *const maps = shared + l.maps + c * 3 * TERMS * TERMS,
                 *const local = shared + l.local + c * l.pitch, *const relaxed = shared + l.relaxed + c * l.pitch,
                 *const middle = shared + l.middle + c * l.pitch, *const sum = shared + l.sum + c * l.pitch;
    if (staged)
        stage_rows(p, d, first, here, l.row_pitch, shared);
    const row_reader r = {staged ? shared + c * l.row_pitch : d.h + (int64_t)cell * p.mesh.nnodes, p.source,
                          staged ? 0.0f : d.before};
    const maxwellian m = maxwellian_of(p.eps, q.exponent, AX, find_sums<AX>(p, r, lane));
    fill_tables<AX>(p, q, m, lane, factors, maps);
    __syncwarp();
    project<AX>(p, q, r, m, factors, lane, sum);
    multiply_places(q.mix, P, false, lane, sum, local);
    to_local(q, maps, lane, local);
    for (int i = lane; i < P * PLACES; i += LANES)
        local[i] /= m.density;
    __syncwarp();
    multiply_places(d.relaxed, P, false, lane, local, relaxed);
    for (int i = lane; i < P * PLACES; i += LANES) {
        middle[i] = local[i] + 0.5f * relaxed[i];
        if (c < here)
            q.coefficients[(int64_t)cell * P * PLACES + i] = local[i];
    }
    __syncthreads();
    collide_pairs(q, P, shared + l.middle, l.pitch, shared + l.sum);
    __syncthreads();
    for (int i = lane; i < P * PLACES; i += LANES)
        sum[i] = m.rate * (relaxed[i] + d.factor * sum[i]);
    __syncwarp();
    to_global(q, maps, lane, local);
    to_global(q, maps, lane, sum);
    multiply_places(q.mix, P, true, lane, local, middle);
    multiply_places(q.mix, P, true, lane, sum, relaxed);
    store_cell<AX>(p, q, d, r, m, factors, middle, relaxed, lane, cell, c < here);
}

template <int AX>
static cudaError_t launch(const kn_cuda_problem *p, const kn_cuda_quadratic *q, const kn_cuda_deviation *d,
                          cudaStream_t stream)
{
    const bool staged = (size_t)layout_of(*p, *q, true).floats * sizeof(float) <= p->shared_limit;
    const size_t bytes = (size_t)layout_of(*p, *q, staged).floats * sizeof(float);
    const auto kernel = deviation_kernel<AX>;
    const cudaError_t status =
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
    if (status != cudaSuccess)
        return status;
    kernel<<<(unsigned)((d->total + CELLS - 1) / CELLS), THREADS, bytes, stream>>>(*p, *q, *d, staged);
    return cudaGetLastError();
}

cudaError_t kn_cuda_deviate(const struct kn_cuda_problem *p, const struct kn_cuda_quadratic *q,
                            const struct kn_cuda_deviation *d, cudaStream_t stream)
{
    switch (p->mesh.octants) {
    case 1:
        return launch<0>(p, q, d, stream);
    case 2:
        return launch<1>(p, q, d, stream);
    case 4:
        return launch<2>(p, q, d, stream);
    default:
        return launch<3>(p, q, d, stream);
    }
}
