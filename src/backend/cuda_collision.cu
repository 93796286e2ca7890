/* The Monte Carlo step on the device: streaming, samples and correction of a few
 * cells per block, with their rows side by side in shared memory. */
#include "backend/cuda_rows.h"

enum { BOUNDS = 128 };

/* T threads work on C rows side by side, tile[slot][C]; a thread applies a sample
 * to V of the cells. */
template <int V> struct __align__(V * 4) lanes {
    float v[V];
};

template <int V> static __device__ __forceinline__ lanes<V> load_lanes(const float *from)
{
    lanes<V> l;
    if constexpr (V == 4)
        *(float4 *)l.v = *(const float4 *)from;
    else
        l.v[0] = *from;
    return l;
}

template <int V>
static __device__ __forceinline__ void store_lanes(float *to, const lanes<V> &l, float gain,
                                                   const lanes<V> &g)
{
    if constexpr (V == 4)
        *(float4 *)to = make_float4(l.v[0] + gain * g.v[0], l.v[1] + gain * g.v[1], l.v[2] + gain * g.v[2],
                                    l.v[3] + gain * g.v[3]);
    else
        *to = l.v[0] + gain * g.v[0];
}

struct sample {
    uint32_t node[4];
    float4 gain, defect;
};

/* Slots of shared memory are stored in 16 bits, nodes of longer rows in 32. */
template <bool STAGED> static __device__ __forceinline__ sample read_sample(const kn_cuda_set &set, int i)
{
    sample s;
    if constexpr (STAGED) {
        const ushort4 n = ((const ushort4 *)set.node)[i];
        s.node[0] = n.x, s.node[1] = n.y, s.node[2] = n.z, s.node[3] = n.w;
    } else {
        const uint4 n = set.node[i];
        s.node[0] = n.x, s.node[1] = n.y, s.node[2] = n.z, s.node[3] = n.w;
    }
    s.gain = set.gain[i];
    s.defect = set.defect[i];
    return s;
}

template <int C, int V>
static __device__ __forceinline__ void apply(const sample &s, float eps, float back, float *tile,
                                             float defect[4][V])
{
    float *const at[4] = {tile + (int64_t)s.node[0] * C, tile + (int64_t)s.node[1] * C,
                          tile + (int64_t)s.node[2] * C, tile + (int64_t)s.node[3] * C};
    const lanes<V> a = load_lanes<V>(at[0]), b = load_lanes<V>(at[1]), c = load_lanes<V>(at[2]),
                   d = load_lanes<V>(at[3]);
    lanes<V> g;
#pragma unroll
    for (int i = 0; i < V; i++) {
        g.v[i] = kn_collide_pair(eps, a.v[i], b.v[i]) - back * kn_collide_pair(eps, c.v[i], d.v[i]);
        defect[0][i] += s.defect.x * g.v[i];
        defect[1][i] += s.defect.y * g.v[i];
        defect[2][i] += s.defect.z * g.v[i];
        defect[3][i] += s.defect.w * g.v[i];
    }
    store_lanes<V>(at[0], a, s.gain.x, g);
    store_lanes<V>(at[1], b, s.gain.y, g);
    store_lanes<V>(at[2], c, s.gain.z, g);
    store_lanes<V>(at[3], d, s.gain.w, g);
}

/* Where a thread stands in the list of batches. */
struct place {
    int batch, begin, end;
};

/* Apply `current` and fetch `next` meanwhile.  The caller exchanges the two by
 * name: a copy would wait for the fetch. */
template <int T, int C, int V, bool STAGED>
static __device__ __forceinline__ void apply_round(const kn_cuda_set &set, int batches, const int32_t *bounds,
                                                   float eps, float back, float *lane, place *at,
                                                   const sample &current, sample *next, float defect[4][V])
{
    const int groups = C / V, rank = threadIdx.x / groups, ranks = T / groups;
    const bool last = at->begin + ranks >= at->end;
    const int after = last ? at->end : at->begin + ranks,
              until = last && at->batch + 1 < batches ? bounds[at->batch + 2] : at->end;
    if (after + rank < until)
        *next = read_sample<STAGED>(set, after + rank);
    if (at->begin + rank < at->end)
        apply<C, V>(current, eps, back, lane, defect);
    if (last)
        __syncthreads();
    *at = place{at->batch + last, after, until};
}

/* All batches in order, as many samples at a time as there are threads.
 * bounds[b] begins batch b. */
