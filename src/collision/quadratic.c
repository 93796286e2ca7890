/* Creates the tensor of the quadratic part and its polynomials on the velocity grid. */
#include "collision/quadratic.h"

#include "collision/polynomials.h"
#include "error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static enum kn_status no_memory(void)
{
    return kn_error_set(KN_EMEMORY, "collision.method: no memory for the quadratic part");
}

/* Of polynomial i. */
static int parity_of(const struct kn_quadratic *q, int i)
{
    int p = 0;
    while (i >= q->first[p + 1])
        p++;
    return p;
}

static void list_polynomials(struct kn_quadratic *q, const struct kn_velocity *v)
{
    const int degree = kn_polynomials_degree(v->half);
    for (int p = 0; p < v->octants; p++)
        q->first[p + 1] =
            q->first[p] + kn_elements_list(degree, kn_operator_parity(v, p), q->list + q->first[p]);
    q->count = q->first[v->octants];
}

/* Mass and momentum have no deviation from the local Maxwellian. */
static bool collides(const struct kn_hermite *h)
{
    return h->degree[0] + h->degree[1] + h->degree[2] > 1;
}

/* Count the products by parity; list them if there is memory. */
static void list_pairs(struct kn_quadratic *q, int octants)
{
    for (int p = 0; p < octants; p++) {
        int n = q->start[p];
        for (int i = 0; i < q->count; i++)
            for (int j = 0; j <= i; j++) {
                if (parity_of(q, i) != (parity_of(q, j) ^ p) || !collides(&q->list[i]) ||
                    !collides(&q->list[j]))
                    continue;
                if (q->pairs)
                    q->pairs[n] = (struct kn_quadratic_pair){(uint16_t)i, (uint16_t)j};
                n++;
            }
        q->start[p + 1] = n;
    }
}

static int find(const struct kn_quadratic *q, const int degree[3])
{
    for (int i = 0; i < q->count; i++)
        if (memcmp(q->list[i].degree, degree, 3 * sizeof *degree) == 0)
            return i;
    return -1;
}

/* Lines begin at the polynomials of degree 0 along the axis. */
static void list_lines(struct kn_quadratic *q, const struct kn_velocity *v, int axis)
{
    for (int i = 0; i < q->count; i++) {
        int degree[3], n;
        memcpy(degree, q->list[i].degree, sizeof degree);
        if (degree[axis] != 0)
            continue;
        struct kn_quadratic_line *line = &q->lines[axis][q->nlines[axis]++];
        line->step = v->bit[axis] ? 1 : 2;
        for (line->count = 0; (n = find(q, degree)) >= 0; degree[axis] += line->step)
            line->at[line->count++] = n;
    }
}

struct kn_quadratic kn_quadratic_sizes(const struct kn_case *c, const struct kn_velocity *v)
{
    struct kn_quadratic q = {0};
    if (c->collision.method == KN_METHOD_OPERATOR && c->disturbance > 0) {
        list_polynomials(&q, v);
        list_pairs(&q, v->octants);
        for (int d = 0; d < 3; d++)
            list_lines(&q, v, d);
    }
    return q;
}

/* A pair stands for both orders of its polynomials. */
static void fill_tensor(struct kn_quadratic *q, int octants, const struct kn_elements *e, double scale)
{
    for (int p = 0; p < octants; p++) {
        const int pairs = q->start[p + 1] - q->start[p];
        for (int k = q->first[p]; k < q->first[p + 1]; k++)
            for (int n = 0; n < pairs; n++) {
                const struct kn_quadratic_pair pair = q->pairs[q->start[p] + n];
                q->tensor[p][(size_t)(k - q->first[p]) * (size_t)pairs + (size_t)n] =
                    (pair.i == pair.j ? 1 : 2) * scale *
                    kn_elements_value(e, q->list[k], q->list[pair.i], q->list[pair.j]);
            }
    }
}

