/* The passes of the steady-state solver compared with time steps and with plain sums, on every machine that
 * has them. */
#include "scene.h"

#include "backend/steady_backend.h"
#include "point/steady.h"
#include "steady/coarse.h"
#include "steady/regions.h"
#include "steady/route.h"
#include "steady/trial.h"

enum { SOLUTION = KN_STEADY_SOLUTION, FIRST, SECOND, THIRD, FOURTH, VECTORS };

/* Walls with partial accommodation, mirrors, inflow, far field, periodic ends, stretched cells, folded and
 * reduced axes, one cell between walls, bodies, ports.  The last cases have control volumes: at a mirror, at
 * an inflow and periodic ends, in three dimensions. */
static const char *const cases[] = {
    "space.cells=7 velocity.nodes=[8,4,4] collision.method=bgk walls.left.temperature=1 "
    "source.force=[0,1,0.3] source.temperature_gradient=[0,0.2,0]",
    "space.cells=[5,6] space.stretch=[0.8,0.9,1] velocity.nodes=6 collision.method=operator "
    "walls.top.velocity=[1,0,0.4] walls.left.accommodation=0.3 walls.right.kind=symmetry",
    "space.cells=[4,3,5] velocity.nodes=6 collision.method=shakhov walls.top.velocity=[1,0,0] "
    "walls.left.kind=periodic walls.right.kind=periodic walls.front.temperature=0.5",
    "space.cells=[6,3] velocity.nodes=6 collision.method=es-bgk velocity.reduce=none walls.left.kind=inflow "
    "walls.left.density=1 walls.right.kind=inflow walls.right.velocity=[0.2,0.1,0] "
    "walls.top.accommodation=0.7",
    "space.cells=[8] velocity.nodes=6 collision.method=operator walls.right.kind=far-field "
    "walls.right.gradient.velocity=[0,1,0] walls.right.gradient.temperature=0.3",
    "space.cells=[5,1] space.stretch=[0.9,1,1] velocity.nodes=6 collision.method=none "
    "walls.top.velocity=[1,0,0] "
    "walls.bottom.kind=diffuse walls.top.kind=diffuse",
    /* bodies, a plate with an opening, a mirror in the gas, a closed chamber */
    "space.cells=[8,8] velocity.nodes=6 collision.method=operator source.force=[0,1,0] "
    "bodies.bar.box.low=[0.25,0.25] bodies.bar.box.high=[0.5,0.5] bodies.bar.accommodation=0.8 "
    "bodies.bar.velocity=[0.3,0,0] bodies.wall.plate.axis=x bodies.wall.plate.at=0.625 "
    "bodies.wall.plate.open=[0.5,0.75] bodies.mirror.box.low=[0.75,0] bodies.mirror.box.high=[0.875,0.5] "
    "bodies.mirror.accommodation=0 bodies.shelf.box.low=[0,0.875] bodies.shelf.box.high=[0.625,0.875] "
    "bodies.shelf.temperature=1",
    "space.cells=[6,4] velocity.nodes=6 collision.method=bgk walls.left.kind=periodic "
    "walls.right.kind=periodic walls.bottom.temperature=1 bodies.bar.box.low=[0.5,0.25] "
    "bodies.bar.box.high=[1,0.5] bodies.bar.tangential=0.7 bodies.bar.normal=0.4",
    /* ports */
    "space.cells=[6,6] space.stretch=[0.8,1,1] velocity.nodes=6 collision.method=shakhov "
    "ports.in.kind=pressure ports.in.pressure=1 ports.in.temperature=0.3 ports.out.side=right "
    "ports.out.kind=reservoir bodies.wall.plate.axis=x bodies.wall.plate.at=0.5 "
    "bodies.wall.plate.open=[0.5,1] walls.top.kind=symmetry",
    "space.cells=[4,6] velocity.nodes=6 collision.method=bgk ports.in.kind=flow ports.in.flow=0.3 "
    "ports.in.temperature=0.2 ports.out.side=right ports.out.kind=pressure walls.top.temperature=[0,1]",
    /* walls of Cercignani and Lampis */
    "space.cells=[4,3,3] velocity.nodes=6 collision.method=operator walls.top.velocity=[1,0,0] "
    "walls.left.tangential=0.6 walls.left.normal=0.5 walls.left.temperature=1 walls.top.tangential=1.5 "
    "walls.front.normal=0.2 bodies.bar.box.low=[0.25,0.3333333333333333,0.3333333333333333] "
    "bodies.bar.box.high=[0.5,0.6666666666666666,0.6666666666666666] bodies.bar.tangential=0.3",
    "space.cells=6 velocity.nodes=[8,6,6] collision.method=es-bgk walls.left.tangential=0.4 "
    "walls.left.velocity=[0,1,0] walls.right.normal=0.3 walls.right.temperature=1",
    "space.cells=[10,8] velocity.nodes=6 collision.method=shakhov "
    "walls.top.velocity=[1,0,0] walls.left.kind=symmetry bodies.a.cylinder.centre=[0.1,0.5] "
    "bodies.a.cylinder.radius=0.3 bodies.a.rotation=1 bodies.a.accommodation=0.6 bodies.b.box.low=[0.5,0.5] "
    "bodies.b.box.high=[0.8,0.75]",
    "space.cells=[9,8] space.stretch=[1,0.9,1] velocity.nodes=6 collision.method=operator "
    "walls.left.kind=periodic "
    "walls.right.kind=periodic walls.bottom.kind=inflow walls.bottom.density=1 "
    "bodies.a.polygon=[0,0.13,1,0.13,0.5,0.61] bodies.a.temperature=1 source.force=[1,0,0]",
    "space.cells=[6,5,5] velocity.nodes=4 collision.method=bgk walls.top.velocity=[1,0,0] "
    "bodies.a.sphere.centre=[0.46,0.52,0.5] bodies.a.sphere.radius=0.3 bodies.a.velocity=[0,0,1]",
};
enum { CASES = sizeof cases / sizeof *cases, SMOOTH = CASES - 3 };

