/* Elimination of the moment equations layer by layer, S_i = D_i - L_i S_(i-1)^-1 U_(i-1), theory (64): the
 * inverse of every S_i.  The matrices have a positive symmetric part, so that no rows are exchanged. */
#include "cuda/cuda_mma.h"
#include "cuda/cuda_steady_layers.h"

enum { TILE = KN_CUDA_LAYER_TILE, PITCH = TILE + 4, THREADS = 256, MOST = KN_STEADY_FUNCTIONS };

/* ------------------------------------------------------------- the matrix of a layer */

/* One block per row of cells: zero, 1 in the padding, and the couplings within the layer. */
static __global__ void __launch_bounds__(THREADS)
    fill_kernel(const __grid_constant__ kn_cuda_layers l, int layer)
{
    const int n = l.functions, row = blockIdx.x, f = row % n, place = layer * l.depth + row / n;
    const bool exists = row / n < l.depth && l.cell[place] >= 0;
    double *to = l.matrix + (int64_t)row * l.unknowns;
    for (int i = threadIdx.x; i < l.unknowns; i += THREADS)
        to[i] = !exists && i == row ? 1 : 0;
    __syncthreads();
    for (int i = threadIdx.x; exists && i < l.star * n; i += THREADS) {
        const int64_t block = (int64_t)l.cell[place] * l.star + i / n;
        const int other = l.columns[block] < 0 ? -1 : l.place[l.columns[block]];
        if (other < 0 || kn_cuda_layer_of(l, other) != layer)
            continue;
        const double value = l.blocks[(block * n + f) * n + i % n];
        const bool fixed =
            l.closed && place == 0 && other == 0 && f == 0 && i % n == 0; /* one density is zero */
        to[kn_cuda_layer_first(l, other) + i % n] = fixed ? value + fabs(value) : value;
    }
}

/* product <- L S^-1, one cell and THREADS columns per block. */
static __global__ void __launch_bounds__(THREADS)
    couple_rows_kernel(const __grid_constant__ kn_cuda_layers l, int layer)
{
    __shared__ double shared[MOST * MOST];
    const int n = l.functions, place = layer * l.depth + blockIdx.y,
              column = blockIdx.x * THREADS + threadIdx.x;
    double sum[MOST] = {0};
    for (int i = 0; i < l.star && l.cell[place] >= 0; i++) {
        const int64_t block = (int64_t)l.cell[place] * l.star + i;
        const int other = l.columns[block] < 0 ? -1 : l.place[l.columns[block]];
        if (other < 0 || kn_cuda_layer_of(l, other) != layer - 1)
            continue;
        __syncthreads();
        for (int k = threadIdx.x; k < n * n; k += THREADS)
            shared[k] = l.blocks[block * n * n + k];
        __syncthreads();
        const double *from = l.matrix + (int64_t)kn_cuda_layer_first(l, other) * l.unknowns + column;
        for (int g = 0; g < n && column < l.unknowns; g++) {
            const double value = from[(int64_t)g * l.unknowns];
#pragma unroll
            for (int f = 0; f < MOST; f++)
                if (f < n)
                    sum[f] += shared[f * n + g] * value;
        }
    }
#pragma unroll
    for (int f = 0; f < MOST; f++)
        if (f < n && column < l.unknowns)
            l.product[(int64_t)(blockIdx.y * n + f) * l.unknowns + column] = sum[f];
}

/* matrix <- matrix - product U, one row of unknowns per block. */
static __global__ void __launch_bounds__(THREADS)
    couple_columns_kernel(const __grid_constant__ kn_cuda_layers l, int layer)
{
    const int n = l.functions;
    const double *from = l.product + (int64_t)blockIdx.x * l.unknowns;
    for (int column = threadIdx.x; column < l.depth * n; column += THREADS) {
        const int place = layer * l.depth + column / n, g = column % n;
        double sum = 0;
        for (int i = 0; i < l.star && l.cell[place] >= 0; i++) {
            const int block = l.rows[(int64_t)l.cell[place] * l.star + i];
            const int other = block < 0 ? -1 : l.place[block / l.star];
            if (other < 0 || kn_cuda_layer_of(l, other) != layer - 1)
                continue;
            const double *part = from + kn_cuda_layer_first(l, other),
                         *b = l.blocks + (int64_t)block * n * n + g;
            for (int h = 0; h < n; h++)
                sum += part[h] * b[h * n];
        }
        l.matrix[(int64_t)blockIdx.x * l.unknowns + column] -= sum;
    }
}

