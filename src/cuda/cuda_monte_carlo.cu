/* The Monte Carlo step on the device: streaming, samples and correction of a few
 * cells per block, with their rows side by side in shared memory. */
#include "cuda/cuda_tile.h"

enum { WARP = KN_CUDA_WARP, AHEAD = KN_CUDA_AHEAD, WARPS = KN_SAMPLE_BATCH / WARP };

template <class NODE> struct sample {
    NODE node;
    float4 gain;
};

/* Bytes of a batch, and of the part that one warp applies. */
template <class NODE> struct layout {
    enum { PART = WARP * (sizeof(NODE) + sizeof(float4)), BATCH = WARPS * PART };
};

template <class NODE> static __device__ __forceinline__ sample<NODE> fetch(const char *part)
{
    const int lane = threadIdx.x % WARP;
    sample<NODE> s;
    s.node = ((const NODE *)part)[lane];
    s.gain = ((const float4 *)(part + WARP * sizeof(NODE)))[lane];
    return s;
}

template <int V>
static __device__ __forceinline__ void add(lanes<V> *to, lanes<V> h, float gain, const lanes<V> &g)
{
#pragma unroll
    for (int i = 0; i < V; i++)
        h.v[i] += gain * g.v[i];
    *to = h;
}

template <int V, class NODE>
static __device__ __forceinline__ void apply(const sample<NODE> &s, float eps, float back, lanes<V> *h)
{
    const lanes<V> a = h[s.node.x], b = h[s.node.y], c = h[s.node.z], d = h[s.node.w];
    lanes<V> g;
#pragma unroll
    for (int i = 0; i < V; i++)
        g.v[i] = kn_collide_pair(eps, a.v[i], b.v[i]) - back * kn_collide_pair(eps, c.v[i], d.v[i]);
    add<V>(h + s.node.x, a, s.gain.x, g);
    add<V>(h + s.node.y, b, s.gain.y, g);
    add<V>(h + s.node.z, c, s.gain.z, g);
    add<V>(h + s.node.w, d, s.gain.w, g);
}

/* Wait until all warps of a team have applied a batch. */
static __device__ __forceinline__ void finish_batch(int team)
{
    if constexpr (WARPS == 1)
        __syncwarp();
    else
        asm volatile("bar.sync %0, %1;" ::"r"(1 + team), "n"((int)KN_SAMPLE_BATCH) : "memory");
}

/* The collision kernel: all batches in order, by a team of as many warps as a batch fills. Samples are
 * prefetched AHEAD batches in advance. */
template <int V, class NODE, bool STAGED>
static __device__ __forceinline__ void apply_batches(const kn_cuda_set &set, int team, int warp, float eps,
                                                     float back, float *tile)
{
    const int batches = *set.batches;
    const char *part = set.samples + warp * layout<NODE>::PART;
    sample<NODE> next[AHEAD];
#pragma unroll
    for (int i = 0; i < AHEAD; i++)
        next[i] = fetch<NODE>(part + i * layout<NODE>::BATCH);
    for (int b = 0; b < batches; b += AHEAD) {
        part += AHEAD * layout<NODE>::BATCH;
#pragma unroll
        for (int i = 0; i < AHEAD; i++) {
            if (STAGED || next[i].node.x != KN_CUDA_IDLE)
                apply<V>(next[i], eps, back, (lanes<V> *)tile);
            next[i] = fetch<NODE>(part + i * layout<NODE>::BATCH);
            finish_batch(team);
        }
    }
}

/* Sum N values over the lanes of a warp; the sum of value i is in lane i WARP / N. In each step a lane
 * sends half of its values to a partner and receives the other half of the partner's values. */
