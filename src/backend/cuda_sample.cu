/* Drawing collision sets on the device and putting them into an order in which
 * they can be applied in parallel.  Built without contraction of a * b + c: the
 * same bits as on the CPU. */
#include "backend/cuda_sample.h"

/* ------------------------------------------------------------------ ordering */

enum { COLOURS = KN_SAMPLE_COLOURS, WORDS = COLOURS / 32, DROPPED = -1 };

/* The four nodes of every sample of every set in a window. */
static __global__ void draw_kernel(const __grid_constant__ kn_sample_plan plan, uint64_t first_draw,
                                   int samples, uint4 *nodes)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= samples)
        return;
    const kn_sample s = kn_sample_make(&plan, first_draw + blockIdx.y, (uint32_t)i);
    const bool dropped = s.node[0] == 0 && s.node[1] == 0 && s.node[2] == 0 && s.node[3] == 0;
    const uint4 node = {dropped ? UINT32_MAX : s.node[0], s.node[1], s.node[2], s.node[3]};
    nodes[(int64_t)blockIdx.y * samples + i] = node;
}

/* First colour that none of the four nodes has: lane 8 i + w looks at word w of
 * node i.  COLOURS when all are taken. */
static __device__ int first_fit(uint32_t *masks, const uint32_t node[4])
{
    const int lane = threadIdx.x, i = lane / WORDS, word = lane % WORDS;
    uint32_t *mask = masks + (int64_t)node[i] * WORDS + word;
    const uint32_t own = *mask;
    uint32_t taken = own | __shfl_xor_sync(0xffffffffu, own, 8);
    taken |= __shfl_xor_sync(0xffffffffu, taken, 16);
    const uint32_t words = __ballot_sync(0xffffffffu, taken != UINT32_MAX) & 0xffu;
    if (words == 0)
        return COLOURS;
    const int chosen = __ffs((int)words) - 1;
    const int bit = __ffs((int)~__shfl_sync(0xffffffffu, taken, chosen)) - 1;
    bool again = false; /* a node that occurs twice is marked once */
    for (int j = 0; j < 3; j++)
        again |= j < i && node[j] == node[i];
    __syncwarp(); /* all have read before one writes */
    if (word == chosen && !again)
        *mask = own | 1u << bit;
    __syncwarp();
    return 32 * chosen + bit;
}

/* One warp per set: theory section 7, batches by first fit, piece by piece. */
static __global__ void order_kernel(const uint4 *all_nodes, int samples, int nnodes, int piece,
                                    uint32_t *all_masks, bool in_shared, int2 *all_places, int32_t *all_order,
                                    int32_t *all_batches)
{
    extern __shared__ uint32_t shared_masks[];
    __shared__ int count[COLOURS], start[COLOURS + 1];
    const int lane = threadIdx.x, set = blockIdx.x;
    const uint4 *nodes = all_nodes + (int64_t)set * samples;
    uint32_t *masks = in_shared ? shared_masks : all_masks + (int64_t)set * nnodes * WORDS;
    int2 *places =
        all_places + (int64_t)set * samples; /* colour and rank; or COLOURS and number past the colours */
    int32_t *order = all_order + (int64_t)set * samples,
            *batches = all_batches + (int64_t)set * (samples + 2);
    int kept = 0, nbatches = 0;
    for (int begin = 0; begin < samples; begin += piece) {
        const int end = begin + piece < samples ? begin + piece : samples;
        for (int i = lane; i < nnodes * WORDS; i += 32)
            masks[i] = 0;
        for (int i = lane; i < COLOURS; i += 32)
            count[i] = 0;
        __syncwarp();
        int past = 0;
        for (int i = begin; i < end; i += 32) {
            const uint4 mine = i + lane < end ? nodes[i + lane] : uint4{UINT32_MAX, 0, 0, 0};
            int2 place = {DROPPED, 0};
            for (int j = 0; j < 32; j++) {
                const uint32_t node[4] = {
                    __shfl_sync(0xffffffffu, mine.x, j), __shfl_sync(0xffffffffu, mine.y, j),
                    __shfl_sync(0xffffffffu, mine.z, j), __shfl_sync(0xffffffffu, mine.w, j)};
                if (node[0] == UINT32_MAX)
                    continue;
                const int colour = first_fit(masks, node);
                const int rank = colour < COLOURS ? count[colour] : past;
                __syncwarp();
                if (lane == 0 && colour < COLOURS)
                    count[colour] = rank + 1;
                past += colour == COLOURS;
                if (lane == j)
                    place = int2{colour, rank};
                __syncwarp();
            }
            if (i + lane < end)
                places[i + lane] = place;
        }
        if (lane == 0) {
            start[0] = kept;
            for (int c = 0; c < COLOURS; c++) {
                if (count[c] > 0)
                    batches[1 + nbatches++] = start[c];
                start[c + 1] = start[c] + count[c];
            }
            for (int i = 0; i < past; i++)
                batches[1 + nbatches++] = start[COLOURS] + i;
        }
        __syncwarp();
        for (int i = begin + lane; i < end; i += 32)
            if (places[i].x != DROPPED)
                order[start[places[i].x] + places[i].y] = i;
        __syncwarp();
        kept = start[COLOURS] + past;
        nbatches = __shfl_sync(0xffffffffu, nbatches, 0);
        __syncwarp();
    }
    if (lane == 0) {
        batches[0] = nbatches;
        batches[1 + nbatches] = kept;
    }
}