/* A finite disturbance, also with reduced axes. */
static const char *const nonlinear[] = {
    "gas.delta=20 disturbance=0.3 space.cells=7 velocity.nodes=[8,6,6] collision.method=bgk "
    "velocity.reduce=none "
    "walls.left.temperature=1 walls.right.velocity=[0,1,0]",
    "gas.delta=20 disturbance=0.3 space.cells=[4,5] velocity.nodes=6 collision.method=shakhov "
    "walls.top.velocity=[1,0,0] "
    "walls.left.accommodation=0.5 walls.left.temperature=1",
    "gas.delta=20 disturbance=0.3 space.cells=7 velocity.nodes=6 collision.method=shakhov "
    "walls.right.velocity=[0,1,0.5]",
    "gas.delta=20 disturbance=0.3 space.cells=[4,5] velocity.nodes=6 collision.method=es-bgk "
    "walls.top.velocity=[1,0,0.5]",
    "gas.delta=20 disturbance=0.3 space.cells=[4,5] velocity.nodes=6 collision.method=es-bgk "
    "velocity.reduce=none "
    "walls.top.velocity=[1,0,0.5] walls.left.kind=inflow walls.left.density=0.5 "
    "walls.left.velocity=[0.3,0,0]",
    "gas.delta=20 disturbance=0.3 space.cells=[3,4] velocity.nodes=6 collision.method=operator "
    "walls.top.velocity=[1,0,0] "
    "walls.left.temperature=1",
    "gas.delta=20 disturbance=0.3 space.cells=6 velocity.nodes=6 collision.method=operator "
    "gas.molecules=maxwell "
    "walls.right.velocity=[0,1,0.5]",
    "gas.delta=20 disturbance=0.3 space.cells=[7,7] velocity.nodes=6 collision.method=bgk "
    "walls.top.velocity=[1,0,0] bodies.a.cylinder.centre=[0.5,0.4] bodies.a.cylinder.radius=0.3 "
    "bodies.a.temperature=1 bodies.a.rotation=1",
};
enum { NONLINEAR = sizeof nonlinear / sizeof *nonlinear };