template <int N, int OFFSET = WARP / 2> static __device__ __forceinline__ double sum_warp(double v[N])
{
    if constexpr (OFFSET == 0) {
        return v[0];
    } else if constexpr (N == 1) {
        v[0] += __shfl_xor_sync(0xffffffffu, v[0], OFFSET);
        return sum_warp<1, OFFSET / 2>(v);
    } else {
        const bool upper = threadIdx.x & OFFSET;
        double half[N / 2];
#pragma unroll
        for (int i = 0; i < N / 2; i++) {
            const double keep = upper ? v[i + N / 2] : v[i], give = upper ? v[i] : v[i + N / 2];
            half[i] = keep + __shfl_xor_sync(0xffffffffu, give, OFFSET);
        }
        return sum_warp<N / 2, OFFSET / 2>(half);
    }
}

/* The same for all warps of the block; the reader of a sum adds the parts in a fixed order. */
template <int T, int N>
static __device__ __forceinline__ void sum_block(double v[N], double space[T / WARP][N])
{
    const double sum = sum_warp<N>(v);
    if (threadIdx.x % (WARP / N) == 0)
        space[threadIdx.x / WARP][threadIdx.x % WARP / (WARP / N)] = sum;
    __syncthreads();
}

/* Momentum and energy of the tile, before or after the samples. A thread adds its few nodes in single
 * precision. */
template <int T, int C, int V, bool STAGED>
static __device__ void tile_flow(const kn_cuda_problem &p, const float *tile, double found[T / WARP][C * 4])
{
    const share mine = share_of<T>(p.mesh);
    float sum[C][4] = {};
    for (int k = mine.k; k < p.mesh.stride; k += mine.step) {
        const quad_nodes n = nodes_of(p, k);
        four wv[4]; /* weight times vx, vy, vz, v.v */
#pragma unroll
        for (int i = 0; i < 16; i++)
            wv[i / 4].v[i % 4] = n.w.v[i % 4] * (i / 4 < 3 ? n.v[i / 4 < 3 ? i / 4 : 0] : n.vv).v[i % 4];
        for (int octant = mine.octant; octant < p.mesh.octants; octant += mine.parts) {
            const quad_cells<C> h = read_tile<C, V, STAGED>(p.mesh, tile, octant * p.mesh.stride + k);
            float sign[3];
            signs_of(p.mesh, octant, sign);
#pragma unroll
            for (int d = 0; d < 4; d++) {
                if (d < 3 && p.mesh.bit[d] == 0)
                    continue; /* odd moments vanish along folded axes */
#pragma unroll
                for (int c = 0; c < C; c++) {
                    float part = 0;
#pragma unroll
                    for (int i = 0; i < 4; i++)
                        part += wv[d].v[i] * h.cell[c].v[i];
                    sum[c][d] += d < 3 ? sign[d] * part : part;
                }
            }
        }
    }
    double v[C * 4];
#pragma unroll
    for (int i = 0; i < C * 4; i++)
        v[i] = sum[i / 4][i % 4];
    sum_block<T, C * 4>(v, found);
}

/* One cell of the tile. */
template <int V, bool STAGED> struct tile_reader {
    const float *tile;
    __device__ float operator()(int k) const
    {
        return tile[slot_of<V, STAGED>(k) * V];
    }
};

/* Polynomial coefficients of every cell of the block. */
template <int T, int C, int V, bool STAGED>
static __device__ void corrections(const kn_cuda_problem &p, const float *tile,
                                   const double before[T / WARP][C * 4], const double after[T / WARP][C * 4],
                                   double *space, float x[C][KN_INVARIANTS])
{
    const bool weighted = p.conservation == KN_CONSERVATION_PAPER && p.eps > 0;
    for (int c = weighted ? 0 : threadIdx.x; c < C; c++) {
        double missing[KN_INVARIANTS] = {0}, found[KN_INVARIANTS];
        for (int i = 0; i < 4; i++)
            for (int w = 0; w < T / WARP; w++)
                missing[1 + i] += before[w][4 * c + i] - after[w][4 * c + i];
        if (weighted) {
            double a[KN_INVARIANTS][KN_INVARIANTS];
            const tile_reader<V, STAGED> reader = {cell_of<V>(p.mesh, tile, c)};
            weighted_gram(p, reader, a, space);
            kn_collide_solve(a, missing);
        } else {
            kn_collide_project(p.inverse, missing, found);
        }
        for (int i = 0; i < KN_INVARIANTS && (!weighted || threadIdx.x == 0); i++)
            x[c][i] = (float)(weighted ? missing[i] : found[i]);
        if (!weighted)
            break; /* a thread per cell */
    }
    __syncthreads();
}

