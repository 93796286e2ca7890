/* Builds the plan of all cells on rank 0, and transfers numbers of cells between it and the other ranks. */
#include "steady/whole.h"

#include "error.h"
#include "grid/boxes.h"
#include "grid/emission.h"
#include "steady/regions.h"

#include <stdlib.h>
#include <string.h>

/* The plan of all cells has the velocity functions of that of this rank. */
static enum kn_status create_all(struct kn_whole *w)
{
    const struct kn_problem *p = w->own->problem;
    w->volume = calloc((size_t)kn_space_count(p->space), sizeof *w->volume);
    if (!w->volume)
        return kn_error_set(KN_EMEMORY, "no memory for the cells of all ranks");
    KN_TRY(kn_space_create(&w->space, p->c, NULL));
    KN_TRY(kn_boundary_create(&w->boundary, p->c, &w->space, p->velocity));
    KN_TRY(kn_emission_create(&w->boundary));
    w->problem = *p;
    w->problem.space = &w->space;
    w->problem.boundary = &w->boundary;
    w->problem.halo = NULL;
    w->all = *w->own;
    w->all.problem = &w->problem;
    w->all.route = w->all.upwind = NULL;
    w->all.volume = w->volume;
    w->plan = &w->all;
    return kn_regions_create(&w->all);
}

static enum kn_status share_boxes(struct kn_whole *w)
{
    const struct kn_box *own = &w->own->problem->space->box;
    w->boxes = w->comm->rank == 0 ? calloc((size_t)w->comm->size, sizeof *w->boxes) : NULL;
    KN_TRY(kn_comm_agree(w->comm, w->boxes || w->comm->rank > 0
                                      ? KN_OK
                                      : kn_error_set(KN_EMEMORY, "no memory for the boxes of ranks")));
    if (!w->boxes)
        kn_comm_send(w->comm, 0, own, sizeof *own);
    for (int rank = 1; rank < w->comm->size && w->boxes; rank++)
        kn_comm_receive(w->comm, rank, &w->boxes[rank], sizeof *w->boxes);
    if (w->boxes)
        w->boxes[0] = *own;
    return KN_OK;
}

enum kn_status kn_whole_create(struct kn_whole *w, struct kn_steady_plan *own)
{
    const struct kn_halo *halo = own->problem->halo;
    *w = (struct kn_whole){.comm = halo ? halo->comm : &kn_comm_alone, .own = own};
    if (!halo) {
        w->plan = own;
        return kn_regions_create(own);
    }
    KN_TRY(share_boxes(w));
    KN_TRY(kn_comm_agree(w->comm, w->boxes ? create_all(w) : KN_OK));
    kn_whole_gather(w, 1, own->volume, w->volume);
    return KN_OK;
}

void kn_whole_destroy(struct kn_whole *w)
{
    if (w->plan && w->plan != &w->all)
        kn_regions_destroy((struct kn_steady_plan *)w->plan);
    kn_regions_destroy(&w->all);
    free(w->volume);
    if (w->boxes) {
        kn_boundary_destroy(&w->boundary);
        kn_space_destroy(&w->space);
    }
    free(w->boxes);
    *w = (struct kn_whole){0};
}

/* Transfer the cells of one box, line by line, between its rank and rank 0. */
static void transfer(const struct kn_whole *w, int rank, bool out, int count, double *own, double *all)
{
    const struct kn_box *box = w->boxes ? &w->boxes[rank] : &w->own->problem->space->box;
    const int *n = w->own->problem->space->whole;
    const size_t cells = (size_t)(box->end[0] - box->first[0]), length = cells * (size_t)count;
    for (int z = box->first[2]; z < box->end[2]; z++)
        for (int y = box->first[1]; y < box->end[1]; y++, own += own ? length : 0) {
            const size_t first =
                ((size_t)z * (size_t)n[1] + (size_t)y) * (size_t)n[0] + (size_t)box->first[0];
            double *line = w->boxes ? all + first * (size_t)count : own;
            if (w->boxes && own)
                memcpy(out ? own : line, out ? line : own, length * sizeof *line);
            else if (out == (w->boxes != NULL))
                kn_comm_send(w->comm, w->boxes ? rank : 0, line, length * sizeof *line);
            else
                kn_comm_receive(w->comm, w->boxes ? rank : 0, line, length * sizeof *line);
        }
}

static void transfer_all(const struct kn_whole *w, bool out, int count, double *own, double *all)
{
    const int first = w->boxes ? 0 : w->comm->rank, end = w->boxes ? w->comm->size : first + 1;
    for (int rank = first; rank < end && own != all; rank++)
        transfer(w, rank, out, count, rank == w->comm->rank ? own : NULL, all);
}

void kn_whole_gather(const struct kn_whole *w, int count, const double *own, double *all)
{
    transfer_all(w, false, count, (double *)own, all);
}

void kn_whole_scatter(const struct kn_whole *w, int count, const double *all, double *own)
{
    transfer_all(w, true, count, own, (double *)all);
}
