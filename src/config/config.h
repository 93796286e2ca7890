/* The case file: the table of keys, and its use for parsing, checks, help and documents. */
#ifndef KN_CONFIG_H
#define KN_CONFIG_H

#include "config/case.h"
#include "config/units.h"
#include "knudsen.h"

#include <stdio.h>

enum kn_type {
    KN_TYPE_REAL,
    KN_TYPE_INT,
    KN_TYPE_COUNT64,
    KN_TYPE_BOOL,
    KN_TYPE_CHOICE,
    KN_TYPE_WORD,
    KN_TYPE_FILE
};

enum kn_key_flag {
    KN_KEY_SHAPES = 1,    /* affects the solution: part of the fingerprint */
    KN_KEY_CORNER = 2,    /* its group may be a list of the values of its keys */
    KN_KEY_ABOVE_LOW = 4, /* the low end of the range is excluded */
    KN_KEY_EVEN = 8,      /* an even number */
    KN_KEY_SPREAD = 16,   /* one value applies to all axes */
    KN_KEY_AXES = 32,     /* lists the axes of the case: the others have 1 cell and periodic ends */
    KN_KEY_AUTO = 64,     /* the word auto is stored as the number `automatic` */
    KN_KEY_PAIRS = 128,   /* the values are pairs and may be written as a list of lists */
    KN_KEY_POINTS = 256,  /* any number of values from one on; the others are stored as `automatic` */
    KN_KEY_LAST = 512     /* one value is the last one: a vector along z */
};

/* Keys that the items of a list have in common: the sides of the box, and items that the case file names. */
enum kn_list { KN_LIST_NONE, KN_LIST_WALLS, KN_LIST_BODIES, KN_LIST_PORTS, KN_LISTS };

/* One value a choice may take. */
struct kn_choice {
    const char *name; /* NULL ends the list */
    int value;
    const char *doc;
};

/* One key. */
struct kn_key {
    const char *name; /* "walls.<side>.kind" stands for all six sides */
    enum kn_list list;
    enum kn_type type;
    int count;           /* largest number of values; 3 = one per axis */
    size_t offset;       /* in struct kn_case, or in an item of the list */
    size_t chosen;       /* likewise, of a flag that is set with the key; 0: there is none */
    const char *initial; /* the default, written as in a case file */
    const char *unit;    /* NULL = a pure number or a word */
    double low, high;    /* allowed range, both ends included */
    unsigned flags;      /* enum kn_key_flag */
    double automatic;    /* with KN_KEY_AUTO; outside the range */
    const struct kn_choice *choices;
    enum kn_dimension dimension; /* of a value with a unit */
    const char *doc;
};

/* One group of keys: the word before the first dot. */
struct kn_group {
    const char *name; /* NULL ends the list */
    const char *doc;
};

extern const struct kn_key kn_config_keys[]; /* ends with a NULL name */
extern const struct kn_group kn_config_groups[];

enum { KN_SETTINGS = KN_CASE_SETTINGS, KN_NAME = 64, KN_TEXT = 512 };

/* Marks a value of kn_case.si with the second dimension of its key, in addition to its own bit. */
enum { KN_SI_OTHER = 1 << KN_CASE_VALUES };

struct kn_setting {
    const struct kn_key *key;
    int item;           /* of the list of the key */
    int index;          /* in kn_case.si; it does not depend on the case */
    char name[KN_NAME]; /* "walls.top.kind" */
};

/* ---- config_lists.c: the settings of a case, which are the keys, with those of lists for every item. */

/* The first setting from number `index` on, in the order of the table; false after the last.  A loop
 * continues from s->index + 1.  Without a case (NULL): those that every case has. */
bool kn_config_setting(const struct kn_case *c, int index, struct kn_setting *s);
bool kn_config_find(const struct kn_case *c, const char *name, struct kn_setting *s);
bool kn_config_is_group(const struct kn_case *c, const char *name);

/* The list of this name, whose items the case file names: "bodies"; KN_LIST_NONE if there is none. */
enum kn_list kn_config_open_list(const char *name, size_t length);
const char *kn_config_list_name(enum kn_list list);

/* Name of an item of a list; "": there is none at this position. */
const char *kn_config_item_name(const struct kn_case *c, enum kn_list list, int item);

/* Add the item of a name such as "bodies.bar.box" unless it exists, with the defaults of its keys.  False
 * with a reason if the word is no name or the list is full. */
bool kn_config_add_item(struct kn_case *c, const char *name, char why[KN_TEXT]);

/* The first item that only one of two cases has, as "bodies.bar"; false: there is none. */
bool kn_config_items_differ(const struct kn_case *a, const struct kn_case *b, char name[KN_NAME]);

/* The name of a key with the item of another name: "bodies.bar.box" of "bodies.<name>.box" and "bodies.bar".
 */
void kn_config_key_name(const struct kn_key *key, const char *like, char name[KN_NAME]);

/* Store the default of one value. */
void kn_config_store_initial(struct kn_case *c, const struct kn_setting *s, int index);

/* The dimension of a value with a unit. */
enum kn_dimension kn_config_dimension(const struct kn_case *c, const struct kn_setting *s, int index);

/* The address of the first value of a setting in a case. */
void *kn_config_target(struct kn_case *c, const struct kn_setting *s);

/* Record that the case sets the key, for defaults that depend on it. */
void kn_config_choose(struct kn_case *c, const struct kn_setting *s);

