/* Sums the fluxes through wall faces: averages over the sides, integrals over bodies and ports. */
#include "grid/fluxes.h"

#include "comm/exact.h"
#include "config/case.h"
#include "error.h"
#include "grid/boundary.h"
#include "point/wall.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PORT_VALUES = sizeof(struct kn_port_flux) / sizeof(double) };

/* Momentum and heat that pass a face along its axis, theory (23), divided by its area. */
struct passage {
    double stress[3], tangential, heat, mass;
};

/* A piece of a surface: a wall face, or a facet of a control volume. */
struct area {
    int row, surface, moving; /* moving: index of its velocity in kn_fluxes_state */
    double size,
        normal[3];   /* fluxes are along the normal: of a face that of its axis, of a facet out of the gas */
    double outwards; /* 1: the normal points out of the gas; -1: into it */
    double centre[3];
};

static struct passage passage_of(const struct kn_fluxes *x, const struct kn_fluxes_state *now,
                                 const struct area *a)
{
    const bool wall = kn_case_surface(x->c, a->surface).kind == KN_WALL_DIFFUSE;
    double flux[KN_FLUXES], work = 0, across = 0;
    struct passage p = {.tangential = 0};
    memcpy(flux, now->faces + (size_t)a->row * KN_FLUXES, sizeof flux);
    if (!x->reference.at_rest)
        kn_reference_restore_fluxes(&x->reference, x->c->disturbance, a->normal, flux);
    for (int d = 0; d < 3; d++) {
        const double u = now->velocity[a->moving][d];
        p.stress[d] = 2 * flux[1 + d];
        work += (wall ? kn_reference_restore_velocity(&x->reference, u, d) : u) * 2 * flux[1 + d];
        across += a->normal[d] * p.stress[d];
    }
    for (int d = 0; d < 3; d++)
        p.tangential += pow(p.stress[d] - across * a->normal[d], 2);
    p.heat = flux[4] - 2.5 * flux[0] - x->c->disturbance * work;
    p.mass = flux[0];
    return p;
}

static struct area face_area(const struct kn_fluxes *x, int face)
{
    const struct kn_face *f = &x->space->faces[face];
    struct area a = {.row = face, .surface = f->surface, .moving = f->patch, .size = f->area};
    a.outwards = (f->side & 1) ? 1 : -1;
    a.normal[f->side / 2] = 1;
    kn_space_face_centre(x->space, face, a.centre);
    return a;
}

static struct area facet_area(const struct kn_fluxes *x, int facet)
{
    const struct kn_facet *f = &x->space->volumes.facets[facet];
    struct area a = {.row = x->space->nfaces + facet, .surface = f->surface, .size = f->area, .outwards = 1};
    a.moving = kn_boundary_patches(x->c, x->space) + facet;
    memcpy(a.normal, f->normal, sizeof a.normal);
    memcpy(a.centre, f->centre, sizeof a.centre);
    return a;
}

/* The wall faces of this rank, then the facets of control volumes. */
static int areas_of(const struct kn_fluxes *x)
{
    return x->space->nown + x->space->volumes.own_facets;
}

static struct area area_of(const struct kn_fluxes *x, int i)
{
    return i < x->space->nown ? face_area(x, i) : facet_area(x, i - x->space->nown);
}

/* Sums over the faces of a side. */
enum { AREA, STRESS, SHEAR = STRESS + 3, HEAT, MASS, WALL_SUMS };

/* Add one piece of a side, weighted with its area; fluxes of sides are along their axis. */
static void add_face(const struct kn_fluxes *x, const struct kn_fluxes_state *now, const struct area *a,
                     struct kn_exact sums[WALL_SUMS])
{
    const struct passage p = passage_of(x, now, a);
    const double along = a->size * (a->normal[0] + a->normal[1] + a->normal[2]);
    for (int d = 0; d < 3; d++)
        kn_exact_add(&sums[STRESS + d], along * p.stress[d]);
    kn_exact_add(&sums[AREA], a->size);
    kn_exact_add(&sums[SHEAR], a->size * sqrt(p.tangential));
    kn_exact_add(&sums[HEAT], along * p.heat);
    kn_exact_add(&sums[MASS], along * p.mass);
}

/* Add a piece of a body; the members of struct kn_body_flux are doubles. */
static void add_body_face(const struct kn_fluxes *x, const struct kn_fluxes_state *now, const struct area *a,
                          int body)
{
    const struct passage p = passage_of(x, now, a);
    const double into = a->outwards * a->size;
    struct kn_exact *sums = x->sums + (size_t)body * KN_BODY_VALUES;
    const double(*extent)[3] = x->space->extent[body];
    double arm[3];
    for (int d = 0; d < 3; d++)
        arm[d] = kn_case_is_uniform(x->c, d) ? 0 : a->centre[d] - (extent[0][d] + extent[1][d]) / 2;
    for (int d = 0; d < 3; d++) {
        const int e = (d + 1) % 3, g = (d + 2) % 3;
        kn_exact_add(&sums[d], into * p.stress[d]);
        kn_exact_add(&sums[3 + d], into * (arm[e] * p.stress[g] - arm[g] * p.stress[e]));
    }
    kn_exact_add(&sums[6], into * p.heat);
}

