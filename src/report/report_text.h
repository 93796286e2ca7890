/* JSON that may stand inside an HTML page, and numbers as base64 of their bits. */
#ifndef KN_REPORT_TEXT_H
#define KN_REPORT_TEXT_H

#include "knudsen.h"

#include <stddef.h>
#include <stdio.h>

/* A page that lacks a part because memory was short must not pass for a whole one.  Its parts allocate here
 * and pass statuses through here; whether memory was short since the last question, kn_report_lacked_memory
 * says. */
void *kn_report_allocate(size_t count, size_t size);
bool kn_report_succeeded(enum kn_status status);
bool kn_report_lacked_memory(void);

void kn_report_put_text(FILE *to, const char *text); /* "...", with nothing in it that HTML reads */
void kn_report_put_number(FILE *to, double value);   /* null where it is not finite */
void kn_report_put_html(FILE *to, const char *text); /* text of a page */
void kn_report_put_array(FILE *to, const double *values, size_t count); /* "base64", float64, little endian */

/* {"unit": ..., "si": {"unit": ..., "factor": ..., "offset": ...}}: what a number of the files is in, and how
 * it becomes one in SI; without the latter where si_unit is NULL. */
void kn_report_put_rule(FILE *to, const char *unit, const char *si_unit, double factor, double offset);

/* Remarks for the reader, gathered while the page is written. */
struct kn_report_notes {
    FILE *to;
    char *text; /* JSON strings, separated by commas */
    size_t size;
    int count;
};

int kn_report_notes_open(struct kn_report_notes *n); /* 0, or -1 without memory */
void kn_report_note(struct kn_report_notes *n, const char *format, ...) __attribute__((format(printf, 2, 3)));
void kn_report_notes_close(struct kn_report_notes *n); /* also frees the text */

#endif
