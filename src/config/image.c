/* Reads the image of a body and places its voxels on the cells of the space. */
#include "config/image.h"

#include "config/case.h"
#include "config/config.h"
#include "config/scales.h"
#include "error.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Voxels and cells that differ by less than this part of a cell are the same. */
static const double SNAP = 1e-3;

__attribute__((format(printf, 3, 4))) static enum kn_status fail(const struct kn_body *b, const char *key,
                                                                 const char *format, ...)
{
    char text[KN_TEXT];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return kn_error_set(KN_EINPUT, "bodies.%s.image.%s: %s", b->name, key, text);
}

static enum kn_status read_voxels(struct kn_image *image, const struct kn_case *c, const struct kn_body *b)
{
    const int *n = c->space.cells, *raw = b->image.voxels;
    const struct kn_voxels_rule rule = {.threshold = b->image.threshold,
                                        .dark = b->image.solid == KN_SOLID_DARK,
                                        .raw = {raw[0], raw[1], raw[2]},
                                        .most = (double)n[0] * n[1] * n[2]};
    char text[KN_TEXT];
    for (int d = 1; d < 3; d++)
        if ((raw[d] > 0) != (raw[0] > 0))
            return fail(b, "voxels", "[%d, %d, %d] (three numbers above 0, or none)", raw[0], raw[1], raw[2]);
    const enum kn_status status = kn_voxels_read(&image->voxels, b->image.file, &rule);
    snprintf(text, sizeof text, "%s", kn_error_message());
    return status == KN_EINPUT || status == KN_EIO ? fail(b, "file", "%s", text) : status;
}

static const char *length_text(const struct kn_case *c, double at, char text[KN_UNITS_TEXT])
{
    struct kn_scales s;
    if (kn_scales_create(&s, c) == KN_OK && s.known)
        return kn_units_text(KN_DIMENSION_LENGTH, at * s.box, text);
    snprintf(text, KN_UNITS_TEXT, "%.6g", at);
    return text;
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
        return fail(b, "file", "%d voxels along %c, but the gas is uniform along %c", voxels, name, name);
    if (c->space.stretch[axis] != 1)
        return fail(b, "file", "voxels are equal, but the cells along %c are not (space.stretch: 1)", name);
    if (cells < 1 || fabs(ratio - cells) * voxels > SNAP) {
        char advice[KN_NAME] = "";
        if (fabs(size / spacing - round(size / spacing)) < SNAP)
            snprintf(advice, sizeof advice, " (%.0f cells along %c make it one cell)", size / spacing, name);
        return fail(b, "spacing", "a voxel of %s is %.6g cells along %c, not one or several whole cells%s",
                    length_text(c, spacing, length), ratio, name, advice);
    }
    if (fabs(at - first) > SNAP)
        return fail(b, "at", "%s along %c is not at an edge of a cell",
                    length_text(c, b->image.at[axis], length), name);
    if (first < 0 || (double)first + (double)cells * voxels > n)
        return fail(b, "at", "the image, %s to %s along %c, is not inside the gas (0 to %.6g cells of %d)",
                    length_text(c, b->image.at[axis], length),
                    length_text(c, b->image.at[axis] + spacing * voxels, end), name, at + ratio * voxels, n);
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