/* Store text as one of the values at target; on failure `why` states the error and the allowed values.  A
 * value with a unit is stored in *si instead; si->value is NAN otherwise. */
bool kn_config_store(const struct kn_key *key, void *target, int index, const char *text, size_t length,
                     struct kn_si_value *si, char why[KN_TEXT]);

/* Check a stored value, with the same messages. */
bool kn_config_check_value(const struct kn_key *key, const void *target, int index, char why[KN_TEXT]);

/* Number of values that are stored; fewer than its count for a key with KN_KEY_POINTS. */
int kn_config_count(const struct kn_key *key, const void *target);

/* The default of one value, written as in a case file. */
void kn_config_initial(const struct kn_key *key, int index, char text[KN_NAME]);

/* Steps between two evaluations of the gas. */
static inline int kn_config_history(const struct kn_case *c)
{
    enum { USUAL = 10 };
    const int chosen = kn_case_iterates(c) ? 1 : USUAL;
    return c->output.history == KN_HISTORY_AUTO ? chosen : c->output.history;
}

/* Bound on residual and update of a steady state. A residual causes an error that grows with the density. */
static inline double kn_config_iteration_tolerance(const struct kn_case *c)
{
    const double dense = 1000, delta = c->gas.delta;
    return 0.01 * c->time.tolerance * (delta > dense ? dense / delta : 1);
}

/* True if the value is that of the word auto. */
bool kn_config_is_auto(const struct kn_key *key, const void *target, int index);

/* Shortest text that reads back to the same bits. */
void kn_config_number_text(double value, char text[KN_NAME]);
void kn_config_value_text(const struct kn_key *key, const void *target, int index, char text[KN_NAME]);

/* "0 to 1", "even, 2 to 64", "bgk, none". */
void kn_config_range_text(const struct kn_key *key, char text[KN_TEXT]);

/* Text of the user for a message: printable, at most about 60 bytes. */
void kn_config_quote(const char *text, size_t length, char quoted[KN_NAME + 8]);

/* The edit distance of two words, and whether `word` may be a misspelling of `name`. */
int kn_config_distance(const char *word, const char *name);
bool kn_config_is_near(const char *word, const char *name);

/* True if a key or a value refers to a feature that is not supported; the text describes an alternative. */
bool kn_config_unsupported(const char *name, char text[KN_TEXT]);

/* The key with the most similar spelling; false if there is none. */
bool kn_config_suggest(const struct kn_case *c, const char *word, char name[KN_NAME]);

/* The place of each setting, for messages about contradictions.  The strings belong to the caller. */
struct kn_places {
    struct kn_place {
        const char *file;
        int line, column;
        const char *assignment; /* of --set */
    } at[KN_SETTINGS];
};

/* Like kn_case_load and kn_case_set; they also record places unless `places` is NULL. */
enum kn_status kn_config_load(struct kn_case *c, const char *path, struct kn_places *places);
enum kn_status kn_config_set(struct kn_case *c, const char *assignment, struct kn_places *places);

/* Read text as the contents of a file `name`. */
enum kn_status kn_config_parse(struct kn_case *c, const char *text, size_t size, const char *name,
                               struct kn_places *places);

/* If the last error message begins with a key that has a place, insert the place before it.  Returns the
 * status. */
enum kn_status kn_config_locate(const struct kn_case *c, const struct kn_places *places,
                                enum kn_status status);

/* The part of kn_case_check for one side of the box, except ranges. */
enum kn_status kn_config_check_side(const struct kn_case *c, enum kn_side side);

/* The part of it for the surface of a wall or a body of a list. */
enum kn_status kn_config_check_surface(const struct kn_case *c, const struct kn_wall *w, const char *list,
                                       const char *name);

/* KN_EINPUT with the message "list.name.key: ...", or "list.name: ..." if the key is empty. */
enum kn_status kn_config_fail(const char *list, const char *name, const char *key, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Put the key of a file before the message about it, if the file cannot be used. */
enum kn_status kn_config_add_key(enum kn_status status, const char *list, const char *name, const char *key);

double kn_config_memory_available(void);                     /* bytes that this process may still use */
void kn_config_bytes_text(double bytes, char text[KN_NAME]); /* "1.5 GB" */

/* KN_EMEMORY if a case with this number of bytes does not fit. */
enum kn_status kn_config_check_memory(double bytes);

/* Print the help of a key or group, or of all keys; false if there is no such key. */
bool kn_config_help(FILE *to, const char *name);
void kn_config_help_all(FILE *to);

/* Print the keys with this word as a part of their name or as a choice; false if there is none. */
bool kn_config_help_word(FILE *to, const char *word);

/* The tables of docs/input.md. */
void kn_config_write_markdown(FILE *to);

/* Print the whole case with every key as YAML, with the units that the case file gave.  kn_case_load reads it
 * back to the same bits. */
void kn_config_print(FILE *to, const struct kn_case *c);

/* The whole case as JSON: numbers without units, with the pressure and length that follow from them. */
struct json_t *kn_config_json(const struct kn_case *c);

/* A number that changes with every key that affects the solution (time.end and run.threads do not). */
uint64_t kn_config_fingerprint(const struct kn_case *c);

/* The first different key that affects the solution, with both values as text; false if there is none. */
bool kn_config_differ(const struct kn_case *a, const struct kn_case *b, char name[KN_NAME],
                      char of_a[KN_TEXT], char of_b[KN_TEXT]);

/* Name of the value of a choice, for messages; the key of a wall may have any side. */
const char *kn_config_choice_name(const char *key, int value);

#endif
