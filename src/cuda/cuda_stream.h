/* Streaming on the device: four nodes of one cell at a time. */
#ifndef KN_CUDA_STREAM_H
#define KN_CUDA_STREAM_H

#include "cuda/cuda_kernels.h"

static __device__ __forceinline__ float4 load4(const float *p)
{
    return *(const float4 *)p;
}

struct four {
    float v[4];
};

static __device__ __forceinline__ four read4(const float *p)
{
    const float4 x = load4(p);
    four f = {{x.x, x.y, x.z, x.w}};
    return f;
}

/* The same without the first-level cache, which is left to the tables. */
static __device__ __forceinline__ four read_row(const float *from)
{
    const float4 x = __ldcg((const float4 *)from);
    return four{{x.x, x.y, x.z, x.w}};
}

static __device__ __forceinline__ void write4(float *to, const four &h)
{
    *(float4 *)to = make_float4(h.v[0], h.v[1], h.v[2], h.v[3]);
}

/* Values on the downwind face of a site above first order, theory (15) to (17a). */
static __device__ __forceinline__ four face_values(const kn_cuda_problem &p, const float *h,
                                                   const kn_stencil &t, int axis, int k)
{
    const four here = read4(h + t.here + k), speed = read4(p.speed[axis] + k);
    const four up = read4(kn_mesh_at(h, p.outgoing, t.up) + k);
    const four down = t.down < 0 ? here : read4(h + t.down + k);
    four across = {{0, 0, 0, 0}}, out;
#pragma unroll
    for (int s = 0; s < 2; s++)
        if (s < t.transverse) {
            const four side = read4(h + t.side[s] + k), v = read4(p.speed[t.side_axis[s]] + k);
#pragma unroll
            for (int i = 0; i < 4; i++)
                across.v[i] += kn_stream_flow(t.side_courant[s] * v.v[i], here.v[i], side.v[i]);
        }
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const float a = (here.v[i] - up.v[i]) * t.up_scale, b = (down.v[i] - here.v[i]) * t.down_scale;
        const float courant = t.courant * speed.v[i];
        const float slope = kn_stream_slope(t.down < 0 ? KN_LIMITER_NONE : p.limiter, a, b,
                                            kn_stream_weigh(t.weight, courant));
        out.v[i] = kn_stream_face(here.v[i], slope, courant, across.v[i]);
    }
    return out;
}

/* Mass missing in the outgoing distributions of the walls of a cell, over one step. */
static __device__ float lost_at_walls(const kn_cuda_problem &p, int cell, float dt)
{
    float lost = 0;
    for (int a = 0; a < p.mesh.naxes; a++) {
        const int axis = p.mesh.axes[a];
        for (int side = 2 * axis; side < 2 * axis + 2; side++) {
            const int beyond = p.mesh.neighbour[6 * (int64_t)cell + side];
            if (beyond < 0)
                lost += dt / kn_mesh_width(&p.mesh, cell, axis) * p.lost[kn_mesh_face(beyond)];
        }
    }
    return lost;
}

/* h + change; mass lost by round-off is added to `lost`. */
static __device__ __forceinline__ four sum_of(const four &w, const four &here, const four &change,
                                              float *lost)
{
    four out;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        out.v[i] = here.v[i] + change.v[i];
        *lost += w.v[i] * kn_stream_lost(here.v[i], change.v[i], out.v[i]);
    }
    return out;
}

/* Mass of a cell that the walls have lost; it is counted once, with the first nodes of octant 0. */
static __device__ __forceinline__ float lost_of_cell(const kn_cuda_problem &p, kn_site s, float dt, int k)
{
    return s.octant == 0 && k == 0 ? lost_at_walls(p, s.cell, dt) : 0.0f;
}

/* Four nodes of a site after streaming over dt, theory (13), (14). ORDER is 1, or 2 for any higher order. */
template <int ORDER>
static __device__ __forceinline__ four streamed(const kn_cuda_problem &p, const float *h, kn_site s, float dt,
                                                int k, float *lost)
{
    const four here = read4(h + kn_mesh_row(&p.mesh, s) + k);
    four change = {{0, 0, 0, 0}};
#pragma unroll
    for (int a = 0; a < 3; a++) {
        if (a >= p.mesh.naxes)
            break;
        const int axis = p.mesh.axes[a];
        const kn_site up = kn_mesh_walk(&p.mesh, s, axis, 0);
        const float courant = dt / kn_mesh_width(&p.mesh, s.cell, axis);
        const four speed = read4(p.speed[axis] + k);
        four inflow, outflow = here;
        if (ORDER == 2)
            outflow = face_values(p, h, kn_mesh_stencil(&p.mesh, s, axis, p.order, dt), axis, k);
        if (ORDER == 2 && up.cell >= 0)
            inflow = face_values(p, h, kn_mesh_stencil(&p.mesh, up, axis, p.order, dt), axis, k);
        else
            inflow = read4(kn_mesh_at(h, p.outgoing, kn_mesh_source(&p.mesh, up)) + k);
#pragma unroll
        for (int i = 0; i < 4; i++)
            change.v[i] -= kn_stream_flow(courant * speed.v[i], outflow.v[i], inflow.v[i]);
    }
    *lost += lost_of_cell(p, s, dt, k);
    return sum_of(read4(p.w + k), here, change, lost);
}

struct streamed_quad {
    four h;
    float lost;
};

/* The same as a function call, so that its registers are not reserved in the caller. */
template <int ORDER>
static __device__ __noinline__ streamed_quad streamed_apart(const kn_cuda_problem &p, const float *h,
                                                            kn_site site, float dt, int k)
{
    streamed_quad out;
    out.lost = 0;
    out.h = streamed<ORDER>(p, h, site, dt, k, &out.lost);
    return out;
}

#endif
