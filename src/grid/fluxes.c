/* Sums the fluxes through wall faces: averages over the sides, integrals over bodies and ports. */
#include "grid/fluxes.h"

#include "comm/exact.h"
#include "config/case.h"
#include "error.h"
#include "point/wall.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PORT_VALUES = sizeof(struct kn_port_flux) / sizeof(double) };

/* Momentum and heat that pass a face along its axis, theory (23), divided by its area. */
struct passage {
    double stress[3], tangential, heat, mass;
};

static struct passage passage_of(const struct kn_fluxes *x, const struct kn_fluxes_state *now, int face)
{
    const struct kn_face *f = &x->space->faces[face];
    const bool wall = kn_case_surface(x->c, f->surface).kind == KN_WALL_DIFFUSE;
    double flux[KN_FLUXES], work = 0;
    struct passage p = {.tangential = 0};
    memcpy(flux, now->faces + (size_t)face * KN_FLUXES, sizeof flux);
    if (!x->reference.at_rest)
        kn_reference_restore_fluxes(&x->reference, x->c->disturbance, f->side / 2, flux);
    for (int d = 0; d < 3; d++) {
        const double u = now->velocity[f->patch][d];
        p.stress[d] = 2 * flux[1 + d];
        work += (wall ? kn_reference_restore_velocity(&x->reference, u, d) : u) * 2 * flux[1 + d];
        p.tangential += d == f->side / 2 ? 0 : 4 * flux[1 + d] * flux[1 + d];
    }
    p.heat = flux[4] - 2.5 * flux[0] - x->c->disturbance * work;
    p.mass = flux[0];
    return p;
}

/* Sums over the faces of a side. */
enum { AREA, STRESS, SHEAR = STRESS + 3, HEAT, MASS, WALL_SUMS };

/* Add one face, weighted with its area. */
static void add_face(const struct kn_fluxes *x, const struct kn_fluxes_state *now, int face,
                     struct kn_exact sums[WALL_SUMS])
{
    const struct kn_face *f = &x->space->faces[face];
    const struct passage p = passage_of(x, now, face);
    for (int d = 0; d < 3; d++)
        kn_exact_add(&sums[STRESS + d], f->area * p.stress[d]);
    kn_exact_add(&sums[AREA], f->area);
    kn_exact_add(&sums[SHEAR], f->area * sqrt(p.tangential));
    kn_exact_add(&sums[HEAT], f->area * p.heat);
    kn_exact_add(&sums[MASS], f->area * p.mass);
}

/* The centre of a face from that of its body. */
static void find_arm(const struct kn_fluxes *x, int face, int body, double arm[3])
{
    double at[3];
    kn_space_face_centre(x->space, face, at);
    for (int d = 0; d < 3; d++) {
        const double centre = (x->space->extent[body][0][d] + x->space->extent[body][1][d]) / 2;
        arm[d] = kn_case_is_uniform(x->c, d) ? 0 : at[d] - centre;
    }
}

/* Add a face of a body; the members of struct kn_body_flux are doubles. */
static void add_body_face(const struct kn_fluxes *x, const struct kn_fluxes_state *now, int face, int body)
{
    const struct kn_face *f = &x->space->faces[face];
    const struct passage p = passage_of(x, now, face);
    const double into = (f->side & 1) ? f->area : -f->area;
    struct kn_exact *sums = x->sums + (size_t)body * KN_BODY_VALUES;
    double arm[3];
    find_arm(x, face, body, arm);
    for (int d = 0; d < 3; d++) {
        const int e = (d + 1) % 3, g = (d + 2) % 3;
        kn_exact_add(&sums[d], into * p.stress[d]);
        kn_exact_add(&sums[3 + d], into * (arm[e] * p.stress[g] - arm[g] * p.stress[e]));
    }
    kn_exact_add(&sums[6], into * p.heat);
}

/* Add a face of a port; flows are positive into the gas. */
static void add_port_face(const struct kn_fluxes *x, const struct kn_fluxes_state *now, int face,
                          struct kn_exact sums[PORT_VALUES])
{
    const struct kn_face *f = &x->space->faces[face];
    const struct passage p = passage_of(x, now, face);
    const double in = (f->side & 1) ? -f->area : f->area;
    kn_exact_add(&sums[0], in * p.mass);
    kn_exact_add(&sums[1], in * p.heat);
    kn_exact_add(&sums[2], f->area);
    kn_exact_add(&sums[3], f->area * p.stress[f->side / 2]);
}

/* The integrals over bodies and ports. */
static void sum_faces(struct kn_fluxes *x, const struct kn_comm *comm, const struct kn_fluxes_state *now,
                      struct kn_fluxes_result *to)
{
    const int bodies = kn_case_bodies(x->c), ports = kn_case_ports(x->c), values = bodies * KN_BODY_VALUES,
              all = values + ports * PORT_VALUES;
    memset(x->sums, 0, (size_t)all * sizeof *x->sums);
    for (int face = 0; face < x->space->nown && all > 0; face++) {
        const int body = x->space->faces[face].surface - KN_SIDES;
        if (body >= bodies)
            add_port_face(x, now, face, x->sums + values + (body - bodies) * PORT_VALUES);
        else if (body >= 0)
            add_body_face(x, now, face, body);
    }
    kn_exact_sum_ranks(comm, x->sums, all);
    for (int i = 0; i < values; i++)
        ((double *)to->bodies)[i] = kn_exact_value(&x->sums[i]);
    for (int i = values; i < all; i++)
        ((double *)to->ports)[i - values] = kn_exact_value(&x->sums[i]);
    for (int i = 0; i < ports; i++)
        to->ports[i].stress = to->ports[i].area > 0 ? to->ports[i].stress / to->ports[i].area : 0;
}

/* What every surface receives at its faces. */
static void store_faces(const struct kn_fluxes *x, const struct kn_fluxes_state *now)
{
    for (int face = 0; face < x->space->nown; face++) {
        const struct passage p = passage_of(x, now, face);
        const double into = (x->space->faces[face].side & 1) ? 1 : -1;
        double *local = x->local + (size_t)face * KN_FLUXES_LOCAL;
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
    for (int face = 0; face < x->space->nown; face++)
        if (x->space->faces[face].surface < KN_SIDES)
            add_face(x, now, face, sums[x->space->faces[face].surface]);
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
    f->faces = calloc(((size_t)space->nfaces + 1) * KN_FLUXES, sizeof *f->faces);
    f->sums = calloc(bodies * KN_BODY_VALUES + KN_PORTS * PORT_VALUES, sizeof *f->sums);
    f->local = calloc(((size_t)space->nown + 1) * KN_FLUXES_LOCAL, sizeof *f->local);
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
    store_faces(f, state);
    average_faces(f, comm, state, to->walls);
    sum_faces(f, comm, state, to);
}
