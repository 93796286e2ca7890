/* Writes and reads the datasets of a checkpoint that have one row per cell. */
#include "io/checkpoint_cells.h"
#include "error.h"

#include <inttypes.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

enum { SLAB_BYTES = 1 << 22, WHY = KN_STORE_REASON };

/* The datasets. */
enum { H, IMAGINARY, WATCHED, SUMS, SETS };

/* A dataset. */
struct rows {
    const char *name;
    hid_t stored, type;
    int64_t columns; /* 0: there is no dataset */
    size_t bytes;    /* of a value */
    hid_t set;
};

/* A set of cells: `lines` of `run` consecutive cells, each one line of the whole space after the previous;
 * and their rows in memory. */
struct piece {
    int64_t first; /* number of the first in the whole space */
    int64_t lines, run;
    void *values[SETS]; /* [most][columns] */
};

/* A piece is fetched while the one before it gets its checksums and another one is written. */
enum stage { WRITE, FETCH, CHECK, STAGES };

struct cells {
    const struct kn_checkpoint *k;
    uint64_t header; /* checksum of everything except the cells */
    int64_t line;    /* cells of the whole space along x */
    int64_t most;    /* cells that fit into a piece */
    struct rows rows[SETS];
    struct piece pieces[STAGES];
};

enum kn_status kn_checkpoint_is_damaged(const struct kn_checkpoint *k, const char *reason)
{
    return kn_error_set(KN_EIO, "the checkpoint '%s' is damaged: %s", k->path, reason);
}

static int rank_of(int64_t columns)
{
    return columns > 1 ? 2 : 1;
}

hid_t kn_checkpoint_open_set(hid_t file, const char *name, int64_t rows, int64_t columns)
{
    const hsize_t shape[2] = {(hsize_t)rows, (hsize_t)columns};
    const int rank = rank_of(columns);
    hsize_t found[2];
    hid_t set = kn_store_open_set(file, name, rank, found);
    if (set < 0 || memcmp(found, shape, (size_t)rank * sizeof *shape) == 0)
        return set;
    H5Dclose(set);
    return H5I_INVALID_HID;
}

double kn_checkpoint_cell_bytes(const struct kn_checkpoint *k)
{
    return (double)(k->state.nnodes + k->nimaginary) * sizeof(float) + (double)k->nwatched * sizeof(double) +
           sizeof(uint64_t);
}

static struct cells describe(const struct kn_checkpoint *k, uint64_t header, int64_t line)
{
    return (struct cells){
        k,
        header,
        line,
        0,
        {[H] = {"h", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, k->state.nnodes, sizeof(float), H5I_INVALID_HID},
         [IMAGINARY] = {KN_CHECKPOINT_IMAGINARY, H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, k->nimaginary,
                        sizeof(float), H5I_INVALID_HID},
         [WATCHED] = {"watched", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, k->nwatched, sizeof(double),
                      H5I_INVALID_HID},
         [SUMS] = {"sums", H5T_STD_U64LE, H5T_NATIVE_UINT64, 1, sizeof(uint64_t), H5I_INVALID_HID}},
        {{0}}};
}

/* For this number of pieces. */
static bool take_room(struct cells *c, int count)
{
    const int64_t ncells = c->k->state.ncells, fit = (int64_t)(SLAB_BYTES / kn_checkpoint_cell_bytes(c->k));
    bool good = true;
    c->most = fit < 1 ? 1 : fit > ncells ? ncells : fit;
    for (int i = 0; i < count * SETS; i++) {
        const struct rows *rows = &c->rows[i % SETS];
        void **values = &c->pieces[i / SETS].values[i % SETS];
        *values = malloc((size_t)(c->most * rows->columns + 1) * rows->bytes);
        good = *values && good;
    }
    return good;
}

/* False: written data may be lost. */
static bool end(struct cells *c)
{
    bool good = true;
    for (int i = 0; i < SETS; i++) {
        good = (c->rows[i].set < 0 || H5Dclose(c->rows[i].set) >= 0) && good;
        for (int k = 0; k < STAGES; k++)
            free(c->pieces[k].values[i]);
    }
    return good;
}

