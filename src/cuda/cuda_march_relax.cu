/* Streaming above first order with model equations and sources: a march through tiles of cells. Place 2 of
 * the velocity (struct kn_basis) is folded. The target of the relaxation is a combination of few functions at
 * place 2 for given velocities at places 0 and 1, so that its sums, and with them the correction, are known
 * before h changes. */
#include "cuda/cuda_march_tiles.h"
#include "cuda/cuda_relax.h"

/* N cells in shared memory; the threads of a cell are in at most WARPS warps. */
template <int N, int WARPS> struct relaxing_block {
    /* sums by warps; after find_relaxation the first four of a cell are those of the share of h that the
     * target replaces: mass, energy, momentum */
    float found[N][WARPS][count_sums(QUADRANTS)];
    float4 changed[N][WARPS];       /* the same of the target */
    float lost[WARPS][N];           /* mass lost by round-off in streaming, then in the whole step */
    float heavy[WARPS > 1 ? N : 1]; /* h of the node to which it is returned */
    kn_relaxation relaxation[N];
    int cells[N]; /* their numbers; negative: there is no such cell */
};

/* The nodes of a thread, the rows of the cells and their tables in shared memory. */
struct block_rows {
    relaxed_nodes<QUADRANTS> r;
    int k;
    float *rows;                   /* [N][nnodes] */
    float4 *last;                  /* [N][nodes at place 2] */
    float4 *tables;                /* for places 0 and 1, of all cells, or of one cell per team */
    int heavy;                     /* lane with the heaviest node */
    kn_cuda_correction correction; /* negative; 0 if invariants are not corrected */
};

/* A cell is processed by a team of LANES lanes of a warp, or by the whole block (LANES > WARP). */
template <int LANES> static __device__ __forceinline__ int team_of(void)
{
    return LANES > WARP ? 0 : threadIdx.x / LANES;
}

template <int LANES> static __device__ __forceinline__ int teams_of(void)
{
    return LANES > WARP ? 1 : blockDim.x / LANES;
}

static __host__ __device__ __forceinline__ int pair_entries(const kn_cuda_problem &p)
{
    return p.tables.nodes[0] + p.tables.nodes[1];
}

/* An entry for places 0 or 1 of a crossed target, theory (19e); a function call as entry_at. */
static __device__ __noinline__ float crossed_entry_at(kn_factor a, kn_factor b, float slope, float eps,
                                                      int place, float v)
{
    const kn_crossed x = kn_gaussian_crossed(&a, &b, slope, eps);
    return kn_gaussian_excess(eps, place == 0 ? x.constant + v * (x.linear[0] + x.square[0] * v)
                                              : v * (x.linear[1] + x.square[1] * v));
}

/* An entry for places 0 or 1. */
static __device__ __forceinline__ float4 pair_entry_of(const kn_cuda_problem &p, const kn_relaxation &r,
                                                       int j)
{
    if (!p.tables.crossed)
        return entry_of(p, r, j);
    const signed_node n = signed_node_of(p, j);
    const kn_gaussian &g = r.target;
    return make_float4(crossed_entry_at(g.factor[0], g.factor[1], g.slope[0], p.eps, n.place, n.v), 0, 0, 0);
}

/* Sums of the cells after half a step of the sources. */
template <int LANES, int N, int WARPS>
static __device__ __forceinline__ void sum_cells(const kn_cuda_problem &p, double dt, const block_rows &b,
                                                 relaxing_block<N, WARPS> *space)
{
    enum { GROUP = LANES > WARP ? WARP : LANES };
#pragma unroll 2
    for (int c = team_of<LANES>(); c < N; c += teams_of<LANES>()) {
        four h[QUADRANTS] = {};
        float sum[count_sums(QUADRANTS)] = {};
        if (b.r.works)
            read_cell(p.mesh, b.rows, c, b.k, h);
        if (b.r.works && p.source)
#pragma unroll
            for (int o = 0; o < QUADRANTS; o++) {
                h[o] = driven(p, dt, h[o], o, b.k);
                write4(b.rows + c * p.mesh.nnodes + o * p.mesh.stride + b.k, h[o]);
            }
        add_sums<QUADRANTS>(b.r.n, h, sum);
        sum_into<count_sums(QUADRANTS), GROUP>(sum, space->found[c][LANES > WARP ? threadIdx.x / WARP : 0]);
    }
}