/* Add a face of a port; flows are positive into the gas. */
static void add_port_face(const struct kn_fluxes *x, const struct kn_fluxes_state *now, const struct area *a,
                          struct kn_exact sums[PORT_VALUES])
{
    const struct passage p = passage_of(x, now, a);
    const double in = -a->outwards * a->size;
    kn_exact_add(&sums[0], in * p.mass);
    kn_exact_add(&sums[1], in * p.heat);
    kn_exact_add(&sums[2], a->size);
    kn_exact_add(&sums[3], a->size * (p.stress[0] * a->normal[0] + p.stress[1] * a->normal[1] +
                                      p.stress[2] * a->normal[2]));
}

/* The integrals over bodies and ports. */
static void sum_faces(struct kn_fluxes *x, const struct kn_comm *comm, const struct kn_fluxes_state *now,
                      struct kn_fluxes_result *to)
{
    const int bodies = kn_case_bodies(x->c), ports = kn_case_ports(x->c), values = bodies * KN_BODY_VALUES,
              all = values + ports * PORT_VALUES;
    memset(x->sums, 0, (size_t)all * sizeof *x->sums);
    for (int i = 0; i < areas_of(x) && all > 0; i++) {
        const struct area a = area_of(x, i);
        const int body = a.surface - KN_SIDES;
        if (body >= bodies)
            add_port_face(x, now, &a, x->sums + values + (body - bodies) * PORT_VALUES);
        else if (body >= 0)
            add_body_face(x, now, &a, body);
    }
    kn_exact_sum_ranks(comm, x->sums, all);
    for (int i = 0; i < values; i++)
        ((double *)to->bodies)[i] = kn_exact_value(&x->sums[i]);
    for (int i = values; i < all; i++)
        ((double *)to->ports)[i - values] = kn_exact_value(&x->sums[i]);
    for (int i = 0; i < ports; i++)
        to->ports[i].stress = to->ports[i].area > 0 ? to->ports[i].stress / to->ports[i].area : 0;
}

void kn_fluxes_store(struct kn_fluxes *x, const struct kn_fluxes_state *now)
{
    for (int i = 0; i < areas_of(x); i++) {
        const struct area a = area_of(x, i);
        const struct passage p = passage_of(x, now, &a);
        const double into = a.outwards;
        double *local = x->local + (size_t)i * KN_FLUXES_LOCAL;
        for (int d = 0; d < 3; d++)
            local[d] = into * p.stress[d];
        local[3] = into * p.heat;
        local[4] = into * p.mass;
    }
}

/* Averages over the walls of all ranks. */
static void average_faces(const struct kn_fluxes *x, const struct kn_comm *comm,
                          const struct kn_fluxes_state *now, struct kn_wall_flux walls[KN_SIDES])
{
    struct kn_exact sums[KN_SIDES][WALL_SUMS] = {0};
    for (int i = 0; i < areas_of(x); i++) {
        const struct area a = area_of(x, i);
        if (a.surface < KN_SIDES)
            add_face(x, now, &a, sums[a.surface]);
    }
    kn_exact_sum_ranks(comm, &sums[0][0], KN_SIDES * WALL_SUMS);
    for (int side = 0; side < KN_SIDES; side++) {
        struct kn_wall_flux *w = &walls[side];
        const double area = kn_exact_value(&sums[side][AREA]);
        if (!(area > 0))
            continue;
        w->wall = true;
        for (int d = 0; d < 3; d++)
            w->stress[d] = kn_exact_value(&sums[side][STRESS + d]) / area;
        w->shear_magnitude = kn_exact_value(&sums[side][SHEAR]) / area;
        w->heat_flux = kn_exact_value(&sums[side][HEAT]) / area;
        w->mass_flux = kn_exact_value(&sums[side][MASS]) / area;
    }
}

enum kn_status kn_fluxes_create(struct kn_fluxes *f, const struct kn_case *c, const struct kn_space *space)
{
    const size_t bodies = (size_t)kn_case_bodies(c);
    *f = (struct kn_fluxes){.c = c, .reference = kn_reference_of(c), .space = space};
    f->faces = calloc((kn_space_fluxes(space) + 1) * KN_FLUXES, sizeof *f->faces);
    f->sums = calloc(bodies * KN_BODY_VALUES + KN_PORTS * PORT_VALUES, sizeof *f->sums);
    f->local = calloc((kn_space_fluxes(space) + 1) * KN_FLUXES_LOCAL, sizeof *f->local);
    if (!f->faces || !f->sums || !f->local)
        return kn_error_set(KN_EMEMORY, "no memory for the fluxes through %d wall faces", space->nfaces);
    return KN_OK;
}

void kn_fluxes_destroy(struct kn_fluxes *f)
{
    free(f->faces);
    free(f->sums);
    free(f->local);
    *f = (struct kn_fluxes){0};
}

void kn_fluxes_sum(struct kn_fluxes *f, const struct kn_comm *comm, const struct kn_fluxes_state *state,
                   struct kn_fluxes_result *to)
{
    memset(to, 0, sizeof *to);
    average_faces(f, comm, state, to->walls);
    sum_faces(f, comm, state, to);
}
