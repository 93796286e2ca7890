/* The inner loops of the steady-state solver on the CPU, compiled once per instruction set. */
#ifndef KN_CPU_STEADY_H
#define KN_CPU_STEADY_H

#include "backend/steady_backend.h"

/* Cells that collide together, one number of each side by side. */
enum { KN_STEADY_BLOCK = 8 };

/* One pass of b - A x, or of A x. */
struct kn_steady_pass {
    const struct kn_steady_plan *plan;
    struct kn_mesh mesh;
    double data;        /* 1: b - A x, with sources and the data of walls; 0: A x */
    const double *x;    /* [ncells][nnodes] */
    const double *halo; /* [nhalo][nnodes] x in cells of other ranks */
    double *outgoing;   /* [kn_volumes_rows][nnodes] x that leaves a face that emits, in the octants away from
                           it; then x on the pieces of control volumes */
    /* The operator at a finite disturbance: its changes in a short step, in single precision; NULL: none. */
    const struct kn_cpu_kernels *kernels;
    const struct kn_collisions *step;
};

/* One sweep; imaginary parts are NULL if omega is 0. */
struct kn_steady_sweep {
    const struct kn_steady_plan *plan;
    struct kn_mesh mesh; /* with kn_steady_plan.upwind */
    double omega;
    const double *frequency; /* [stride] nu, 1 in the padding */
    const double *nothing;   /* [stride] zeros */
    const double *from[2];   /* [ncells][nnodes] */
    double *to[2];           /* [ncells][nnodes] */
    const double *halo[2];   /* [nhalo][nnodes] `to` in cells of other ranks */
};

struct kn_cpu_steady_kernels {
    /* x on the surface of a control volume, then x that leaves a wall face, then what flows into a volume
     * through a link; all of them come before the other kernels. */
    void (*reconstruct)(const struct kn_steady_pass *s, int volume, double *scratch);
    void (*wall)(const struct kn_steady_pass *s, int face, double *scratch);
    void (*link)(const struct kn_steady_pass *s, int link);
    void (*flux)(const struct kn_steady_pass *s, int face, double *flux, double *scratch);
    void (*facet)(const struct kn_steady_pass *s, int facet, double *flux);
    /* b - A x or A x of `count` <= KN_STEADY_BLOCK consecutive cells, into out[count][nnodes]. */
    void (*cells)(const struct kn_steady_pass *s, int first, int count, double *out, double *scratch);
    /* All cells, for the nodes first..first+count-1 of an octant. */
    void (*sweep)(const struct kn_steady_sweep *s, int octant, int first, int count);
    /* <phi_k, Q(x + g) - Q(x) - L g> of `count` consecutive cells; the pass has x. */
    void (*exceed)(const struct kn_steady_pass *s, const double *g, int first, int count, double *moments,
                   double *scratch);
    /* to += the change of the local Maxwellian of x + to by the change `by`, for one row. */
    void (*lift)(const struct kn_steady_plan *p, const double *x, const double *by, bool all, double *to,
                 double *scratch);
    /* One row: <phi_k, (L + N) x> and <1, x>. */
    void (*project)(const struct kn_steady_plan *p, const double *row, double *moments, double *scratch);
    void (*prolong)(const struct kn_steady_plan *p, const double *coefficients, double *row);
    /* sum of weight[k] a[k] x[k] over the octants of a row, weight [stride] */
    double (*product)(const struct kn_velocity *v, const double *weight, const double *a, const double *x);
    /* to <- scale to + factor x; x = NULL: scale to */
    void (*combine)(int n, double scale, double *to, double factor, const double *x);
};

/* Doubles of scratch memory per thread for the loops in double precision; rows in single precision and the
 * scratch memory of collisions follow. */
static inline size_t kn_steady_rows_size(const struct kn_velocity *v)
{
    return (2 * (size_t)v->nnodes + 4 * (size_t)v->stride) * KN_STEADY_BLOCK;
}

/* Functions of the other files with loops, one for each instruction set.  collide, cpu_steady_nonlinear.c:
 * out
 * += Q of a finite disturbance, for `count` rows. */
#define KN_CPU_STEADY(isa)                                                                                   \
    void kn_cpu_steady_collide_##isa(const struct kn_steady_pass *s, const double *x, int count,             \
                                     double *out, double *scratch);                                          \
    void kn_cpu_steady_lift_##isa(const struct kn_steady_plan *p, const double *x, const double *by,         \
                                  bool all, double *to, double *scratch);                                    \
    void kn_cpu_steady_reconstruct_##isa(const struct kn_steady_pass *s, int volume, double *scratch);       \
    void kn_cpu_steady_link_##isa(const struct kn_steady_pass *s, int link);                                 \
    void kn_cpu_steady_balance_##isa(const struct kn_steady_pass *s, const struct kn_volume *own,            \
                                     double *out);                                                           \
    void kn_cpu_steady_facet_##isa(const struct kn_steady_pass *s, int facet, double *total);                \
    void kn_cpu_steady_sweep_volume_##isa(const struct kn_steady_sweep *s, const struct kn_volume *own,      \
                                          int octant, int first);                                            \
    void kn_cpu_steady_wall_##isa(const struct kn_steady_pass *s, int face, double *scratch);                \
    void kn_cpu_steady_flux_##isa(const struct kn_steady_pass *s, int face, double *total, double *scratch)
KN_CPU_STEADY(baseline);
KN_CPU_STEADY(v3);
KN_CPU_STEADY(v4);
#undef KN_CPU_STEADY

extern const struct kn_steady_backend kn_cpu_steady;
extern const struct kn_cpu_steady_kernels kn_cpu_steady_baseline, kn_cpu_steady_v3, kn_cpu_steady_v4;

#endif