/* The relaxation of a cell from the sums of its warps. Without collisions it has no effect. */
template <int N, int WARPS>
static __device__ __forceinline__ void find_relaxation(const kn_cuda_problem &p, double dt, int warps, int c,
                                                       relaxing_block<N, WARPS> *space)
{
    enum { KEPT = 4 };
    const int from[KEPT] = {0, 1, 4, 6};
    kn_relaxation r = {};
    float sum[KEPT] = {0, 0, 0, 0};
    if (p.method != KN_METHOD_NONE)
        r = relaxation_of<QUADRANTS>(p.basis, p.method, p.prandtl, dt, space->found[c][0], warps);
    for (int w = 0; w < warps; w++)
#pragma unroll
        for (int i = 0; i < KEPT; i++)
            sum[i] += space->found[c][w][from[i]];
#pragma unroll
    for (int i = 0; i < KEPT; i++)
        space->found[c][0][i] = r.lose * sum[i];
    space->relaxation[c] = r;
}

/* Relaxations of all cells and the tables that exist for all cells. */
template <int LANES, int N, int WARPS>
static __device__ __forceinline__ void find_tables(const kn_cuda_problem &p, double dt, const block_rows &b,
                                                   relaxing_block<N, WARPS> *space)
{
    const int last = p.tables.nodes[2], pairs = pair_entries(p);
    if (threadIdx.x < N)
        find_relaxation(p, dt, LANES > WARP ? blockDim.x / WARP : 1, threadIdx.x, space);
    __syncthreads();
    for (int i = threadIdx.x; i < N * last; i += blockDim.x)
        b.last[i] = entry_of(p, space->relaxation[i / last], pairs + i % last);
    for (int i = threadIdx.x; LANES > WARP && i < N * pairs; i += blockDim.x)
        b.tables[i] = pair_entry_of(p, space->relaxation[i / pairs], i % pairs);
    __syncthreads();
}

/* The tables of one cell per team. */
template <int LANES>
static __device__ __forceinline__ void fill_tables(const kn_cuda_problem &p, const kn_relaxation &r,
                                                   float4 *table)
{
    __syncwarp();
    for (int i = threadIdx.x % LANES; i < pair_entries(p); i += LANES)
        table[i] = pair_entry_of(p, r, i);
    __syncwarp();
}

/* The target for the nodes of a thread: SHARE consecutive nodes have the same velocity at places 0 and 1. */
template <int SHARE> struct folded_target {
    kn_relax_folded of[4 / SHARE][QUADRANTS];
    float excess[4], second[4]; /* at place 2 */
};

/* E of the factor that depends on the product of the velocities, for equal and for opposite signs. */
static __device__ __forceinline__ void cross_excess(const kn_cuda_problem &p, const kn_gaussian &g,
                                                    float product, float excess[2])
{
    const float exponent = 2 * g.factor[1].inverse * g.slope[0] * product;
    excess[0] = kn_gaussian_excess(p.eps, exponent);
    excess[1] = kn_gaussian_excess(p.eps, -exponent);
}

template <int SHARE>
static __device__ __forceinline__ folded_target<SHARE>
folded_target_of(const kn_cuda_problem &p, const relaxing_cell &c, const relaxed_nodes<QUADRANTS> &r)
{
    const kn_gaussian &g = c.relaxation->target;
    const float lose = c.relaxation->lose;
    folded_target<SHARE> t;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const kn_relax_part last = part_of(p, c, 2, r.at[i], 0);
        t.excess[i] = last.excess;
        t.second[i] = last.second;
    }