template <int T, int C, int V, bool STAGED>
static __device__ void apply_batches(const kn_cuda_set &set, int batches, const int32_t *bounds, float eps,
                                     float back, float *tile, float defect[4][V])
{
    const int groups = C / V, rank = threadIdx.x / groups;
    float *const lane = tile + threadIdx.x % groups * V;
    place at = {0, batches > 0 ? bounds[0] : 0, batches > 0 ? bounds[1] : 0};
    sample even = {}, odd = {};
    if (at.begin + rank < at.end)
        even = read_sample<STAGED>(set, at.begin + rank);
    while (at.batch < batches) {
        apply_round<T, C, V, STAGED>(set, batches, bounds, eps, back, lane, &at, even, &odd, defect);
        if (at.batch < batches)
            apply_round<T, C, V, STAGED>(set, batches, bounds, eps, back, lane, &at, odd, &even, defect);
    }
}

/* Sum N values of each cell over the block, in a fixed order; V consecutive
 * cells per thread, from (threadIdx.x % (C / V)) * V on. */
template <int N, int T, int C, int V>
static __device__ void sum_cells(float part[N][V], float *space, double total[C][N])
{
    const int groups = C / V, warp = threadIdx.x / 32, warps = T / 32, lane = threadIdx.x % 32;
    __syncthreads();
    for (int i = 0; i < N; i++)
        for (int v = 0; v < V; v++)
            for (int offset = 16; offset >= groups; offset /= 2)
                part[i][v] += __shfl_xor_sync(0xffffffffu, part[i][v], offset);
    if (lane < groups)
        for (int i = 0; i < N; i++)
            for (int v = 0; v < V; v++)
                space[(warp * C + lane * V + v) * N + i] = part[i][v];
    __syncthreads();
    for (int t = threadIdx.x; t < N * C; t += T) {
        double sum = 0;
        for (int w = 0; w < warps; w++)
            sum += space[w * N * C + t];
        total[t / N][t % N] = sum;
    }
    __syncthreads();
}

/* Where node k of a cell lies in the tile: by slot in shared memory, or in a
 * plain row (C = 1) in its place in the result. */
template <int C, bool STAGED> static __device__ __forceinline__ int64_t tile_index(int k)
{
    return (int64_t)(STAGED ? kn_cuda_slot((uint32_t)k) : (uint32_t)k) * C;
}

template <int C, bool STAGED> struct tile_reader {
    const float *tile;
    __device__ float operator()(int k) const
    {
        return tile[tile_index<C, STAGED>(k)];
    }
};

/* Polynomial coefficients of every cell of the block from the defects. */
template <int C, bool STAGED>
static __device__ void corrections(const kn_cuda_problem &p, const float *tile, const double total[C][4],
                                   double *space, double x[C][KN_INVARIANTS])
{
    if (p.conservation == CONSERVE_PAPER && p.eps > 0) {
        for (int c = 0; c < C; c++) {
            double a[KN_INVARIANTS][KN_INVARIANTS];
            double b[KN_INVARIANTS] = {0, -total[c][0], -total[c][1], -total[c][2], -total[c][3]};
            const tile_reader<C, STAGED> reader = {tile + c};
            weighted_gram(p, reader, a, space);
            kn_collide_solve(a, b);
            if (threadIdx.x == 0)
                for (int i = 0; i < KN_INVARIANTS; i++)
                    x[c][i] = b[i];
        }
    } else if (threadIdx.x < C) {
        const double *t = total[threadIdx.x];
        const double missing[KN_INVARIANTS] = {0, -t[0], -t[1], -t[2], -t[3]};
        project(p, missing, x[threadIdx.x]);
    }
    __syncthreads();
}

/* The rows of one octant that flow into a cell. */
struct inflow_rows {
    const float *here, *up[3];
    float courant[3];
    bool walls; /* emission takes the place of a row */
};

static __device__ __forceinline__ inflow_rows rows_into(const kn_cuda_problem &p, const kn_cuda_step &s,
                                                        kn_site site)
{
    inflow_rows r;
    r.here = s.h + kn_mesh_row(&p.mesh, site);
    r.walls = false;
#pragma unroll
    for (int a = 0; a < 3; a++) {
        r.up[a] = r.here;
        r.courant[a] = 0;
        if (a >= p.mesh.naxes)
            continue;
        const kn_site up = kn_mesh_walk(&p.mesh, site, p.mesh.axes[a], 0);
        r.courant[a] = s.dt_stream / kn_mesh_width(&p.mesh, site.cell, p.mesh.axes[a]);
        r.walls |= up.cell < 0;
        r.up[a] = up.cell < 0 ? r.here : s.h + kn_mesh_row(&p.mesh, up);
    }
    return r;
}

