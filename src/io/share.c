/* Gives rank 0 access to the data of all cells: it sends requests, and the other ranks serve them. */
#include "io/share.h"

#include "error.h"
#include "grid/boxes.h"

#include <stdlib.h>
#include <string.h>

/* A request of rank 0; no cells at the end. */
struct request {
    int64_t first, count;
    int32_t table;
    int32_t in; /* from rank 0 to the others */
};

/* Cells that are consecutive in a box and in the whole space. */
struct run {
    int64_t cell;   /* the first, in the box */
    int64_t number; /* in the whole space */
    int64_t count;
    int64_t line; /* of the box, after these cells */
};

/* The requested part of line number `line` of a box; false if there is none. */
static bool find_run(const struct kn_share *s, const struct kn_box *box, const struct request *r,
                     int64_t line, struct run *run)
{
    const int64_t nx = box->end[0] - box->first[0], ny = box->end[1] - box->first[1];
    const int64_t y = box->first[1] + line % ny, z = box->first[2] + line / ny;
    const int64_t begin = (z * s->space->whole[1] + y) * s->space->whole[0] + box->first[0];
    const int64_t first = begin > r->first ? begin : r->first, asked = r->first + r->count,
                  end = begin + nx < asked ? begin + nx : asked;
    run->cell = line * nx + first - begin;
    run->number = first;
    run->count = end - first;
    return first < end;
}

/* The first line of a box at or after a line of the whole space. */
static int64_t find_line(const struct kn_share *s, const struct kn_box *box, int64_t of_whole)
{
    const int64_t ny = box->end[1] - box->first[1], nz = box->end[2] - box->first[2];
    const int64_t y = of_whole % s->space->whole[1] - box->first[1],
                  z = of_whole / s->space->whole[1] - box->first[2];
    if (z < 0 || z >= nz)
        return z < 0 ? 0 : nz * ny;
    return z * ny + (y < 0 ? 0 : y > ny ? ny : y);
}

/* Advance to the next run of cells of a box that was requested, or to the first if run->line is 0; false at
 * the end.  A checkpoint requests a few of many lines at a time. */
static bool next_run(const struct kn_share *s, const struct kn_box *box, const struct request *r,
                     struct run *run)
{
    const int64_t nx = s->space->whole[0], last = r->first + r->count - 1;
    const int64_t begin = find_line(s, box, r->first / nx), end = find_line(s, box, last / nx + 1);
    for (run->line = run->line > begin ? run->line : begin; run->line < end;)
        if (find_run(s, box, r, run->line++, run))
            return true;
    return false;
}

static int64_t count_cells(const struct kn_share *s, const struct kn_box *box, const struct request *r)
{
    int64_t cells = 0;
    for (struct run run = {0}; next_run(s, box, r, &run);)
        cells += run.count;
    return cells;
}

/* Transfer the cells of this rank; `rows` begins with cell r->first, or holds only these cells if packed. */
static enum kn_status move_own(const struct kn_share *s, const struct request *r, char *rows, bool packed)
{
    const struct kn_box *box = &s->boxes[s->comm->rank];
    const struct kn_share_table *t = &s->tables[r->table];
    size_t at = 0;
    for (struct run run = {0}; next_run(s, box, r, &run);) {
        char *to = rows + (packed ? at : (size_t)(run.number - r->first) * t->bytes);
        KN_TRY(t->move(t->of, r->in, run.cell, run.count, to));
        at += (size_t)run.count * t->bytes;
    }
    return KN_OK;
}

/* Copy between the packed cells of a box and the rows of all. */
static void place(const struct kn_share *s, const struct request *r, const struct kn_box *box, char *packed,
                  char *rows)
{
    const size_t bytes = s->tables[r->table].bytes;
    for (struct run run = {0}; next_run(s, box, r, &run);) {
        char *there = rows + (size_t)(run.number - r->first) * bytes;
        const size_t length = (size_t)run.count * bytes;
        memcpy(r->in ? packed : there, r->in ? there : packed, length);
        packed += length;
    }
}

static enum kn_status no_memory(void)
{
    return kn_error_set(KN_EMEMORY, "not enough memory to exchange cells between ranks");
}

static enum kn_status ask(const struct kn_share *s, struct request *r, char *rows)
{
    const size_t bytes = s->tables[r->table].bytes;
    if (s->comm->size == 1)
        return s->tables[r->table].move(s->tables[r->table].of, r->in, r->first, r->count, rows);
    char *packed = malloc((size_t)r->count * bytes);
    if (!packed)
        return no_memory();
    kn_comm_broadcast(s->comm, 0, r, sizeof *r);
    for (int rank = 1; rank < s->comm->size; rank++) {
        const struct kn_box *box = &s->boxes[rank];
        const size_t length = (size_t)count_cells(s, box, r) * bytes;
        if (length == 0)
            continue;
        if (r->in) {
            place(s, r, box, packed, rows);
            kn_comm_send(s->comm, rank, packed, length);
        } else {
            kn_comm_receive(s->comm, rank, packed, length);
            place(s, r, box, packed, rows);
        }
    }
    free(packed);
    return move_own(s, r, rows, false);
}

enum kn_status kn_share_get(const struct kn_share *s, int table, int64_t first, int64_t count, void *rows)
{
    struct request r = {first, count, table, false};
    return ask(s, &r, rows);
}

enum kn_status kn_share_put(const struct kn_share *s, int table, int64_t first, int64_t count, void *rows)
{
    struct request r = {first, count, table, true};
    return ask(s, &r, rows);
}

/* Serve one request, also after a failure: rank 0 waits for the rows. */
static enum kn_status serve(const struct kn_share *s, const struct request *r, enum kn_status before)
{
    const size_t bytes = s->tables[r->table].bytes,
                 length = (size_t)count_cells(s, &s->boxes[s->comm->rank], r) * bytes;
    enum kn_status status = KN_OK;
    if (length == 0)
        return before;
    char *packed = calloc(1, length);
    if (!packed)
        kn_comm_abort(no_memory());
    if (r->in)
        kn_comm_receive(s->comm, 0, packed, length);
    if (before == KN_OK)
        status = move_own(s, r, packed, true);
    if (!r->in)
        kn_comm_send(s->comm, 0, packed, length);
    free(packed);
    return before == KN_OK ? status : before;
}

enum kn_status kn_share_finish(const struct kn_share *s, enum kn_status status)
{
    struct request r = {0};
    if (s->comm->size == 1)
        return status;
    kn_comm_broadcast(s->comm, 0, &r, sizeof r);
    while (r.count > 0) { /* never on rank 0 */
        status = serve(s, &r, status);
        kn_comm_broadcast(s->comm, 0, &r, sizeof r);
    }
    return kn_comm_agree(s->comm, status);
}
