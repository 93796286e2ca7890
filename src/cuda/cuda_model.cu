/* Model equations on the device: one block per cell. */
#include "cuda/cuda_rows.h"

/* Relax a row in place. Such rows are too long for other kernels: they have no reduced axes, and the places
 * of the factors of a Gaussian are the axes themselves. */
static __device__ void collide_model(const kn_cuda_problem &p, double dt, float *row, double *space)
{
    const kn_basis basis = {p.eps, {0, 1, 2}, {0, 0, 0}};
    double before[KN_INVARIANTS], missing[KN_INVARIANTS], x[KN_INVARIANTS], m[KN_MOMENTS], field[KN_FIELDS];
    float sign[3], c[KN_INVARIANTS];
    row_moments(p, row, m, space);
    row_invariants(p, row, before, space); /* the same sums as afterwards, so that their round-off cancels */
    before[0] = row_mass(p, row, space);
    kn_moments_to_fields(m, p.eps, field);
    const kn_relaxation r = kn_collide_relaxation(p.method, &basis, p.prandtl, dt, field);
    FOR_QUADS(p, octant, k)
    {
        for (int i = 0; i < 4; i++) {
            float v[3];
            for (int d = 0; d < 3; d++)
                v[d] = (octant & p.mesh.bit[d] ? -1.0f : 1.0f) * p.speed[d][k + i];
            if (k + i < p.size)
                row[4 * quad + i] +=
                    kn_relax_at(&r, &basis, p.method == KN_METHOD_ES_BGK, v, row[4 * quad + i]);
        }
    }
    if (p.conservation == KN_CONSERVATION_NONE)
        return;
    __syncthreads();
    row_invariants(p, row, missing, space);
    missing[0] = row_mass(p, row, space);
    for (int i = 0; i < KN_INVARIANTS; i++)
        missing[i] = before[i] - missing[i];
    kn_collide_project(p.inverse, missing, x);
    FOR_QUADS(p, octant, k)
    {
        signs_of(p.mesh, octant, sign);
        octant_polynomial(x, sign, c);
        for (int i = 0; i < 4; i++)
            row[4 * quad + i] = corrected(p, c, k + i, row[4 * quad + i]);
    }
}

/* The sources over half a step, for the nodes of this thread. */
static __device__ void add_source(const kn_cuda_problem &p, double dt, float *row)
{
    const float half = (float)(0.5 * dt);
    FOR_QUADS(p, octant, k)
    {
        const int at = octant * p.mesh.stride + k;
        for (int i = 0; i < 4; i++)
            row[at + i] = kn_collide_driven(row[at + i], half, p.source[at + i]);
    }
}

/* One block per cell. The row is in shared memory, or in its place in the result if it is too long. Mass
 * lost by round-off is returned to one node. */
template <int ORDER>
static __global__ void model_kernel(const __grid_constant__ kn_cuda_problem p,
                                    const __grid_constant__ kn_cuda_step s, bool staged)
{
    extern __shared__ __align__(16) float tile[];
    __shared__ double space[32 * 15];
    const int cell = s.listed ? p.sweep_order[blockIdx.x] : blockIdx.x;
    float *out = s.next + (int64_t)cell * p.mesh.nnodes, *row = staged ? tile : out, lost = 0;
    const long long start = clock64();
    FOR_QUADS(p, octant, k)
    {
        const kn_site site = {cell, octant};
        const four h = s.dt_stream > 0 ? streamed<ORDER>(p, s.h, site, s.dt_stream, k, &lost)
                                       : read4(s.h + kn_mesh_row(&p.mesh, site) + k);
        *(float4 *)(row + 4 * quad) = make_float4(h.v[0], h.v[1], h.v[2], h.v[3]);
    }
    double back[1] = {lost};
    block_sum<1>(back, space);
    const long long middle = clock64();
    if (p.source)
        add_source(p, s.dt_collide, row);
    __syncthreads();
    if (p.method != KN_METHOD_NONE && p.conservation != KN_CONSERVATION_NONE)
        back[0] += row_mass(p, row, space);
    if (p.method != KN_METHOD_NONE)
        collide_model(p, s.dt_collide, row, space);
    __syncthreads();
    if (p.method != KN_METHOD_NONE && p.conservation != KN_CONSERVATION_NONE)
        back[0] -= row_mass(p, row, space);
    if (threadIdx.x == 0)
        row[s.heavy] += kn_stream_restored((float)back[0], p.w[s.heavy % p.mesh.stride]);
    __syncthreads();
    if (p.source)
        add_source(p, s.dt_collide, row);
    if (staged)
        for (int quad = threadIdx.x; quad < p.mesh.nnodes / 4; quad += blockDim.x)
            *(float4 *)(out + 4 * quad) = *(const float4 *)(row + 4 * quad);
    note_cycles(p, blockIdx.x == p.centre, start, middle);
}

template <int ORDER>
static cudaError_t launch_model(const kn_cuda_problem *p, const kn_cuda_step *s, cudaStream_t stream)
{
    const bool staged = p->choice.staged;
    const size_t row = staged ? (size_t)p->mesh.nnodes * sizeof(float) : 0;
    const int quads = p->mesh.nnodes / 4, threads = quads <= 64 ? 64 : quads <= 128 ? 128 : 256;
    const cudaError_t status =
        cudaFuncSetAttribute(model_kernel<ORDER>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)row);
    if (status != cudaSuccess)
        return status;
    model_kernel<ORDER><<<(unsigned)p->ncells, threads, row, stream>>>(*p, *s, staged);
    return cudaGetLastError();
}

cudaError_t kn_cuda_model(const struct kn_cuda_problem *p, const struct kn_cuda_step *s, cudaStream_t stream)
{
    return p->order == 1 ? launch_model<1>(p, s, stream) : launch_model<2>(p, s, stream);
}
