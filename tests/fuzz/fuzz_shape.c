/* Shapes of bodies: STL surfaces and lists of points. */
#include "fuzz.h"

#include "config/triangles.h"
#include "files/points.h"
#include "files/stl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* An accepted surface has distances that are numbers, also at its corners. */
static void try_surface(const char *path)
{
    struct kn_stl stl;
    struct kn_triangles t;
    if (kn_stl_read(&stl, path) != KN_OK)
        return;
    if (kn_triangles_create(&t, stl.corners, stl.count) != KN_OK)
        abort();
    for (int i = 0; i < 8; i++) {
        double at[3], normal[3];
        kn_triangles_sample(&t, i, 8, at, normal);
        for (int d = 0; d < 3; d++)
            if (!isfinite(at[d]) || !isfinite(normal[d]))
                abort();
        if (!isfinite(kn_triangles_distance(&t, at)) ||
            !isfinite(kn_triangles_distance(&t, t.corner[i % t.count][i % 3])))
            abort();
    }
    kn_triangles_destroy(&t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[1024];
    double(*points)[2];
    int count;
    fuzz_write("shape", data, size);
    snprintf(path, sizeof path, "%s/shape", fuzz_folder());
    try_surface(path);
    if (kn_points_read(path, &points, &count) != KN_OK)
        return 0;
    for (int i = 0; i < 2 * count; i++)
        if (!isfinite(points[i / 2][i % 2]))
            abort();
    free(points);
    return 0;
}
