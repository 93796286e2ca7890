#include "boundary.h"

#include "error.h"
#include "point/wall.h"

#include <stdlib.h>

static bool oscillates(const struct kn_wall *w)
{
    const struct kn_oscillation *o = &w->oscillation;
    return o->velocity[0] != 0 || o->velocity[1] != 0 || o->velocity[2] != 0 || o->temperature != 0;
}

/* Emission of one patch, and the fluxes that fix its density. */
static void fill_patch(struct kn_patch *p, const struct kn_case *c, const struct kn_velocity *v, int side,
                       double time)
{
    const struct kn_wall *wall = &c->walls[side];
    const double wave = cos(wall->oscillation.frequency * time + wall->oscillation.phase);
    const float eps = (float)c->disturbance;
    const int axis = side / 2, away = (side & 1) ? -1 : 1; /* sign of v_n for what leaves the wall */
    for (int d = 0; d < 3; d++)
        p->velocity[d] = wall->velocity[d] + wave * wall->oscillation.velocity[d];
    const double theta = wall->temperature + wave * wall->oscillation.temperature;
    const struct kn_gaussian g = kn_gaussian_maxwellian(c->disturbance, 0, p->velocity, theta);
    p->excess = p->unit = 0;
    for (int octant = 0; octant < v->octants; octant++) {
        float *row = p->emission + (size_t)octant * v->stride;
        const struct kn_gaussian here = kn_gaussian_in_octant(g, (float)kn_velocity_sign(v, octant, 0),
                                                              (float)kn_velocity_sign(v, octant, 1),
                                                              (float)kn_velocity_sign(v, octant, 2));
        for (int k = 0; k < v->size && kn_velocity_sign(v, octant, axis) == away; k++) {
            const double flux = (double)v->w[k] * v->speed[axis][k];
            row[k] = kn_gaussian_excess(
                eps, kn_gaussian_exponent(&here, v->speed[0][k], v->speed[1][k], v->speed[2][k]));
            p->excess += flux * row[k];
            p->unit += flux * (1 + (double)eps * row[k]);
        }
    }
}

enum kn_status kn_boundary_create(struct kn_boundary *b, const struct kn_case *c, const struct kn_velocity *v)
{
    *b = (struct kn_boundary){.memory = calloc(KN_SIDES * (size_t)v->nnodes, sizeof *b->memory)};
    if (!b->memory)
        return kn_error_set(KN_EMEMORY, "no memory for the walls");
    for (int side = 0; side < KN_SIDES; side++) {
        const struct kn_wall *wall = &c->walls[side];
        struct kn_patch *p = &b->patches[side];
        const bool diffuse = wall->kind == KN_WALL_DIFFUSE;
        p->alpha = (float)wall->accommodation;
        p->emits = diffuse && wall->accommodation > 0;
        p->mirror =
            wall->kind == KN_WALL_SPECULAR || wall->kind == KN_WALL_SYMMETRY || (diffuse && !p->emits);
        p->unsteady = p->emits && oscillates(wall);
        p->emission = b->memory + (size_t)side * v->nnodes;
        b->mirrors |= p->mirror << side;
        if (p->emits)
            fill_patch(p, c, v, side, 0);
    }
    return KN_OK;
}

bool kn_boundary_update(struct kn_boundary *b, const struct kn_case *c, const struct kn_velocity *v,
                        double time)
{
    bool changed = false;
    for (int side = 0; side < KN_SIDES; side++)
        if (b->patches[side].unsteady) {
            fill_patch(&b->patches[side], c, v, side, time);
            changed = true;
        }
    return changed;
}

void kn_boundary_destroy(struct kn_boundary *b)
{
    free(b->memory);
    *b = (struct kn_boundary){0};
}
