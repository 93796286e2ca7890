/* A row of a monitor with a few columns, as in history.csv and summary.json. */
#ifndef ROW_H
#define ROW_H

#include "monitor/monitor.h"

#include <math.h>

static struct kn_column columns[] = {
    {"step", "1", offsetof(struct kn_row, step), KN_DIMENSION_NONE},
    {"time", "lambda0 / V0", offsetof(struct kn_row, time), KN_DIMENSION_TIME},
    {"residual", "V0 / lambda0", offsetof(struct kn_row, residual), KN_DIMENSION_RATE},
    {"D", "1", offsetof(struct kn_row, drag), KN_DIMENSION_NONE},
    {"top.stress_x", "p0 eps", offsetof(struct kn_row, stress[KN_TOP][0]), KN_DIMENSION_STRESS},
    {"top.stress_y", "p0 eps", offsetof(struct kn_row, stress[KN_TOP][1]), KN_DIMENSION_STRESS},
    {"top.stress_z", "p0 eps", offsetof(struct kn_row, stress[KN_TOP][2]), KN_DIMENSION_STRESS},
    {"top.heat_flux", "p0 V0 eps", offsetof(struct kn_row, heat_flux[KN_TOP]), KN_DIMENSION_HEAT_FLUX},
    {"top.mass_flux", "n0 V0 eps", offsetof(struct kn_row, mass_flux[KN_TOP]), KN_DIMENSION_MASS_FLUX},
};
enum { NCOLUMNS = sizeof columns / sizeof *columns };

static inline void set_row(struct kn_monitor *m, double step)
{
    m->row = (struct kn_row){.step = step, .time = step / 10, .residual = NAN, .drag = 0.5};
    m->row.stress[KN_TOP][0] = -0.3;
    m->row.stress[KN_TOP][1] = 0.125;
    m->row.stress[KN_TOP][2] = 0.4;
    m->row.mass_flux[KN_TOP] = INFINITY;
}

#endif