/* A problem with its plan, and a machine with its vectors. */
struct solver {
    struct scene scene;
    struct kn_steady_plan plan;
    const struct kn_steady_backend *backend;
    void *machine;
};

/* False if a machine has no such solver, or does not solve the problem. */
static bool solves(const struct target *t, const char *settings)
{
    struct scene scene;
    if (!t->backend->steady || !t->backend->steady->lacks)
        return t->backend->steady;
    build(&scene, settings);
    const bool lacks = t->backend->steady->lacks(&scene.problem);
    drop(&scene);
    return !lacks;
}

static void open_solver(struct solver *s, const struct target *t, const char *settings, int order)
{
    char text[1024];
    snprintf(text, sizeof text, "%s space.order=%d", settings, order);
    build(&s->scene, text);
    for (int cell = 0; cell < s->scene.space.ncells && s->scene.space.solid; cell++)
        if (s->scene.space.solid[cell])
            memset(s->scene.h + (size_t)cell * (size_t)s->scene.velocity.nnodes, 0,
                   (size_t)s->scene.velocity.nnodes * sizeof *s->scene.h);
    s->plan = (struct kn_steady_plan){.problem = &s->scene.problem, .rate = 1.3};
    s->backend = t->backend->steady;
    expect_ok(kn_trial_create(&s->plan));
    expect_ok(kn_route_create(&s->plan));
    expect_ok(kn_regions_create(&s->plan));
    if (t->isa)
        setenv("KNUDSEN_ISA", t->isa, 1);
    expect_ok(s->backend->create(&s->machine, &s->plan, VECTORS));
    unsetenv("KNUDSEN_ISA");
    expect_ok(s->backend->put(s->machine, SOLUTION, 0, s->scene.space.ncells, s->scene.h));
}

static void close_solver(struct solver *s)
{
    s->backend->destroy(s->machine);
    kn_regions_destroy(&s->plan);
    kn_route_destroy(&s->plan);
    kn_trial_destroy(&s->plan);
    drop(&s->scene);
}

static void read_vector(struct solver *s, int vector, float *to)
{
    expect_ok(s->backend->get(s->machine, vector, 0, s->scene.space.ncells, to));
}

/* A short time step changes h by dt (b - A h). The difference is of the order of the Courant number, 1e-3,
 * and of round-off in h divided by it. */
static void residual_is_the_rate_of_change(const struct target *t, const char *settings, int order)
{
    struct solver s;
    open_solver(&s, t, settings, order);
    struct scene *x = &s.scene;
    const double dt = 1e-3 * long_step(x);
    void *machine = start(x, t);
    expect_ok(t->backend->step(machine, &(struct kn_step){.stream = dt, .collide = 1.3 * dt}));
    finish(x, t, machine);
    for (size_t i = 0; i < x->rows; i++)
        x->next[i] = (float)(((double)x->next[i] - x->h[i]) / dt);
    expect_ok(s.backend->residual(s.machine, SOLUTION, FIRST));
    read_vector(&s, FIRST, x->expected);
    double scale = 0;
    for (size_t i = 0; i < x->rows; i++)
        scale = fmax(scale, fabs(x->expected[i]));
    for (size_t i = 0; i < x->rows; i++) {
        x->next[i] /= (float)scale;
        x->expected[i] /= (float)scale;
    }
    compare(x, "residual", t, settings, 4e-3);
    close_solver(&s);
}

static void residuals(void **state)
{
    (void)state;
    for (int i = 0; i < ntargets; i++)
        for (int k = 0; k < CASES; k++)
            for (int order = 1; order <= 3 && solves(&targets[i], cases[k]); order += 2)
                residual_is_the_rate_of_change(&targets[i], cases[k], order);
    for (int i = 0; i < ntargets; i++)
        for (int k = 0; k < NONLINEAR; k++)
            if (solves(&targets[i], nonlinear[k]))
                residual_is_the_rate_of_change(&targets[i], nonlinear[k], 3);
}

/* The linear part: A (x + y) - A x = A y, and the residual is affine with the slope -A.  The polynomials of
 * reflected molecules amplify round-off at the fastest nodes. */