#pragma unroll
    for (int j = 0; j < 4 / SHARE; j++) {
        const int i = j * SHARE;
        const kn_relax_part a[2] = {part_of(p, c, 0, r.at[i], 0), part_of(p, c, 0, r.at[i], 1)},
                            b[2] = {part_of(p, c, 1, r.at[i], 0), part_of(p, c, 1, r.at[i], 2)};
        const float dense[2] = {kn_gaussian_value(p.eps, g.density, a[0].excess),
                                kn_gaussian_value(p.eps, g.density, a[1].excess)};
        float cross[2] = {0, 0};
        if (p.tables.crossed)
            cross_excess(p, g, r.n.v[0].v[i] * r.n.v[1].v[i], cross);
#pragma unroll
        for (int o = 0; o < QUADRANTS; o++) {
            kn_relax_pair pair = {kn_deviation_join(p.eps, dense[o & 1], b[o >> 1].excess), 0, 0, 0, 0};
            if (p.method == KN_METHOD_SHAKHOV)
                pair = kn_relax_pair_of(dense[o & 1], a[o & 1], b[o >> 1]);
            if (p.tables.crossed)
                pair.excess = kn_deviation_join(p.eps, pair.excess, cross[o == 1 || o == 2]);
            t.of[j][o] = kn_relax_fold(lose, p.eps, pair);
        }
    }
    return t;
}

/* v.v without the velocity at place 2. */
static __device__ __forceinline__ float plane_square(const octant_nodes<QUADRANTS> &n, int i)
{
    return n.v[0].v[i] * n.v[0].v[i] + n.v[1].v[i] * n.v[1].v[i];
}

/* Adds mass, energy and momentum of the target. */
template <int SHARE>
static __device__ __forceinline__ void add_target(const octant_nodes<QUADRANTS> &n,
                                                  const folded_target<SHARE> &t,
                                                  float change[count_changes(QUADRANTS)])
{
#pragma unroll
    for (int j = 0; j < 4 / SHARE; j++) {
        const float plane = plane_square(n, j * SHARE);
        float w[3] = {0, 0, 0}, square[3] = {0, 0, 0}, mass[QUADRANTS], rest = 0;
#pragma unroll
        for (int i = j * SHARE; i < (j + 1) * SHARE; i++) {
            const float part[3] = {n.w.v[i], n.w.v[i] * t.excess[i], n.w.v[i] * t.second[i]},
                        last = n.vv.v[i] - plane;
#pragma unroll
            for (int f = 0; f < 3; f++) {
                w[f] += part[f];
                square[f] += part[f] * last;
            }
        }
#pragma unroll
        for (int o = 0; o < QUADRANTS; o++) {
            const kn_relax_folded &x = t.of[j][o];
            mass[o] = x.constant * w[0] + x.by_excess * w[1] + x.by_second * w[2];
            rest += x.constant * square[0] + x.by_excess * square[1] + x.by_second * square[2];
        }
        to_parities<QUADRANTS>(mass);
        change[0] += mass[0];
        change[1] += mass[0] * plane + rest;
        change[2] += mass[1] * n.v[0].v[j * SHARE];
        change[3] += mass[2] * n.v[1].v[j * SHARE];
    }
}

/* The polynomial that keeps the invariants: the target replaces a share of h. Mass is restored later to the
 * last digit. */
template <int N, int WARPS>
static __device__ __forceinline__ polynomial polynomial_of(const kn_cuda_correction &x,
                                                           const relaxing_block<N, WARPS> &space, int c,
                                                           int warps)
{
    const float *const kept = space.found[c][0];
    float sum[4] = {-kept[0], -kept[1], -kept[2], -kept[3]};
    for (int w = 0; w < warps; w++) {
        const float4 target = space.changed[c][w];
        sum[0] += target.x;
        sum[1] += target.y;
        sum[2] += target.z;
        sum[3] += target.w;
    }
    return polynomial{kn_point_product(x.even[0][0], sum[0]) + x.even[0][1] * sum[1],
                      {x.odd[0] * sum[2], x.odd[1] * sum[3], 0},
                      kn_point_product(x.even[1][0], sum[0]) + x.even[1][1] * sum[1]};
}

