/* Draws collision sets on the device and orders them for parallel application. Compiled without
 * contraction of a * b + c, for the same bits as on the CPU. */
#include "cuda/cuda_sample.h"

enum { COLOURS = KN_SAMPLE_COLOURS, WORDS = COLOURS / 32, DROPPED = -1, WARP = KN_CUDA_WARP };

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

/* The batches of a piece during their construction. */
struct colours {
    int count[COLOURS], start[COLOURS + 1];
    uint32_t full[WORDS];
};

/* First colour that is not full and that none of the four nodes has: lane 8 i + w tests word w of node i.
 * COLOURS if there is none. */
static __device__ int first_fit(uint32_t *masks, const uint32_t full[WORDS], const uint32_t node[4])
{
    const int lane = threadIdx.x, i = lane / WORDS, word = lane % WORDS;
    uint32_t *mask = masks + (int64_t)node[i] * WORDS + word;
    const uint32_t own = *mask;
    uint32_t taken = own | full[word];
    taken |= __shfl_xor_sync(0xffffffffu, taken, 8);
    taken |= __shfl_xor_sync(0xffffffffu, taken, 16);
    const uint32_t words = __ballot_sync(0xffffffffu, taken != UINT32_MAX) & 0xffu;
    if (words == 0)
        return COLOURS;
    const int chosen = __ffs((int)words) - 1;
    const int bit = __ffs((int)~__shfl_sync(0xffffffffu, taken, chosen)) - 1;
    bool again = false; /* a node that occurs twice is marked only once */
    for (int j = 0; j < 3; j++)
        again |= j < i && node[j] == node[i];
    __syncwarp(); /* all lanes have read before one writes */
    if (word == chosen && !again)
        *mask = own | 1u << bit;
    __syncwarp();
    return 32 * chosen + bit;
}

/* Colour of a sample and its rank there, by all lanes of the warp. */
static __device__ int2 find_place(uint32_t *masks, colours *c, const uint32_t node[4], int *past)
{
    const int colour = first_fit(masks, c->full, node);
    if (colour == COLOURS)
        return int2{COLOURS, (*past)++};
    const int rank = c->count[colour];
    __syncwarp();
    if (threadIdx.x == 0) {
        c->count[colour] = rank + 1;
        if (rank + 1 == KN_SAMPLE_BATCH)
            c->full[colour / 32] |= 1u << colour % 32;
    }
    __syncwarp();
    return int2{colour, rank};
}

/* Starts of the batches of a piece, from `kept`. */
static __device__ void open_batches(colours *c, int kept, int past, int32_t *batches, int *nbatches)
{
    c->start[0] = kept;
    for (int i = 0; i < COLOURS; i++) {
        if (c->count[i] > 0)
            batches[1 + (*nbatches)++] = c->start[i];
        c->start[i + 1] = c->start[i] + c->count[i];
    }
    for (int i = 0; i < past; i++)
        batches[1 + (*nbatches)++] = c->start[COLOURS] + i;
}

/* One warp per set: theory section 7, batches by first fit, piece by piece. */
static __global__ void order_kernel(const __grid_constant__ kn_cuda_orders o, bool in_shared)
{
    extern __shared__ uint32_t shared_masks[];
    __shared__ colours c;
    const int lane = threadIdx.x, set = blockIdx.x, samples = o.samples, nnodes = o.nnodes,
              piece = kn_sample_piece(nnodes);
    const uint4 *nodes = o.nodes + (int64_t)set * samples;
    uint32_t *masks = in_shared ? shared_masks : o.masks + (int64_t)set * nnodes * WORDS;
    int2 *places = o.places + (int64_t)set * samples; /* colour and rank; or COLOURS and a number */
    int32_t *order = o.order + (int64_t)set * samples, *batches = o.batches + (int64_t)set * (samples + 2);
    int kept = 0, nbatches = 0;
    for (int begin = 0; begin < samples; begin += piece) {
        const int end = begin + piece < samples ? begin + piece : samples;
        for (int i = lane; i < nnodes * WORDS; i += 32)
            masks[i] = 0;
        for (int i = lane; i < COLOURS; i += 32)
            c.count[i] = 0;
        if (lane < WORDS)
            c.full[lane] = 0;
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
                const int2 found = find_place(masks, &c, node, &past);
                if (lane == j)
                    place = found;
            }
            if (i + lane < end)
                places[i + lane] = place;
        }
        if (lane == 0)
            open_batches(&c, kept, past, batches, &nbatches);
        __syncwarp();
        for (int i = begin + lane; i < end; i += 32)
            if (places[i].x != DROPPED)
                order[c.start[places[i].x] + places[i].y] = i;
        __syncwarp();
        kept = c.start[COLOURS] + past;
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
    const bool in_shared = masks <= o->shared_limit;
    draw_kernel<<<grid, 128, 0, stream>>>(*plan, first_draw, o->samples, o->nodes);
    if (in_shared) {
        const cudaError_t status =
            cudaFuncSetAttribute(order_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)masks);
        if (status != cudaSuccess)
            return status;
    }
    order_kernel<<<(unsigned)o->sets, 32, in_shared ? masks : 0, stream>>>(*o, in_shared);
    return cudaGetLastError();
}

