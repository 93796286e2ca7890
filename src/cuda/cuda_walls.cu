/* The wall pass and the fluxes through walls on the device: one block per face. */
#include "cuda/cuda_rows.h"

static __device__ void add_fluxes(const kn_cuda_problem &p, int octant, int axis, int k, const four &h,
                                  double sum[KN_FLUXES])
{
    const four w = read4(p.w + k), speed = read4(p.speed[axis] + k), vv = read4(p.square + k);
    const four vx = read4(p.speed[0] + k), vy = read4(p.speed[1] + k), vz = read4(p.speed[2] + k);
    float sign[3];
    signs_of(p.mesh, octant, sign);
    for (int i = 0; i < 4; i++) {
        const double flux = kn_wall_flux(sign[axis] * w.v[i], speed.v[i], h.v[i]);
        sum[0] += flux;
        sum[1] += flux * (sign[0] * vx.v[i]);
        sum[2] += flux * (sign[1] * vy.v[i]);
        sum[3] += flux * (sign[2] * vz.v[i]);
        sum[4] += flux * vv.v[i];
    }
}

/* Mass that passes a face in a step, per width of the cell, with the Courant numbers of the streaming step.
 */
static __device__ double mass_flux(const kn_cuda_problem &p, int axis, float courant, int k, const four &h)
{
    const four w = read4(p.w + k), speed = read4(p.speed[axis] + k);
    double sum = 0;
    for (int i = 0; i < 4; i++)
        sum += kn_wall_flux(w.v[i], courant * speed.v[i], h.v[i]);
    return sum;
}

/* h that passes the downwind face of a site, into a wall or a mirror. */
template <int ORDER>
static __device__ __forceinline__ four passing(const kn_cuda_problem &p, const float *h, kn_site s, int axis,
                                               float dt, int k)
{
    if (ORDER == 1)
        return read4(h + kn_mesh_row(&p.mesh, s) + k);
    return face_values(p, h, kn_mesh_stencil(&p.mesh, s, axis, p.order, dt), axis, k);
}

/* h that leaves a wall face in an octant, for a density of the emission. */
template <int ORDER>
static __device__ __forceinline__ four leaving(const kn_cuda_problem &p, const float *h, const kn_face &face,
                                               float rho, int octant, float dt, int k)
{
    const int axis = face.side / 2;
    const float alpha = p.patch[face.patch].alpha, replaces = p.patch[face.patch].replaces;
    four out = read4(p.emission + (int64_t)face.patch * p.mesh.nnodes + (int64_t)octant * p.mesh.stride + k);
    if (p.patch[face.patch].drifts) {
        const four speed = read4(p.speed[axis] + k);
        for (int i = 0; i < 4; i++)
            out.v[i] = kn_wall_drift_linear(out.v[i], rho, speed.v[i]);
        return out;
    }
#pragma unroll
    for (int i = 0; i < 4; i++)
        out.v[i] = kn_gaussian_value(p.eps, rho, out.v[i]);
    if (alpha * replaces != 1) {
        const kn_site mirrored = {face.cell, octant ^ p.mesh.bit[axis]};
        const four in = passing<ORDER>(p, h, mirrored, axis, dt, k);
#pragma unroll
        for (int i = 0; i < 4; i++)
            out.v[i] = kn_wall_outgoing(alpha, replaces, out.v[i], in.v[i]);
    }
    return out;
}

/* The mirror image of what arrives minus the emission, in an octant away from the wall. */
template <int ORDER>
static __device__ __forceinline__ four arriving_excess(const kn_cuda_problem &p, const float *h,
                                                       const kn_face &face, float rho, int octant, float dt,
                                                       int k)
{
    const int axis = face.side / 2;
    const four emitted = leaving<ORDER>(p, h, face, rho, octant, dt, k);
    four in = passing<ORDER>(p, h, kn_site{face.cell, octant ^ p.mesh.bit[axis]}, axis, dt, k);
    for (int i = 0; i < 4; i++)
        in.v[i] -= emitted.v[i];
    return in;
}

enum { MOST = 32 }; /* nodes on a half axis */

/* Scatter the values of one line of nodes along an axis, `step` floats apart, and those of the opposite sign.
 */