static void apply_is_the_slope_of_the_residual(void **state)
{
    (void)state;
    const double one[2] = {1, 1};
    for (int i = 0; i < ntargets; i++)
        for (int k = 0; k < CASES; k++) {
            struct solver s;
            if (!solves(&targets[i], cases[k]))
                continue;
            double size, difference;
            open_solver(&s, &targets[i], cases[k], 3);
            expect_ok(s.backend->residual(s.machine, THIRD, FIRST)); /* b */
            expect_ok(s.backend->residual(s.machine, SOLUTION, SECOND));
            expect_ok(s.backend->apply(s.machine, SOLUTION, THIRD));
            expect_ok(s.backend->products(s.machine, THIRD, 1, (int[]){THIRD}, false, &size));
            expect_ok(s.backend->combine(s.machine, THIRD, 1, 1, (int[]){SECOND}, one));
            expect_ok(s.backend->combine(s.machine, THIRD, -1, 1, (int[]){FIRST}, one));
            expect_ok(s.backend->products(s.machine, THIRD, 1, (int[]){THIRD}, false, &difference));
            expect_below(cases[k], sqrt(difference / size), 3e-12);
            close_solver(&s);
        }
}

/* The place of a cell in the route of an octant. */
static int place_of(const struct solver *s, struct kn_site site)
{
    const int ncells = s->scene.space.ncells;
    int place = 0;
    while (s->plan.route[site.octant * ncells + place] != site.cell)
        place++;
    return place;
}

/* The equation of a control volume in a sweep: nothing flows in through facets, or from cells that come later
 * in the route. */
static double volume_defect(const struct solver *s, const float *g, const float *from, struct kn_site site,
                            int k)
{
    const struct kn_velocity *v = &s->scene.velocity;
    const struct kn_volume *own = kn_volumes_own(&s->scene.space.volumes, site.cell);
    const int64_t at = (int64_t)site.cell * v->nnodes + site.octant * v->stride + k;
    double sum = s->plan.frequency[k] * g[at] - from[at];
    for (int i = 0; own && i < own->pieces; i++) {
        const struct kn_piece *p = &s->scene.space.volumes.pieces[own->first_piece + i];
        const struct kn_site up = {kn_volumes_cell(p->cell), site.octant};
        const int64_t other = (int64_t)up.cell * v->nnodes + site.octant * v->stride + k;
        double flow = 0;
        for (int d = 0; d < 3; d++)
            flow += (double)kn_velocity_sign(v, site.octant, d) * v->speed[d][k] * p->area[d] / own->size;
        sum += flow > 0                                              ? flow * g[at]
               : p->axis >= 0 && place_of(s, up) < place_of(s, site) ? flow * g[other]
                                                                     : 0;
    }
    return sum;
}

/* The equation of one site, theory (61): g of the upwind cells that are computed before it flows in. */
static double defect(const struct solver *s, const float *g, const float *from, struct kn_site site, int k)
{
    const struct kn_mesh m = kn_backend_mesh(&s->scene.problem);
    const struct kn_space *x = &s->scene.space;
    if (kn_volumes_at(&x->volumes, site.cell) >= 0)
        return volume_defect(s, g, from, site, k);
    const int64_t at = kn_mesh_row(&m, site) + k;
    double sum = s->plan.frequency[k] * g[at] - from[at];
    for (int i = 0; i < m.naxes; i++) {
        const struct kn_site up = kn_mesh_walk(&m, site, m.axes[i], 0);
        const struct kn_link *link = up.cell < 0 ? kn_volumes_link(&x->volumes, x->nfaces, ~up.cell) : NULL;
        const struct kn_site beyond = {link ? kn_volumes_cell(link->beyond) : up.cell, site.octant};
        const bool follows =
            link ? place_of(s, beyond) < place_of(s, site) : kn_steady_follows(&m, site, up, m.axes[i]);
        const double inflow = follows ? g[kn_mesh_row(&m, beyond) + k] : 0;
        sum += s->scene.velocity.speed[m.axes[i]][k] / kn_mesh_width(&m, site.cell, m.axes[i]) *
               (g[at] - inflow);
    }
    return sum;
}

