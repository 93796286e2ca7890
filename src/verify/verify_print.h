/* What knudsen verify prints. */
#ifndef KN_VERIFY_PRINT_H
#define KN_VERIFY_PRINT_H

#include "verify/verify.h"

#include <stdio.h>

enum { KN_VERIFY_SOURCES = 64 };

/* A table, or JSON, that grows by a row as soon as a check is done. */
struct kn_verify_table {
    bool json;
    int planned; /* checks there are to do, */
    int checks, failed, open;
    const char *name, *conditions; /* of the row that was printed last */
    int nsources;                  /* that were named so far */
    char source[KN_VERIFY_SOURCES][256];
    char backend[16];
};

void kn_verify_print_row(struct kn_verify_table *t, const struct kn_verify_result *result);

/* A row of a table case, quantity, conditions, reference, source, Knudsen, deviation, allowed, verdict. */
void kn_verify_print_markdown(FILE *to, const struct kn_verify_result *result);

/* Sources, and how many checks pass. */
void kn_verify_print_end(const struct kn_verify_table *t, double seconds);

/* Which run is under way. */
struct kn_verify_progress {
    const char *name;  /* of the case */
    const char *what;  /* which of its runs, */
    const char *doing; /* what is prepared for it; "" = nothing */
    double part;       /* done, 0 to 1 */
};

/* Say so on the standard error, now and then; NULL: take it back, something else is printed. */
void kn_verify_print_progress(const struct kn_verify_progress *now);

#endif
