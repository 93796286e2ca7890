/* The kernel of Cercignani and Lampis along one axis of a wall face, theory (22f).  The file that includes it
 * defines KN_REAL, the type of the values, and KN_SCATTER, kn_wall_scatter for this type. */
#ifndef KN_CPU_SCATTER_H
#define KN_CPU_SCATTER_H

#include "grid/space.h"
#include "grid/velocity.h"
#include "point/wall.h"

/* Scatter the values of one line of nodes along an axis, `step` apart, and those of the opposite sign. */
static void scatter_line(int n, int step, const float *const block[KN_WALL_BLOCKS], KN_REAL *values,
                         KN_REAL *opposite)
{
    KN_REAL line[KN_VELOCITY_LINE / 2], back[KN_VELOCITY_LINE / 2] = {0};
    for (int i = 0; i < n; i++) {
        line[i] = values[i * step];
        back[i] = opposite ? opposite[i * step] : 0;
    }
    for (int i = 0; i < n; i++) {
        values[i * step] = KN_SCATTER(n, block[0] + i * n, line, block[1] + i * n, back);
        if (opposite)
            opposite[i * step] = KN_SCATTER(n, block[2] + i * n, back, block[3] + i * n, line);
    }
}

/* Apply the kernel along one axis to all octants that leave a face. */
static void scatter_axis(const struct kn_velocity *v, const struct kn_face *f, const float *matrices,
                         int axis, KN_REAL *out)
{
    const float *block[KN_WALL_BLOCKS];
    const int normal = f->side / 2, into = (f->side & 1) ? 1 : -1, n = v->half[axis],
              step = axis == 0   ? v->half[1] * v->half[2]
                     : axis == 1 ? v->half[2]
                                 : 1;
    const int bit = axis == normal ? 0 : v->bit[axis];
    for (int i = 0; i < KN_WALL_BLOCKS; i++)
        block[i] = matrices + kn_wall_matrix(v->half, axis, i);
    for (int octant = 0; octant < v->octants; octant++)
        for (int k = 0; k < v->size && kn_velocity_sign(v, octant, normal) != into && !(octant & bit); k++)
            if (k / step % n == 0)
                scatter_line(n, step, block, out + (size_t)octant * (size_t)v->stride + k,
                             bit ? out + (size_t)(octant | bit) * (size_t)v->stride + k : NULL);
}

#endif