/* Sweeps solve their equations; the results are read in single precision. */
static void sweeps(void **state)
{
    (void)state;
    const double omega = 0.7;
    for (int i = 0; i < ntargets; i++)
        for (int k = 0; k < CASES; k++) {
            struct solver s;
            if (!solves(&targets[i], cases[k]))
                continue;
            open_solver(&s, &targets[i], cases[k], 3);
            struct scene *x = &s.scene;
            float *imaginary = calloc(x->rows, sizeof *imaginary);
            double worst = 0, largest = 1;
            expect_ok(s.backend->sweep(s.machine, 0, (int[]){SOLUTION, 0}, (int[]){FIRST, 0}));
            /* the imaginary part of the right-hand side is zero */
            expect_ok(s.backend->sweep(s.machine, omega, (int[]){SOLUTION, SECOND}, (int[]){THIRD, FOURTH}));
            read_vector(&s, FIRST, x->next);
            for (int o = 0; o < x->velocity.octants; o++)
                for (int cell = 0; cell < x->space.ncells; cell++)
                    for (int n = 0; n < x->velocity.size; n++)
                        worst = fmax(worst, fabs(defect(&s, x->next, x->h, (struct kn_site){cell, o}, n)));
            read_vector(&s, THIRD, x->next);
            read_vector(&s, FOURTH, imaginary);
            for (size_t n = 0; n < x->rows; n++)
                x->expected[n] = (float)(x->h[n] + omega * imaginary[n]);
            for (int o = 0; o < x->velocity.octants; o++)
                for (int cell = 0; cell < x->space.ncells; cell++)
                    for (int n = 0; n < x->velocity.size; n++)
                        worst =
                            fmax(worst, fabs(defect(&s, x->next, x->expected, (struct kn_site){cell, o}, n)));
            for (int d = 0; d < x->space.naxes; d++)
                largest +=
                    x->velocity.max_speed[x->space.axes[d]] / kn_case_narrowest_cell(&x->c, x->space.axes[d]);
            expect_below(cases[k], worst / largest, 1e-6);
            free(imaginary);
            close_solver(&s);
        }
}

/* vector <- trial function f of a cell. */
static void set_trial(struct solver *s, int vector, int cell, int f)
{
    const size_t n = (size_t)s->plan.functions;
    double *coefficients = calloc((size_t)s->scene.space.ncells * n, sizeof *coefficients);
    coefficients[(size_t)cell * n + (size_t)f] = 1;
    expect_ok(s->backend->combine(s->machine, vector, 0, 0, NULL, NULL));
    expect_ok(s->backend->prolong(s->machine, coefficients, vector));
    free(coefficients);
}

/* <phi, Q(x + g) - Q(x) - L g> are moments of a difference of residuals: transport and walls are affine. */
static void collisions_that_exceed_the_linear_ones(void **state)
{
    (void)state;
    const double one[1] = {1};
    for (int k = 0; k < NONLINEAR; k++) {
        struct solver s;
        open_solver(&s, &targets[0], nonlinear[k], 3);
        const size_t ncells = (size_t)s.scene.space.ncells, n = (size_t)s.plan.functions;
        double *moments = calloc(ncells * (n + 1), sizeof *moments), worst = 0, largest = 0, integral;
        set_trial(&s, FIRST, 1, 0);
        expect_ok(s.backend->combine(s.machine, FIRST, 0.5, 1, (int[]){SOLUTION}, (double[]){0.1}));
        expect_ok(s.backend->exceed(s.machine, SOLUTION, FIRST, moments));
        expect_ok(s.backend->apply(s.machine, FIRST, THIRD));
        expect_ok(s.backend->residual(s.machine, SOLUTION, SECOND));
        expect_ok(s.backend->combine(s.machine, FIRST, 1, 1, (int[]){SOLUTION}, one));
        expect_ok(s.backend->residual(s.machine, FIRST, FOURTH));
        expect_ok(s.backend->combine(s.machine, THIRD, 1, 2, (int[]){SECOND, FOURTH}, (double[]){-1, 1}));
        for (size_t cell = 0; cell < ncells; cell += 2)
            for (size_t f = 0; f < n; f++) {
                set_trial(&s, FIRST, (int)cell, (int)f);
                expect_ok(s.backend->products(s.machine, FIRST, 1, (int[]){THIRD}, false, &integral));
                integral /= s.plan.volume[cell];
                largest = fmax(largest, fabs(integral));
                worst = fmax(worst, fabs(integral - moments[cell * (n + 1) + f]));
            }
        expect_below(nonlinear[k], worst / largest, 1e-9);
        free(moments);
        close_solver(&s);
    }
}

