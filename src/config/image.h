/* The voxels of a body from an image, placed on the cells of the space. */
#ifndef KN_IMAGE_H
#define KN_IMAGE_H

#include "files/voxels.h"

struct kn_image {
    struct kn_voxels voxels;
    int first[3], end[3]; /* cells of the whole space */
    int cells[3];         /* per voxel */
};

/* KN_EINPUT if the image of a body cannot be read or its voxels are not made of whole cells. */
enum kn_status kn_image_create(struct kn_image *image, const struct kn_case *c, const struct kn_body *b);
void kn_image_destroy(struct kn_image *image);

/* True if a cell of the whole space is solid. */
bool kn_image_fills(const struct kn_image *image, const int at[3]);

/* Upper bound of the number of solid cells. */
double kn_image_cells(const struct kn_image *image);

#endif