cudaError_t kn_cuda_order(const struct kn_cuda_orders *o, const struct kn_sample_plan *plan,
                          uint64_t first_draw, cudaStream_t stream)
{
    const dim3 grid((unsigned)((o->samples + 127) / 128), (unsigned)o->sets);
    const size_t masks = (size_t)o->nnodes * WORDS * sizeof(uint32_t);
    const bool in_shared = masks <= 200 * 1024;
    draw_kernel<<<grid, 128, 0, stream>>>(*plan, first_draw, o->samples, o->nodes);
    if (in_shared) {
        const cudaError_t status =
            cudaFuncSetAttribute(order_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)masks);
        if (status != cudaSuccess)
            return status;
    }
    order_kernel<<<(unsigned)o->sets, 32, in_shared ? masks : 0, stream>>>(
        o->nodes, o->samples, o->nnodes, KN_SAMPLE_PIECE * o->nnodes, o->masks, in_shared, o->places,
        o->order, o->batches);
    return cudaGetLastError();
}

/* ------------------------------------------------------------------ sampling */

/* The samples of one set, in the order of application, for a step of this length. */
static __global__ void sampling_kernel(const __grid_constant__ kn_sample_plan plan, uint64_t draw,
                                       const int32_t *order, const int32_t *batches, bool slots, uint4 *node,
                                       float4 *gain, float4 *defect)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= batches[1 + batches[0]])
        return;
    const kn_sample s = kn_sample_make(&plan, draw, (uint32_t)order[i]);
    if (slots)
        ((ushort4 *)node)[i] = ushort4{(unsigned short)kn_cuda_slot(s.node[0]), (unsigned short)kn_cuda_slot(s.node[1]),
                                       (unsigned short)kn_cuda_slot(s.node[2]), (unsigned short)kn_cuda_slot(s.node[3])};
    else
        node[i] = uint4{s.node[0], s.node[1], s.node[2], s.node[3]};
    gain[i] = float4{s.gain[0], s.gain[1], s.gain[2], s.gain[3]};
    defect[i] = float4{s.defect[0], s.defect[1], s.defect[2], s.defect[3]};
}

cudaError_t kn_cuda_sample(const struct kn_sample_plan *plan, uint64_t draw, int samples,
                           const int32_t *order, const int32_t *batches, bool slots, uint4 *node,
                           float4 *gain, float4 *defect, cudaStream_t stream)
{
    sampling_kernel<<<(samples + 127) / 128, 128, 0, stream>>>(*plan, draw, order, batches, slots, node, gain,
                                                               defect);
    return cudaGetLastError();
}
