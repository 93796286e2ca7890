/* Division of the cells among the ranks: one box each. */
#ifndef KN_BOXES_H
#define KN_BOXES_H

#include "config/config.h"
#include "grid/space.h"

/* Boxes of nearly equal work with short borders, at least `least` cells wide along every divided axis. The
 * same on every rank. KN_EINPUT if there are more ranks than such boxes. */
enum kn_status kn_boxes_create(struct kn_box *boxes, int count, const struct kn_case *c, int least);

/* The box that contains a cell of the whole space; `guess` is tried first. */
int kn_boxes_find(const struct kn_box *boxes, int count, const int at[3], int guess);

int64_t kn_boxes_cells(const struct kn_box *box);

/* "40 x 40 cells", without axes of one cell. */
const char *kn_boxes_text(const struct kn_box *box, char text[KN_NAME]);

/* Approximate number of cells of other ranks that a box needs at every step. */
int64_t kn_boxes_halo(const struct kn_box *box, const struct kn_case *c);

#endif