/* ------------------------------------------------------------------ inversion in place */

/* The inverse of the tile on the diagonal by Gauss-Jordan elimination, into panel[2]: a thread has 4 x 4
 * elements, and a step needs one row and one column from shared memory. */
static __global__ void __launch_bounds__(THREADS)
    pivot_kernel(const __grid_constant__ kn_cuda_layers l, int step)
{
    __shared__ double row[2][TILE], column[2][TILE];
    const int x = threadIdx.x % 16, y = threadIdx.x / 16;
    const double *from = l.matrix + ((int64_t)step * TILE + y) * l.unknowns + step * TILE + x;
    double a[4][4];
#pragma unroll
    for (int i = 0; i < 16; i++)
        a[i / 4][i % 4] = from[(int64_t)(i / 4) * 16 * l.unknowns + i % 4 * 16];
#pragma unroll
    for (int part = 0; part < 4; part++)
        for (int place = 0; place < 16; place++) {
            const int k = part * 16 + place, in = place % 2;
            for (int i = 0; i < 4 && y == place; i++)
                row[in][x + 16 * i] = a[part][i];
            for (int i = 0; i < 4 && x == place; i++)
                column[in][y + 16 * i] = a[i][part];
            __syncthreads();
            const double inverse = 1 / row[in][k];
#pragma unroll
            for (int i = 0; i < 16; i++) {
                const int at_y = y + i / 4 * 16, at_x = x + i % 4 * 16;
                const double along = row[in][at_x] * inverse;
                double &to = a[i / 4][i % 4];
                if (at_y == k)
                    to = at_x == k ? inverse : along;
                else
                    to = at_x == k ? -column[in][at_y] * inverse : to - column[in][at_y] * along;
            }
        }
#pragma unroll
    for (int i = 0; i < 16; i++)
        l.panel[2][(y + i / 4 * 16) * TILE + x + i % 4 * 16] = a[i / 4][i % 4];
}

/* Copy a tile to shared memory. */
static __device__ __forceinline__ void load_tile(const double *from, int64_t pitch, double *to)
{
    for (int i = threadIdx.x; i < TILE * TILE / 2; i += THREADS) {
        const int row = i / (TILE / 2), column = i % (TILE / 2) * 2;
        *(double2 *)(to + row * PITCH + column) = *(const double2 *)(from + row * pitch + column);
    }
}

/* sum += left right, tiles in shared memory; a warp has 16 rows and 32 columns, tiles of 8 x 8. */
static __device__ __forceinline__ void multiply_tiles(const double *left, const double *right,
                                                      double sum[2][4][2])
{
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const double *a = left + (warp / 2 * 16 + lane / 4) * PITCH + lane % 4,
                 *b = right + lane % 4 * PITCH + warp % 2 * 32 + lane / 4;
#pragma unroll 4
    for (int k = 0; k < TILE; k += 4)
#pragma unroll
        for (int i = 0; i < 2; i++) {
            const double factor = a[i * 8 * PITCH + k];
#pragma unroll
            for (int j = 0; j < 4; j++)
                mma_double(sum[i][j], factor, b[k * PITCH + j * 8]);
        }
}

/* Element i, j of the tiles of a thread, of two columns. */
static __device__ __forceinline__ double2 *element(double *tile, int64_t pitch, int i, int j)
{
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    return (double2 *)(tile + (warp / 2 * 16 + i * 8 + lane / 4) * pitch + warp % 2 * 32 + j * 8 +
                       lane % 4 * 2);
}

