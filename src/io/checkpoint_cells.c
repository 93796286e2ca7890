/* Writes and reads the datasets of a checkpoint that have one row per cell. */
#include "io/checkpoint_cells.h"
#include "error.h"

#include <stdlib.h>
#include <string.h>

enum { SLAB_BYTES = 1 << 22, WHY = KN_STORE_REASON };

enum kn_status kn_checkpoint_is_damaged(const struct kn_checkpoint *k, const char *reason)
{
    return kn_error_set(KN_EIO, "the checkpoint '%s' is damaged: %s", k->path, reason);
}

/* Checksum of a cell, continued from that of the header and its number, so that it is valid only there. */
static uint64_t cell_sum(const struct kn_checkpoint *k, uint64_t header, int64_t number, const float *h,
                         const double *watched)
{
    const uint64_t sum = kn_files_sum(header, &number, sizeof number);
    return kn_files_sum(kn_files_sum(sum, h, (size_t)k->state.nnodes * sizeof *h), watched,
                        (size_t)k->nwatched * sizeof *watched);
}

/* ---------------------------------------------------------------- datasets */

static int rank_of(int64_t columns)
{
    return columns > 1 ? 2 : 1;
}

hid_t kn_checkpoint_create_set(struct kn_store *s, const char *name, hid_t type, int64_t rows,
                               int64_t columns)
{
    const hsize_t shape[2] = {(hsize_t)rows, (hsize_t)columns};
    if (s->status != KN_OK)
        return H5I_INVALID_HID;
    hid_t list = kn_store_dataset_list();
    hid_t space = H5Screate_simple(rank_of(columns), shape, NULL);
    H5Pset_fill_time(list, H5D_FILL_TIME_NEVER); /* every value is written */
    hid_t set = H5Dcreate2(s->file, name, type, space, H5P_DEFAULT, list, H5P_DEFAULT);
    if (set < 0)
        kn_store_fail(s, NULL);
    H5Sclose(space);
    H5Pclose(list);
    return set;
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
    return (double)k->state.nnodes * sizeof(float) + (double)k->nwatched * sizeof(double) + sizeof(uint64_t);
}

static bool take_room(struct kn_checkpoint_cells *c)
{
    const struct kn_checkpoint *k = c->k;
    c->most = (int64_t)(SLAB_BYTES / kn_checkpoint_cell_bytes(k));
    c->most = c->most < 1 ? 1 : c->most > k->state.ncells ? k->state.ncells : c->most;
    const size_t most = (size_t)c->most;
    c->h = malloc(most * (size_t)k->state.nnodes * sizeof *c->h);
    c->watched = malloc((most * (size_t)k->nwatched + 1) * sizeof *c->watched);
    c->sums = malloc(most * sizeof *c->sums);
    return c->h && c->watched && c->sums;
}

bool kn_checkpoint_close_cells(struct kn_checkpoint_cells *c)
{
    bool good = true;
    const hid_t sets[] = {c->h_set, c->watched_set, c->sums_set};
    for (int i = 0; i < 3; i++)
        good = (sets[i] < 0 || H5Dclose(sets[i]) >= 0) && good;
    free(c->h);
    free(c->watched);
    free(c->sums);
    return good;
}

void kn_checkpoint_create_cells(struct kn_checkpoint_cells *c, struct kn_store *s)
{
    const struct kn_checkpoint *k = c->k;
    c->h_set = kn_checkpoint_create_set(s, "h", H5T_IEEE_F32LE, k->state.ncells, k->state.nnodes);
    c->watched_set =
        k->nwatched ? kn_checkpoint_create_set(s, "watched", H5T_IEEE_F64LE, k->state.ncells, k->nwatched)
                    : H5I_INVALID_HID;
    c->sums_set = kn_checkpoint_create_set(s, "sums", H5T_STD_U64LE, k->state.ncells, 1);
    if (!take_room(c) && s->status == KN_OK)
        s->status = kn_error_set(KN_EMEMORY, "not enough memory to write '%s'", s->path);
}

enum kn_status kn_checkpoint_open_cells(struct kn_checkpoint_cells *c, hid_t file)
{
    const struct kn_checkpoint *k = c->k;
    c->h_set = kn_checkpoint_open_set(file, "h", k->state.ncells, k->state.nnodes);
    c->watched_set =
        k->nwatched ? kn_checkpoint_open_set(file, "watched", k->state.ncells, k->nwatched) : H5I_INVALID_HID;
    c->sums_set = kn_checkpoint_open_set(file, "sums", k->state.ncells, 1);
    if (c->h_set < 0 || c->sums_set < 0 || (k->nwatched > 0 && c->watched_set < 0))
        return kn_checkpoint_is_damaged(k, "its distribution is missing");
    return take_room(c) ? KN_OK : kn_error_set(KN_EMEMORY, "not enough memory to read '%s'", k->path);
}

/* ------------------------------------------------------------------- pieces */

/* A set of cells: `lines` of `run` consecutive cells, each one line of the whole space after the previous. */
struct piece {
    int64_t first; /* number of the first in the whole space */
    int64_t lines, run;
};

/* A dataset and a buffer for its rows. */
struct rows {
    hid_t set, type;
    int64_t columns;
    void *values;
};

