/* Model equations on the device: relaxation towards Gaussians, theory (31) to (35). A thread processes four
 * nodes of all octants of a cell; the factors of the Gaussian are in tables in shared memory. */
#ifndef KN_CUDA_RELAX_H
#define KN_CUDA_RELAX_H

#include "cuda/cuda_linear.h"

/* Sums over a cell: mass, v.v and the squares at places 0 and 1; v and v v.v by place; products of two. */
static __host__ __device__ constexpr int count_sums(int octants)
{
    return 4 + 2 * axes_of(octants) + axes_of(octants) * (axes_of(octants) - 1) / 2;
}

/* Changes of a cell: mass, energy, momentum by place. */
static __host__ __device__ constexpr int count_changes(int octants)
{
    return 2 + axes_of(octants);
}

/* Four nodes of all octants. */
template <int OCTANTS> struct relaxed_nodes {
    octant_nodes<OCTANTS> n;
    int at[4];  /* positions of each node on the half axes, in bytes from place 0 */
    bool works; /* false: the thread has no nodes */
};

template <int OCTANTS>
static __device__ __forceinline__ relaxed_nodes<OCTANTS>
relaxed_nodes_of(const kn_cuda_problem &p, const octant_nodes<OCTANTS> &n, int k, bool works)
{
    const int4 at = works ? *(const int4 *)(p.tables.places + k) : make_int4(0, 0, 0, 0);
    return relaxed_nodes<OCTANTS>{n, {at.x, at.y, at.z, at.w}, works};
}

/* The part of these nodes in the sums. */
template <int OCTANTS>
static __device__ __forceinline__ void add_sums(const octant_nodes<OCTANTS> &n, const four h[OCTANTS],
                                                float sum[count_sums(OCTANTS)])
{
    enum { AXES = axes_of(OCTANTS), CROSS = 4 + 2 * AXES };
#pragma unroll
    for (int i = 0; i < 4; i++) {
        float x[OCTANTS];
#pragma unroll
        for (int o = 0; o < OCTANTS; o++)
            x[o] = h[o].v[i];
        to_parities<OCTANTS>(x);
        const float mass = n.w.v[i] * x[0];
        sum[0] += mass;
        sum[1] += mass * n.vv.v[i];
        sum[2] += mass * (n.v[0].v[i] * n.v[0].v[i]);
        sum[3] += mass * (n.v[1].v[i] * n.v[1].v[i]);
#pragma unroll
        for (int j = 0; j < AXES; j++) {
            const float flow = n.w.v[i] * n.v[j].v[i], momentum = flow * x[1 << j];
            sum[4 + 2 * j] += momentum;
            sum[5 + 2 * j] += momentum * n.vv.v[i];
#pragma unroll
            for (int e = 0; e < j; e++)
                sum[CROSS + e + j - 1] += flow * n.v[e].v[i] * x[1 << e | 1 << j];
        }
    }
}

static __host__ __device__ constexpr int power_above(int count)
{
    return count > 8 ? 16 : count > 4 ? 8 : count > 2 ? 4 : 2;
}

/* Sums of several values over LANES lanes, stored in `to`. Lanes exchange one half of the values and keep the
 * sums of the other half, so that few values are exchanged. In the first exchange a value may have no
 * partner; then both lanes keep it. */
template <int COUNT, int LANES> static __device__ __forceinline__ void sum_into(float value[COUNT], float *to)
{
    enum { WHOLE = power_above(COUNT), FIRST = WHOLE / 2 };
    const int lane = threadIdx.x % LANES;
    int kept = 0;
#pragma unroll
    for (int offset = LANES / 2, half = FIRST; offset > 0; offset /= 2, half /= 2) {
        const bool upper = lane & offset;
        if (half == 0)
            value[0] += __shfl_xor_sync(0xffffffffu, value[0], offset);
#pragma unroll
        for (int i = 0; i < half; i++)
            if (i + half < (half == FIRST ? (int)COUNT : 2 * half)) {
                const float given = upper ? value[i] : value[i + half];
                value[i] = (upper ? value[i + half] : value[i]) + __shfl_xor_sync(0xffffffffu, given, offset);
            } else {
                value[i] += __shfl_xor_sync(0xffffffffu, value[i], offset);
            }
        kept += upper && half < FIRST ? half : 0;
    }
    const bool high = lane & LANES / 2;
    if (lane % (LANES / WHOLE) == 0 && (!high || kept + FIRST < COUNT))
        to[high ? kept + FIRST : kept] = value[0];
}