/* The moment equations of control volumes are approximate.  They keep the mass, and a uniform gas is a
 * solution. */
static void moment_equations_of_volumes(void **state)
{
    (void)state;
    for (int k = SMOOTH; k < CASES; k++) {
        struct solver s;
        struct kn_coarse coarse;
        double largest = 0, worst = 0;
        open_solver(&s, &targets[0], cases[k], 3);
        expect_ok(kn_coarse_create(&coarse, &s.plan, 0));
        const int ncells = s.scene.space.ncells, n = s.plan.functions;
        const bool closed = s.plan.closed[0];
        for (int cell = 0; cell < ncells; cell++)
            for (int g = 0; g < n && s.plan.region[cell] >= 0; g++) {
                double mass = 0, uniform = 0;
                for (int other = 0; other < ncells; other++) {
                    // NOLINTNEXTLINE(readability-suspicious-call-argument): the transposed block
                    const double *column = kn_coarse_block(&coarse, other, cell),
                                 *row = kn_coarse_block(&coarse, cell, other);
                    mass += column ? s.plan.volume[other] * column[g] : 0;
                    uniform += row ? row[g * n] : 0;
                    largest = fmax(largest, row ? fabs(row[g * n]) : 0);
                }
                worst = closed ? fmax(worst, fmax(fabs(mass) / s.plan.volume[cell], fabs(uniform))) : worst;
            }
        expect_below(cases[k], worst / largest, 1e-6);
        kn_coarse_destroy(&coarse);
        close_solver(&s);
    }
}

/* Every element of some columns of the moment equations against R A P. */
static void moment_equations(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (int k = 0; k < SMOOTH; k++) {
        struct solver s;
        struct kn_coarse coarse;
        double worst = 0, largest = 0;
        open_solver(&s, &targets[0], cases[k], 3);
        expect_ok(kn_coarse_create(&coarse, &s.plan, 0));
        const int ncells = s.scene.space.ncells, n = s.plan.functions;
        for (int probe = 0; probe < 8; probe++) {
            const int column = (int)((double)ncells * fabs(expect_random(&seed))) % ncells,
                      g = (int)((double)n * fabs(expect_random(&seed))) % n;
            set_trial(&s, FIRST, column, g);
            expect_ok(s.backend->apply(s.machine, FIRST, SECOND));
            for (int cell = 0; cell < ncells; cell++)
                for (int f = 0; f < n; f++) {
                    const double *block = kn_coarse_block(&coarse, cell, column);
                    double probed;
                    set_trial(&s, THIRD, cell, f);
                    expect_ok(s.backend->products(s.machine, THIRD, 1, (int[]){SECOND}, false, &probed));
                    probed = s.plan.region[cell] < 0 ? block && f == g : probed / s.plan.volume[cell];
                    largest = fmax(largest, fabs(probed));
                    worst = fmax(worst, fabs(probed - (block ? block[f * n + g] : 0)));
                }
        }
        expect_below(cases[k], worst / largest, 1e-12);
        kn_coarse_destroy(&coarse);
        close_solver(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(residuals),        cmocka_unit_test(apply_is_the_slope_of_the_residual),
        cmocka_unit_test(sweeps),           cmocka_unit_test(collisions_that_exceed_the_linear_ones),
        cmocka_unit_test(moment_equations), cmocka_unit_test(moment_equations_of_volumes),
    };
    return cmocka_run_group_tests(tests, find_targets, NULL);
}