/* Four nodes of a site away from walls after first-order streaming: nothing but
 * loads first, so that many are under way at once. */
template <int NAXES>
static __device__ __forceinline__ four donor(const kn_cuda_problem &p, const inflow_rows &r, int k, float *lost)
{
    const four here = read4(r.here + k), w = read4(p.w + k);
    four in[NAXES], speed[NAXES], change = {{0, 0, 0, 0}}, out;
#pragma unroll
    for (int a = 0; a < NAXES; a++) {
        in[a] = read4(r.up[a] + k);
        speed[a] = read4(p.speed[p.mesh.axes[a]] + k);
    }
#pragma unroll
    for (int i = 0; i < 4; i++) {
#pragma unroll
        for (int a = 0; a < NAXES; a++)
            change.v[i] += r.courant[a] * speed[a].v[i] * (in[a].v[i] - here.v[i]);
        out.v[i] = here.v[i] + change.v[i];
        *lost += w.v[i] * kn_stream_lost(here.v[i], change.v[i], out.v[i]);
    }
    return out;
}

/* One octant of a cell into the tile, away from walls. */
template <int T, int C, bool STAGED, int NAXES>
static __device__ __forceinline__ void stream_octant(const kn_cuda_problem &p, const inflow_rows &r, int octant,
                                                     float *tile, float *lost)
{
    const int quads = p.mesh.stride / 4;
#pragma unroll 4
    for (int quad = threadIdx.x / C; quad < quads; quad += T / C) {
        const four h = donor<NAXES>(p, r, 4 * quad, lost);
#pragma unroll
        for (int i = 0; i < 4; i++)
            tile[tile_index<C, STAGED>(octant * p.mesh.stride + 4 * quad + i)] = h.v[i];
    }
}

/* The streaming kernel: rows of C cells into the tile.  Threads that follow one
 * another take the cells in turn. */
template <int T, int C, bool STAGED, int ORDER>
static __device__ void stream_tile(const kn_cuda_problem &p, const kn_cuda_step &s, int cell,
                                   const inflow_rows rows[8], float *tile, float *lost)
{
    const int quads = p.mesh.stride / 4;
    for (int octant = 0; octant < p.mesh.octants; octant++) {
        const kn_site site = {cell < p.ncells ? cell : 0, octant};
        const inflow_rows r = rows[octant];
        if (ORDER == 1 && s.dt_stream > 0 && !r.walls && p.mesh.naxes == 2) {
            stream_octant<T, C, STAGED, 2>(p, r, octant, tile, lost);
            continue;
        }
        if (ORDER == 1 && s.dt_stream > 0 && !r.walls && p.mesh.naxes == 3) {
            stream_octant<T, C, STAGED, 3>(p, r, octant, tile, lost);
            continue;
        }
        for (int quad = threadIdx.x / C; quad < quads; quad += T / C) {
            const four h = s.dt_stream > 0 ? streamed<ORDER>(p, s.h, site, s.dt_stream, 4 * quad, lost)
                                           : read4(r.here + 4 * quad);
            for (int i = 0; i < 4; i++)
                tile[tile_index<C, STAGED>(octant * p.mesh.stride + 4 * quad + i)] = h.v[i];
        }
    }
}

/* Half a step of the sources. */
template <int T, int C, bool STAGED>
static __device__ void add_source(const kn_cuda_problem &p, double dt, float *tile)
{
    const float half = (float)(0.5 * dt);
    for (int k = threadIdx.x / C; k < p.mesh.nnodes; k += T / C)
        tile[tile_index<C, STAGED>(k)] += half * p.source[k];
}

/* The tile, corrected, into the result. */
template <int T, int C, bool STAGED>
static __device__ void store_tile(const kn_cuda_problem &p, const kn_cuda_step &s, int cell,
                                  const float *tile, const double x[KN_INVARIANTS], float lost)
{
    const int quads = p.mesh.stride / 4;
    const float eps = p.conservation == CONSERVE_PAPER ? p.eps : 0.0f, half = (float)(0.5 * s.dt_collide);
    for (int octant = 0; octant < p.mesh.octants; octant++) {
        float sign[3], coefficient[KN_INVARIANTS];
        signs_of(p.mesh, octant, sign);
        octant_polynomial(x, sign, coefficient);
#pragma unroll 4
        for (int quad = threadIdx.x / C; quad < quads; quad += T / C) {
            const int k = 4 * quad, at = octant * p.mesh.stride + k;
            four h;
#pragma unroll
            for (int i = 0; i < 4; i++)
                h.v[i] = tile[tile_index<C, STAGED>(at + i)];
            if (p.conservation != CONSERVE_NONE)
                h = corrected4(p, coefficient, eps, k, h);
#pragma unroll
            for (int i = 0; i < 4; i++) {
                h.v[i] += s.heavy == at + i ? lost / p.w[k + i] : 0.0f;
                h.v[i] += p.source ? half * p.source[at + i] : 0.0f;
            }
            *(float4 *)(s.next + (int64_t)cell * p.mesh.nnodes + at) =
                make_float4(h.v[0], h.v[1], h.v[2], h.v[3]);
        }
    }
}

