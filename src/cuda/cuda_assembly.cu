/* The sums of the collision operator, theory (44), on the GPU. A block adds the pairs of nodes of one part
 * to its own matrices. A stencil has three consecutive nodes along an axis, one of each residue modulo 3.
 * A thread owns the elements whose row has three given residues and whose column has three others: it
 * visits each of the 27 x 27 elements of a product of stencils exactly once, and no other thread visits
 * them. So 729 threads add without atomics and without synchronisation, in the order of the directions.
 * Directions are sorted by the position of their stencils, and an element stays in a register until the
 * stencil moves. The result does not depend on the GPU or on the division of the pairs into launches,
 * unless the GPU has too little memory for all parts. */
#include "cuda/cuda_check.h"

#include <chrono>

enum {
    PARTS = 264,                       /* two blocks on each multiprocessor of an H100 or H200 */
    OWNERS = KN_STENCIL * KN_STENCIL,  /* threads that have elements */
    THREADS = (OWNERS + 31) / 32 * 32, /* of a block */
    BATCH = 64,                        /* directions whose stencils are in shared memory */
    FIELD = 4,                         /* bits of a corner along an axis */
    FIRST = (1 << FIELD) - 1,          /* all of them */
    OCTANT = 3 * FIELD,                /* position of the octant in a key */
    KEY = OCTANT + 3,                  /* bits of a key */
};

static_assert(KN_OPERATOR_NODES / 2 <= FIRST, "a corner fits into its bits");
static_assert(6 * BATCH + BATCH <= OWNERS, "lay_axes has a thread for each value");

/* Stencils of some directions of a pair, for both particles. */
struct batch {
    struct kn_pair pair;
    int corner[2][BATCH][3]; /* first node along an axis; the bit above it is set if v < 0 */
    double weight[2][BATCH][3][KN_STENCIL_POINTS]; /* along an axis */
    double root[BATCH];                            /* of the rate of a direction */
    double value[2][BATCH][KN_STENCIL];            /* of the nodes, times the square root of the weight */
    int key[2][BATCH];                             /* octant and corner */
    int order[2][BATCH]; /* directions by the key of one particle, then of the other */
};

/* Along one axis for one direction and particle. */
static __device__ void lay_axes(const struct kn_assembly *g, int from, int count, int thread, struct batch *s)
{
    const int n = thread / 6, particle = thread / 3 % 2, d = thread % 3;
    if (n < count) {
        const double v = kn_pair_after(&s->pair, &g->directions[from + n], d, particle);
        const int first = kn_interpolate_axis(g->node[d], g->half[d], fabs(v), s->weight[particle][n][d]);
        s->corner[particle][n][d] = first | (v < 0 ? 1 << FIELD : 0);
    }
    const int m = thread - 6 * BATCH;
    if (m >= 0 && m < count)
        s->root[m] = sqrt(s->pair.rate * g->directions[from + m].weight);
}

/* Values, and the key of each stencil. */
static __device__ void lay_values(int count, int thread, struct batch *s)
{
    for (int t = thread; t < 2 * count * KN_STENCIL; t += THREADS) {
        const int i = t % KN_STENCIL, particle = t / KN_STENCIL % 2, n = t / KN_STENCIL / 2;
        const double(*w)[KN_STENCIL_POINTS] = s->weight[particle][n];
        s->value[particle][n][i] = s->root[n] * w[0][i / KN_LINES] *
                                   w[1][i / KN_STENCIL_POINTS % KN_STENCIL_POINTS] *
                                   w[2][i % KN_STENCIL_POINTS];
    }
    if (thread < 2 * count) {
        const int particle = thread % 2, n = thread / 2;
        int key = 0;
        for (int d = 0; d < 3; d++) {
            const int corner = s->corner[particle][n][d];
            key |= (corner & FIRST) << d * FIELD | corner >> FIELD << (OCTANT + d);
        }
        s->key[particle][n] = key;
    }
}

/* The position of each direction in the order. */
static __device__ void sort_directions(int count, int thread, struct batch *s)
{
    if (thread >= 2 * count)
        return;
    const int particle = thread % 2, n = thread / 2;
    const int *major = s->key[particle], *minor = s->key[1 - particle];
    const int own = major[n] << KEY | minor[n];
    int place = 0;
    for (int m = 0; m < count; m++) {
        const int other = major[m] << KEY | minor[m];
        place += other < own || (other == own && m < n);
    }
    s->order[particle][place] = n;
}

/* Elements that a thread owns: residues modulo 3 of the nodes of row and column along the axes. */
struct owner {
    int row[3], column[3];
};

static __device__ struct owner owner_of(int thread)
{
    const int row = thread / KN_STENCIL, column = thread % KN_STENCIL;
    return {{row / KN_LINES, row / KN_STENCIL_POINTS % KN_STENCIL_POINTS, row % KN_STENCIL_POINTS},
            {column / KN_LINES, column / KN_STENCIL_POINTS % KN_STENCIL_POINTS, column % KN_STENCIL_POINTS}};
}