/* A sample may be permuted without effect on the result: the two nodes before the collision exchanged, the
 * two after it exchanged, and for the symmetric estimator before and after exchanged, with gains of the
 * opposite sign. */
template <class T> static __device__ __forceinline__ void turn_round(T v[4], int turn)
{
    const bool before = turn & 1, after = turn & 2, both = turn & 4;
    const T a = before ? v[1] : v[0], b = before ? v[0] : v[1];
    const T c = after ? v[3] : v[2], d = after ? v[2] : v[3];
    v[0] = both ? c : a;
    v[1] = both ? d : b;
    v[2] = both ? a : c;
    v[3] = both ? b : d;
}

/* Eight threads access shared memory together, four floats each, without conflicts if these are in eight
 * different groups of banks. The samples of a batch may be applied in any order: find an order, and
 * permutations of the samples, with few conflicts. Each position in turn is given to the sample with the
 * least additional cost. A lane has PARTS samples; place[i] is the position of its sample i. */
enum { GROUPS = 8, TURNS = 8, PARTS = KN_SAMPLE_BATCH / WARP };
enum { IDLE_COST = 1 << 16 }; /* above that of any sample */

/* Accesses of eight threads: by node of the sample, 4 bits per group of banks, and the largest of these
 * counts, which is the cost. */
struct access {
    uint32_t used[4], most[4];
};

static __device__ __forceinline__ uint32_t count_in(const access &a, int i, uint32_t node)
{
    return a.used[i] >> 4 * (node % GROUPS) & 15u;
}

/* The best permutation of a sample: its cost in the high bits, its number in the low bits. */
static __device__ __forceinline__ uint32_t best_turn(const kn_sample &s, const access &a, int turns)
{
    uint32_t best = IDLE_COST;
    if (s.node[0] == KN_CUDA_IDLE)
        return best;
#pragma unroll
    for (int t = 0; t < TURNS; t++) {
        uint32_t node[4] = {s.node[0], s.node[1], s.node[2], s.node[3]}, cost = 0;
        turn_round(node, t);
        for (int i = 0; i < 4; i++) {
            const uint32_t count = count_in(a, i, node[i]);
            cost += (count >= a.most[i] ? 64 : 0) + count;
        }
        best = t < turns ? min(best, cost * TURNS + (uint32_t)t) : best;
    }
    return best;
}

