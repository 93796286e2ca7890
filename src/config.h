/* The case file: one table of keys from which parsing, checks, help and docs come. */
#ifndef KN_CONFIG_H
#define KN_CONFIG_H

#include "knudsen.h"

#include <stdio.h>

enum kn_type { KN_TYPE_REAL, KN_TYPE_INT, KN_TYPE_COUNT64, KN_TYPE_BOOL, KN_TYPE_CHOICE, KN_TYPE_WORD };

/* One value a choice may take. */
struct kn_choice {
    const char *name;
    int value;
    const char *doc;
};

/* One key.  "walls.*" keys stand for all six sides. */
struct kn_key {
    const char *name;
    enum kn_type type;
    int count;                 /* values the key takes at most; 3 = one per axis */
    size_t offset;             /* in struct kn_case (or struct kn_wall for walls.*) */
    const char *initial;       /* the default, written as in a case file */
    const char *unit;
    double low, high;          /* allowed range, both ends included */
    const struct kn_choice *choices;
    const char *doc;
};

extern const struct kn_key kn_config_keys[]; /* ends with a NULL name */

/* Print the help of one key, or of all; false when there is no such key. */
bool kn_config_help(FILE *to, const char *name);
void kn_config_help_all(FILE *to);

/* docs/input.md. */
void kn_config_write_markdown(FILE *to);

/* The whole case with every key, as YAML that kn_case_load reads back to the
 * same bits.  With json set, as one JSON object. */
void kn_config_print(FILE *to, const struct kn_case *c, bool json);

/* A number that changes whenever a key that shapes the solution changes
 * (time.end, output.*, run.threads and the like do not). */
uint64_t kn_config_fingerprint(const struct kn_case *c);

/* Name of a choice's value, for messages. */
const char *kn_config_choice_name(const char *key, int value);

#endif
