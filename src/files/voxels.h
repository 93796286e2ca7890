/* Images of two or three dimensions as solid and empty voxels: PNG, NumPy arrays and raw bytes. */
#ifndef KN_VOXELS_H
#define KN_VOXELS_H

#include "knudsen.h"

struct kn_voxels {
    int size[3];    /* along x, y, z; 1 along z in two dimensions */
    uint8_t *solid; /* [z][y][x] 1: solid; y increases upwards */
};

struct kn_voxels_rule {
    double threshold; /* between the smallest (0) and the largest value (1) of the file */
    bool dark;        /* values below it are solid, or those above it */
    int raw[3];       /* size of a file of raw bytes; 0: the file has another format */
    double most;      /* largest number of voxels */
};

/* KN_EINPUT with the reason if the file is not such an image. */
enum kn_status kn_voxels_read(struct kn_voxels *v, const char *path, const struct kn_voxels_rule *rule);
void kn_voxels_destroy(struct kn_voxels *v);

#endif