/* The relaxation of a cell from sums of its warps, found[warps][count_sums]; a function call, so that its
 * registers are not reserved in the caller, and as entry_of. */
template <int OCTANTS>
static __device__ __noinline__ kn_relaxation relaxation_of(kn_basis basis, enum kn_method method,
                                                           double prandtl, double dt, const float *found,
                                                           int warps)
{
    enum { AXES = axes_of(OCTANTS), SUMS = count_sums(OCTANTS), CROSS = 4 + 2 * AXES };
    double sum[SUMS], m[KN_MOMENTS], field[KN_FIELDS];
#pragma unroll
    for (int i = 0; i < SUMS; i++) {
        sum[i] = 0;
        for (int w = 0; w < warps; w++)
            sum[i] += found[w * SUMS + i];
    }
    m[KN_M_1] = sum[0];
    m[KN_M_XX] = sum[2];
    m[KN_M_YY] = sum[3];
    m[KN_M_ZZ] = sum[1] - sum[2] - sum[3];
#pragma unroll
    for (int j = 0; j < 3; j++) {
        m[KN_M_X + j] = j < AXES ? sum[j < AXES ? 4 + 2 * j : 0] : 0;
        m[KN_M_XVV + j] = j < AXES ? sum[j < AXES ? 5 + 2 * j : 0] : 0;
        m[KN_M_XY + j] = CROSS + j < SUMS ? sum[CROSS + j < SUMS ? CROSS + j : 0] : 0;
    }
    kn_moments_to_fields(m, basis.eps, field);
    return kn_collide_relaxation(method, &basis, prandtl, dt, field);
}

/* A cell that is relaxed: its relaxation and its tables, in shared memory. An entry of a table has E and the
 * three products of a part of the target. */
struct relaxing_cell {
    const kn_relaxation *relaxation;
    const float4 *table, *last; /* entries for the signed nodes at places 0 and 1, and at place 2 */
};

/* A signed node, counted over all places. */
struct signed_node {
    int place;
    float v;
};

static __device__ __forceinline__ signed_node signed_node_of(const kn_cuda_problem &p, int j)
{
    const int second = p.tables.nodes[0], third = second + p.tables.nodes[1];
    return j < second  ? signed_node{0, p.tables.line[0][j]}
           : j < third ? signed_node{1, p.tables.line[1][j - second]}
                       : signed_node{2, p.tables.line[2][j - third]};
}

/* An entry of a table. A function call: the same code for all kernels of a file, whose bits must agree. */
static __device__ __noinline__ float4 entry_at(kn_factor f, float eps, int reduced, float heat, float v)
{
    const kn_relax_form form = kn_relax_form_make(&f, eps, reduced, heat);
    const kn_relax_part part = kn_relax_part_at(&form, eps, v, kn_factor_excess(&f, eps, reduced, f.mean, v));
    return make_float4(part.excess, part.first, part.second, part.third);
}

static __device__ __forceinline__ float4 entry_of(const kn_cuda_problem &p, const kn_relaxation &r, int j)
{
    const signed_node n = signed_node_of(p, j);
    const int reduced = n.place == 0   ? p.basis.reduced[0]
                        : n.place == 1 ? p.basis.reduced[1]
                                       : p.basis.reduced[2];
    return entry_at(r.target.factor[n.place], p.eps, reduced, r.heat[n.place], n.v);
}

/* The part at a place for the sign of an octant. */
static __device__ __forceinline__ kn_relax_part part_of(const kn_cuda_problem &p, const relaxing_cell &c,
                                                        int place, int at, int octant)
{
    const int before = place == 1 ? p.tables.nodes[0] : 0,
              sign = octant >> place & 1 ? p.tables.half[place] : 0,
              i = before + sign + (at >> 8 * place & 255);
    const float4 x = place == 2 ? c.last[i] : c.table[i];
    return kn_relax_part{x.x, 1 + p.eps * x.x, x.y, x.z, x.w};
}