/* The rows of one octant that flow into a cell, from cells or walls. */
struct inflow_rows {
    const float *here, *up[3];
    float courant[3];
};

/* Rows of all cells of a block. Bit 0 of `run`, by octant: the cells can be streamed as a run, without
 * walls, each cell but one having its neighbour in the block upwind. A run is summed in a different order
 * than single cells. With several ranks, the cells that a single rank would stream in a run are marked by
 * bits 1 and higher, and are summed in that order. */
template <int C> struct inflow {
    inflow_rows rows[8][C];
    int run[8];
};

/* Number of the cell at this position of the sweep. */
template <bool LISTED> static __device__ __forceinline__ int swept_cell(const kn_cuda_problem &p, int at)
{
    const int place = at < p.ncells ? at : p.ncells - 1;
    return LISTED ? p.sweep_order[place] : place;
}

/* True if the velocities of the octant point from low cells to high ones. */
static __device__ __forceinline__ bool blows_up(const kn_mesh &m, int octant)
{
    return !(octant & m.bit[m.axes[0]]);
}

/* The latency of finding neighbours is the same for all octants as for one: all data are read before any
 * are used. */
template <int C, bool LISTED>
static __device__ __forceinline__ void find_inflow(const kn_cuda_problem &p, const kn_cuda_step &s,
                                                   inflow<C> *in)
{
    const int octant = threadIdx.x / C, c = threadIdx.x % C, at = blockIdx.x * C + c;
    const kn_mesh &m = p.mesh;
    if (threadIdx.x < WARP) { /* C <= 4, 8 octants at most */
        const int cell = swept_cell<LISTED>(p, at);
        const kn_site site = {cell, octant < m.octants ? octant : 0};
        inflow_rows r;
        kn_site up[3];
        float width[3];
        bool wall = false;
#pragma unroll
        for (int a = 0; a < 3; a++)
            if (a < m.naxes) {
                up[a] = kn_mesh_walk(&m, site, m.axes[a], 0);
                width[a] = kn_mesh_width(&m, cell, m.axes[a]);
                wall |= min(m.neighbour[6 * (int64_t)cell + 2 * m.axes[a]],
                            m.neighbour[6 * (int64_t)cell + 2 * m.axes[a] + 1]) < 0;
            }
        r.here = s.h + kn_mesh_row(&m, site);
        bool run = s.dt_stream > 0 && m.naxes > 1 && at < p.ncells;
#pragma unroll
        for (int a = 0; a < 3; a++) {
            r.up[a] = r.here;
            r.courant[a] = 0;
            if (a < m.naxes) {
                r.courant[a] = s.dt_stream / width[a];
                r.up[a] = kn_mesh_at(s.h, p.outgoing, kn_mesh_source(&m, up[a]));
                run = run && up[a].cell >= 0 && m.axes[a] == a;
            }
        }
        /* octant 0 includes the mass lost at walls, and is not streamed as a run next to them */
        run = run && !(octant == 0 && wall);
        const int first = blows_up(m, octant) ? 0 : C - 1, step = blows_up(m, octant) ? -1 : 1;
        run = run && (c == first || (up[0].cell == cell + step && up[0].octant == octant));
        const bool alike = LISTED && octant < m.octants && (p.runs[cell] >> octant & 1);
        if (LISTED)
            run = run && alike && cell == swept_cell<LISTED>(p, at - c) + c;
        if (octant < m.octants)
            in->rows[octant][c] = r;
        const unsigned runs = __ballot_sync(0xffffffffu, run), mine = (1u << C) - 1;
        const unsigned single = LISTED ? __ballot_sync(0xffffffffu, alike) >> threadIdx.x & mine : 0;
        if (octant < m.octants && c == 0)
            in->run[octant] = ((runs >> threadIdx.x & mine) == mine) | single << 1;
    }
    __syncthreads();
}

