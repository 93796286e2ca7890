/* reference.csv: what is known about a case, and from where. */
#ifndef KN_REFERENCE_H
#define KN_REFERENCE_H

#include "knudsen.h"

/* When a value is compared with a run. */
enum kn_check {
    KN_CHECK_NEVER, /* for the reader only */
    KN_CHECK_QUICK,
    KN_CHECK_FULL,
};

struct kn_reference_row {
    int line;             /* of the file */
    const char *quantity; /* measure.h */
    double value;
    double uncertainty; /* NaN: not stated; then the row is for the reader */
    const char *source;
    const char *conditions; /* in words */
    const char *settings;   /* key=value over case.yaml, separated by spaces */
    enum kn_check check;
    double bar;    /* the deviation that is claimed at most, absolute; NaN: none */
    bool relative; /* the bar was given in per cent */
};

struct kn_reference {
    int rows;
    struct kn_reference_row *row; /* [rows] */
    char *text;                   /* the file; words point into it */
};

/* Read a file whose first line is quantity,value,uncertainty,source,conditions,settings,check,bar.
 * A field with commas stands in double quotes.  Errors name file and line. */
enum kn_status kn_reference_read(struct kn_reference *f, const char *path);
void kn_reference_destroy(struct kn_reference *f);

/* Settings over a case, one by one. */
enum kn_status kn_reference_apply(struct kn_case *c, const char *settings);

#endif