static __device__ void scatter_line(int n, int step, const float *same, const float *other, float *values,
                                    float *opposite)
{
    float line[MOST], back[MOST];
    for (int i = 0; i < n; i++) {
        line[i] = values[i * step];
        back[i] = opposite ? opposite[i * step] : 0;
    }
    for (int i = 0; i < n; i++) {
        values[i * step] = kn_wall_scatter(n, same + i * n, line, other + i * n, back);
        if (opposite)
            opposite[i * step] = kn_wall_scatter(n, same + i * n, back, other + i * n, line);
    }
}

/* Apply the kernel of Cercignani and Lampis to what leaves a face, axis by axis; out is [nnodes]. */
static __device__ void scatter(const kn_cuda_problem &p, const kn_face &face, float *out)
{
    const float *matrices = p.matrices + p.patch[face.patch].matrices;
    const int normal = face.side / 2, high = face.side & 1;
    for (int axis = 0; axis < 3; axis++) {
        const float *same = matrices + kn_wall_matrix(p.half, axis, 0),
                    *other = matrices + kn_wall_matrix(p.half, axis, 1);
        const int n = p.half[axis],
                  step = axis == 0   ? p.half[1] * p.half[2]
                         : axis == 1 ? p.half[2]
                                     : 1,
                  bit = axis == normal ? 0 : p.mesh.bit[axis], lines = p.size / n;
        __syncthreads();
        for (int t = threadIdx.x; t < lines * p.mesh.octants; t += blockDim.x) {
            const int octant = t / lines, i = t - octant * lines, k = i / step * step * n + i % step;
            if (((octant & p.mesh.bit[normal]) == 0) == high || (octant & bit))
                continue;
            scatter_line(n, step, same, other, out + octant * p.mesh.stride + k,
                         bit ? out + (octant | bit) * p.mesh.stride + k : NULL);
        }
    }
    __syncthreads();
}

/* The wall pass, one block per face: the density of the emission follows from the flux that arrives. */
template <int ORDER>
static __global__ void __launch_bounds__(256, 4)
    wall_kernel(const __grid_constant__ kn_cuda_problem p, const __grid_constant__ kn_cuda_wall_pass w)
{
    __shared__ double space[32];
    const int number = w.list ? w.list[blockIdx.x] : blockIdx.x, quads = p.mesh.stride / 4;
    const kn_face face = p.faces[number];
    const int axis = face.side / 2, high = face.side & 1;
    const float courant = w.dt / kn_mesh_width(&p.mesh, face.cell, axis);
    double sum[1] = {0};
    wait_for_previous_kernel();
    allow_next_kernel();
    const kn_cuda_patch &patch = p.patch[face.patch];
    if (!patch.emits)
        return;
    for (int t = threadIdx.x; t < quads * p.mesh.octants; t += blockDim.x) {
        const int octant = t / quads, k = 4 * (t - octant * quads);
        if (((octant & p.mesh.bit[axis]) == 0) == high)
            sum[0] += mass_flux(p, axis, courant, k,
                                passing<ORDER>(p, w.h, kn_site{face.cell, octant}, axis, w.dt, k));
    }
    block_sum<1>(sum, space);
    const double arrived = sum[0] / courant;
    const float rho = (float)kn_wall_density(arrived, patch.emission_flux, patch.unit_flux);
    const bool scatters = patch.matrices >= 0;
    sum[0] = 0;
    if (scatters) {
        for (int t = threadIdx.x; t < quads * p.mesh.octants; t += blockDim.x) {
            const int octant = t / quads, k = 4 * (t - octant * quads);
            if (((octant & p.mesh.bit[axis]) == 0) != high)
                write4(p.outgoing + kn_mesh_row(&p.mesh, kn_site{number, octant}) + k,
                       arriving_excess<ORDER>(p, w.h, face, rho, octant, w.dt, k));
        }
        scatter(p, face, p.outgoing + kn_mesh_row(&p.mesh, kn_site{number, 0}));
    }
    for (int t = threadIdx.x; t < quads * p.mesh.octants; t += blockDim.x) {
        const int octant = t / quads, k = 4 * (t - octant * quads);
        if (((octant & p.mesh.bit[axis]) == 0) == high)
            continue;
        four out = leaving<ORDER>(p, w.h, face, rho, octant, w.dt, k);
        if (scatters) { /* the emission, and what was scattered */
            const four rest = read_row(p.outgoing + kn_mesh_row(&p.mesh, kn_site{number, octant}) + k);
            for (int i = 0; i < 4; i++)
                out.v[i] += rest.v[i];
        }
        write4(p.outgoing + kn_mesh_row(&p.mesh, kn_site{number, octant}) + k, out);
        sum[0] += mass_flux(p, axis, courant, k, out);
    }
    block_sum<1>(sum, space);
    if (threadIdx.x == 0)
        p.lost[number] = kn_wall_lost(arrived - sum[0] / courant, patch.prescribed_flux);
}

