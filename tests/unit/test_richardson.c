/* Limits and slopes of results on ever finer grids. */
#include "expect.h"

#include "monitor/fit.h"
#include "studies/richardson.h"

enum { GRIDS = 4 };
static const double sizes[GRIDS] = {1.0 / 20, 1.0 / 40, 1.0 / 80, 1.0 / 160};

static void fill(double value[GRIDS], double limit, double factor, double power)
{
    for (int i = 0; i < GRIDS; i++)
        value[i] = limit * (1 - factor * pow(sizes[i], power));
}

static void pure_powers_are_found(void **state)
{
    (void)state;
    for (int order = 1; order <= 2; order++) {
        double value[GRIDS], limit, factor;
        fill(value, 0.6389, 3, order);
        assert_true(kn_richardson_limit(sizes, value, GRIDS, order, &limit));
        expect_relative("limit", limit, 0.6389, 1e-12);
        expect_near("slope", kn_richardson_slope(sizes, value, GRIDS, limit, &factor), order, 1e-9);
        expect_relative("factor", factor, 3, 1e-8);
        expect_near("order", kn_richardson_order(sizes, value, GRIDS), order, 1e-9);
    }
}

/* Only the finest three count for the limit, all for the slope. */
static void coarse_grids_do_not_move_the_limit(void **state)
{
    (void)state;
    double value[GRIDS], limit, factor;
    fill(value, 0.1, 2, 1);
    value[0] *= 1.5;
    assert_true(kn_richardson_limit(sizes, value, GRIDS, 1, &limit));
    expect_relative("limit", limit, 0.1, 1e-12);
    assert_true(fabs(kn_richardson_slope(sizes, value, GRIDS, limit, &factor) - 1) > 0.1);
}

/* 1 + x - x^2 at x = 1, 2, 4: the least-squares line 6 - 29/7 x, by hand. */
static void the_line_is_that_of_least_squares(void **state)
{
    (void)state;
    const double h[] = {4, 2, 1}, value[] = {-11, -1, 1};
    double limit;
    assert_true(kn_richardson_limit(h, value, 3, 1, &limit));
    expect_relative("limit", limit, 6, 1e-12);
}

/* A limit that assumes the wrong order brings its own slope back; the free order does not. */
static void a_wrong_order_is_seen(void **state)
{
    (void)state;
    const double h[] = {1.0 / 12, 1.0 / 16, 1.0 / 24};
    double value[3], limit, factor;
    for (int i = 0; i < 3; i++)
        value[i] = 1 - h[i];
    assert_true(kn_richardson_limit(h, value, 3, 2, &limit));
    assert_true(limit < 0.98 && kn_richardson_slope(h, value, 3, limit, &factor) > 1.8);
    expect_near("order", kn_richardson_order(h, value, 3), 1, 1e-9);
}

/* Through powers exactly; through others by least squares of the logarithms: (0, 0), (1, 0), (2, 3) have the
 * slope 3/2, by hand. */
static void powers_are_fitted(void **state)
{
    (void)state;
    const double x[] = {128, 512, 2048, 8192}, nodes[] = {1, M_E, M_E * M_E};
    double y[4], a[2] = {7, 7};
    for (int i = 0; i < 4; i++)
        y[i] = 0.3 / sqrt(x[i]);
    assert_true(kn_fit_power(x, y, 4, a));
    expect_relative("factor", a[0], 0.3, 1e-12);
    expect_near("power", a[1], -0.5, 1e-12);
    assert_true(kn_fit_power(nodes, (double[]){1, 1, exp(3)}, 3, a));
    expect_near("least squares", a[1], 1.5, 1e-12);
    expect_relative("and the factor", a[0], exp(-0.5), 1e-12);
    a[0] = a[1] = 7;
    assert_false(kn_fit_power(x, y, 1, a) || kn_fit_power(x, (double[]){1, 0}, 2, a) ||
                 kn_fit_power(x, (double[]){1, NAN}, 2, a) || kn_fit_power((double[]){0, 1}, y, 2, a) ||
                 kn_fit_power((double[]){2, 2}, y, 2, a) || kn_fit_power(x, (double[]){-1, 1}, 2, a));
    assert_true(a[0] == 7 && a[1] == 7);
}

static void too_little_is_refused(void **state)
{
    (void)state;
    const double one[] = {0.1}, same[] = {1, 1};
    double limit = 7, factor;
    assert_false(kn_richardson_limit(one, one, 1, 1, &limit));
    assert_true(limit == 7);
    assert_true(isnan(kn_richardson_slope(one, one, 1, 1, &factor)) && isnan(factor));
    assert_true(isnan(kn_richardson_slope(sizes, same, 2, 1, &factor))); /* the limit itself */
    const double to_and_fro[] = {1, 2, 1};
    assert_true(isnan(kn_richardson_order(sizes, to_and_fro, 3)) &&
                isnan(kn_richardson_order(sizes, same, 2)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pure_powers_are_found),
        cmocka_unit_test(coarse_grids_do_not_move_the_limit),
        cmocka_unit_test(the_line_is_that_of_least_squares),
        cmocka_unit_test(a_wrong_order_is_seen),
        cmocka_unit_test(powers_are_fitted),
        cmocka_unit_test(too_little_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
