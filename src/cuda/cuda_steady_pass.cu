/* The steady equations on the device: walls, transport and collisions in double precision, theory (60). */
#include "cuda/cuda_mma.h"
#include "cuda/cuda_rows.h"
#include "cuda/cuda_steady.h"

enum { THREADS = 256, WARPS = THREADS / 32 };

static __global__ void prepare_kernel(const __grid_constant__ kn_cuda_steady_problem s, double *per_width,
                                      kn_cuda_steady_weights *weights)
{
    const int item = blockIdx.x * blockDim.x + threadIdx.x, cell = item / 3, axis = item % 3;
    if (cell >= s.ncells)
        return;
    per_width[item] = 1 / (double)kn_mesh_width(&s.mesh, cell, axis);
    for (int i = 0; i < s.mesh.naxes; i++)
        for (int negative = 0; negative < 2 && s.mesh.axes[i] == axis; negative++) {
            const kn_site site = {cell, negative ? s.mesh.bit[axis] : 0};
            const kn_steady_face f = kn_steady_face_of(&s.mesh, site, axis, s.order);
            weights[2 * item + negative] = {f.before, f.after};
        }
}

/* ------------------------------------------------------------------------- faces */

/* The first node of a site. */
static __device__ __forceinline__ const double *row_of(const kn_cuda_steady_problem &s, const double *x,
                                                       kn_site site)
{
    const int64_t at = kn_mesh_source(&s.mesh, site);
    return at < 0 ? s.outgoing + ~at : x + at;
}

static __device__ __forceinline__ kn_cuda_steady_weights weights_of(const kn_cuda_steady_problem &s,
                                                                    kn_site site, int axis)
{
    const double2 w =
        *(const double2 *)&s
             .weights[2 * (3 * (int64_t)site.cell + axis) + ((site.octant & s.mesh.bit[axis]) != 0)];
    return {w.x, w.y};
}

/* x on the downwind face of a site. */
static __device__ __forceinline__ double face_value(const kn_cuda_steady_problem &s, const double *x,
                                                    kn_site site, int axis, int k)
{
    const kn_cuda_steady_weights w = weights_of(s, site, axis);
    const double here = row_of(s, x, site)[k];
    const double up = w.before != 0 ? row_of(s, x, kn_mesh_walk(&s.mesh, site, axis, 0))[k] : here;
    const double down = w.after != 0 ? row_of(s, x, kn_mesh_walk(&s.mesh, site, axis, 1))[k] : here;
    return kn_steady_face_value(w.before, w.after, up, here, down);
}

/* True if the velocities of an octant point into a wall face. */
static __device__ __forceinline__ bool arrives(const kn_cuda_steady_problem &s, const kn_face &face,
                                               int octant)
{
    return ((octant & s.mesh.bit[face.side / 2]) == 0) == (face.side & 1);
}

/* The wall pass, one block per face: the density of the emission follows from the flux that arrives. */
static __global__ void __launch_bounds__(THREADS)
    wall_kernel(const __grid_constant__ kn_cuda_steady_problem s, const double *x, double data)
{
    __shared__ double space[WARPS];
    const kn_face face = s.faces[blockIdx.x];
    const kn_cuda_steady_patch patch = s.patches[face.patch];
    const int axis = face.side / 2;
    double sum[1] = {0};
    if (!patch.emits)
        return;
    for (int at = threadIdx.x; at < s.mesh.nnodes; at += THREADS) {
        const int octant = at / s.mesh.stride, k = at - octant * s.mesh.stride;
        if (arrives(s, face, octant))
            sum[0] += s.mass[k] * s.speed[axis][k] * face_value(s, x, kn_site{face.cell, octant}, axis, k);
    }
    block_sum<1>(sum, space);
    const double rho = kn_wall_density(sum[0], data * patch.emission_flux, patch.unit_flux);
    for (int at = threadIdx.x; at < s.mesh.nnodes; at += THREADS) {
        const int octant = at / s.mesh.stride, k = at - octant * s.mesh.stride;
        const kn_site mirrored = {face.cell, octant ^ s.mesh.bit[axis]};
        if (arrives(s, face, octant))
            continue;
        const double excess = s.emission[(int64_t)face.patch * s.mesh.nnodes + at],
                     unit = kn_steady_unit(s.eps, 0, excess, 0),
                     emitted = kn_steady_emission(unit, data, rho, excess);
        const double reflected = patch.reflects ? patch.rest * face_value(s, x, mirrored, axis, k) : 0;
        s.outgoing[(int64_t)blockIdx.x * s.mesh.nnodes + at] = patch.alpha * emitted + reflected;
    }
}

