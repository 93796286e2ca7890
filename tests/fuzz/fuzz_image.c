/* Images of bodies: PNG files, NumPy arrays and raw bytes. */
#include "fuzz.h"

#include "files/voxels.h"

#include <stdio.h>
#include <stdlib.h>

/* An accepted image has at most the allowed number of voxels, each of which is solid or not. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { MOST = 4096 };
    const struct kn_voxels_rule rules[] = {{0.5, true, {0, 0, 0}, MOST}, {0.2, false, {4, 3, 1}, MOST}};
    char path[1024];
    fuzz_write("image", data, size);
    snprintf(path, sizeof path, "%s/image", fuzz_folder());
    for (int i = 0; i < 2; i++) {
        struct kn_voxels v;
        if (kn_voxels_read(&v, path, &rules[i]) != KN_OK)
            continue;
        const double count = (double)v.size[0] * v.size[1] * v.size[2];
        if (count < 1 || count > MOST)
            abort();
        for (int k = 0; k < (int)count; k++)
            if (v.solid[k] > 1)
                abort();
        kn_voxels_destroy(&v);
    }
    return 0;
}