/* First order for a run of cells; all loads come first, so that many are in flight at once. */
template <int C, int NAXES, bool UP>
static __device__ __forceinline__ quad_cells<C> stream_run(const inflow_rows rows[C], int k,
                                                           const quad_nodes &n, float lost[C])
{
    quad_cells<C> here, in[NAXES - 1], out;
#pragma unroll
    for (int c = 0; c < C; c++) {
        here.cell[c] = read_row(rows[c].here + k);
#pragma unroll
        for (int a = 1; a < NAXES; a++)
            in[a - 1].cell[c] = read_row(rows[c].up[a] + k);
    }
    const four edge = read_row(rows[UP ? 0 : C - 1].up[0] + k);
#pragma unroll
    for (int c = 0; c < C; c++) {
        const four &beside = UP ? (c > 0 ? here.cell[c > 0 ? c - 1 : 0] : edge)
                                : (c < C - 1 ? here.cell[c < C - 1 ? c + 1 : c] : edge);
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const float h = here.cell[c].v[i];
            /* rounded product: the same bits in every run */
            float change = kn_stream_flow(rows[c].courant[0] * n.v[0].v[i], beside.v[i], h) +
                           kn_point_product(rows[c].courant[1] * n.v[1].v[i], in[0].cell[c].v[i] - h);
#pragma unroll
            for (int a = 2; a < NAXES; a++)
                change += kn_stream_flow(rows[c].courant[a] * n.v[a].v[i], in[a - 1].cell[c].v[i], h);
            out.cell[c].v[i] = h + change;
            lost[c] += n.w.v[i] * kn_stream_lost(h, change, out.cell[c].v[i]);
        }
    }
    return out;
}

/* First order for one cell, also at walls; a function call, as streamed_apart. */
static __device__ __noinline__ streamed_quad stream_cell(const kn_cuda_problem &p, const kn_cuda_step &s,
                                                         const inflow_rows &r, kn_site site, int k)
{
    const four here = read_row(r.here + k);
    four in[3], change = {{0, 0, 0, 0}};
#pragma unroll
    for (int a = 0; a < 3; a++)
        if (a < p.mesh.naxes)
            in[a] = read_row(r.up[a] + k);
#pragma unroll
    for (int a = 0; a < 3; a++)
        if (a < p.mesh.naxes) {
            const four speed = read_table(p.speed[p.mesh.axes[a]] + k);
#pragma unroll
            for (int i = 0; i < 4; i++)
                change.v[i] += kn_stream_flow(r.courant[a] * speed.v[i], in[a].v[i], here.v[i]);
        }
    streamed_quad out;
    out.lost = lost_of_cell(p, site, s.dt_stream, k);
    out.h = sum_of(read_table(p.w + k), here, change, &out.lost);
    return out;
}

template <int C>
static __device__ __forceinline__ quad_cells<C> stream_cells(const kn_cuda_problem &p,
                                                             const inflow_rows rows[C], int octant, int k,
                                                             const quad_nodes &n, float lost[C])
{
    if (p.mesh.naxes == 2)
        return blows_up(p.mesh, octant) ? stream_run<C, 2, true>(rows, k, n, lost)
                                        : stream_run<C, 2, false>(rows, k, n, lost);
    return blows_up(p.mesh, octant) ? stream_run<C, 3, true>(rows, k, n, lost)
                                    : stream_run<C, 3, false>(rows, k, n, lost);
}

