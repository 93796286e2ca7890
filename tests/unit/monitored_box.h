/* A box of gas with given fields, and its monitor. */
#ifndef MONITORED_BOX_H
#define MONITORED_BOX_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "monitor/monitor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A case, its space and one state of the gas. */
struct scene {
    struct kn_case c;
    struct kn_space space;
    struct kn_monitor m;
    double *fields; /* [ncells][KN_FIELDS] */
    struct kn_wall_flux walls[KN_SIDES];
};

static inline double *cell(struct scene *s, int x, int y, int z)
{
    return s->fields + (size_t)((z * s->space.cells[1] + y) * s->space.cells[0] + x) * KN_FIELDS;
}

static inline double noise(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) * 0x1p-53 - 0.5;
}

/* A box whose x and y sides are walls; z is uniform unless it has cells. */
static inline void set_box(struct scene *s, int nx, int ny, int nz)
{
    memset(s, 0, sizeof *s);
    kn_case_default(&s->c);
    const int cells[3] = {nx, ny, nz};
    for (int d = 0; d < 3; d++) {
        s->c.space.cells[d] = cells[d];
        s->c.space.size[d] = 1;
        s->c.space.stretch[d] = 1;
        s->c.space.cluster[d] = KN_CLUSTER_BOTH;
        for (int end = 0; end < 2; end++) {
            struct kn_wall *w = &s->c.walls[2 * d + end];
            memset(w, 0, sizeof *w);
            w->kind = cells[d] > 1 ? KN_WALL_DIFFUSE : KN_WALL_PERIODIC;
            w->accommodation = 1;
        }
    }
    s->c.gas.delta = 2;
    s->c.disturbance = 0;
    memset(&s->c.source, 0, sizeof s->c.source);
    s->c.output.average = -1;
}

static inline void build(struct scene *s)
{
    assert_int_equal(kn_space_create(&s->space, &s->c, NULL), KN_OK);
    assert_int_equal(kn_monitor_create(&s->m, &s->c, &s->space, &kn_comm_alone), KN_OK);
    s->fields = calloc((size_t)s->space.ncells * KN_FIELDS, sizeof *s->fields);
    assert_non_null(s->fields);
    for (int f = 0; f < s->space.nfaces; f++)
        s->walls[s->space.faces[f].side].wall = true;
}

static inline void drop(struct scene *s)
{
    free(s->fields);
    kn_monitor_destroy(&s->m);
    kn_space_destroy(&s->space);
}

static inline void take(struct scene *s, int64_t step, double time)
{
    assert_int_equal(kn_monitor_take(&s->m, step, time, s->fields, s->walls), KN_OK);
}

static inline void assert_near(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance))
        fail_msg("%.17g is not %.17g within %g", a, b, tolerance);
}

#endif
