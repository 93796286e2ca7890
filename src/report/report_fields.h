/* The fields of a run for the page: those of the end, their averages, and the series. */
#ifndef KN_REPORT_FIELDS_H
#define KN_REPORT_FIELDS_H

#include "io/fields.h"
#include "report/report_text.h"

struct kn_report_gas {
    hid_t file; /* fields.h5; below 0: there is none */
    char path[KN_PATH];
    struct kn_fields_grid grid;
    size_t ncells;
    bool mean;    /* there are averages */
    bool damaged; /* values could not be read while they were printed */
};

/* A file that is not there is no error; one that cannot be read, or is damaged, is KN_EIO. */
enum kn_status kn_report_fields_open(struct kn_report_gas *g, const char *folder);
void kn_report_fields_close(struct kn_report_gas *g);

/* All of it as one JSON object of about `bytes` at most; what is left out, the notes say. */
void kn_report_fields_print(FILE *to, struct kn_report_gas *g, double bytes, struct kn_report_notes *notes);

#endif