/* Transfer rows of a dataset between memory and file; `why` is the reason of a failure. */
static bool move_rows(const struct cells *c, const struct piece *p, int of, bool out, char *why)
{
    const struct rows *rows = &c->rows[of];
    const hsize_t columns = (hsize_t)rows->columns, start[2] = {(hsize_t)p->first, 0},
                  stride[2] = {(hsize_t)c->line, 1}, count[2] = {(hsize_t)p->lines, 1},
                  block[2] = {(hsize_t)p->run, columns}, shape[2] = {count[0] * block[0], columns};
    hid_t memory = H5Screate_simple(rank_of(rows->columns), shape, NULL);
    hid_t space = H5Dget_space(rows->set);
    herr_t result = H5Sselect_hyperslab(space, H5S_SELECT_SET, start, stride, count, block);
    if (result >= 0)
        result = out ? H5Dwrite(rows->set, rows->type, memory, space, H5P_DEFAULT, p->values[of])
                     : H5Dread(rows->set, rows->type, memory, space, H5P_DEFAULT, p->values[of]);
    if (result < 0)
        kn_store_reason(why);
    H5Sclose(space);
    H5Sclose(memory);
    return result >= 0;
}

static bool move_piece(const struct cells *c, const struct piece *p, bool out, char *why)
{
    bool good = true;
    for (int i = 0; i < SETS && good; i++)
        good = c->rows[i].columns == 0 || move_rows(c, p, i, out, why);
    return good;
}

/* Checksum of cell i of a piece in memory, continued from that of the header and the number of the cell, so
 * that it is valid only there. */
static uint64_t sum_in_piece(const struct cells *c, const struct piece *p, int64_t i)
{
    const int64_t number = p->first + i / p->run * c->line + i % p->run;
    uint64_t sum = kn_files_sum(c->header, &number, sizeof number);
    for (int of = 0; of < SUMS; of++) {
        const size_t width = (size_t)c->rows[of].columns * c->rows[of].bytes;
        sum = kn_files_sum(sum, (const char *)p->values[of] + (size_t)i * width, width);
    }
    return sum;
}

/* The part of a box that begins with its cell `cell`: some lines, or as much of one line as fits. */
static void place_in_box(const struct cells *c, const struct kn_space *space, int64_t cell, struct piece *p)
{
    const int64_t nx = space->cells[0], ny = space->cells[1], x = cell % nx, y = cell / nx % ny;
    const int64_t fit = c->most / nx, left = ny - y, rest = nx - x;
    p->first = kn_space_number(space, (int)cell);
    p->lines = x > 0 || fit == 0 ? 1 : fit < left ? fit : left;
    p->run = rest < c->most ? rest : c->most;
}

static void place_in_all(const struct cells *c, int64_t first, struct piece *p)
{
    const int64_t rest = c->k->state.ncells - first;
    p->first = first;
    p->lines = 1;
    p->run = rest < c->most ? rest : c->most;
}

/* The cells to write, from cell `next` on: those of this rank, or of the whole space. */
struct cells_left {
    const struct kn_checkpoint_source *of;
    bool own;
    int64_t next, end;
};

static int table_of(const struct kn_checkpoint_source *s, int set)
{
    return set == H ? s->h : set == IMAGINARY ? s->imaginary : s->watched;
}

static enum kn_status fetch_rows(const struct cells_left *left, int table, int64_t count, void *rows)
{
    const struct kn_share *share = left->of->share;
    const struct kn_share_table *t = &share->tables[table];
    return left->own ? t->move(t->of, false, left->next, count, rows)
                     : kn_share_get(share, table, left->next, count, rows);
}

static enum kn_status fetch(const struct cells *c, struct cells_left *left, struct piece *p)
{
    p->run = 0;
    if (left->next == left->end)
        return KN_OK;
    if (left->own)
        place_in_box(c, left->of->share->space, left->next, p);
    else
        place_in_all(c, left->next, p);
    const int64_t count = p->lines * p->run;
    for (int i = 0; i < SUMS; i++)
        if (c->rows[i].columns > 0)
            KN_TRY(fetch_rows(left, table_of(left->of, i), count, p->values[i]));
    left->next += count;
    return KN_OK;
}

/* One stage of a piece.  An empty piece has none. */
static enum kn_status do_stage(struct cells *c, enum stage stage, struct cells_left *left, struct piece *p)
{
    char why[WHY];
    if (stage == FETCH)
        return fetch(c, left, p);
    for (int64_t i = 0; i < p->lines * p->run && stage == CHECK; i++)
        ((uint64_t *)p->values[SUMS])[i] = sum_in_piece(c, p, i);
    if (stage == WRITE && p->run > 0 && !move_piece(c, p, true, why))
        return kn_error_set(KN_EIO, "%s", why);
    return KN_OK;
}

/* The first failure of the threads of a team, whose messages are their own. */
struct failure {
    enum stage stage;
    enum kn_status status;
    char message[KN_STORE_REASON + 512];
};

/* All three stages at the same time, of consecutive pieces.  The first thread writes: MPI may be used by no
 * other one. */
