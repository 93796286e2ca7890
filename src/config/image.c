/* Reads the image of a body and places its voxels on the cells of the space. */
#include "config/image.h"

#include "config/case.h"
#include "config/config.h"
#include "config/scales.h"
#include "error.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Voxels and cells that differ by less than this part of a cell are the same. */
static const double SNAP = 1e-3;

static enum kn_status read_voxels(struct kn_image *image, const struct kn_case *c, const struct kn_body *b)
{
    const int *n = c->space.cells, *raw = b->image.voxels;
    const struct kn_voxels_rule rule = {.threshold = b->image.threshold,
                                        .dark = b->image.solid == KN_SOLID_DARK,
                                        .raw = {raw[0], raw[1], raw[2]},
                                        .most = (double)n[0] * n[1] * n[2]};
    for (int d = 1; d < 3; d++)
        if ((raw[d] > 0) != (raw[0] > 0))
            return kn_config_fail("bodies", b->name, "image.voxels",
                                  "[%d, %d, %d] (three numbers above 0, or none)", raw[0], raw[1], raw[2]);
    return kn_config_add_key(kn_voxels_read(&image->voxels, b->image.file, &rule), "bodies", b->name,
                             "image.file");
}

/* The cells of the image along an axis. */
static enum kn_status place_axis(struct kn_image *image, const struct kn_case *c, const struct kn_body *b,
                                 int axis)
{
    const int n = c->space.cells[axis], voxels = image->voxels.size[axis];
    const double spacing = b->image.spacing == KN_TO_END ? c->space.size[0] / image->voxels.size[0]
                                                         : b->image.spacing,
                 size = c->space.size[axis], ratio = spacing / size * n, at = b->image.at[axis] / size * n;
    const int cells = (int)fmin(round(ratio), 1e9), first = (int)fmax(fmin(round(at), 1e9), -1e9);
    const char name = "xyz"[axis];
    char length[KN_UNITS_TEXT], end[KN_UNITS_TEXT];
    image->first[axis] = 0;
    image->end[axis] = n;
    image->cells[axis] = n;
    if (axis == 2 && voxels == 1)
        return KN_OK;
    if (kn_case_is_uniform(c, axis))
        return kn_config_fail("bodies", b->name, "image.file",
                              "%d voxels along %c, but the gas is uniform along %c", voxels, name, name);
    if (c->space.stretch[axis] != 1)
        return kn_config_fail("bodies", b->name, "image.file",
                              "voxels are equal, but the cells along %c are not (space.stretch: 1)", name);
    if (cells < 1 || fabs(ratio - cells) * voxels > SNAP) {
        char advice[KN_NAME] = "";
        if (fabs(size / spacing - round(size / spacing)) < SNAP)
            snprintf(advice, sizeof advice, " (%.0f cells along %c make it one cell)", size / spacing, name);
        return kn_config_fail("bodies", b->name, "image.spacing",
                              "a voxel of %s is %.6g cells along %c, not one or several whole cells%s",
                              kn_scales_place_text(c, spacing, length), ratio, name, advice);
    }
    if (fabs(at - first) > SNAP)
        return kn_config_fail("bodies", b->name, "image.at", "%s along %c is not at an edge of a cell",
                              kn_scales_place_text(c, b->image.at[axis], length), name);
    if (first < 0 || (double)first + (double)cells * voxels > n)
        return kn_config_fail("bodies", b->name, "image.at",
                              "the image, %s to %s along %c, is not inside the gas (0 to %.6g cells of %d)",
                              kn_scales_place_text(c, b->image.at[axis], length),
                              kn_scales_place_text(c, b->image.at[axis] + spacing * voxels, end), name,
                              at + ratio * voxels, n);
    image->first[axis] = first;
    image->end[axis] = first + cells * voxels;
    image->cells[axis] = cells;
    return KN_OK;
}

enum kn_status kn_image_create(struct kn_image *image, const struct kn_case *c, const struct kn_body *b)
{
    *image = (struct kn_image){.cells = {1, 1, 1}};
    enum kn_status status = read_voxels(image, c, b);
    for (int axis = 0; axis < 3 && status == KN_OK; axis++)
        status = place_axis(image, c, b, axis);
    if (status != KN_OK)
        kn_image_destroy(image);
    return status;
}

void kn_image_destroy(struct kn_image *image)
{
    kn_voxels_destroy(&image->voxels);
}

bool kn_image_fills(const struct kn_image *image, const int at[3])
{
    const int *n = image->voxels.size;
    int voxel[3];
    for (int d = 0; d < 3; d++) {
        if (at[d] < image->first[d] || at[d] >= image->end[d])
            return false;
        voxel[d] = (at[d] - image->first[d]) / image->cells[d];
    }
    return image->voxels
        .solid[((size_t)voxel[2] * (size_t)n[1] + (size_t)voxel[1]) * (size_t)n[0] + (size_t)voxel[0]];
}

double kn_image_cells(const struct kn_image *image)
{
    const int *n = image->voxels.size, *cells = image->cells;
    const size_t count = (size_t)n[0] * (size_t)n[1] * (size_t)n[2];
    double solid = 0;
    for (size_t i = 0; i < count; i++)
        solid += image->voxels.solid[i];
    return solid * cells[0] * cells[1] * cells[2];
}
