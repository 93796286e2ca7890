/* `knudsen report`: one HTML page that contains a run and needs no other file. */
#ifndef KN_REPORT_H
#define KN_REPORT_H

#include "knudsen.h"

struct kn_report_options {
    const char *folder; /* of a finished or unfinished run */
    const char *output; /* .html; NULL: folder/report.html */
    double megabytes;   /* approximate limit of the size of the page; 0: 40 */
};

/* Write the page; path[size] receives its name. */
enum kn_status kn_report(const struct kn_report_options *options, char *path, size_t size);

#endif