/* Relax the nodes of a thread; `lost` is the change of the mass of each node, with opposite sign. */
template <int SHARE>
static __device__ __forceinline__ void relax_folded(const octant_nodes<QUADRANTS> &n,
                                                    const folded_target<SHARE> &t, float lose,
                                                    const polynomial &x, four h[QUADRANTS], float lost[4])
{
#pragma unroll
    for (int j = 0; j < 4 / SHARE; j++) {
        const parities<QUADRANTS> even = {
            x.even + x.square * plane_square(n, j * SHARE),
            {x.odd[0] * n.v[0].v[j * SHARE], x.odd[1] * n.v[1].v[j * SHARE], 0}};
        float constant[QUADRANTS];
        spread<QUADRANTS>(even, constant);
#pragma unroll
        for (int o = 0; o < QUADRANTS; o++)
            constant[o] += t.of[j][o].constant;
#pragma unroll
        for (int i = j * SHARE; i < (j + 1) * SHARE; i++) {
            const float last = x.square * (n.vv.v[i] - plane_square(n, j * SHARE));
#pragma unroll
            for (int o = 0; o < QUADRANTS; o++) {
                const float old = h[o].v[i], change = constant[o] + last +
                                                      t.of[j][o].by_excess * t.excess[i] +
                                                      t.of[j][o].by_second * t.second[i] - lose * old;
                h[o].v[i] = old + n.inside.v[i] * change;
                lost[i] += old - h[o].v[i];
            }
        }
    }
}

/* The end of a cell: the mass lost by round-off is restored in a team, or noted if a cell has several warps.
 */
template <int LANES, int N, int WARPS>
static __device__ __forceinline__ void store_cell(const kn_cuda_problem &p, const kn_cuda_step &s,
                                                  const block_rows &b, int c, const float lost[4],
                                                  four h[QUADRANTS], relaxing_block<N, WARPS> *space)
{
    const int octant = s.heavy / p.mesh.stride, place = s.heavy - octant * p.mesh.stride - b.k;
    float *const row = s.next + (int64_t)space->cells[c] * p.mesh.nnodes + b.k;
    if (LANES > WARP) {
        float sum = 0;
#pragma unroll
        for (int i = 0; i < 4; i++)
            sum += b.r.n.w.v[i] * lost[i];
#pragma unroll
        for (int offset = WARP / 2; offset > 0; offset /= 2)
            sum += __shfl_xor_sync(0xffffffffu, sum, offset);
        if (threadIdx.x % WARP == 0)
            space->lost[threadIdx.x / WARP][c] += sum;
    } else {
        restore_mass<LANES, QUADRANTS>(b.r.n, lost, b.k == 0 ? space->lost[0][c] : 0.0f, b.heavy, octant, h);
    }
    if (p.source && b.r.works)
#pragma unroll
        for (int o = 0; o < QUADRANTS; o++)
            h[o] = driven(p, s.dt_collide, h[o], o, b.k);
#pragma unroll
    for (int o = 0; o < QUADRANTS; o++)
        if (b.r.works && space->cells[c] >= 0)
            write4(row + o * p.mesh.stride, h[o]);
    if (LANES > WARP && b.r.works && place >= 0 && place < 4)
#pragma unroll
        for (int i = 0; i < 4 * QUADRANTS; i++)
            if (octant == i / 4 && place == i % 4)
                space->heavy[c] = h[i / 4].v[i % 4];
}

