/* knudsen bench --steady: how long from rest to a drag that can be used. */
#include "bench/bench.h"

#include "config/config.h"
#include "error.h"
#include "sim.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

/* D of hard spheres at delta = 1, disturbance 0, from an independent computation
 * (cases/cavity/reference.csv); and how near to it a result must be. */
#define CONVERGED 0.6406
#define NEAR      0.005

enum { STRIDE = 10, REPORTS = 4096 }; /* steps between looks at the lid; looks at most */

/* The drag on the lid, and when it was seen. */
struct look {
    double seconds, drag;
};

struct history {
    struct look looks[REPORTS];
    int count;
};

static enum kn_status look_at(struct kn_sim *sim, double start, struct history *h)
{
    struct kn_wall_flux walls[KN_SIDES];
    const enum kn_status status = kn_sim_walls(sim, walls);
    if (status == KN_OK)
        h->looks[h->count++] = (struct look){omp_get_wtime() - start, walls[KN_TOP].shear_magnitude};
    return status;
}

/* From rest to the end of the case; making the simulation is not counted. */
static enum kn_status record(const struct kn_case *c, struct history *h)
{
    struct kn_sim *sim = NULL;
    enum kn_status status = kn_sim_create(&sim, c);
    const double start = omp_get_wtime();
    h->count = 0;
    while (status == KN_OK && kn_sim_time(sim) < c->time.end && h->count < REPORTS) {
        status = kn_sim_advance(sim, STRIDE);
        if (status == KN_OK)
            status = look_at(sim, start, h);
    }
    if (status == KN_OK && kn_sim_time(sim) < c->time.end)
        status = kn_error_set(KN_ENUMERIC, "the run takes more steps than can be recorded");
    kn_sim_destroy(sim);
    return status;
}

/* The mean of the last quarter, when the gas has long been steady. */
static double final_drag(const struct history *h)
{
    const int first = h->count - h->count / 4;
    double sum = 0;
    for (int i = first; i < h->count; i++)
        sum += h->looks[i].drag;
    return sum / (h->count - first);
}

/* Seconds after which the drag stays near `value`; NaN: it does not. */
static double arrival(const struct history *h, double value)
{
    int i = h->count;
    while (i > 0 && fabs(h->looks[i - 1].drag / value - 1) <= NEAR)
        i--;
    return i < h->count ? h->looks[i].seconds : NAN;
}

static void print_seconds(double seconds)
{
    if (isnan(seconds))
        printf(" %12s", "never");
    else
        printf(" %12.3f", seconds);
}

enum kn_status kn_bench_steady(const char *backend, int threads, const char *machine)
{
    static const struct {
        const char *name;
        const char *settings[6];
    } methods[] = {
        {"operator, gauss 8", {"collision.method=operator", "velocity.nodes=8"}},
        {"monte-carlo, stretched 20, 6144 samples",
         {"collision.method=monte-carlo", "velocity.grid=stretched", "velocity.nodes=20",
          "velocity.ratio=0.945", "velocity.range=3", "collision.samples=6144"}},
    };
    char on[64], with[64];
    snprintf(on, sizeof on, "run.backend=%s", backend);
    snprintf(with, sizeof with, "run.threads=%d", threads);
    const char *const common[] = {on,
                                  with,
                                  "walls.top.velocity=[1,0,0]",
                                  "gas.delta=1",
                                  "disturbance=0",
                                  "space.cells=[40,40]",
                                  "space.order=2",
                                  "time.end=10"};
    enum kn_status status = KN_OK;
    struct history *h = malloc(sizeof *h);
    if (!h)
        return kn_error_set(KN_EMEMORY, "not enough memory");
    printf("cavity, delta 1, 40x40, from rest           %8s  off %.4f %12s %12s   (%s)\n", "D", CONVERGED,
           "s to 0.5 %", "s to own", machine);
    for (size_t i = 0; i < sizeof methods / sizeof *methods && status == KN_OK; i++) {
        struct kn_case c;
        kn_case_default(&c);
        for (size_t k = 0; k < sizeof common / sizeof *common && status == KN_OK; k++)
            status = kn_case_set(&c, common[k]);
        for (size_t k = 0; k < 6 && methods[i].settings[k] && status == KN_OK; k++)
            status = kn_case_set(&c, methods[i].settings[k]);
        if (status == KN_OK)
            status = record(&c, h);
        if (status != KN_OK)
            break;
        printf("%-43s %8.5f %+9.2f %%", methods[i].name, final_drag(h),
               100 * (final_drag(h) / CONVERGED - 1));
        print_seconds(arrival(h, CONVERGED));
        print_seconds(arrival(h, final_drag(h)));
        printf("\n");
        fflush(stdout);
    }
    free(h);
    return status;
}
