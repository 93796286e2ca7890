/* Moments of all cells for an observation: several lanes per cell add the nodes in double precision. */
#include "cuda/cuda_rows.h"

enum { THREADS = 128, SUMS = 16 }; /* sums of a cell: the moments by place (struct kn_basis), padded */

/* From octants to parities: bit j of the number of a parity is set if it is odd at place j. */
template <int OCTANTS> static __device__ __forceinline__ void separate(double h[OCTANTS])
{
#pragma unroll
    for (int bit = 1; bit < OCTANTS; bit *= 2)
#pragma unroll
        for (int o = 0; o < OCTANTS; o++)
            if (!(o & bit)) {
                const double a = h[o], b = h[o | bit];
                h[o] = a + b;
                h[o | bit] = a - b;
            }
}

/* Add four nodes of all octants. Odd moments of a folded axis vanish. */
template <int OCTANTS>
static __device__ __forceinline__ void add_nodes(const kn_cuda_problem &p, const float *row, int k,
                                                 double sum[SUMS])
{
    four h[OCTANTS];
#pragma unroll
    for (int o = 0; o < OCTANTS; o++)
        h[o] = read_row(row + o * p.mesh.stride + k);
    const four w = read4(p.w + k), vv = read4(p.square + k), x = read4(p.along[0] + k),
               y = read4(p.along[1] + k), z = read4(p.along[2] + k);
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const double v[3] = {x.v[i], y.v[i], z.v[i]}, weight = w.v[i], square = vv.v[i];
        double s[OCTANTS];
#pragma unroll
        for (int o = 0; o < OCTANTS; o++)
            s[o] = h[o].v[i];
        separate<OCTANTS>(s);
        const double even = weight * s[0];
        sum[KN_M_1] += even;
#pragma unroll
        for (int j = 0; j < 3; j++) {
            sum[KN_M_XX + j] += even * (v[j] * v[j]);
            if (1 << j < OCTANTS) {
                const double odd = weight * s[(1 << j) % OCTANTS] * v[j];
                sum[KN_M_X + j] += odd;
                sum[KN_M_XVV + j] += odd * square;
            }
        }
        if (OCTANTS > 2)
            sum[KN_M_XY] += weight * s[3 % OCTANTS] * (v[0] * v[1]);
        if (OCTANTS > 4) {
            sum[KN_M_XZ] += weight * s[5 % OCTANTS] * (v[0] * v[2]);
            sum[KN_M_YZ] += weight * s[6 % OCTANTS] * (v[1] * v[2]);
        }
    }
}

/* Add the sums of 2 OFFSET lanes: while lanes are paired, each keeps one half of its sums. The result is the
 * sum whose number is returned. */
template <int OFFSET, int KEPT> static __device__ __forceinline__ int add_lanes(double sum[SUMS])
{
    const bool high = threadIdx.x & OFFSET;
    if (KEPT == 0)
        sum[0] += __shfl_xor_sync(0xffffffffu, sum[0], OFFSET);
#pragma unroll
    for (int i = 0; i < KEPT; i++) {
        const double give = high ? sum[i] : sum[KEPT + i], keep = high ? sum[KEPT + i] : sum[i];
        sum[i] = keep + __shfl_xor_sync(0xffffffffu, give, OFFSET);
    }
    const int number = high ? KEPT : 0;
    if constexpr (OFFSET > 1)
        return number + add_lanes<OFFSET / 2, KEPT / 2>(sum);
    else
        return number;
}

/* The moment whose sum by place has this number. */
static __device__ __forceinline__ int moment_of(const int axes[3], int number)
{
    const int pair = number - KN_M_XY; /* of places: 0 and 1, 0 and 2, 1 and 2 */
    if (number == KN_M_1 || number >= KN_MOMENTS)
        return number;
    if (number < KN_M_XX)
        return KN_M_X + axes[number - KN_M_X];
    if (number < KN_M_XY)
        return KN_M_XX + axes[number - KN_M_XX];
    if (number >= KN_M_XVV)
        return KN_M_XVV + axes[number - KN_M_XVV];
    return KN_M_XY + axes[pair / 2] + axes[1 + (pair + 1) / 2] - 1; /* xy, xz, yz */
}

/* Blocks after those of the cells copy the fluxes and the cycles of a step. */
static __device__ void copy_rest(const kn_cuda_problem &p, int block, int blocks, double *to)
{
    const int count = p.nfaces * KN_FLUXES;
    for (int i = block * THREADS + threadIdx.x; i < count + 2; i += blocks * THREADS)
        to[i] = i < count ? p.fluxes[i] : (double)p.cycles[i - count];
}

template <int OCTANTS, int LANES>
static __global__ void __launch_bounds__(THREADS)
    moments_kernel(const __grid_constant__ kn_cuda_problem p, const float *h, double *to, int cell_blocks)
{
    const int lane = threadIdx.x % LANES;
    const int64_t cell = (int64_t)blockIdx.x * (THREADS / LANES) + threadIdx.x / LANES;
    double sum[SUMS] = {};
    if ((int)blockIdx.x >= cell_blocks) {
        copy_rest(p, blockIdx.x - cell_blocks, gridDim.x - cell_blocks, to + (int64_t)p.ncells * KN_MOMENTS);
        return;
    }
    const float *row = h + (cell < p.ncells ? cell : 0) * p.mesh.nnodes;
    for (int k = 4 * lane; k < p.mesh.stride; k += 4 * LANES)
        add_nodes<OCTANTS>(p, row, k, sum);
    const int moment = moment_of(p.basis.axes, add_lanes<LANES / 2, SUMS / 2>(sum));
    if (cell < p.ncells && moment < KN_MOMENTS && lane % (LANES / SUMS) == 0)
        to[cell * KN_MOMENTS + moment] = sum[0];
}

template <int OCTANTS>
static cudaError_t launch(const kn_cuda_problem *p, const float *h, double *to, cudaStream_t stream)
{
    const bool narrow = p->mesh.stride <= 64;
    const int cells = THREADS / (narrow ? 16 : 32), blocks = (p->ncells - 1) / cells + 1,
              rest = (p->nfaces * KN_FLUXES + 1) / (8 * THREADS) + 1;
    if (narrow)
        moments_kernel<OCTANTS, 16><<<blocks + rest, THREADS, 0, stream>>>(*p, h, to, blocks);
    else
        moments_kernel<OCTANTS, 32><<<blocks + rest, THREADS, 0, stream>>>(*p, h, to, blocks);
    return cudaGetLastError();
}

cudaError_t kn_cuda_moments(const struct kn_cuda_problem *p, const float *h, double *to, cudaStream_t stream)
{
    switch (p->mesh.nnodes / p->mesh.stride) {
    case 1:
        return launch<1>(p, h, to, stream);
    case 2:
        return launch<2>(p, h, to, stream);
    case 4:
        return launch<4>(p, h, to, stream);
    default:
        return launch<8>(p, h, to, stream);
    }
}