/* Model equations and sources in the cells of a block, which are stored. */
template <int SHARE, int LANES, int N, int WARPS>
static __device__ __forceinline__ void relax_block(const kn_cuda_problem &p, const kn_cuda_step &s,
                                                   const block_rows &b, relaxing_block<N, WARPS> *space)
{
    enum { GROUP = LANES > WARP ? WARP : LANES };
    const int warp = LANES > WARP ? threadIdx.x / WARP : 0, warps = LANES > WARP ? blockDim.x / WARP : 1;
    sum_cells<LANES>(p, s.dt_collide, b, space);
    __syncthreads();
    find_tables<LANES>(p, s.dt_collide, b, space);
#pragma unroll 1
    for (int c = team_of<LANES>(); c < N; c += teams_of<LANES>()) {
        float4 *const table = b.tables + (LANES > WARP ? c : team_of<LANES>()) * pair_entries(p);
        const relaxing_cell cell = {&space->relaxation[c], table, b.last + c * p.tables.nodes[2]};
        float change[count_changes(QUADRANTS)] = {}, lost[4] = {0, 0, 0, 0};
        four h[QUADRANTS] = {};
        if (LANES <= WARP)
            fill_tables<LANES>(p, *cell.relaxation, table);
        const folded_target<SHARE> t = folded_target_of<SHARE>(p, cell, b.r);
        if (b.r.works)
            add_target<SHARE>(b.r.n, t, change);
        sum_into<count_changes(QUADRANTS), GROUP>(change, (float *)&space->changed[c][warp]);
        wait_for_lanes<LANES>();
        const polynomial x = polynomial_of(b.correction, *space, c, warps);
        if (b.r.works) {
            read_cell(p.mesh, b.rows, c, b.k, h);
            relax_folded<SHARE>(b.r.n, t, cell.relaxation->lose, x, h, lost);
        }
        if (p.conservation == KN_CONSERVATION_NONE)
            lost[0] = lost[1] = lost[2] = lost[3] = 0;
        store_cell<LANES>(p, s, b, c, lost, h, space);
    }
    __syncthreads();
    if (LANES > WARP && threadIdx.x < N) { /* one node of each cell */
        float sum = 0;
        for (int w = 0; w < warps; w++)
            sum += space->lost[w][threadIdx.x];
        s.next[(int64_t)space->cells[threadIdx.x] * p.mesh.nnodes + s.heavy] =
            space->heavy[threadIdx.x] + kn_stream_restored(sum, p.w[s.heavy % p.mesh.stride]);
    }
}

static __device__ __forceinline__ kn_cuda_correction correction_by_place(const kn_cuda_problem &p)
{
    const double scale = p.conservation == KN_CONSERVATION_NONE ? 0.0 : -1.0;
    kn_cuda_correction c = {};
#pragma unroll
    for (int i = 0; i < 4; i++)
        c.even[i / 2][i % 2] = (float)(scale * p.inverse[i / 2 * 4][i % 2 * 4]);
#pragma unroll
    for (int j = 0; j < axes_of(QUADRANTS); j++)
        c.odd[j] = (float)(scale * p.inverse[1 + p.basis.axes[j]][1 + p.basis.axes[j]]);
    return c;
}

/* What a thread has of n cells. */
template <int LANES>
static __device__ __forceinline__ block_rows rows_of(const kn_cuda_problem &p, float *rows, int n)
{
    const int k = 4 * (LANES > WARP ? threadIdx.x : threadIdx.x % LANES);
    const bool works = k < p.mesh.stride;
    const octant_nodes<QUADRANTS> nodes = octant_nodes_of<QUADRANTS>(p, works ? k : 0);
    float4 *const last = (float4 *)(rows + n * p.mesh.nnodes);
    return block_rows{relaxed_nodes_of<QUADRANTS>(p, nodes, k, works),
                      k,
                      rows,
                      last,
                      last + n * p.tables.nodes[2],
                      LANES > WARP ? 0 : heaviest<LANES>(works ? nodes.w.v[0] : 0.0f),
                      correction_by_place(p)};
}