/* The node of these residues in the stencil of a key, and its index in the stencil. */
static __device__ int find_node(const struct kn_assembly *g, const int residue[3], int key, int *which)
{
    int node = 0;
    *which = 0;
    for (int d = 0; d < 3; d++) {
        const int first = key >> d * FIELD & FIRST;
        const int step = (residue[d] + 5 * KN_STENCIL_POINTS - first) % KN_STENCIL_POINTS;
        node = node * g->half[d] + first + step;
        *which = *which * KN_STENCIL_POINTS + step;
    }
    return node;
}

static __device__ bool is_at(const struct kn_assembly *g, const int residue[3], int node)
{
    int at[3];
    kn_interpolate_place(g->half, node, at);
    return at[0] % KN_STENCIL_POINTS == residue[0] && at[1] % KN_STENCIL_POINTS == residue[1] &&
           at[2] % KN_STENCIL_POINTS == residue[2];
}

/* An element of the sums. */
static __device__ double *element(const struct kn_assembly *g, double *sums, int matrix, int row, int column)
{
    return sums + ((size_t)matrix * (size_t)g->size + (size_t)row) * (size_t)g->size + (size_t)column;
}

/* x x^T of one particle, -2 x in the columns of the nodes before. */
static __device__ void add_squares(const struct kn_assembly *g, const struct batch *s,
                                   const struct owner *own, int particle, int count, double *sums)
{
    const struct kn_pair *p = &s->pair;
    const bool has_a = is_at(g, own->column, p->a), has_b = is_at(g, own->column, p->b);
    for (int n = 0; n < count;) {
        const int key = s->key[particle][s->order[particle][n]], octant = key >> OCTANT;
        int i, j;
        const int row = find_node(g, own->row, key, &i), column = find_node(g, own->column, key, &j);
        double square = 0, line = 0;
        for (int at; n < count && s->key[particle][at = s->order[particle][n]] == key; n++) {
            const double x = s->value[particle][at][i];
            square += x * s->value[particle][at][j];
            line += x * s->root[at];
        }
        *element(g, sums, 0, row, column) += square;
        if (has_a)
            *element(g, sums, octant, row, p->a) -= 2 * line;
        if (has_b)
            *element(g, sums, octant ^ p->octant, row, p->b) -= 2 * line;
    }
}

/* 2 x y^T of the two particles. */
static __device__ void add_products(const struct kn_assembly *g, const struct batch *s,
                                    const struct owner *own, int count, double *sums)
{
    for (int n = 0; n < count;) {
        const int key = s->key[0][s->order[0][n]], other = s->key[1][s->order[0][n]];
        int i, j;
        const int row = find_node(g, own->row, key, &i), column = find_node(g, own->column, other, &j);
        double product = 0;
        for (int at; n < count && s->key[0][at = s->order[0][n]] == key && s->key[1][at] == other; n++)
            product += s->value[0][at][i] * s->value[1][at][j];
        *element(g, sums, (key ^ other) >> OCTANT, row, column) += 2 * product;
    }
}

/* The nodes before the collision; the weights of the directions sum to 1. */
static __device__ void add_nodes(const struct kn_assembly *g, const struct kn_pair *p,
                                 const struct owner *own, double *sums)
{
    const bool row_a = is_at(g, own->row, p->a), column_b = is_at(g, own->column, p->b);
    if (row_a && is_at(g, own->column, p->a))
        *element(g, sums, 0, p->a, p->a) += p->rate;
    if (is_at(g, own->row, p->b) && column_b)
        *element(g, sums, 0, p->b, p->b) += p->rate;
    if (row_a && column_b)
        *element(g, sums, p->octant, p->a, p->b) += 2 * p->rate;
}

/* Pairs a <= b, counted by rows of a triangle, octant of b by octant. */
static __host__ __device__ int64_t pairs_of(int size)
{
    return (int64_t)size * (size + 1) / 2;
}

static __device__ struct kn_pair pair_at(const struct kn_assembly *g, int64_t number)
{
    const int octant = (int)(number / pairs_of(g->size));
    int a = 0, left = (int)(number % pairs_of(g->size));
    while (left >= g->size - a)
        left -= g->size - a++;
    return kn_pair_of(g, a, a + left, octant);
}

/* Doubles of the sums of a part. */
static __host__ __device__ size_t length_of(const struct kn_assembly *what)
{
    const size_t n = (size_t)what->size;
    return KN_PARITIES * n * n + 1;
}

/* Pairs first..end-1 of this block: number modulo parts. */
static __global__ __launch_bounds__(THREADS, 2) void pairs_kernel(struct kn_assembly g, int64_t first,
                                                                  int64_t end, double *parts)
{
    __shared__ struct batch s;
    const int thread = (int)threadIdx.x;
    const struct owner own = owner_of(thread);
    double *sums = parts + (size_t)blockIdx.x * length_of(&g);
    for (int64_t number = first + blockIdx.x; number < end; number += gridDim.x) {
        if (thread == 0)
            s.pair = pair_at(&g, number);
        __syncthreads();
        for (int from = 0; from < g.ndirections && s.pair.relative > 0; from += BATCH) {
            const int count = min((int)BATCH, g.ndirections - from);
            lay_axes(&g, from, count, thread, &s);
            __syncthreads();
            lay_values(count, thread, &s);
            __syncthreads();
            sort_directions(count, thread, &s);
            __syncthreads();
            if (thread < OWNERS) {
                add_squares(&g, &s, &own, 0, count, sums);
                add_squares(&g, &s, &own, 1, count, sums);
                add_products(&g, &s, &own, count, sums);
            }
            __syncthreads();
        }
        if (thread < OWNERS && s.pair.relative > 0)
            add_nodes(&g, &s.pair, &own, sums);
        __syncthreads();
    }
}