cudaError_t kn_cuda_steady_walls(const struct kn_cuda_steady_problem *s, const double *x, double data,
                                 cudaStream_t stream)
{
    if (s->nfaces > 0)
        wall_kernel<<<(unsigned)s->nfaces, THREADS, 0, stream>>>(*s, x, data);
    return cudaGetLastError();
}

/* Everything that passes through one face, after the wall pass.  A mirror is passed by the reflected rows. */
static __global__ void __launch_bounds__(THREADS)
    flux_kernel(const __grid_constant__ kn_cuda_steady_problem s, const double *x, double *fluxes)
{
    __shared__ double space[WARPS * KN_FLUXES];
    const kn_face face = s.faces[blockIdx.x];
    const int axis = face.side / 2;
    double sum[KN_FLUXES] = {0, 0, 0, 0, 0};
    float sign[3];
    for (int at = threadIdx.x; at < s.mesh.nnodes; at += THREADS) {
        const int octant = at / s.mesh.stride, k = at - octant * s.mesh.stride;
        const kn_site here = {face.cell, octant},
                      from = arrives(s, face, octant) ? here : kn_mesh_walk(&s.mesh, here, axis, 0);
        const double value = from.cell < 0 ? row_of(s, x, from)[k] : face_value(s, x, from, axis, k);
        signs_of(s.mesh, octant, sign);
        const double flux = sign[axis] * s.mass[k] * s.speed[axis][k] * value;
        sum[0] += flux;
        for (int d = 0; d < 3; d++)
            sum[1 + d] += flux * (sign[d] * s.speed[d][k]);
        sum[4] += flux * s.square[k];
    }
    block_sum<KN_FLUXES>(sum, space);
    if (threadIdx.x < KN_FLUXES)
        fluxes[KN_FLUXES * (int64_t)blockIdx.x + threadIdx.x] = sum[threadIdx.x];
}

cudaError_t kn_cuda_steady_fluxes(const struct kn_cuda_steady_problem *s, const double *x, double *fluxes,
                                  cudaStream_t stream)
{
    if (s->nfaces > 0)
        flux_kernel<<<(unsigned)s->nfaces, THREADS, 0, stream>>>(*s, x, fluxes);
    return cudaGetLastError();
}

/* ------------------------------------------------------------------------- links */

static __device__ int32_t source_of(kn_site site, int octant)
{
    return 4 * (site.cell < 0 ? ~site.cell : site.cell) +
           (site.octant != octant ? KN_CUDA_STEADY_REFLECTED : 0) + (site.cell < 0 ? KN_CUDA_STEADY_FACE : 0);
}