/* Everything that passes through one face, after the wall pass.  A mirror is passed by the reflected rows. */
template <int ORDER>
static __global__ void flux_kernel(const __grid_constant__ kn_cuda_problem p,
                                   const __grid_constant__ kn_cuda_wall_pass w)
{
    __shared__ double space[32 * KN_FLUXES];
    const int number = w.list ? w.list[blockIdx.x] : blockIdx.x, quads = p.mesh.stride / 4;
    const kn_face face = p.faces[number];
    const int axis = face.side / 2;
    double sum[KN_FLUXES] = {0, 0, 0, 0, 0};
    for (int octant = 0; octant < p.mesh.octants; octant++) {
        const bool arrives = ((octant & p.mesh.bit[axis]) == 0) == (face.side & 1);
        const kn_site here = {face.cell, octant},
                      from = arrives ? here : kn_mesh_walk(&p.mesh, here, axis, 0);
        for (int k = 4 * threadIdx.x; k < 4 * quads; k += 4 * blockDim.x)
            add_fluxes(p, octant, axis, k,
                       from.cell < 0 ? read4(p.outgoing + ~kn_mesh_source(&p.mesh, from) + k)
                                     : passing<ORDER>(p, w.h, from, axis, w.dt, k),
                       sum);
    }
    block_sum<KN_FLUXES>(sum, space);
    if (threadIdx.x < KN_FLUXES)
        p.fluxes[KN_FLUXES * (int64_t)number + threadIdx.x] = sum[threadIdx.x];
}

/* Rows of solid cells are 0; a source changes them. */
static __global__ void clear_kernel(const __grid_constant__ kn_cuda_problem p, const int32_t *list, float *h)
{
    const four zero = {{0, 0, 0, 0}};
    for (int k = 4 * threadIdx.x; k < p.mesh.nnodes; k += 4 * blockDim.x)
        write4(h + (int64_t)list[blockIdx.x] * p.mesh.nnodes + k, zero);
}

cudaError_t kn_cuda_clear(const struct kn_cuda_problem *p, const int32_t *list, int count, float *h,
                          cudaStream_t stream)
{
    if (count > 0)
        clear_kernel<<<(unsigned)count, 128, 0, stream>>>(*p, list, h);
    return cudaGetLastError();
}

template <int ORDER>
static cudaError_t launch_walls(const struct kn_cuda_problem *p, const struct kn_cuda_wall_pass *w,
                                cudaStream_t stream)
{
    const int items = p->mesh.nnodes / 4, threads = items <= 64 ? 64 : items <= 128 ? 128 : 256;
    const cudaError_t status =
        launch_overlapping(wall_kernel<ORDER>, (unsigned)w->count, threads, 0, stream, w->overlaps, *p, *w);
    if (status != cudaSuccess)
        return status;
    if (w->fluxes)
        flux_kernel<ORDER><<<(unsigned)w->count, threads, 0, stream>>>(*p, *w);
    return cudaGetLastError();
}

cudaError_t kn_cuda_walls(const struct kn_cuda_problem *p, const struct kn_cuda_wall_pass *w,
                          cudaStream_t stream)
{
    if (w->count == 0)
        return cudaSuccess;
    return p->order == 1 ? launch_walls<1>(p, w, stream) : launch_walls<2>(p, w, stream);
}