/* Streaming, all samples and the correction for C neighbouring cells. */
template <int T, int C, int V, bool STAGED, int ORDER>
static __global__ void __launch_bounds__(T, 768 / T)
    collision_kernel(const __grid_constant__ kn_cuda_problem p, const __grid_constant__ kn_cuda_step s)
{
    extern __shared__ __align__(16) float staged[];
    __shared__ double total[C][4], lost[C][1], x[C][KN_INVARIANTS];
    __shared__ double space[T / 32 * (15 > 2 * C ? 15 : 2 * C)];
    __shared__ int32_t bounds[BOUNDS];
    __shared__ inflow_rows rows[C][8];
    const int c = threadIdx.x % C, cell = blockIdx.x * C + c, batches = s.set.batch[0];
    const bool few = batches < BOUNDS;
    float *tile = STAGED ? staged : s.next + (int64_t)cell * p.mesh.nnodes;
    float defect[4][V] = {}, part[1][1] = {};
    for (int b = threadIdx.x; b <= batches && few; b += T)
        bounds[b] = s.set.batch[1 + b];
    const long long start = clock64();
    /* finding neighbours takes long, but as long for all octants as for one */
    for (int t = threadIdx.x; t < C * p.mesh.octants; t += T) {
        const int at = blockIdx.x * C + t % C;
        rows[t % C][t / C] = rows_into(p, s, kn_site{at < p.ncells ? at : 0, t / C});
    }
    __syncthreads();
    stream_tile<T, C, STAGED, ORDER>(p, s, cell, rows[c], tile + (STAGED ? c : 0), &part[0][0]);
    sum_cells<1, T, C, 1>(part, (float *)space, lost);
    const long long middle = clock64();
    if (p.source) {
        add_source<T, C, STAGED>(p, s.dt_collide, tile + (STAGED ? c : 0));
        __syncthreads();
    }
    apply_batches<T, C, V, STAGED>(s.set, batches, few ? bounds : s.set.batch + 1, p.eps, p.symmetric ? 1.0f : 0.0f,
                                tile, defect);
    if (p.conservation != CONSERVE_NONE) {
        sum_cells<4, T, C, V>(defect, (float *)space, total);
        corrections<C, STAGED>(p, tile, total, space, x);
    }
    if (cell < p.ncells)
        store_tile<T, C, STAGED>(p, s, cell, tile + (STAGED ? c : 0), x[c], (float)lost[c][0]);
    note_cycles(p, start, middle);
}

/* ------------------------------------------------------------------ launching */

template <int T, int C, int V, bool STAGED, int ORDER>
static cudaError_t launch(const kn_cuda_problem *p, const kn_cuda_step *s, cudaStream_t stream)
{
    const size_t bytes = STAGED ? kn_cuda_row_bytes(p) * C : 0;
    const auto kernel = collision_kernel<T, C, V, STAGED, ORDER>;
    const cudaError_t status =
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
    if (status != cudaSuccess)
        return status;
    kernel<<<(unsigned)((p->ncells + C - 1) / C), T, bytes, stream>>>(*p, *s);
    return cudaGetLastError();
}

template <int ORDER>
static cudaError_t advance(const kn_cuda_problem *p, const kn_cuda_step *s, cudaStream_t stream)
{
    const size_t row = kn_cuda_row_bytes(p);
    if (4 * row <= p->shared_limit)
        return launch<256, 4, 4, true, ORDER>(p, s, stream);
    return row <= p->shared_limit ? launch<256, 1, 1, true, ORDER>(p, s, stream)
                                  : launch<256, 1, 1, false, ORDER>(p, s, stream);
}

cudaError_t kn_cuda_collision(const struct kn_cuda_problem *p, const struct kn_cuda_step *s,
                              cudaStream_t stream)
{
    return p->order == 1 ? advance<1>(p, s, stream) : advance<2>(p, s, stream);
}
