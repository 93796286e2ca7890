/* The sum of all that enters the gas, which is zero in a steady state. */
#include "steady/balance.h"

#include "config/case.h"

#include <math.h>

/* What enters the gas: net amounts, the largest contribution, and the mass that passes ports. */
struct budget {
    double net[KN_FLUXES], largest, ports;
};

static void add_sources(const struct kn_steady_plan *s, struct budget *b)
{
    const struct kn_problem *p = s->problem;
    const struct kn_velocity *v = p->velocity;
    double volume = 0;
    for (int cell = 0; cell < p->space->ncells; cell++)
        volume += p->space->volume[cell];
    for (int octant = 0; octant < v->octants; octant++)
        for (int k = 0; k < v->size; k++) {
            const double source =
                s->rate * volume * v->mass[k] * p->collision->source[octant * v->stride + k];
            b->net[0] += source;
            for (int d = 0; d < 3; d++)
                b->net[1 + d] +=
                    v->bit[d] ? kn_velocity_sign(v, octant, d) * (double)v->speed[d][k] * source : 0;
            b->net[4] += v->square[k] * source;
            b->largest += fabs(source);
        }
}

static void add_faces(const struct kn_steady_plan *s, const double *fluxes, struct budget *b)
{
    const struct kn_problem *p = s->problem;
    const int ports = KN_SIDES + kn_case_bodies(p->c);
    for (int face = 0; face < p->space->nfaces; face++) {
        const struct kn_face *f = &p->space->faces[face];
        const double *flux = fluxes + (size_t)face * KN_FLUXES, in = (f->side & 1) ? -f->area : f->area;
        for (int i = 0; i < KN_FLUXES; i++) {
            b->net[i] += in * flux[i];
            b->largest = fmax(b->largest, f->area * fabs(flux[i]));
        }
        b->ports += f->surface >= ports ? f->area * fabs(flux[0]) / 2 : 0;
    }
}

static void add_facets(const struct kn_space *x, const double *fluxes, struct budget *b)
{
    for (int i = 0; i < x->volumes.nfacets; i++) {
        const double *flux = fluxes + (size_t)(x->nfaces + i) * KN_FLUXES, area = x->volumes.facets[i].area;
        for (int k = 0; k < KN_FLUXES; k++) {
            b->net[k] -= area * flux[k];
            b->largest = fmax(b->largest, area * fabs(flux[k]));
        }
    }
}

double kn_balance_of(const struct kn_steady_plan *s, const double *fluxes)
{
    const double ROUND_OFF = 1e-12; /* no flux is so small, at any pressure that the grid resolves */
    struct budget b = {.largest = 0};
    double worst = 0;
    add_sources(s, &b);
    add_faces(s, fluxes, &b);
    add_facets(s->problem->space, fluxes, &b);
    for (int i = 0; i < KN_FLUXES; i++)
        worst = fmax(worst, fabs(b.net[i]) / b.largest);
    if (!(b.largest > ROUND_OFF))
        return 0;
    return b.ports > 1e-4 * b.largest ? fmax(worst, fabs(b.net[0]) / b.ports) : worst;
}