static enum kn_status allocate(struct kn_quadratic *q, const struct kn_velocity *v)
{
    const size_t values = (size_t)q->count * (size_t)v->size;
    q->pairs = calloc((size_t)q->start[v->octants], sizeof *q->pairs);
    q->value = calloc(values, sizeof *q->value);
    q->orthonormal = calloc(values, sizeof *q->orthonormal);
    bool whole = q->pairs && q->value && q->orthonormal;
    for (int p = 0; p < v->octants; p++) {
        const size_t own = (size_t)(q->first[p + 1] - q->first[p]),
                     pairs = (size_t)(q->start[p + 1] - q->start[p]);
        q->tensor[p] = calloc(own * pairs + 1, sizeof *q->tensor[p]);
        whole = whole && q->tensor[p];
    }
    return whole ? KN_OK : no_memory();
}

/* rows <- rows / sqrt(8 w) */
static void divide_by_weights(const struct kn_operator *o, int count, int size, const double *rows,
                              double *to)
{
    for (int i = 0; i < count * size; i++)
        to[i] = rows[i] / sqrt(8 * o->weight[i % size]);
}

/* The polynomials of a parity at the nodes. */
static void fill_values(struct kn_quadratic *q, const struct kn_velocity *v, const struct kn_operator *o,
                        int parity)
{
    const struct kn_assembly g = {.half = {v->half[0], v->half[1], v->half[2]},
                                  .size = v->size,
                                  .node = {v->node[0], v->node[1], v->node[2]},
                                  .weight = o->weight};
    const struct kn_polynomials set = kn_polynomials_of(o->degree, kn_operator_parity(v, parity));
    const size_t first = (size_t)q->first[parity] * (size_t)v->size;
    double *rows = q->orthonormal + first;
    kn_polynomials_fill(&g, &set, rows);
    divide_by_weights(o, set.count, v->size, rows, q->value + first);
    kn_polynomials_orthonormalise(set.count, v->size, rows);
    divide_by_weights(o, set.count, v->size, rows, rows);
}

static enum kn_status fill(struct kn_quadratic *q, const struct kn_velocity *v, const struct kn_operator *o)
{
    struct kn_elements e;
    const enum kn_status status =
        kn_elements_create(&e, o->degree, true, (struct kn_kernel){o->strength, o->exponent});
    if (status == KN_OK)
        fill_tensor(q, v->octants, &e, o->scale);
    kn_elements_destroy(&e);
    for (int p = 0; p < v->octants && status == KN_OK; p++)
        fill_values(q, v, o, p);
    return status;
}

enum kn_status kn_quadratic_create(struct kn_quadratic *q, const struct kn_case *c,
                                   const struct kn_velocity *v, const struct kn_operator *o)
{
    *q = kn_quadratic_sizes(c, v);
    if (q->count == 0)
        return KN_OK;
    KN_TRY(allocate(q, v));
    list_pairs(q, v->octants);
    return fill(q, v, o);
}

void kn_quadratic_destroy(struct kn_quadratic *q)
{
    for (int p = 0; p < KN_PARITIES; p++)
        free(q->tensor[p]);
    free(q->pairs);
    free(q->value);
    free(q->orthonormal);
    *q = (struct kn_quadratic){0};
}

void kn_quadratic_changes(const struct kn_quadratic *q, const struct kn_velocity *v,
                          const struct kn_operator *o, int parity, double dt, double *relaxed, double *beyond)
{
    const int count = q->first[parity + 1] - q->first[parity], n = v->size;
    const double *rows = q->orthonormal + (size_t)q->first[parity] * (size_t)n;
    for (int j = 0; j < count; j++) {
        double *change = beyond + (size_t)j * (size_t)n;
        kn_operator_apply(o, kn_operator_parity(v, parity), dt, rows + (size_t)j * (size_t)n, change);
        for (int i = 0; i < count; i++) {
            const double *other = rows + (size_t)i * (size_t)n;
            double along = 0;
            for (int k = 0; k < n; k++)
                along += 8 * o->weight[k] * other[k] * change[k];
            relaxed[i * count + j] = along;
            for (int k = 0; k < n; k++)
                change[k] -= along * other[k];
        }
    }
}
