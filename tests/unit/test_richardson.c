/* Limits and slopes of results on ever finer grids. */
#include "expect.h"

#include "richardson.h"

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

static void too_little_is_refused(void **state)
{
    (void)state;
    const double one[] = {0.1}, same[] = {1, 1};
    double limit = 7, factor;
    assert_false(kn_richardson_limit(one, one, 1, 1, &limit));
    assert_true(limit == 7);
    assert_true(isnan(kn_richardson_slope(one, one, 1, 1, &factor)) && isnan(factor));
    assert_true(isnan(kn_richardson_slope(sizes, same, 2, 1, &factor))); /* the limit itself */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pure_powers_are_found),
        cmocka_unit_test(coarse_grids_do_not_move_the_limit),
        cmocka_unit_test(the_line_is_that_of_least_squares),
        cmocka_unit_test(too_little_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