/* The downwind neighbour of the upwind neighbour is the site itself. */
static __global__ void link_kernel(const __grid_constant__ kn_cuda_steady_problem s,
                                   kn_cuda_steady_link *links)
{
    const int item = blockIdx.x * blockDim.x + threadIdx.x, cell = item / (2 * s.mesh.naxes),
              negative = item % 2;
    if (cell >= s.ncells)
        return;
    const int axis = s.mesh.axes[item / 2 % s.mesh.naxes], octant = negative ? s.mesh.bit[axis] : 0;
    const kn_site site = {cell, octant}, up = kn_mesh_walk(&s.mesh, site, axis, 0);
    const kn_cuda_steady_weights out = weights_of(s, site, axis);
    const double per_width = s.per_width[3 * (int64_t)cell + axis];
    kn_cuda_steady_link l = {{0, out.before, out.after - 1 - out.before, -out.after}, {}};
    for (int i = 0; i < 4; i++)
        l.source[i] = source_of(site, octant);
    l.source[1] = source_of(up, octant);
    if (out.after != 0)
        l.source[3] = source_of(kn_mesh_walk(&s.mesh, site, axis, 1), octant);
    if (up.cell < 0) {
        l.weight[1] += 1;
    } else {
        const kn_cuda_steady_weights in = weights_of(s, up, axis);
        l.weight[0] = -in.before;
        l.weight[1] += 1 + in.before - in.after;
        l.weight[2] += in.after;
        if (in.before != 0)
            l.source[0] = source_of(kn_mesh_walk(&s.mesh, up, axis, 0), octant);
    }
    for (int i = 0; i < 4; i++)
        l.weight[i] *= per_width;
    links[item] = l;
}

cudaError_t kn_cuda_steady_prepare(const struct kn_cuda_steady_problem *s, double *per_width,
                                   struct kn_cuda_steady_weights *weights, struct kn_cuda_steady_link *links,
                                   cudaStream_t stream)
{
    prepare_kernel<<<(unsigned)(3 * (int64_t)s->ncells / THREADS + 1), THREADS, 0, stream>>>(*s, per_width,
                                                                                             weights);
    link_kernel<<<(unsigned)(2 * (int64_t)s->mesh.naxes * s->ncells / THREADS + 1), THREADS, 0, stream>>>(
        *s, links);
    return cudaGetLastError();
}

/* --------------------------------------------------------------- transport and sources */

/* Two nodes k, k + 1 of the row of a source. */
static __device__ __forceinline__ double2 read_source(const kn_cuda_steady_problem &s, const double *x,
                                                      int32_t source, int octant, int axis, int k)
{
    const int turned = source & KN_CUDA_STEADY_REFLECTED ? octant ^ s.mesh.bit[axis] : octant;
    const double *from = source & KN_CUDA_STEADY_FACE ? s.outgoing : x;
    return *(const double2 *)(from + (int64_t)(source / 4) * s.mesh.nnodes + turned * s.mesh.stride + k);
}

/* b - A x with data, A x without, in two nodes of a site whose collisions are known; here: x itself. */
static __device__ __forceinline__ double2 equation(const kn_cuda_steady_problem &s, const double *x,
                                                   double data, kn_site site, int k, double2 here,
                                                   double2 collisions)
{
    const float2 source = *(const float2 *)(s.source + site.octant * s.mesh.stride + k);
    double2 sum = {data * s.rate * source.x + collisions.x, data * s.rate * source.y + collisions.y};
#pragma unroll
    for (int i = 0; i < 3; i++)
        if (i < s.mesh.naxes) {
            const int axis = s.mesh.axes[i], negative = (site.octant & s.mesh.bit[axis]) != 0;
            const kn_cuda_steady_link *l = &s.links[((int64_t)site.cell * s.mesh.naxes + i) * 2 + negative];
            const int4 from = *(const int4 *)l->source;
            const double2 w01 = *(const double2 *)l->weight, w23 = *(const double2 *)(l->weight + 2);
            const float2 speed = *(const float2 *)(s.speed[axis] + k);
            const double2 far = read_source(s, x, from.x, site.octant, axis, k),
                          up = read_source(s, x, from.y, site.octant, axis, k),
                          down = read_source(s, x, from.w, site.octant, axis, k);
            sum.x += speed.x * (w01.x * far.x + w01.y * up.x + w23.x * here.x + w23.y * down.x);
            sum.y += speed.y * (w01.x * far.y + w01.y * up.y + w23.x * here.y + w23.y * down.y);
        }
    return data != 0 ? sum : double2{-sum.x, -sum.y};
}