static void do_stages(struct cells *c, struct cells_left *left, int64_t turn, struct failure *failure)
{
    static const int behind[STAGES] = {[FETCH] = 0, [CHECK] = 1, [WRITE] = 2};
#pragma omp parallel num_threads(STAGES)
    for (int stage = omp_get_thread_num(); stage < STAGES; stage += omp_get_num_threads()) {
        const enum kn_status status =
            turn < behind[stage]
                ? KN_OK
                : do_stage(c, (enum stage)stage, left, &c->pieces[(turn - behind[stage]) % STAGES]);
#pragma omp critical
        if (status != KN_OK && failure->status == KN_OK) {
            failure->stage = (enum stage)stage;
            failure->status = status;
            snprintf(failure->message, sizeof failure->message, "%s", kn_error_message());
        }
    }
}

/* A transfer does not wait for other ranks. */
static enum kn_status write_pieces(struct cells *c, struct kn_store *s, const struct kn_checkpoint_source *of)
{
    const bool own = s->comm->size > 1;
    struct cells_left left = {of, own, 0, own ? of->share->space->ncells : c->k->state.ncells};
    struct failure failure = {.status = KN_OK};
    for (int64_t turn = 0, last = INT64_MAX; turn <= last && failure.status == KN_OK; turn++) {
        do_stages(c, &left, turn, &failure);
        if (left.next == left.end && last == INT64_MAX)
            last = turn + 2; /* until the last piece is written */
    }
    if (failure.status == KN_OK)
        return KN_OK;
    if (failure.stage == WRITE)
        kn_store_fail(s, failure.message);
    return failure.stage == WRITE ? s->status : kn_error_set(failure.status, "%s", failure.message);
}

void kn_checkpoint_write_cells(const struct kn_checkpoint *k, uint64_t header, struct kn_store *s,
                               const struct kn_checkpoint_source *of)
{
    const int64_t line = s->comm->size > 1 ? of->share->space->whole[0] : k->state.ncells;
    struct cells c = describe(k, header, line);
    for (int i = 0; i < SETS; i++) {
        struct rows *rows = &c.rows[i];
        const hsize_t shape[2] = {(hsize_t)k->state.ncells, (hsize_t)rows->columns};
        if (rows->columns > 0)
            rows->set = kn_store_create_set(s, s->file, rows->name, rows->stored, rank_of(rows->columns),
                                            shape, NULL);
    }
    if (s->status == KN_OK && !take_room(&c, STAGES))
        s->status = kn_error_set(KN_EMEMORY, "not enough memory to write '%s'", s->path);
    kn_store_agree(s);
    if (s->status == KN_OK)
        s->status = write_pieces(&c, s, of);
    if (!end(&c))
        kn_store_fail(s, NULL);
}

static enum kn_status read_pieces(struct cells *c, const struct kn_checkpoint_source *to)
{
    struct piece *p = &c->pieces[0];
    const uint64_t *sums = p->values[SUMS];
    char why[WHY];
    for (int64_t first = 0; first < c->k->state.ncells; first += p->run) {
        place_in_all(c, first, p);
        bool good = move_piece(c, p, false, why);
        for (int64_t i = 0; i < p->run && good; i++) {
            good = sums[i] == sum_in_piece(c, p, i);
            if (!good)
                snprintf(why, sizeof why, "cell %" PRId64 " does not match its checksum", first + i);
        }
        if (!good)
            return kn_checkpoint_is_damaged(c->k, why);
        for (int i = 0; to && i < SUMS; i++)
            if (c->rows[i].columns > 0)
                KN_TRY(kn_share_put(to->share, table_of(to, i), first, p->run, p->values[i]));
    }
    return KN_OK;
}

enum kn_status kn_checkpoint_read_cells(const struct kn_checkpoint *k, uint64_t header, hid_t file,
                                        const struct kn_checkpoint_source *to)
{
    struct cells c = describe(k, header, k->state.ncells);
    enum kn_status status = KN_OK;
    for (int i = 0; i < SETS; i++) {
        struct rows *rows = &c.rows[i];
        if (rows->columns > 0)
            rows->set = kn_checkpoint_open_set(file, rows->name, k->state.ncells, rows->columns);
        if (rows->columns > 0 && rows->set < 0)
            status = kn_checkpoint_is_damaged(k, "its distribution is missing");
    }
    if (status == KN_OK && !take_room(&c, 1))
        status = kn_error_set(KN_EMEMORY, "not enough memory to read '%s'", k->path);
    if (status == KN_OK)
        status = read_pieces(&c, to);
    end(&c);
    return status;
}