template <int C, int ORDER, bool LISTED>
static __device__ __forceinline__ quad_cells<C> stream_quad(const kn_cuda_problem &p, const kn_cuda_step &s,
                                                            const inflow<C> &in, int octant, int k,
                                                            const quad_nodes &n, float lost[C])
{
    const inflow_rows *rows = in.rows[octant];
    if (ORDER == 1 && (LISTED ? in.run[octant] & 1 : in.run[octant]))
        return stream_cells<C>(p, rows, octant, k, n, lost);
    quad_cells<C> out;
#pragma unroll
    for (int c = 0; c < C; c++) {
        const kn_site site = {swept_cell<LISTED>(p, blockIdx.x * C + c), octant};
        if (s.dt_stream == 0) {
            out.cell[c] = read_row(rows[c].here + k);
            continue;
        }
        if (LISTED && ORDER == 1 && (in.run[octant] >> (1 + c) & 1)) {
            out.cell[c] = stream_cells<1>(p, rows + c, octant, k, n, lost + c).cell[0];
            continue;
        }
        wait_for_previous_kernel();
        const streamed_quad q = ORDER == 1 ? stream_cell(p, s, rows[c], site, k)
                                           : streamed_apart<ORDER>(p, s.h, site, s.dt_stream, k);
        out.cell[c] = q.h;
        lost[c] += q.lost;
    }
    return out;
}

/* Sum the mass lost by the threads of the block in each cell, in a fixed order. */
template <int T, int C> static __device__ void sum_lost(float part[C], float *space, float total[C])
{
#pragma unroll
    for (int c = 0; c < C; c++) {
        for (int offset = WARP / 2; offset > 0; offset /= 2)
            part[c] += __shfl_xor_sync(0xffffffffu, part[c], offset);
        if (threadIdx.x % WARP == 0)
            space[threadIdx.x / WARP * C + c] = part[c];
    }
    __syncthreads();
    if (threadIdx.x < C) {
        float sum = 0;
        for (int w = 0; w < T / WARP; w++)
            sum += space[w * C + threadIdx.x];
        total[threadIdx.x] = sum;
    }
}

/* The streaming kernel: fills the tile with rows of C cells. */
template <int T, int C, int V, bool STAGED, int ORDER, bool LISTED>
static __device__ void stream_tile(const kn_cuda_problem &p, const kn_cuda_step &s, const inflow<C> &in,
                                   float *tile, double *space, float lost[C])
{
    const share mine = share_of<T>(p.mesh);
    float part[C] = {};
    for (int k = mine.k; k < p.mesh.stride; k += mine.step) {
        const quad_nodes n = nodes_of(p, k);
        for (int octant = mine.octant; octant < p.mesh.octants; octant += mine.parts)
            write_tile<C, V, STAGED>(p.mesh, tile, octant * p.mesh.stride + k,
                                     stream_quad<C, ORDER, LISTED>(p, s, in, octant, k, n, part));
    }
    sum_lost<T, C>(part, (float *)space, lost);
}

/* Half a step of the sources. */
template <int T, int C, int V, bool STAGED>
static __device__ void add_source(const kn_cuda_problem &p, double dt, float *tile)
{
    const float half = (float)(0.5 * dt);
    for (int at = 4 * threadIdx.x; at < p.mesh.nnodes; at += 4 * T) {
        const four source = read_table(p.source + at);
        quad_cells<C> h = read_tile<C, V, STAGED>(p.mesh, tile, at);
#pragma unroll
        for (int i = 0; i < 4 * C; i++)
            h.cell[i / 4].v[i % 4] = kn_collide_driven(h.cell[i / 4].v[i % 4], half, source.v[i % 4]);
        write_tile<C, V, STAGED>(p.mesh, tile, at, h);
    }
    __syncthreads();
}