static __device__ void avoid_clashes(kn_sample s[PARTS], int turns, int place[PARTS])
{
    const int lane = threadIdx.x % WARP;
    access a;
#pragma unroll
    for (int part = 0; part < PARTS; part++)
        place[part] = -1;
    for (int at = 0; at < KN_SAMPLE_BATCH; at++) {
        if (at % GROUPS == 0)
            a = access{{0, 0, 0, 0}, {0, 0, 0, 0}};
        uint32_t best = UINT32_MAX;
#pragma unroll
        for (int part = 0; part < PARTS; part++)
            if (place[part] < 0)
                best = min(best,
                           best_turn(s[part], a, turns) * KN_SAMPLE_BATCH + (uint32_t)(part * WARP + lane));
        for (int offset = WARP / 2; offset > 0; offset /= 2)
            best = min(best, __shfl_xor_sync(0xffffffffu, best, offset));
        const int chosen = (int)(best % KN_SAMPLE_BATCH), turn = (int)(best / KN_SAMPLE_BATCH % TURNS);
#pragma unroll
        for (int part = 0; part < PARTS; part++) {
            if (part * WARP + lane == chosen) {
                place[part] = at;
                turn_round(s[part].node, turn);
                turn_round(s[part].gain, turn);
                for (int i = 0; i < 4 && turn & 4; i++)
                    s[part].gain[i] = -s[part].gain[i];
            }
            for (int i = 0; i < 4 && chosen / WARP == part; i++) {
                const uint32_t node = __shfl_sync(0xffffffffu, s[part].node[i], chosen % WARP);
                if (best / KN_SAMPLE_BATCH >= IDLE_COST)
                    break; /* only idle samples are left */
                a.used[i] += 1u << 4 * (node % GROUPS);
                a.most[i] = max(a.most[i], count_in(a, i, node));
            }
        }
    }
}

/* The samples of one set in the order of application, for one length of step: one warp per batch. */
template <class NODE>
static __global__ void sampling_kernel(const __grid_constant__ kn_sample_plan plan, uint64_t draw,
                                       const int32_t *order, const int32_t *batches, int beside, int slots,
                                       char *samples)
{
    enum { PART = WARP * (sizeof(NODE) + sizeof(float4)) };
    const int lane = threadIdx.x % WARP, warps = gridDim.x * blockDim.x / WARP;
    const int end = batches[0] + 2 * KN_CUDA_AHEAD;
    for (int b = (blockIdx.x * blockDim.x + threadIdx.x) / WARP; b < end; b += warps) {
        kn_sample s[PARTS];
        int place[PARTS];
#pragma unroll
        for (int part = 0; part < PARTS; part++) {
            const int rank = part * WARP + lane;
            place[part] = rank;
            s[part] = kn_sample{{KN_CUDA_IDLE}, {0, 0, 0, 0}, {0, 0, 0, 0}};
            if (b < batches[0] && batches[1 + b] + rank < batches[2 + b]) {
                s[part] = kn_sample_make(&plan, draw, (uint32_t)order[batches[1 + b] + rank]);
                for (int i = 0; i < 4 && beside > 0; i++)
                    s[part].node[i] = kn_cuda_slot(s[part].node[i], (uint32_t)beside);
            }
        }
        if (beside == 4)
            avoid_clashes(s, plan.symmetric ? TURNS : TURNS / 2, place);
#pragma unroll
        for (int part = 0; part < PARTS; part++) {
            char *to = samples + ((int64_t)b * PARTS + place[part] / WARP) * PART;
            const int at = place[part] % WARP;
            if (beside > 0 && s[part].node[0] == KN_CUDA_IDLE)
                for (int i = 0; i < 4; i++)
                    s[part].node[i] = (uint32_t)(slots + place[part]);
            NODE node;
            node.x = s[part].node[0], node.y = s[part].node[1], node.z = s[part].node[2],
            node.w = s[part].node[3];
            ((NODE *)to)[at] = node;
            ((float4 *)(to + WARP * sizeof(NODE)))[at] =
                float4{s[part].gain[0], s[part].gain[1], s[part].gain[2], s[part].gain[3]};
        }
    }
}

size_t kn_cuda_set_bytes(size_t samples)
{
    return (samples + 2 * KN_CUDA_AHEAD) * KN_SAMPLE_BATCH * (sizeof(uint4) + sizeof(float4));
}

cudaError_t kn_cuda_sample(const struct kn_sample_plan *plan, const struct kn_cuda_drawing *d,
                           cudaStream_t stream)
{
    enum { BLOCKS = 128, THREADS = 32 };
    const auto kernel = d->beside > 0 ? sampling_kernel<ushort4> : sampling_kernel<uint4>;
    kernel<<<BLOCKS, THREADS, 0, stream>>>(*plan, d->draw, d->order, d->batches, d->beside,
                                           d->beside > 0 ? kn_cuda_slots(d->nnodes, d->beside) : 0,
                                           d->samples);
    return cudaGetLastError();
}