/* panel[0] <- pivot times the row of tiles; panel[1] <- the column of tiles. */
static __global__ void __launch_bounds__(THREADS)
    panel_kernel(const __grid_constant__ kn_cuda_layers l, int step)
{
    extern __shared__ double shared[];
    const int tile = blockIdx.x;
    double sum[2][4][2] = {};
    load_tile(l.panel[2], TILE, shared);
    load_tile(l.matrix + (int64_t)step * TILE * l.unknowns + tile * TILE, l.unknowns, shared + TILE * PITCH);
    const double *from = l.matrix + (int64_t)tile * TILE * l.unknowns + step * TILE;
    for (int i = threadIdx.x; i < TILE * TILE; i += THREADS)
        l.panel[1][tile * TILE * TILE + i] = from[(int64_t)(i / TILE) * l.unknowns + i % TILE];
    __syncthreads();
    multiply_tiles(shared, shared + TILE * PITCH, sum);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 4; j++)
            *element(l.panel[0] + tile * TILE, l.unknowns, i, j) = {sum[i][j][0], sum[i][j][1]};
}

/* One step of the elimination for one tile. */
static __global__ void __launch_bounds__(THREADS)
    update_kernel(const __grid_constant__ kn_cuda_layers l, int step)
{
    extern __shared__ double shared[];
    const int across = blockIdx.x, down = blockIdx.y;
    double *tile = l.matrix + (int64_t)down * TILE * l.unknowns + across * TILE, sum[2][4][2] = {};
    if (down == step) { /* the row of tiles, and the pivot itself */
        const double *from = across == step ? l.panel[2] : l.panel[0] + across * TILE;
        const int64_t pitch = across == step ? TILE : l.unknowns;
        for (int i = threadIdx.x; i < TILE * TILE; i += THREADS)
            tile[(int64_t)(i / TILE) * l.unknowns + i % TILE] = from[i / TILE * pitch + i % TILE];
        return;
    }
    load_tile(l.panel[1] + down * TILE * TILE, TILE, shared);
    if (across == step)
        load_tile(l.panel[2], TILE, shared + TILE * PITCH);
    else
        load_tile(l.panel[0] + across * TILE, l.unknowns, shared + TILE * PITCH);
    __syncthreads();
    multiply_tiles(shared, shared + TILE * PITCH, sum);
#pragma unroll
    for (int i = 0; i < 2; i++)
#pragma unroll
        for (int j = 0; j < 4; j++) {
            double2 *to = element(tile, l.unknowns, i, j);
            const double2 old = across == step ? double2{0, 0} : *to;
            *to = {old.x - sum[i][j][0], old.y - sum[i][j][1]};
        }
}

static __global__ void __launch_bounds__(THREADS) round_kernel(int64_t count, const double *from, float *to)
{
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < count;
         i += (int64_t)gridDim.x * THREADS)
        to[i] = (float)from[i];
}

static cudaError_t eliminate_layer(const struct kn_cuda_layers *l, int layer, cudaStream_t stream)
{
    const size_t bytes = 2 * TILE * PITCH * sizeof(double);
    const int tiles = l->unknowns / TILE;
    const int64_t count = (int64_t)l->unknowns * l->unknowns;
    const dim3 cells((unsigned)((l->unknowns + THREADS - 1) / THREADS), (unsigned)l->depth),
        all((unsigned)tiles, (unsigned)tiles);
    if (layer > 0)
        couple_rows_kernel<<<cells, THREADS, 0, stream>>>(*l, layer);
    fill_kernel<<<(unsigned)l->unknowns, THREADS, 0, stream>>>(*l, layer);
    if (layer > 0)
        couple_columns_kernel<<<(unsigned)(l->depth * l->functions), THREADS, 0, stream>>>(*l, layer);
    for (int step = 0; step < tiles; step++) {
        pivot_kernel<<<1, THREADS, 0, stream>>>(*l, step);
        panel_kernel<<<(unsigned)tiles, THREADS, bytes, stream>>>(*l, step);
        update_kernel<<<all, THREADS, bytes, stream>>>(*l, step);
    }
    round_kernel<<<1024, THREADS, 0, stream>>>(count, l->matrix, l->inverse + layer * count);
    return cudaGetLastError();
}

cudaError_t kn_cuda_layers_eliminate(const struct kn_cuda_layers *l, cudaStream_t stream)
{
    const int bytes = 2 * TILE * PITCH * (int)sizeof(double);
    cudaError_t status =
        cudaFuncSetAttribute(panel_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    if (status == cudaSuccess)
        status = cudaFuncSetAttribute(update_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    for (int layer = 0; layer < l->layers && status == cudaSuccess; layer++)
        status = eliminate_layer(l, layer, stream);
    return status;
}