/* h plus the polynomial with coefficients x for the velocities of an octant. */
static __device__ __forceinline__ void correct(const kn_cuda_problem &p, const quad_nodes &n,
                                               const float sign[3], const float x[KN_INVARIANTS], int k,
                                               four *h)
{
    float change[4];
#pragma unroll
    for (int i = 0; i < 4; i++)
        change[i] = x[0] + x[4] * n.vv.v[i];
#pragma unroll
    for (int d = 0; d < 3; d++)
        if (p.mesh.bit[d] != 0) {
            const float odd = sign[d] * x[1 + d];
#pragma unroll
            for (int i = 0; i < 4; i++)
                change[i] += odd * n.v[d].v[i];
        }
    if (k + 4 > p.size) /* padding stays */
#pragma unroll
        for (int i = 0; i < 4; i++)
            change[i] = k + i < p.size ? change[i] : 0;
    if (p.conservation == KN_CONSERVATION_PAPER)
#pragma unroll
        for (int i = 0; i < 4; i++)
            change[i] *= 1 + p.eps * h->v[i];
#pragma unroll
    for (int i = 0; i < 4; i++)
        h->v[i] += change[i];
}

/* Store the corrected tile. */
template <int T, int C, int V, bool STAGED, bool LISTED>
static __device__ void store_tile(const kn_cuda_problem &p, const kn_cuda_step &s, const float *tile,
                                  const float x[C][KN_INVARIANTS], const float lost[C])
{
    const share mine = share_of<T>(p.mesh);
    const float half = (float)(0.5 * s.dt_collide);
    const int first = blockIdx.x * C;
    for (int k = mine.k; k < p.mesh.stride; k += mine.step) {
        const quad_nodes n = nodes_of(p, k);
        for (int octant = mine.octant; octant < p.mesh.octants; octant += mine.parts) {
            const int at = octant * p.mesh.stride + k;
            quad_cells<C> h = read_tile<C, V, STAGED>(p.mesh, tile, at);
            float sign[3];
            signs_of(p.mesh, octant, sign);
#pragma unroll
            for (int c = 0; c < C; c++) {
                if (p.conservation != KN_CONSERVATION_NONE)
                    correct(p, n, sign, x[c], k, &h.cell[c]);
                if (p.source)
#pragma unroll
                    for (int i = 0; i < 4; i++)
                        h.cell[c].v[i] = kn_collide_driven(h.cell[c].v[i], half, p.source[at + i]);
                if (s.heavy / 4 == at / 4)
#pragma unroll
                    for (int i = 0; i < 4; i++)
                        h.cell[c].v[i] += s.heavy == at + i ? kn_stream_restored(lost[c], n.w.v[i]) : 0.0f;
                if (first + c < p.ncells)
                    *(float4 *)(s.next +
                                (int64_t)(LISTED ? p.sweep_order[first + c] : first + c) * p.mesh.nnodes +
                                at) =
                        make_float4(h.cell[c].v[0], h.cell[c].v[1], h.cell[c].v[2], h.cell[c].v[3]);
            }
        }
    }
}

