/* Parts of the data of a report page: arrays, units and notes, as JSON. */
#ifndef KN_REPORT_DATA_H
#define KN_REPORT_DATA_H

#include "config/scales.h"
#include "files/json.h"

/* Numbers as a string: base64 of float64, lowest byte first. */
json_t *kn_report_data_array(const double *values, size_t count);

/* {"unit": ..., "si": {"unit": ..., "factor": ..., "offset": ...}}: the unit of numbers in the files, and
 * their conversion to SI unless si_unit is NULL. */
json_t *kn_report_data_unit(const char *unit, const char *si_unit, struct kn_conversion by);

/* Add a sentence to the list of notes of the page. */
void kn_report_data_note(json_t *notes, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