/* The factors at places 0 and 1. */
static __device__ __forceinline__ kn_relax_pair pair_of(const kn_cuda_problem &p, const relaxing_cell &c,
                                                        int at, int octant, const float v[3])
{
    const kn_gaussian &g = c.relaxation->target;
    if (p.tables.crossed) {
        const float excess = kn_gaussian_pair(&g, p.eps, p.basis.reduced, v[0], v[1]);
        return kn_relax_pair{kn_gaussian_value(p.eps, g.density, excess), 0, 0, 0, 0};
    }
    const kn_relax_part a = part_of(p, c, 0, at, octant), b = part_of(p, c, 1, at, octant);
    return kn_relax_pair_of(kn_gaussian_value(p.eps, g.density, a.excess), a, b);
}

/* The parts at a folded place 2 of four nodes, which are the same in all octants. */
struct folded_parts {
    kn_relax_part of[4];
};

static __device__ __forceinline__ folded_parts folded_parts_of(const kn_cuda_problem &p,
                                                               const relaxing_cell &c, const int at[4])
{
    folded_parts last;
#pragma unroll
    for (int i = 0; i < 4; i++)
        last.of[i] = part_of(p, c, 2, at[i], 0);
    return last;
}

/* The part at a place 2 with two signs. */
static __device__ __forceinline__ kn_relax_part unfolded_part(const kn_cuda_problem &p,
                                                              const relaxing_cell &c, int at, int octant,
                                                              const float v[3])
{
    const kn_gaussian &g = c.relaxation->target;
    if (!p.tables.crossed)
        return part_of(p, c, 2, at, octant);
    const float mean = kn_gaussian_mean2(&g, p.eps, v[0], v[1]),
                excess = kn_factor_excess(&g.factor[2], p.eps, p.basis.reduced[2], mean, v[2]);
    return kn_relax_part{excess, 1 + p.eps * excess, 0, 0, 0};
}

/* Relax four nodes of an octant; adds the changes of mass, energy and momentum. */
template <int OCTANTS>
static __device__ __forceinline__ void
relax_octant(const kn_cuda_problem &p, const relaxing_cell &c, const relaxed_nodes<OCTANTS> &r,
             const folded_parts &folded, int octant, four *h, float change[count_changes(OCTANTS)])
{
    const octant_nodes<OCTANTS> &n = r.n;
    const float sign[3] = {octant & 1 ? -1.0f : 1.0f, octant & 2 ? -1.0f : 1.0f, octant & 4 ? -1.0f : 1.0f};
    const float lose = c.relaxation->lose;
    float momentum[3] = {0, 0, 0};
    kn_relax_pair pair = {0, 0, 0, 0, 0};
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const float v[3] = {sign[0] * n.v[0].v[i], sign[1] * n.v[1].v[i],
                            OCTANTS == 8 ? sign[2] * n.v[2].v[i] : 0.0f};
        if ((i & (p.tables.share - 1)) == 0) /* the others have the same velocity at places 0 and 1 */
            pair = pair_of(p, c, r.at[i], octant, v);
        const kn_relax_part last = OCTANTS == 8 ? unfolded_part(p, c, r.at[i], octant, v) : folded.of[i];
        const float old = h->v[i];
        float d = kn_relax_change(lose, pair, last, old);
        if (p.method == KN_METHOD_SHAKHOV) {
            d += kn_relax_heat(pair, last);
            if (OCTANTS == 8) /* no odd moments along a folded axis */
                d += kn_relax_odd_heat(pair, last);
        }
        h->v[i] = old + n.inside.v[i] * d;
        const float mass = n.w.v[i] * (h->v[i] - old);
        change[0] += mass;
        change[1] += mass * n.vv.v[i];
#pragma unroll
        for (int j = 0; j < axes_of(OCTANTS); j++)
            momentum[j] += mass * n.v[j].v[i];
    }