/* Model equations: the moments along the trial functions are known. */
static __global__ void __launch_bounds__(THREADS)
    model_kernel(const __grid_constant__ kn_cuda_steady_problem s, const double *x, double data, double *out)
{
    const int64_t cell = blockIdx.x;
    for (int at = 2 * threadIdx.x; at < s.mesh.nnodes; at += 2 * THREADS) {
        const int octant = at / s.mesh.stride, k = at - octant * s.mesh.stride;
        const double2 here = *(const double2 *)(x + cell * s.mesh.nnodes + at);
        double2 sum = {-s.loss * here.x, -s.loss * here.y};
        for (int f = 0; f < s.functions; f++) {
            const double2 phi = *(const double2 *)(s.trial + f * s.mesh.stride + k);
            const double along = s.gain[f] * s.moments[cell * s.functions + f],
                         factor = __popc(octant & s.parity[f]) & 1 ? -along : along;
            sum.x += factor * phi.x;
            sum.y += factor * phi.y;
        }
        *(double2 *)(out + cell * s.mesh.nnodes + at) =
            equation(s, x, data, kn_site{(int32_t)cell, octant}, k, here, sum);
    }
}

/* ----------------------------------------------------------------------- matrices */

/* From octants to parities and back; twice is the identity times the number of octants. */
template <int OCTANTS, int STEP> static __device__ __forceinline__ void change_parities(double x[])
{
#pragma unroll
    for (int bit = 1; bit < OCTANTS; bit *= 2)
#pragma unroll
        for (int o = 0; o < OCTANTS; o++)
            if (!(o & bit)) {
                const double a = x[o * STEP], b = x[(o | bit) * STEP];
                x[o * STEP] = a + b;
                x[(o | bit) * STEP] = a - b;
            }
}

/* Numbers from one cell to the next in shared memory: lanes of a matrix product use different banks. */
static __host__ __device__ inline int row_length(const struct kn_mesh &m)
{
    return m.nnodes + 4;
}

/* The rows of the cells of a block by parity, [cells][parity][k]. */
template <int OCTANTS>
static __device__ void load_rows(const kn_cuda_steady_problem &s, const double *x, int first, int count,
                                 double *rows)
{
    const int stride = s.mesh.stride, length = row_length(s.mesh);
    for (int item = threadIdx.x; item < s.cells_together * stride; item += THREADS) {
        const int i = item / stride, k = item - i * stride;
        double value[OCTANTS];
#pragma unroll
        for (int o = 0; o < OCTANTS; o++)
            value[o] = i < count ? x[(int64_t)(first + i) * s.mesh.nnodes + o * stride + k] : 0;
        change_parities<OCTANTS, 1>(value);
#pragma unroll
        for (int o = 0; o < OCTANTS; o++)
            rows[i * length + o * stride + k] = value[o];
    }
}

/* The sums of one tile of 8 nodes, for all parities and for TILES groups of 8 cells, as octants. */
template <int OCTANTS, int TILES>
static __device__ __forceinline__ void multiply_tile(const kn_cuda_steady_problem &s, const double *rows,
                                                     int tile, double *results)
{
    const int lane = threadIdx.x % 32, steps = s.mesh.stride / 4, length = row_length(s.mesh);
    const double *matrix = s.matrix + (int64_t)tile * steps * OCTANTS * 32 + lane;
    const double *from = rows + lane / 4 * length + lane % 4;
    const bool exists = lane / 4 < s.cells_together;
    double sum[OCTANTS * TILES * 2];
#pragma unroll
    for (int i = 0; i < OCTANTS * TILES * 2; i++)
        sum[i] = 0;
#pragma unroll 2
    for (int step = 0; step < steps; step++, matrix += OCTANTS * 32, from += 4)
#pragma unroll
        for (int o = 0; o < OCTANTS; o++) {
            const double a = matrix[o * 32];
#pragma unroll
            for (int t = 0; t < TILES; t++)
                mma_double(sum + (o * TILES + t) * 2, a,
                           exists ? from[t * 8 * length + o * s.mesh.stride] : 0);
        }
#pragma unroll
    for (int i = 0; i < TILES * 2; i++) {
        const int cell = i / 2 * 8 + lane % 4 * 2 + i % 2;
        change_parities<OCTANTS, TILES * 2>(sum + i);
#pragma unroll
        for (int o = 0; o < OCTANTS; o++)
            if (cell < s.cells_together)
                results[cell * length + o * s.mesh.stride + tile * 8 + lane / 4] = sum[o * TILES * 2 + i];
    }
}

