/* The plan of a collision step: matrix of the invariants, source terms and operator. */
#include "collision/collision.h"

#include "config/case.h"
#include "error.h"

#include <stdlib.h>
#include <string.h>

bool kn_collision_takes_blocks(enum kn_method method)
{
    return kn_case_is_sampled(method) || method == KN_METHOD_OPERATOR;
}

/* The invariants at node k of an octant. */
static void invariants(const struct kn_velocity *v, int octant, int k, double psi[KN_INVARIANTS])
{
    psi[0] = 1;
    for (int d = 0; d < 3; d++)
        psi[1 + d] = kn_velocity_sign(v, octant, d) * (double)v->speed[d][k];
    psi[4] = v->square[k];
}

static void fill_gram(struct kn_collision_plan *p, const struct kn_velocity *v)
{
    double psi[KN_INVARIANTS];
    for (int octant = 0; octant < v->octants; octant++)
        for (int k = 0; k < v->size; k++) {
            invariants(v, octant, k, psi);
            for (int i = 0; i < KN_INVARIANTS; i++)
                for (int j = 0; j < KN_INVARIANTS; j++)
                    p->gram[i][j] += v->w[k] * psi[i] * psi[j];
        }
    /* Along a folded axis the momentum vanishes by symmetry and is not an unknown. */
    for (int d = 0; d < 3; d++)
        for (int j = 0; !v->bit[d] && j < KN_INVARIANTS; j++)
            p->gram[1 + d][j] = p->gram[j][1 + d] = (j == 1 + d);
    for (int j = 0; j < KN_INVARIANTS; j++) {
        double a[KN_INVARIANTS][KN_INVARIANTS], unit[KN_INVARIANTS] = {0};
        memcpy(a, p->gram, sizeof a);
        unit[j] = 1;
        kn_collide_solve(a, unit);
        for (int i = 0; i < KN_INVARIANTS; i++)
            p->inverse[i][j] = unit[i];
    }
}

static void fill_source(struct kn_collision_plan *p, const struct kn_case *c, const struct kn_velocity *v)
{
    double psi[KN_INVARIANTS];
    for (int octant = 0; octant < v->octants; octant++)
        for (int k = 0; k < v->size; k++) {
            double rate = 0;
            invariants(v, octant, k, psi);
            for (int d = 0; d < 3; d++)
                rate += (v->bit[d] ? psi[1 + d] : 0) *
                        (2 * c->source.force[d] - c->source.temperature_gradient[d] * (psi[4] - 2.5));
            p->source[octant * v->stride + k] = (float)rate;
        }
}

enum kn_status kn_collision_create(struct kn_collision_plan *p, const struct kn_case *c,
                                   const struct kn_velocity *v, const struct kn_comm *comm,
                                   const struct kn_assembler *assembler,
                                   const struct kn_progress_callback *progress)
{
    *p = (struct kn_collision_plan){.method = c->collision.method, .conservation = c->collision.conservation};
    for (int d = 0; d < 3; d++)
        p->has_source |= c->source.force[d] != 0 || c->source.temperature_gradient[d] != 0;
    p->source = calloc((size_t)v->nnodes, sizeof *p->source);
    KN_TRY(kn_comm_agree(comm,
                         p->source ? KN_OK : kn_error_set(KN_EMEMORY, "no memory for the collision step")));
    fill_gram(p, v);
    fill_source(p, c, v);
    if (c->collision.method != KN_METHOD_OPERATOR)
        return KN_OK;
    KN_TRY(kn_operator_create(&p->op, c, v, comm, assembler, progress));
    return kn_comm_agree(comm, kn_quadratic_create(&p->quadratic, c, v, &p->op));
}

void kn_collision_destroy(struct kn_collision_plan *p)
{
    kn_operator_destroy(&p->op);
    kn_quadratic_destroy(&p->quadratic);
    free(p->source);
    *p = (struct kn_collision_plan){0};
}