/* Streaming, all samples and the correction for C neighbouring cells. */
template <int T, int C, int V, class NODE, bool STAGED, int ORDER, bool LISTED>
static __global__ void __launch_bounds__(T, 768 / T)
    monte_carlo_kernel(const __grid_constant__ kn_cuda_problem p, const __grid_constant__ kn_cuda_step s)
{
    extern __shared__ __align__(16) float shared[];
    __shared__ double before[T / WARP][C * 4], after[T / WARP][C * 4], space[T / WARP * 15];
    __shared__ float x[C][KN_INVARIANTS], lost[C];
    __shared__ inflow<C> in;
    float *const tile = STAGED ? shared : s.next + (int64_t)swept_cell<LISTED>(p, blockIdx.x) * p.mesh.nnodes;
    allow_next_kernel();
    const long long start = clock64();
    for (int i = threadIdx.x; STAGED && i < KN_SAMPLE_BATCH * C; i += T) /* the slots of idle samples */
        cell_of<V>(p.mesh, tile, i % C)[(kn_cuda_slots(p.mesh.nnodes, V) + i / C) * V] = 0;
    find_inflow<C, LISTED>(p, s, &in);
    stream_tile<T, C, V, STAGED, ORDER, LISTED>(p, s, in, tile, space, lost);
    if (p.source) {
        __syncthreads();
        add_source<T, C, V, STAGED>(p, s.dt_collide, tile);
    }
    if (p.conservation != KN_CONSERVATION_NONE)
        tile_flow<T, C, V, STAGED>(p, tile, before);
    __syncthreads();
    const long long middle = clock64();
    /* teams of different blocks are distributed over the schedulers */
    const int warp = (threadIdx.x / WARP + blockIdx.x * WARPS) % (T / WARP), team = warp / WARPS;
    if (team < C / V)
        apply_batches<V, NODE, STAGED>(s.set, team, warp % WARPS, p.eps, p.symmetric ? 1.0f : 0.0f,
                                       cell_of<V>(p.mesh, tile, team * V));
    __syncthreads();
    if (p.conservation != KN_CONSERVATION_NONE) {
        tile_flow<T, C, V, STAGED>(p, tile, after);
        corrections<T, C, V, STAGED>(p, tile, before, after, space, x);
    }
    store_tile<T, C, V, STAGED, LISTED>(p, s, tile, x, lost);
    wait_for_previous_kernel();
    note_cycles(p, blockIdx.x == p.centre / C, start, middle);
}

size_t kn_cuda_monte_carlo_bytes(const struct kn_cuda_problem *p, int cells)
{
    const int beside = kn_cuda_beside(cells);
    return ((size_t)kn_cuda_slots(p->mesh.nnodes, beside) + KN_SAMPLE_BATCH) * sizeof(float) * (size_t)cells;
}

template <int T, int C, int V, class NODE, bool STAGED, int ORDER>
static cudaError_t launch(const kn_cuda_problem *p, const kn_cuda_step *s, cudaStream_t stream)
{
    const size_t bytes = STAGED ? kn_cuda_monte_carlo_bytes(p, C) : 0;
    const auto kernel = s->listed ? monte_carlo_kernel<T, C, V, NODE, STAGED, ORDER, true>
                                  : monte_carlo_kernel<T, C, V, NODE, STAGED, ORDER, false>;
    const cudaError_t status =
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
    if (status != cudaSuccess)
        return status;
    return launch_overlapping(kernel, (unsigned)((p->ncells + C - 1) / C), T, bytes, stream, s->behind_walls,
                              *p, *s);
}

/* Fewer threads for short rows, so that more blocks are resident. */
template <int C, int ORDER>
static cudaError_t launch_cells(const kn_cuda_problem *p, const kn_cuda_step *s, cudaStream_t stream)
{
    enum { V = C < KN_CUDA_BESIDE ? C : KN_CUDA_BESIDE, LEAST = C / V * KN_SAMPLE_BATCH };
    return p->mesh.nnodes >= 1024 ? launch<256, C, V, ushort4, true, ORDER>(p, s, stream)
                                  : launch<LEAST, C, V, ushort4, true, ORDER>(p, s, stream);
}

template <int ORDER>
static cudaError_t advance(const kn_cuda_problem *p, const kn_cuda_step *s, cudaStream_t stream)
{
    switch (p->choice.together) {
    case 4:
        return launch_cells<4, ORDER>(p, s, stream);
    case 2:
        return launch_cells<2, ORDER>(p, s, stream);
    case 1:
        return launch_cells<1, ORDER>(p, s, stream);
    default:
        return launch<256, 1, 1, uint4, false, ORDER>(p, s, stream);
    }
}

cudaError_t kn_cuda_monte_carlo(const struct kn_cuda_problem *p, const struct kn_cuda_step *s,
                                cudaStream_t stream)
{
    return p->order == 1 ? advance<1>(p, s, stream) : advance<2>(p, s, stream);
}
