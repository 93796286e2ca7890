/* Reading, building and writing JSON documents, on top of jansson. */
#ifndef KN_JSON_H
#define KN_JSON_H

#include "knudsen.h"

#include <jansson.h>
#include <stdio.h>

/* Read an untrusted file.  *root is NULL if there is no file or if it is empty.
 * KN_EINPUT: it is not a JSON object. */
enum kn_status kn_json_read(const char *path, json_t **root);

/* Every call takes over the reference to the value.  If memory is short a document may lack a part;
 * kn_json_print then reports KN_EMEMORY. */
void kn_json_set(json_t *object, const char *key, json_t *value);
void kn_json_append(json_t *array, json_t *value);

/* Release a document that is not printed. */
void kn_json_drop(json_t *root);

json_t *kn_json_number(double value);      /* null if it is not finite */
json_t *kn_json_text(const char *text);    /* bytes that are not UTF-8 become '?' */
json_t *kn_json_vector(const double v[3]); /* [x, y, z] */

struct kn_json_entry {
    const char *key;
    double value;
};
void kn_json_set_numbers(json_t *object, const struct kn_json_entry *entries, size_t count);

struct kn_json_layout {
    int levels; /* of objects, and arrays of objects, with a line per member; 0: everything on one line */
    bool html;  /* escape the characters that HTML interprets */
};

/* Write a document without a final line feed and release it.  Numbers have the fewest digits that read back
 * to the same bits.  Errors of the stream are left to the caller. */
enum kn_status kn_json_print(FILE *to, json_t *root, struct kn_json_layout layout);

/* Write a document as one line of stdout and release it. */
enum kn_status kn_json_print_line(FILE *to, json_t *root);

#endif