/* Add all parts to the first, in order. */
static __global__ void add_parts_kernel(int count, size_t length, double *parts)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    double sum = 0;
    if (i >= length)
        return;
    for (int part = 0; part < count; part++)
        sum += parts[(size_t)part * length + i];
    parts[i] = sum;
}

struct assembly {
    struct kn_assembly device; /* pointers to device memory */
    void *tables;
    double *parts; /* [count][length_of] */
    int count;
};

/* The intended number of parts; if they do not fit, half of it, and so on. */
static enum kn_status allocate_parts(struct assembly *m)
{
    const size_t bytes = length_of(&m->device) * sizeof(double);
    size_t available = 0, total = 0;
    CHECK(cudaMemGetInfo(&available, &total));
    m->count = PARTS;
    while (m->count > 0 && (double)m->count * (double)bytes > 0.9 * (double)available)
        m->count /= 2;
    if (m->count == 0)
        return kn_error_set(KN_EMEMORY, "the GPU has %.2f GB free, and the assembly needs %.2f GB or more",
                            (double)available / 1e9, (double)bytes / 0.9e9);
    CHECK(cudaMalloc((void **)&m->parts, (size_t)m->count * bytes));
    CHECK(cudaMemset(m->parts, 0, (size_t)m->count * bytes));
    return KN_OK;
}

/* Copy a host array to the next free position in the tables. */
static cudaError_t keep(char **at, const void *from, size_t bytes, const void **to)
{
    const cudaError_t status = cudaMemcpy(*at, from, bytes, cudaMemcpyHostToDevice);
    *to = *at;
    *at += bytes;
    return status;
}

static enum kn_status upload(struct assembly *m, const struct kn_assembly *what)
{
    const size_t directions = (size_t)what->ndirections * sizeof *what->directions,
                 nodes =
                     (size_t)(what->half[0] + what->half[1] + what->half[2] + what->size) * sizeof(double);
    m->device = *what;
    CHECK(cudaMalloc(&m->tables, directions + nodes));
    char *at = (char *)m->tables;
    CHECK(keep(&at, what->directions, directions, (const void **)&m->device.directions));
    CHECK(keep(&at, what->weight, (size_t)what->size * sizeof(double), (const void **)&m->device.weight));
    for (int d = 0; d < 3; d++)
        CHECK(keep(&at, what->node[d], (size_t)what->half[d] * sizeof(double),
                   (const void **)&m->device.node[d]));
    return KN_OK;
}

static bool tell(const struct kn_progress_callback *progress, double part)
{
    return !progress || progress->report(progress->to, part);
}

/* Launches of about 0.2 s each, after which progress is reported. */
static enum kn_status add_pairs(struct assembly *m, const struct kn_progress_callback *progress)
{
    const int64_t all = KN_PARITIES * pairs_of(m->device.size);
    int64_t launch = m->count; /* pairs per launch, a multiple of the number of blocks */
    bool wanted = tell(progress, 0);
    for (int64_t first = 0, end; first < all && wanted; first = end) {
        end = first + launch < all ? first + launch : all;
        const auto start = std::chrono::steady_clock::now();
        pairs_kernel<<<(unsigned)m->count, THREADS>>>(m->device, first, end, m->parts);
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
        const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
        wanted = tell(progress, (double)end / (double)all);
        launch *= taken.count() < 0.1 ? 2 : 1;
    }
    return wanted ? KN_OK
                  : kn_error_set(KN_EINTERRUPTED, "interrupted while the collision operator was assembled");
}

static enum kn_status assemble(struct assembly *m, const struct kn_assembly *what,
                               const struct kn_progress_callback *progress, double *sums)
{
    enum kn_status status;
    const size_t length = length_of(what);
    const unsigned block = 256;
    if ((status = upload(m, what)) != KN_OK || (status = allocate_parts(m)) != KN_OK ||
        (status = add_pairs(m, progress)) != KN_OK)
        return status;
    add_parts_kernel<<<(unsigned)((length + block - 1) / block), block>>>(m->count, length, m->parts);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(sums, m->parts, length * sizeof *sums, cudaMemcpyDeviceToHost));
    return KN_OK;
}

enum kn_status kn_cuda_assemble(const struct kn_assembly *what, const struct kn_progress_callback *progress,
                                double *sums)
{
    struct assembly m = {};
    const enum kn_status status = assemble(&m, what, progress, sums);
    cudaFree(m.parts);
    cudaFree(m.tables);
    if (status != KN_OK)
        cudaGetLastError(); /* reported; clears the error for later calls */
    return status;
}
