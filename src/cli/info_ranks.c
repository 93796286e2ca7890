/* Computes the division of a case among ranks for knudsen info --ranks. */
#include "cli/info.h"

#include "config/case.h"
#include "config/config.h"
#include "error.h"
#include "files/json.h"
#include "grid/boxes.h"
#include "steady/steady.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A rank needs half of the velocities of a neighbouring cell, those that point towards it; above order 1 all
 * of the first cell, for the slopes, and half of the second.  An iteration exchanges them for the residual,
 * and half of the first cell in the sweep, in double precision. */
static double halo_bytes(const struct kn_info_ranks *r, int rank)
{
    const double part = r->c->space.order == 1 ? 0.5 : 0.75, swept = r->c->space.order == 1 ? 0.5 : 0.25,
                 cells = (double)kn_boxes_halo(&r->boxes[rank], r->c), nodes = (double)r->plan.nodes;
    const int parts = r->c->time.mode == KN_MODE_FREQUENCY ? 2 : 1;
    return cells * nodes *
           (kn_case_iterates(r->c) ? parts * (part + swept) * sizeof(double) : part * sizeof(float));
}

/* Assume one rank per computer; a plan needs no communication. */
enum kn_status kn_info_ranks_create(struct kn_info_ranks *r, const struct kn_case *c, int count)
{
    const struct kn_comm comm = {.size = count, .local_size = 1};
    *r = (struct kn_info_ranks){.c = c, .count = count};
    KN_TRY(kn_sim_divide(c, &comm, &r->boxes));
    KN_TRY(kn_sim_plan(c, &comm, &r->plan));
    const struct kn_steady_bytes more = kn_steady_memory(c, &r->plan);
    r->plan.memory_bytes += more.each + more.moments;
    return KN_OK;
}

void kn_info_ranks_destroy(struct kn_info_ranks *r)
{
    free(r->boxes);
}

void kn_info_ranks_print(const struct kn_info_ranks *r)
{
    char smallest[KN_NAME], largest[KN_NAME], bytes[KN_NAME], memory[KN_NAME];
    const struct kn_box *boxes = r->boxes;
    int least = 0, most = 0, busiest = 0;
    for (int i = 1; i < r->count; i++) {
        least = kn_boxes_cells(&boxes[i]) < kn_boxes_cells(&boxes[least]) ? i : least;
        most = kn_boxes_cells(&boxes[i]) > kn_boxes_cells(&boxes[most]) ? i : most;
        busiest = halo_bytes(r, i) > halo_bytes(r, busiest) ? i : busiest;
    }
    const double mean = (double)r->plan.cells / r->count, cells = (double)kn_boxes_cells(&boxes[most]);
    kn_boxes_text(&boxes[least], smallest);
    kn_boxes_text(&boxes[most], largest);
    kn_config_bytes_text(halo_bytes(r, busiest), bytes);
    kn_config_bytes_text(r->plan.memory_bytes, memory);
    if (strcmp(smallest, largest) == 0)
        printf("%-16s %d, each with %s\n", "ranks", r->count, largest);
    else
        printf("%-16s %d, with %s to %s each, at most %.2g %% above the mean\n", "ranks", r->count, smallest,
               largest, 100 * (cells / mean - 1));
    printf("%-16s %lld cells, about %s per %s and rank\n", "halo",
           (long long)kn_boxes_halo(&boxes[busiest], r->c), bytes,
           kn_case_iterates(r->c) ? "iteration" : "step");
    printf("%-16s %s%s\n", "memory per rank", memory,
           kn_case_iterates(r->c) ? " on the first, which solves the moment equations" : "");
}

json_t *kn_info_ranks_json(const struct kn_info_ranks *r)
{
    json_t *boxes = json_array();
    for (int i = 0; i < r->count; i++) {
        const struct kn_box *b = &r->boxes[i];
        kn_json_append(boxes, json_pack("{s:[i, i, i], s:[i, i, i], s:I, s:I, s:o}", "first", b->first[0],
                                        b->first[1], b->first[2], "end", b->end[0], b->end[1], b->end[2],
                                        "cells", (json_int_t)kn_boxes_cells(b), "halo_cells",
                                        (json_int_t)kn_boxes_halo(b, r->c), "halo_bytes",
                                        kn_json_number(halo_bytes(r, i))));
    }
    return json_pack("{s:o, s:o}", "memory_bytes", kn_json_number(r->plan.memory_bytes), "boxes", boxes);
}
