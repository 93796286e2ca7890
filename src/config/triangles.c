/* A tree of boxes over triangles in the order of a space-filling curve.  The sign of a distance is that of
 * the generalised winding number (Jacobson et al. 2013); far triangles act as dipoles (Barill et al. 2018).
 */
#include "config/triangles.h"

#include "error.h"
#include "files/files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAF = 4 /* triangles */, STACK = 64 };

/* Triangles at this number of radii are a dipole; the winding number then has an error of about 0.01. */
static const double FAR = 3;

struct place {
    uint64_t code;
    int index;
};

static int compare_places(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    return x->code != y->code ? (x->code > y->code) - (x->code < y->code) : x->index - y->index;
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void take_difference(const double a[3], const double b[3], double to[3])
{
    for (int d = 0; d < 3; d++)
        to[d] = a[d] - b[d];
}

/* Half of the cross product of two edges. */
static void find_area(double corner[3][3], double area[3])
{
    double a[3], b[3];
    take_difference(corner[1], corner[0], a);
    take_difference(corner[2], corner[0], b);
    for (int d = 0; d < 3; d++)
        area[d] = (a[(d + 1) % 3] * b[(d + 2) % 3] - a[(d + 2) % 3] * b[(d + 1) % 3]) / 2;
}

/* The curve of Morton: the bits of the three coordinates in turn. */
static uint64_t find_code(double corner[3][3], const double low[3], const double high[3])
{
    enum { BITS = 20 };
    uint64_t code = 0;
    for (int d = 0; d < 3; d++) {
        const double middle = (corner[0][d] + corner[1][d] + corner[2][d]) / 3, size = high[d] - low[d];
        const double share = size > 0 ? (middle - low[d]) / size : 0;
        const uint64_t at = (uint64_t)(fmin(fmax(share, 0), 1) * ((1 << BITS) - 1));
        for (int bit = 0; bit < BITS; bit++)
            code |= (at >> bit & 1) << (3 * bit + d);
    }
    return code;
}

static bool sort_triangles(struct kn_triangles *t)
{
    struct place *places = malloc((size_t)t->count * sizeof *places);
    double(*sorted)[3][3] = malloc((size_t)t->count * sizeof *sorted);
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    if (!places || !sorted) {
        free(places);
        free(sorted);
        return false;
    }
    for (int i = 0; i < 3 * t->count; i++)
        for (int d = 0; d < 3; d++) {
            low[d] = fmin(low[d], t->corner[i / 3][i % 3][d]);
            high[d] = fmax(high[d], t->corner[i / 3][i % 3][d]);
        }
    for (int i = 0; i < t->count; i++)
        places[i] = (struct place){find_code(t->corner[i], low, high), i};
    qsort(places, (size_t)t->count, sizeof *places, compare_places);
    for (int i = 0; i < t->count; i++)
        memcpy(sorted[i], t->corner[places[i].index], sizeof *sorted);
    free(places);
    free(t->corner);
    t->corner = sorted;
    return true;
}

/* The direction of an edge between two corners: 1 from the smaller to the larger, in any order of them. */
struct edge {
    uint64_t key;
    int way;
};

static int compare_edges(const void *a, const void *b)
{
    const struct edge *x = a, *y = b;
    return (x->key > y->key) - (x->key < y->key);
}

static struct edge edge_of(const double from[3], const double to[3])
{
    double ends[3][3]; /* from, to, from */
    int way = 0;
    for (int d = 0; d < 3; d++) { /* -0 becomes 0 */
        ends[0][d] = ends[2][d] = from[d] + 0.0;
        ends[1][d] = to[d] + 0.0;
        way = way != 0 ? way : (from[d] < to[d]) - (from[d] > to[d]);
    }
    return (struct edge){kn_files_sum(KN_FILES_SUM, ends[way < 0], 2 * sizeof ends[0]), way};
}

/* Edges that are not passed as often in one direction as in the other. */
static bool count_open(struct kn_triangles *t)
{
    const size_t count = 3 * (size_t)t->count;
    struct edge *edges = malloc(count * sizeof *edges);
    if (!edges)
        return false;
    for (size_t i = 0; i < count; i++)
        edges[i] = edge_of(t->corner[i / 3][i % 3], t->corner[i / 3][(i + 1) % 3]);
    qsort(edges, count, sizeof *edges, compare_edges);
    for (size_t i = 0; i < count;) {
        int sum = 0;
        const uint64_t key = edges[i].key;
        for (; i < count && edges[i].key == key; i++)
            sum += edges[i].way;
        t->open += abs(sum);
    }
    free(edges);
    return true;
}

static void fill_leaf(struct kn_triangles *t, int leaf)
{
    struct kn_triangles_node *n = &t->node[t->leaves + leaf];
    double total = 0;
    *n = (struct kn_triangles_node){.low = {INFINITY, INFINITY, INFINITY},
                                    .high = {-INFINITY, -INFINITY, -INFINITY}};
    for (int i = leaf * LEAF; i < (leaf + 1) * LEAF && i < t->count; i++) {
        double area[3];
        find_area(t->corner[i], area);
        const double size = sqrt(dot(area, area));
        for (int d = 0; d < 3; d++) {
            const double a = t->corner[i][0][d], b = t->corner[i][1][d], c = t->corner[i][2][d];
            n->low[d] = fmin(n->low[d], fmin(a, fmin(b, c)));
            n->high[d] = fmax(n->high[d], fmax(a, fmax(b, c)));
            n->area[d] += area[d];
            n->centre[d] += size * (a + b + c) / 3;
        }
        total += size;
        t->sum[i] = size + (i > 0 ? t->sum[i - 1] : 0);
    }
    n->radius = total; /* the whole area, until the tree is complete */
}

/* The node above two nodes; centres are still multiplied by the area in `radius`. */
static void join_nodes(struct kn_triangles *t, int node)
{
    const struct kn_triangles_node *a = &t->node[2 * node], *b = a + 1;
    struct kn_triangles_node *n = &t->node[node];
    *n = (struct kn_triangles_node){.radius = a->radius + b->radius};
    for (int d = 0; d < 3; d++) {
        n->low[d] = fmin(a->low[d], b->low[d]);
        n->high[d] = fmax(a->high[d], b->high[d]);
        n->area[d] = a->area[d] + b->area[d];
        n->centre[d] = a->centre[d] + b->centre[d];
    }
}

static void finish_node(struct kn_triangles_node *n)
{
    double square = 0;
    for (int d = 0; d < 3; d++) {
        n->centre[d] = n->radius > 0 ? n->centre[d] / n->radius : 0;
        square += pow(fmax(n->high[d] - n->centre[d], n->centre[d] - n->low[d]), 2);
    }
    n->radius = sqrt(square);
}

enum kn_status kn_triangles_create(struct kn_triangles *t, double (*corner)[3][3], int count)
{
    *t = (struct kn_triangles){.count = count, .leaves = 1, .corner = corner};
    while (t->leaves * LEAF < count)
        t->leaves *= 2;
    t->sum = malloc((size_t)count * sizeof *t->sum);
    t->node = malloc(2 * (size_t)t->leaves * sizeof *t->node);
    if (!t->sum || !t->node || !sort_triangles(t) || !count_open(t)) {
        kn_triangles_destroy(t);
        return kn_error_set(KN_EMEMORY, "no memory for a surface of %d triangles", count);
    }
    for (int leaf = 0; leaf < t->leaves; leaf++)
        fill_leaf(t, leaf);
    for (int i = t->leaves - 1; i > 0; i--)
        join_nodes(t, i);
    for (int i = 1; i < 2 * t->leaves; i++)
        finish_node(&t->node[i]);
    return KN_OK;
}

void kn_triangles_destroy(struct kn_triangles *t)
{
    free(t->corner);
    free(t->sum);
    free(t->node);
    *t = (struct kn_triangles){0};
}

/* Square of the distance to the segment from a to a + edge. */
static double edge_square(const double from_a[3], const double edge[3])
{
    const double share = fmin(fmax(dot(from_a, edge) / dot(edge, edge), 0), 1);
    double square = 0;
    for (int d = 0; d < 3; d++)
        square += pow(from_a[d] - share * edge[d], 2);
    return square;
}

/* Square of the distance to a triangle: to its plane above it, or to its nearest edge. The plane of a sliver
 * is not known. */
static double triangle_square(double corner[3][3], const double at[3])
{
    static const double sliver = 1e-20;
    double normal[3], edge[3], from[3], least = INFINITY;
    bool above = true;
    find_area(corner, normal);
    take_difference(corner[1], corner[0], edge);
    const bool thin = dot(normal, normal) < sliver * dot(edge, edge) * dot(edge, edge);
    for (int k = 0; k < 3; k++) {
        double across = 0;
        take_difference(corner[(k + 1) % 3], corner[k], edge);
        take_difference(at, corner[k], from);
        for (int d = 0; d < 3; d++)
            across +=
                (edge[(d + 1) % 3] * from[(d + 2) % 3] - edge[(d + 2) % 3] * from[(d + 1) % 3]) * normal[d];
        if (across < 0 || thin) {
            above = false;
            least = fmin(least, edge_square(from, edge));
        }
    }
    if (!above)
        return least;
    take_difference(at, corner[0], from);
    return pow(dot(from, normal), 2) / dot(normal, normal);
}

/* Square of the distance to a box. */
static double box_square(const struct kn_triangles_node *n, const double at[3])
{
    double square = 0;
    for (int d = 0; d < 3; d++) {
        const double out = fmax(fmax(n->low[d] - at[d], at[d] - n->high[d]), 0);
        square += out * out;
    }
    return square;
}

static double nearest(const struct kn_triangles *t, const double at[3])
{
    double best = INFINITY;
    int stack[STACK], depth = 0;
    stack[depth++] = 1;
    while (depth > 0) {
        const int i = stack[--depth];
        if (box_square(&t->node[i], at) >= best)
            continue;
        if (i >= t->leaves) {
            for (int k = (i - t->leaves) * LEAF; k < (i - t->leaves + 1) * LEAF && k < t->count; k++)
                best = fmin(best, triangle_square(t->corner[k], at));
            continue;
        }
        const bool swap = box_square(&t->node[2 * i], at) < box_square(&t->node[2 * i + 1], at);
        stack[depth++] = 2 * i + swap;
        stack[depth++] = 2 * i + !swap;
    }
    return sqrt(best);
}

/* The solid angle of a triangle (Van Oosterom and Strackee 1983). */
static double solid_angle(double corner[3][3], const double at[3])
{
    double a[3], b[3], c[3], cross[3];
    take_difference(corner[0], at, a);
    take_difference(corner[1], at, b);
    take_difference(corner[2], at, c);
    for (int d = 0; d < 3; d++)
        cross[d] = b[(d + 1) % 3] * c[(d + 2) % 3] - b[(d + 2) % 3] * c[(d + 1) % 3];
    const double la = sqrt(dot(a, a)), lb = sqrt(dot(b, b)), lc = sqrt(dot(c, c));
    return 2 * atan2(dot(a, cross), la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb);
}

double kn_triangles_winding(const struct kn_triangles *t, const double at[3])
{
    double sum = 0;
    int stack[STACK], depth = 0;
    stack[depth++] = 1;
    while (depth > 0) {
        const int i = stack[--depth];
        const struct kn_triangles_node *n = &t->node[i];
        double from[3];
        take_difference(n->centre, at, from);
        const double square = dot(from, from);
        if (square > FAR * FAR * n->radius * n->radius) {
            sum += dot(n->area, from) / (square * sqrt(square));
        } else if (i >= t->leaves) {
            for (int k = (i - t->leaves) * LEAF; k < (i - t->leaves + 1) * LEAF && k < t->count; k++)
                sum += solid_angle(t->corner[k], at);
        } else {
            stack[depth++] = 2 * i;
            stack[depth++] = 2 * i + 1;
        }
    }
    return sum / (4 * M_PI);
}

double kn_triangles_distance(const struct kn_triangles *t, const double at[3])
{
    const double distance = nearest(t, at);
    if (box_square(&t->node[1], at) > 0)
        return distance;
    return fabs(kn_triangles_winding(t, at)) > 0.5 ? -distance : distance;
}

void kn_triangles_sample(const struct kn_triangles *t, int index, int count, double at[3], double normal[3])
{
    static const double golden = 0.61803398874989485, silver = 0.75487766624669276;
    const double area = (index + 0.5) / count * t->sum[t->count - 1];
    int low = 0, high = t->count - 1;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (t->sum[middle] < area)
            low = middle + 1;
        else
            high = middle;
    }
    double u = fmod(index * golden, 1), v = fmod(index * silver, 1);
    if (u + v > 1) {
        u = 1 - u;
        v = 1 - v;
    }
    double(*corner)[3] = t->corner[low];
    find_area(corner, normal);
    const double size = sqrt(dot(normal, normal));
    for (int d = 0; d < 3; d++) {
        at[d] = corner[0][d] + u * (corner[1][d] - corner[0][d]) + v * (corner[2][d] - corner[0][d]);
        normal[d] /= size;
    }
}
