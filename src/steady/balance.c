/* The sum of all that enters the gas, which is zero in a steady state. */
#include "steady/balance.h"

#include "comm/exact.h"
#include "config/case.h"

#include <math.h>

/* Net amounts that enter the gas, its volume, and the mass that passes ports. */
enum { VOLUME = KN_FLUXES, PORTS, SUMS };

/* Sums over the cells and faces of all ranks, and the largest amount that enters through a face. */
struct budget {
    struct kn_exact sums[SUMS];
    double largest;
};

static void add_flux(struct budget *b, double area, int sign, const double *flux)
{
    for (int i = 0; i < KN_FLUXES; i++) {
        kn_exact_add(&b->sums[i], sign * area * flux[i]);
        b->largest = fmax(b->largest, area * fabs(flux[i]));
    }
}

/* Each face and each facet belong to one rank. */
static void add_faces(const struct kn_problem *p, const double *fluxes, struct budget *b)
{
    const int ports = KN_SIDES + kn_case_bodies(p->c);
    for (int face = 0; face < p->space->nown; face++) {
        const struct kn_face *f = &p->space->faces[face];
        const double *flux = fluxes + (size_t)face * KN_FLUXES;
        add_flux(b, f->area, (f->side & 1) ? -1 : 1, flux);
        if (f->surface >= ports)
            kn_exact_add(&b->sums[PORTS], f->area * fabs(flux[0]) / 2);
    }
}

static void add_facets(const struct kn_space *x, const double *fluxes, struct budget *b)
{
    for (int i = 0; i < x->volumes.own_facets; i++)
        add_flux(b, x->volumes.facets[i].area, -1, fluxes + (size_t)(x->nfaces + i) * KN_FLUXES);
}

/* Add the sources in a volume to the net amounts; returns the largest contribution. */
static double add_sources(const struct kn_steady_plan *s, double volume, double net[KN_FLUXES])
{
    const struct kn_velocity *v = s->problem->velocity;
    double largest = 0;
    for (int octant = 0; octant < v->octants; octant++)
        for (int k = 0; k < v->size; k++) {
            const double source =
                s->rate * volume * v->mass[k] * s->problem->collision->source[octant * v->stride + k];
            net[0] += source;
            for (int d = 0; d < 3; d++)
                net[1 + d] +=
                    v->bit[d] ? kn_velocity_sign(v, octant, d) * (double)v->speed[d][k] * source : 0;
            net[4] += v->square[k] * source;
            largest += fabs(source);
        }
    return largest;
}

double kn_balance_of(const struct kn_steady_plan *s, const double *fluxes)
{
    const double ROUND_OFF = 1e-12; /* no flux is so small, at any pressure that the grid resolves */
    const struct kn_problem *p = s->problem;
    const struct kn_comm *comm = p->halo ? p->halo->comm : &kn_comm_alone;
    struct budget b = {.largest = 0};
    double sums[SUMS], worst = 0;
    for (int cell = 0; cell < p->space->ncells; cell++)
        kn_exact_add(&b.sums[VOLUME], p->space->volume[cell]);
    add_faces(p, fluxes, &b);
    add_facets(p->space, fluxes, &b);
    kn_exact_sum_ranks(comm, b.sums, SUMS);
    for (int i = 0; i < SUMS; i++)
        sums[i] = kn_exact_value(&b.sums[i]);
    double least = -b.largest;
    kn_comm_least_real(comm, &least, 1);
    const double largest = fmax(-least, add_sources(s, sums[VOLUME], sums));
    for (int i = 0; i < KN_FLUXES; i++)
        worst = fmax(worst, fabs(sums[i]) / largest);
    if (!(largest > ROUND_OFF))
        return 0;
    return sums[PORTS] > 1e-4 * largest ? fmax(worst, fabs(sums[0]) / sums[PORTS]) : worst;
}