/* Collisions by matrices, then all other terms. */
template <int OCTANTS, int TILES>
static __global__ void __launch_bounds__(THREADS)
    matrix_kernel(const __grid_constant__ kn_cuda_steady_problem s, const double *x, double data, double *out)
{
    extern __shared__ double rows[];
    const int first = blockIdx.x * s.cells_together, count = min(s.cells_together, s.ncells - first),
              nnodes = s.mesh.nnodes, stride = s.mesh.stride, length = row_length(s.mesh);
    double *results = rows + s.cells_together * length;
    load_rows<OCTANTS>(s, x, first, count, rows);
    __syncthreads();
    for (int tile = threadIdx.x / 32; tile < stride / 8; tile += WARPS)
        multiply_tile<OCTANTS, TILES>(s, rows, tile, results);
    __syncthreads();
#pragma unroll 2
    for (int item = 2 * threadIdx.x; item < count * nnodes; item += 2 * THREADS) {
        const int i = item / nnodes, at = item - i * nnodes, octant = at / stride;
        const int64_t place = (int64_t)(first + i) * nnodes + at;
        *(double2 *)(out + place) =
            equation(s, x, data, kn_site{first + i, octant}, at - octant * stride,
                     *(const double2 *)(x + place), *(const double2 *)(results + i * length + at));
    }
}

static size_t shared_bytes(const struct kn_mesh *m, int cells)
{
    return 2 * sizeof(double) * (size_t)cells * (size_t)row_length(*m);
}

int kn_cuda_steady_together(const struct kn_mesh *m, size_t limit)
{
    int cells = 16;
    while (cells > 0 && shared_bytes(m, cells) > (cells > 4 ? limit / 2 : limit)) /* two blocks at a time */
        cells /= 2;
    return cells;
}

template <int OCTANTS, int TILES>
static cudaError_t launch_matrix(const struct kn_cuda_steady_problem *s, const double *x, double data,
                                 double *out, cudaStream_t stream)
{
    const size_t bytes = shared_bytes(&s->mesh, s->cells_together);
    const unsigned blocks = (unsigned)((s->ncells + s->cells_together - 1) / s->cells_together);
    const cudaError_t status = cudaFuncSetAttribute(matrix_kernel<OCTANTS, TILES>,
                                                    cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
    if (status != cudaSuccess)
        return status;
    matrix_kernel<OCTANTS, TILES><<<blocks, THREADS, bytes, stream>>>(*s, x, data, out);
    return cudaGetLastError();
}

template <int OCTANTS>
static cudaError_t launch_tiles(const struct kn_cuda_steady_problem *s, const double *x, double data,
                                double *out, cudaStream_t stream)
{
    return s->cells_together == 16 ? launch_matrix<OCTANTS, 2>(s, x, data, out, stream)
                                   : launch_matrix<OCTANTS, 1>(s, x, data, out, stream);
}

cudaError_t kn_cuda_steady_pass(const struct kn_cuda_steady_problem *s, const double *x, double data,
                                double *out, cudaStream_t stream)
{
    if (s->matrix)
        return s->mesh.octants == 1   ? launch_tiles<1>(s, x, data, out, stream)
               : s->mesh.octants == 2 ? launch_tiles<2>(s, x, data, out, stream)
               : s->mesh.octants == 4 ? launch_tiles<4>(s, x, data, out, stream)
                                      : launch_tiles<8>(s, x, data, out, stream);
    const cudaError_t status = kn_cuda_steady_project(s, x, s->tests, s->functions, s->moments, stream);
    if (status != cudaSuccess)
        return status;
    model_kernel<<<(unsigned)s->ncells, THREADS, 0, stream>>>(*s, x, data, out);
    return cudaGetLastError();
}
