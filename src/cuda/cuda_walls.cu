/* Walls on the device: one block per face. */
#include "cuda/cuda_rows.h"

/* ------------------------------------------------------------------- walls */

static __device__ void add_fluxes(const kn_cuda_problem &p, int octant, int axis, int k, const four &h,
                                  double sum[5])
{
    const four w = read4(p.w + k), speed = read4(p.speed[axis] + k), vv = read4(p.square + k);
    const four vx = read4(p.speed[0] + k), vy = read4(p.speed[1] + k), vz = read4(p.speed[2] + k);
    float sign[3];
    signs_of(p.mesh, octant, sign);
    for (int i = 0; i < 4; i++) {
        const double flux = (double)(sign[axis] * w.v[i]) * speed.v[i] * h.v[i];
        sum[0] += flux;
        sum[1] += flux * (sign[0] * vx.v[i]);
        sum[2] += flux * (sign[1] * vy.v[i]);
        sum[3] += flux * (sign[2] * vz.v[i]);
        sum[4] += flux * vv.v[i];
    }
}

static __device__ double mass_flux(const kn_cuda_problem &p, int axis, int k, const four &h)
{
    const four w = read4(p.w + k), speed = read4(p.speed[axis] + k);
    double sum = 0;
    for (int i = 0; i < 4; i++)
        sum += (double)w.v[i] * speed.v[i] * h.v[i];
    return sum;
}

/* One block per face: density of the emission from the flux that arrives. */
template <int ORDER>
static __global__ void density_kernel(const __grid_constant__ kn_cuda_problem p, const int32_t *list,
                                      const float *h, float dt)
{
    __shared__ double space[32];
    const int face = list ? list[blockIdx.x] : blockIdx.x, side = p.face_side[face], axis = side / 2,
              quads = p.mesh.stride / 4;
    double sum[1] = {0};
    wait_for_the_last();
    let_the_next_begin();
    if (!(p.emits >> side & 1))
        return;
    for (int t = threadIdx.x; t < quads * p.mesh.octants; t += blockDim.x) {
        const int octant = t / quads, k = 4 * (t - octant * quads);
        if (((octant & p.mesh.bit[axis]) == 0) == (side & 1))
            sum[0] +=
                mass_flux(p, axis, k, arriving<ORDER>(p, h, kn_site{p.face_cell[face], octant}, axis, dt, k));
    }
    block_sum<1>(sum, space);
    const double arrived = sum[0];
    const float rho = (float)kn_wall_density(arrived, p.patch[3 * side], p.patch[3 * side + 1]);
    sum[0] = 0;
    for (int t = threadIdx.x; t < quads * p.mesh.octants; t += blockDim.x) {
        const int octant = t / quads, k = 4 * (t - octant * quads);
        if (((octant & p.mesh.bit[axis]) == 0) != (side & 1))
            sum[0] += mass_flux(p, axis, k, emitted<ORDER>(p, h, face, rho, octant, dt, k));
    }
    block_sum<1>(sum, space);
    if (threadIdx.x == 0) {
        p.density[face] = rho;
        p.lost[face] = kn_wall_lost(arrived - sum[0], p.patch[3 * side + 2]);
    }
}

/* What flies through a wall face or into a mirror; behind a site in front of a
 * mirror a wall may emit into the same cell. */
template <int ORDER>
static __device__ four passing(const kn_cuda_problem &p, const float *h, kn_site s, int axis, float dt, int k)
{
    const kn_site up = kn_mesh_walk(&p.mesh, s, axis, 0);
    if (ORDER == 1 || up.cell >= 0)
        return arriving<ORDER>(p, h, s, axis, dt, k);
    const four ghost = leaving<ORDER>(p, h, ~up.cell, s.octant, dt, k);
    return face_values(p, h, kn_mesh_stencil(&p.mesh, s, axis, dt), axis, k, ghost);
}

/* Everything that passes through one face; after all densities. */
template <int ORDER>
static __global__ void flux_kernel(const __grid_constant__ kn_cuda_problem p, const int32_t *list,
                                   const float *h, float dt)
{
    __shared__ double space[32 * 5];
    const int face = list ? list[blockIdx.x] : blockIdx.x, side = p.face_side[face], axis = side / 2,
              quads = p.mesh.stride / 4;
    const bool emits = p.emits >> side & 1;
    double sum[5] = {0, 0, 0, 0, 0};
    for (int octant = 0; octant < p.mesh.octants; octant++) {
        const bool arrives = ((octant & p.mesh.bit[axis]) == 0) == (side & 1);
        const kn_site s = {p.face_cell[face], arrives ? octant : octant ^ p.mesh.bit[axis]};
        for (int q = threadIdx.x; q < quads; q += blockDim.x)
            add_fluxes(p, octant, axis, 4 * q,
                       arrives || !emits ? passing<ORDER>(p, h, s, axis, dt, 4 * q)
                                         : leaving<ORDER>(p, h, face, octant, dt, 4 * q),
                       sum);
    }
    block_sum<5>(sum, space);
    if (threadIdx.x < 5)
        p.fluxes[5 * (int64_t)face + threadIdx.x] = sum[threadIdx.x];
}

template <int ORDER>
static cudaError_t launch_walls(const struct kn_cuda_problem *p, const int32_t *list, int count,
                                const float *h, float dt, bool fluxes, bool overlaps, cudaStream_t stream)
{
    const int items = p->mesh.nnodes / 4, threads = items <= 64 ? 64 : items <= 128 ? 128 : 256;
    const cudaError_t status = launch_overlapping(density_kernel<ORDER>, (unsigned)count, threads, 0, stream,
                                                  overlaps, *p, list, h, dt);
    if (status != cudaSuccess)
        return status;
    if (fluxes)
        flux_kernel<ORDER><<<(unsigned)count, threads, 0, stream>>>(*p, list, h, dt);
    return cudaGetLastError();
}

cudaError_t kn_cuda_walls(const struct kn_cuda_problem *p, const int32_t *list, int count, const float *h,
                          float dt, bool fluxes, bool overlaps, cudaStream_t stream)
{
    if (count == 0)
        return cudaSuccess;
    return p->order == 1 ? launch_walls<1>(p, list, count, h, dt, fluxes, overlaps, stream)
                         : launch_walls<2>(p, list, count, h, dt, fluxes, overlaps, stream);
}
