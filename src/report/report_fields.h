/* The fields of a run for the report page: the final ones, their averages, and the series. */
#ifndef KN_REPORT_FIELDS_H
#define KN_REPORT_FIELDS_H

#include "config/scales.h"
#include "files/json.h"
#include "io/fields.h"

struct kn_report_gas {
    hid_t file; /* fields.h5; negative: there is none */
    char path[KN_PATH];
    struct kn_fields_grid grid;
    size_t ncells;
    bool mean;    /* there are averages */
    bool damaged; /* some values cannot be read */
};

/* A missing file is no error; one that cannot be read, or is damaged, is KN_EIO. */
enum kn_status kn_report_fields_open(struct kn_report_gas *g, const char *folder);
void kn_report_fields_close(struct kn_report_gas *g);

/* One object of about `bytes` at most; the notes describe omitted parts. */
json_t *kn_report_fields_json(struct kn_report_gas *g, double bytes, json_t *notes);

/* Numbers as a string: base64 of float64, lowest byte first. */
json_t *kn_report_fields_array(const double *values, size_t count);

/* {"unit": ..., "si": {"unit": ..., "factor": ..., "offset": ...}}: the unit of numbers in the files, and
 * their conversion to SI unless si_unit is NULL. */
json_t *kn_report_fields_unit(const char *unit, const char *si_unit, struct kn_conversion by);

/* Add a sentence to the list of notes of the page. */
void kn_report_fields_note(json_t *notes, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