/* Transfer rows between memory and file; `why` is the reason of a failure. */
static bool move_rows(const struct kn_checkpoint_cells *c, const struct piece *p, struct rows rows, bool out,
                      char *why)
{
    const int64_t columns = rows.columns;
    if (columns == 0)
        return true;
    const hsize_t start[2] = {(hsize_t)p->first, 0}, stride[2] = {(hsize_t)c->line, 1},
                  count[2] = {(hsize_t)p->lines, 1}, block[2] = {(hsize_t)p->run, (hsize_t)columns},
                  shape[2] = {(hsize_t)(p->lines * p->run), (hsize_t)columns};
    hid_t memory = H5Screate_simple(rank_of(columns), shape, NULL);
    hid_t space = H5Dget_space(rows.set);
    herr_t result = H5Sselect_hyperslab(space, H5S_SELECT_SET, start, stride, count, block);
    if (result >= 0)
        result = out ? H5Dwrite(rows.set, rows.type, memory, space, H5P_DEFAULT, rows.values)
                     : H5Dread(rows.set, rows.type, memory, space, H5P_DEFAULT, rows.values);
    if (result < 0)
        kn_store_reason(why);
    H5Sclose(space);
    H5Sclose(memory);
    return result >= 0;
}

static bool move_piece(const struct kn_checkpoint_cells *c, const struct piece *p, bool out, char *why)
{
    const struct rows h = {c->h_set, H5T_NATIVE_FLOAT, c->k->state.nnodes, c->h},
                      watched = {c->watched_set, H5T_NATIVE_DOUBLE, c->k->nwatched, c->watched},
                      sums = {c->sums_set, H5T_NATIVE_UINT64, 1, c->sums};
    return move_rows(c, p, h, out, why) && move_rows(c, p, watched, out, why) &&
           move_rows(c, p, sums, out, why);
}

/* Checksum of cell i of a piece in memory. */
static uint64_t sum_in_piece(const struct kn_checkpoint_cells *c, const struct piece *p, int64_t i)
{
    return cell_sum(c->k, c->header, p->first + i / p->run * c->line + i % p->run,
                    c->h + i * c->k->state.nnodes, c->watched + i * c->k->nwatched);
}

/* Write a piece in memory with its checksums. */
static void write_piece(const struct kn_checkpoint_cells *c, struct kn_store *s, const struct piece *p)
{
    char why[WHY];
    for (int64_t i = 0; i < p->lines * p->run; i++)
        c->sums[i] = sum_in_piece(c, p, i);
    if (!move_piece(c, p, true, why))
        kn_store_fail(s, why);
}

void kn_checkpoint_write_all(const struct kn_checkpoint_cells *c, struct kn_store *s,
                             const struct kn_checkpoint_source *of)
{
    const int64_t ncells = c->k->state.ncells;
    for (int64_t first = 0; first < ncells && s->status == KN_OK; first += c->most) {
        const struct piece p = {first, 1, ncells - first < c->most ? ncells - first : c->most};
        s->status = kn_share_get(of->share, of->h, first, p.run, c->h);
        if (s->status == KN_OK && c->k->nwatched > 0)
            s->status = kn_share_get(of->share, of->watched, first, p.run, c->watched);
        if (s->status == KN_OK)
            write_piece(c, s, &p);
    }
}

/* The part of a box that begins with its cell `cell`: some lines, or as much of one line as fits. */
static struct piece piece_of_box(const struct kn_checkpoint_cells *c, const struct kn_space *space,
                                 int64_t cell)
{
    const int64_t nx = space->cells[0], ny = space->cells[1], x = cell % nx, y = cell / nx % ny;
    const int64_t fit = c->most / nx, left = ny - y, rest = nx - x;
    struct piece p = {kn_space_number(space, (int)cell), 1, rest < c->most ? rest : c->most};
    if (x == 0 && fit > 0)
        p.lines = fit < left ? fit : left;
    return p;
}

/* Every rank writes its own cells; a transfer does not wait for other ranks. */
void kn_checkpoint_write_own(const struct kn_checkpoint_cells *c, struct kn_store *s,
                             const struct kn_checkpoint_source *of)
{
    const struct kn_space *space = of->share->space;
    const struct kn_share_table *h = &of->share->tables[of->h], *watched = &of->share->tables[of->watched];
    int64_t count;
    for (int64_t cell = 0; cell < space->ncells && s->status == KN_OK; cell += count) {
        const struct piece p = piece_of_box(c, space, cell);
        count = p.lines * p.run;
        s->status = h->move(h->of, false, cell, count, c->h);
        if (s->status == KN_OK && c->k->nwatched > 0)
            s->status = watched->move(watched->of, false, cell, count, c->watched);
        if (s->status == KN_OK)
            write_piece(c, s, &p);
    }
}

static enum kn_status read_piece(const struct kn_checkpoint_cells *c, const struct piece *p)
{
    char why[WHY];
    if (!move_piece(c, p, false, why))
        return kn_checkpoint_is_damaged(c->k, why);
    for (int64_t i = 0; i < p->run; i++)
        if (c->sums[i] != sum_in_piece(c, p, i)) {
            const long long cell = p->first + i;
            snprintf(why, sizeof why, "cell %lld does not match its checksum", cell);
            return kn_checkpoint_is_damaged(c->k, why);
        }
    return KN_OK;
}

enum kn_status kn_checkpoint_read_all(const struct kn_checkpoint_cells *c,
                                      const struct kn_checkpoint_source *to)
{
    const int64_t ncells = c->k->state.ncells;
    enum kn_status status = KN_OK;
    for (int64_t first = 0; first < ncells && status == KN_OK; first += c->most) {
        const struct piece p = {first, 1, ncells - first < c->most ? ncells - first : c->most};
        status = read_piece(c, &p);
        if (to && status == KN_OK)
            status = kn_share_put(to->share, to->h, first, p.run, c->h);
        if (to && status == KN_OK && c->k->nwatched > 0)
            status = kn_share_put(to->share, to->watched, first, p.run, c->watched);
    }
    return status;
}