/* The numbers of the cells of a tile, and the mass lost in streaming them in this warp. */
static __device__ __forceinline__ void note_tile(const kn_cuda_problem &p, const tile_place &here, int thread,
                                                 const float lost[ROWS][COLUMNS], float *lost_here,
                                                 int *cells)
{
    float sum[CELLS];
#pragma unroll
    for (int c = 0; c < CELLS; c++)
        sum[c] = lost[c / COLUMNS][c % COLUMNS];
    sum_into<CELLS, WARP>(sum, lost_here);
    if (thread < CELLS)
        cells[thread] = here.exists ? here.cell + thread % COLUMNS + p.inner.across * (thread / COLUMNS) : -1;
}

/* One tile per block. */
template <int LIMITER, int MOST, int SHARE, reach REACH>
static __global__ void __launch_bounds__(MOST, MOST > 128 ? 1 : 3)
    relax_march_kernel(const __grid_constant__ kn_cuda_problem p, const __grid_constant__ kn_cuda_step s,
                       double lose, int whole)
{
    extern __shared__ __align__(16) float tile[];
    __shared__ relaxing_block<CELLS, MOST / WARP> space;
    __shared__ int around[REACH == AT_RIM ? AROUND : 1];
    const tile_place here = place_of<REACH>(p, s, blockIdx.x);
    const int thread[2] = {(int)threadIdx.x, (int)blockDim.x};
    float lost[ROWS][COLUMNS] = {};
    allow_next_kernel();
    const long long start = clock64();
    stream_by<LIMITER, REACH>(p, s, here, thread, tile, around, lost);
    note_tile(p, here, threadIdx.x, lost, space.lost[threadIdx.x / WARP], space.cells);
    const long long middle = clock64();
    relax_block<SHARE, MOST>(p, s, rows_of<MOST>(p, tile, CELLS), &space);
    wait_for_previous_kernel();
    note_cycles(p, REACH != AT_RIM && blockIdx.x == 0, start, middle);
}

/* One tile per warp. The warps of a block execute the same code at about the same time, which the instruction
 * cache needs, and one warp computes the relaxations of all cells. */
enum { MEDIUM = 4 };

template <int LIMITER, int SHARE, reach REACH>
static __global__ void __launch_bounds__(MEDIUM *WARP, 3)
    medium_relax_march_kernel(const __grid_constant__ kn_cuda_problem p,
                              const __grid_constant__ kn_cuda_step s, double lose, int whole)
{
    extern __shared__ __align__(16) float tiles[];
    __shared__ relaxing_block<MEDIUM * CELLS, 1> space;
    __shared__ int around[MEDIUM][REACH == AT_RIM ? AROUND : 1];
    const int tile = threadIdx.x / WARP, thread[2] = {(int)threadIdx.x % WARP, WARP};
    const tile_place here = place_of<REACH>(p, s, blockIdx.x * MEDIUM + tile);
    float lost[ROWS][COLUMNS] = {};
    allow_next_kernel();
    const long long start = clock64();
    stream_by<LIMITER, REACH>(p, s, here, thread, tiles + tile * CELLS * p.mesh.nnodes, around[tile], lost);
    note_tile(p, here, thread[0], lost, &space.lost[0][tile * CELLS], &space.cells[tile * CELLS]);
    __syncthreads();
    const long long middle = clock64();
    relax_block<SHARE, WARP>(p, s, rows_of<WARP>(p, tiles, MEDIUM * CELLS), &space);
    wait_for_previous_kernel();
    note_cycles(p, REACH != AT_RIM && blockIdx.x == 0, start, middle);
}

