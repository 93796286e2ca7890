/* Measures of shocks, and of waves that decay. */
#ifndef KN_MEASURE_WAVE_H
#define KN_MEASURE_WAVE_H

#include "verify/measure_text.h"
#include "verify/record.h"

/* Along the first row of cells in x, measure.h; NaN where there is no shock. */
double kn_measure_thickness(const struct kn_record *r, const double *fields, int field);
double kn_measure_lead(const struct kn_record *r, const double *fields, int field);
double kn_measure_profile(const struct kn_record *r, const double *fields, int field, double x);

/* Rates and frequency of the initial wave in the second half of the rows. */
double kn_measure_mode(const struct kn_record *r, int64_t rows, const struct kn_measure_text *q);

#endif