#pragma unroll
    for (int j = 0; j < axes_of(OCTANTS); j++)
        change[2 + j] += sign[j] * momentum[j];
}

/* The polynomial that removes the changes of the invariants, changed[warps][count_changes], theory (30). */
template <int OCTANTS>
static __device__ __forceinline__ polynomial correction_of(const kn_cuda_problem &p, const float *changed,
                                                           int warps)
{
    sums sum = {0, 0, {0, 0, 0}};
    for (int w = 0; w < warps; w++) {
        const float *const of = changed + w * count_changes(OCTANTS);
        sum.mass += of[0];
        sum.energy += of[1];
#pragma unroll
        for (int j = 0; j < axes_of(OCTANTS); j++)
            sum.momentum[j] += of[2 + j];
    }
    return target_of<axes_of(OCTANTS)>(p, sum, p.conservation == KN_CONSERVATION_NONE ? 0.0 : -1.0);
}

/* Shared memory for a cell that is relaxed by at most WARPS warps: sums before, changes, the relaxation. */
template <int OCTANTS, int WARPS> struct relaxing_space {
    float found[WARPS][count_sums(OCTANTS)], changed[WARPS][count_changes(OCTANTS)];
    kn_relaxation relaxation;
};

/* A barrier for the threads of a cell: LANES lanes of a warp, or a block. */
template <int LANES> static __device__ __forceinline__ void wait_for_lanes(void)
{
    if (LANES > WARP)
        __syncthreads();
    else
        __syncwarp();
}

/* Relax a cell with rows in registers, by LANES lanes of a warp or by a block; threads without nodes have
 * h = 0. Returns the polynomial that corrects the cell. Another cell may follow without a barrier. */
template <int LANES, int OCTANTS, class SPACE>
static __device__ __forceinline__ polynomial relax_cell(const kn_cuda_problem &p, double dt,
                                                        const relaxed_nodes<OCTANTS> &r, SPACE *space,
                                                        float4 *table, four h[OCTANTS])
{
    enum { GROUP = LANES > WARP ? WARP : LANES };
    const int lane = LANES > WARP ? threadIdx.x : threadIdx.x % LANES,
              lanes = LANES > WARP ? blockDim.x : LANES, warp = LANES > WARP ? threadIdx.x / WARP : 0,
              warps = LANES > WARP ? blockDim.x / WARP : 1;
    const relaxing_cell c = {&space->relaxation, table, table + p.tables.entries - p.tables.nodes[2]};
    float sum[count_sums(OCTANTS)] = {}, change[count_changes(OCTANTS)] = {};
    add_sums<OCTANTS>(r.n, h, sum);
    sum_into<count_sums(OCTANTS), GROUP>(sum, space->found[warp]);
    wait_for_lanes<LANES>();
    if (lane == 0)
        space->relaxation = relaxation_of<OCTANTS>(p.basis, p.method, p.prandtl, dt, space->found[0], warps);
    wait_for_lanes<LANES>();
    for (int i = lane; i < p.tables.entries; i += lanes)
        table[i] = entry_of(p, space->relaxation, i + p.tables.skipped);
    wait_for_lanes<LANES>();
    if (r.works) {
        const folded_parts folded = OCTANTS < 8 ? folded_parts_of(p, c, r.at) : folded_parts{};
#pragma unroll
        for (int o = 0; o < OCTANTS; o++)
            relax_octant<OCTANTS>(p, c, r, folded, o, &h[o], change);
    }
    sum_into<count_changes(OCTANTS), GROUP>(change, space->changed[warp]);
    wait_for_lanes<LANES>();
    return correction_of<OCTANTS>(p, space->changed[0], warps);
}

/* Four nodes of an octant after half a step of the sources, if there are any. */
static __device__ __forceinline__ four driven(const kn_cuda_problem &p, double dt, four h, int octant, int k)
{
    if (!p.source)
        return h;
    const four rate = read4(p.source + octant * p.mesh.stride + k);
#pragma unroll
    for (int i = 0; i < 4; i++)
        h.v[i] = kn_collide_driven(h.v[i], (float)(0.5 * dt), rate.v[i]);
    return h;
}

#endif