template <int LIMITER, int SHARE, reach REACH>
static __global__ void __launch_bounds__(SHORT, SHORT_BLOCKS)
    short_relax_march_kernel(const __grid_constant__ kn_cuda_problem p,
                             const __grid_constant__ kn_cuda_step s, double lose, int whole)
{
    extern __shared__ __align__(16) float tiles[];
    __shared__ lost_cells lost;
    __shared__ relaxing_block<TILES * CELLS, 1> space;
    __shared__ int around[TILES][REACH == AT_RIM ? AROUND : 1];
    allow_next_kernel();
    const long long start = clock64();
    stream_short_block<LIMITER, REACH>(p, s, whole, tiles, around, &lost);
    if (threadIdx.x < TILES * CELLS) {
        space.lost[0][threadIdx.x] = lost_in(lost, threadIdx.x);
        space.cells[threadIdx.x] = cell_of<REACH>(p, s, whole, threadIdx.x);
    }
    const long long middle = clock64();
    relax_block<SHARE, LANES>(p, s, rows_of<LANES>(p, tiles, TILES * CELLS), &space);
    wait_for_previous_kernel();
    note_cycles(p, REACH != AT_RIM && blockIdx.x == 0, start, middle);
}

/* Rows of at most this number of groups of four nodes per octant are processed by one warp. */
static bool has_medium_rows(const kn_cuda_problem *p)
{
    return p->mesh.stride <= 4 * WARP;
}

size_t kn_cuda_march_relax_bytes(const struct kn_cuda_problem *p)
{
    const bool medium = has_medium_rows(p);
    const int tiles = p->choice.short_rows ? (int)TILES
                      : medium             ? (int)MEDIUM
                                           : 1,
              cells = tiles * CELLS,
              tables = p->choice.short_rows ? SHORT / LANES
                       : medium             ? (int)MEDIUM
                                            : (int)CELLS;
    return (size_t)(cells * p->mesh.nnodes) * sizeof(float) +
           (size_t)(cells * p->tables.nodes[2] + tables * pair_entries(*p)) * sizeof(float4);
}

template <int LIMITER, reach REACH>
static cudaError_t launch_reach(const kn_cuda_problem *p, const kn_cuda_step *s, int tiles,
                                cudaStream_t stream)
{
    const int quads = p->mesh.stride / 4, threads = (quads + WARP - 1) / WARP * WARP, share = p->tables.share;
    if (p->choice.short_rows)
        return launch_short_march(share == 4   ? short_relax_march_kernel<LIMITER, 4, REACH>
                                  : share == 2 ? short_relax_march_kernel<LIMITER, 2, REACH>
                                               : short_relax_march_kernel<LIMITER, 1, REACH>,
                                  p, s, tiles, stream);
    if (has_medium_rows(p))
        return launch_march(share > 1 ? medium_relax_march_kernel<LIMITER, 2, REACH>
                                      : medium_relax_march_kernel<LIMITER, 1, REACH>,
                            p, s, (tiles + MEDIUM - 1) / MEDIUM, tiles, MEDIUM * WARP, stream);
    return launch_march(quads > 256   ? relax_march_kernel<LIMITER, WARP * MOST_WARPS, 1, REACH>
                        : quads > 128 ? relax_march_kernel<LIMITER, 256, 1, REACH>
                        : share == 4  ? relax_march_kernel<LIMITER, 128, 4, REACH>
                        : share == 2  ? relax_march_kernel<LIMITER, 128, 2, REACH>
                                      : relax_march_kernel<LIMITER, 128, 1, REACH>,
                        p, s, tiles, tiles, threads, stream);
}

template <int LIMITER>
static cudaError_t launch_limiter(const kn_cuda_problem *p, const kn_cuda_step *s, cudaStream_t stream)
{
    if (!s->tiles)
        return launch_reach<LIMITER, ALONE>(p, s, p->inner.tiles[0] * p->inner.tiles[1], stream);
    if (s->ntiles == 0)
        return cudaSuccess;
    return s->rim ? launch_reach<LIMITER, AT_RIM>(p, s, s->ntiles, stream)
                  : launch_reach<LIMITER, INSIDE>(p, s, s->ntiles, stream);
}

cudaError_t kn_cuda_march_relax(const struct kn_cuda_problem *p, const struct kn_cuda_step *s,
                                cudaStream_t stream)
{
    return p->limiter == KN_LIMITER_NONE ? launch_limiter<KN_LIMITER_NONE>(p, s, stream)
                                         : launch_limiter<KN_LIMITER_VAN_LEER>(p, s, stream);
}
