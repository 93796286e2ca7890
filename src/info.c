#include "info.h"

#include "backend/backend.h"
#include "config.h"
#include "molecules.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Where it is known: hard spheres, and Maxwell molecules. */
static double exact_prandtl(const struct kn_operator *o)
{
    return o->exponent == 1 ? 0.660694 : o->exponent == 0 ? 2.0 / 3 : NAN;
}

static void print_prandtl(const struct kn_operator *o)
{
    const double exact = exact_prandtl(o);
    printf("Prandtl number         %.5f", o->prandtl);
    if (isfinite(exact))
        printf(" (exact %.5f, %+.2f %%)", exact, 100 * (o->prandtl / exact - 1));
    putchar('\n');
}

/* The rates that bound the spectrum: the slowest that is no invariant, the fastest. */
static void find_edges(const struct kn_operator *o, double *slowest, double *fastest)
{
    *fastest = 0;
    *slowest = INFINITY;
    for (int p = 0; p < KN_PARITIES; p++)
        *fastest = fmax(*fastest, -o->rate[p][0]);
    for (int p = 0; p < KN_PARITIES; p++)
        for (int i = 0; i < o->size; i++)
            if (-o->rate[p][i] > 1e-9 * *fastest)
                *slowest = fmin(*slowest, -o->rate[p][i]);
}

static void print_text(const struct kn_case *c, const struct kn_operator *o, const struct kn_velocity *v,
                       double seconds)
{
    double slowest, fastest;
    char held[KN_NAME];
    find_edges(o, &slowest, &fastest);
    kn_config_bytes_text(8.0 * KN_PARITIES * o->size * o->size, held);
    printf("molecules              %s, viscosity as T^%g\n",
           kn_config_choice_name("gas.molecules", c->gas.molecules), kn_molecules_omega(c));
    printf("velocity grid          %d x %d x %d nodes, %d in an octant, %d octants stored\n", 2 * v->half[0],
           2 * v->half[1], 2 * v->half[2], v->size, v->octants);
    printf("viscosity              %.5f of the exact one (%+.2f %%)%s\n", o->viscosity,
           100 * (o->viscosity - 1), o->scale == 1 ? "" : "; rates are rescaled, so that it is exact");
    print_prandtl(o);
    printf("conservation defect    %.1e before it is taken out\n", o->defect);
    printf("rates                  %.4f to %.4f V0 / lambda0\n", o->scale * slowest, o->scale * fastest);
    printf("memory                 %s\n", held);
    printf("cost                   %.0f multiplications per cell and step\n",
           (double)v->octants * o->size * o->size);
    printf("ready after            %.2f s, %s %s\n", seconds,
           strcmp(o->origin, "cache") == 0 ? "from the" : "assembled by", o->origin);
    if (o->note[0])
        printf("note                   %s\n", o->note);
}

static void print_json(const struct kn_case *c, const struct kn_operator *o, const struct kn_velocity *v,
                       double seconds)
{
    double slowest, fastest;
    find_edges(o, &slowest, &fastest);
    printf("{\"molecules\": \"%s\", \"omega\": %g, \"size\": %d, \"octants\": %d, \"viscosity\": %.17g, "
           "\"prandtl\": %.17g, \"scale\": %.17g, "
           "\"defect\": %.3g, \"slowest_rate\": %.17g, \"fastest_rate\": %.17g, \"memory_bytes\": %.0f, "
           "\"multiplications\": %.0f, \"seconds\": %.3f, \"origin\": \"%s\"}\n",
           kn_config_choice_name("gas.molecules", c->gas.molecules), kn_molecules_omega(c), o->size,
           v->octants, o->viscosity, o->prandtl, o->scale, o->defect, o->scale * slowest, o->scale * fastest,
           8.0 * KN_PARITIES * o->size * o->size, (double)v->octants * o->size * o->size, seconds, o->origin);
}

static bool show_part(void *to, double part)
{
    if (part < 1 - 1e-9)
        fprintf(to, "\rassembling %3.0f %%", 100 * part);
    else
        fputs("\r                \r", to);
    fflush(to);
    return true;
}

enum kn_status kn_info_operator(const struct kn_case *c, bool json)
{
    struct kn_velocity v;
    struct kn_operator o = {0};
    const struct kn_listener listener = {show_part, stderr};
    const double start = omp_get_wtime();
    enum kn_status status = kn_velocity_create(&v, c);
    if (status == KN_OK)
        status = kn_operator_create(&o, c, &v, kn_backend_assembler(c->run.backend),
                                    isatty(STDERR_FILENO) ? &listener : NULL);
    if (status == KN_OK)
        (json ? print_json : print_text)(c, &o, &v, omp_get_wtime() - start);
    kn_operator_destroy(&o);
    kn_velocity_destroy(&v);
    return status;
}
