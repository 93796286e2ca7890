/* `knudsen report`: one page of HTML that holds a run and needs nothing else to be looked at. */
#ifndef KN_REPORT_H
#define KN_REPORT_H

#include "knudsen.h"

struct kn_report_options {
    const char *folder; /* that knudsen run has written, to its end or not */
    const char *output; /* .html; NULL = folder/report.html */
    double megabytes;   /* about how large the page may become; 0 = 40 */
};

/* Write the page; its name into path[size]. */
enum kn_status kn_report(const struct kn_report_options *options, char *path, size_t size);

#endif
