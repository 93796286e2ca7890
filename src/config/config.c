/* Reads a case file or an assignment; errors have the form "place: key: problem (allowed values)". */
#include "config/config.h"
#include "config/case.h"
#include "config/scales.h"
#include "error.h"
#include "files/files.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <yaml.h>

enum {
    FILE_LIMIT = 1 << 20, /* bytes */
    DEPTH_LIMIT = 8,      /* walls, top, oscillation, velocity, list is 5 */
    PLACE = 400,
};

/* One source of settings: a file or an assignment. */
struct reader {
    struct kn_case c;       /* a copy: after an error the case is unchanged */
    const char *file;       /* or NULL */
    const char *assignment; /* of --set, or NULL */
    const char *text;       /* [size], not terminated */
    size_t size;
    yaml_document_t document;
    struct kn_places places; /* set by this source */
};

/* Of a long path only the end is shown. */
static void place_text(const struct kn_place *at, char text[PLACE])
{
    if (at->assignment) {
        char quoted[KN_NAME + 8];
        kn_config_quote(at->assignment, strlen(at->assignment), quoted);
        snprintf(text, PLACE, "--set %s", quoted);
        return;
    }
    size_t length = strlen(at->file), skip = length > 300 ? length - 300 : 0;
    int n = snprintf(text, PLACE, "%s%s", skip ? "..." : "", at->file + skip);
    for (char *byte = text; *byte; byte++)
        if ((unsigned char)*byte < ' ' || *byte == 127)
            *byte = '?';
    snprintf(text + n, (size_t)(PLACE - n), ":%d:%d", at->line, at->column);
}

static struct kn_place place_of(const struct reader *r, yaml_mark_t mark)
{
    return (struct kn_place){r->file, (int)mark.line + 1, (int)mark.column + 1, r->assignment};
}

__attribute__((format(printf, 4, 5))) static enum kn_status fail(const struct reader *r, yaml_mark_t mark,
                                                                 const char *key, const char *format, ...)
{
    char text[KN_TEXT], place[PLACE];
    struct kn_place at = place_of(r, mark);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    place_text(&at, place);
    return kn_error_set(KN_EINPUT, "%s: %s%s%s", place, key, *key ? ": " : "", text);
}

enum kn_status kn_config_locate(const struct kn_case *c, const struct kn_places *places,
                                enum kn_status status)
{
    struct kn_setting s;
    char message[1024], place[PLACE];
    snprintf(message, sizeof message, "%s", kn_error_message());
    char *colon = strstr(message, ": ");
    if (status == KN_OK || !colon)
        return status;
    *colon = '\0';
    if (!kn_config_find(c, message, &s) || s.index >= KN_SETTINGS)
        return status;
    const struct kn_place *at = &places->at[s.index];
    for (int i = 0; i < KN_SETTINGS && !at->file && !at->assignment; i++)
        if (places->at[i].file) /* a missing key has no line, but belongs to the file */
            return kn_error_set(status, "%.300s: %s: %s", places->at[i].file, message, colon + 2);
    if (!at->file && !at->assignment)
        return status;
    place_text(at, place);
    return kn_error_set(status, "%s: %s: %s", place, message, colon + 2);
}

/* Default kinds of sides: walls on the listed axes, periodic on the others. */
static void follow_axes(struct kn_case *c, int listed)
{
    for (int side = 0; side < KN_SIDES; side++)
        if (!c->walls[side].kind_set)
            c->walls[side].kind = side / 2 < listed ? KN_WALL_DIFFUSE : KN_WALL_PERIODIC;
}

void kn_case_default(struct kn_case *c)
{
    struct kn_setting s;
    memset(c, 0, sizeof *c);
    for (int i = 0; kn_config_setting(NULL, i, &s); i = s.index + 1)
        for (int index = 0; index < s.key->count; index++)
            kn_config_store_initial(c, &s, index);
    c->space.cells[2] = 1;
    follow_axes(c, 2);
}

/* The default exponent is that of the molecules; for vhs that of the species, or of argon. */
static void follow_molecules(struct kn_case *c)
{
    const struct kn_species_data *species =
        kn_species_find(c->gas.species != KN_SPECIES_NONE ? c->gas.species : KN_SPECIES_ARGON);
    if (c->gas.omega_set)
        return;
    c->gas.omega = species->omega;
    c->gas.omega = kn_case_omega(c);
}

/* Fill the values that a list does not contain, and the defaults that depend on the setting. */
static void fill_rest(struct kn_case *c, const struct kn_setting *s, int given)
{
    int *values = kn_config_target(c, s); /* both flags are used for integers only */
    for (int index = given; index < s->key->count; index++) {
        if (s->key->flags & KN_KEY_AXES)
            values[index] = 1;
        else if ((s->key->flags & KN_KEY_SPREAD) && given == 1)
            values[index] = values[0];
        else
            kn_config_store_initial(c, s, index);
    }
    if (s->key->flags & KN_KEY_AXES)
        follow_axes(c, given);
    kn_config_choose(c, s);
    follow_molecules(c);
}

static const char *type_name(const struct kn_key *key)
{
    if (key->choices)
        return "one of the choices";
    return key->type == KN_TYPE_REAL ? "a number" : "a whole number";
}

/* Make the path of a file absolute: relative ones begin in the folder of the case file. */
static enum kn_status find_file(struct reader *r, const struct kn_setting *s, const yaml_node_t *node)
{
    char *path = kn_config_target(&r->c, s), whole[2 * KN_PATH] = "";
    const char *slash = r->file ? strrchr(r->file, '/') : NULL;
    const int folder = slash ? (int)(slash - r->file) + 1 : 0;
    if (!*path || *path == '/')
        return KN_OK;
    if ((folder == 0 || *r->file != '/') && !getcwd(whole, KN_PATH))
        return fail(r, node->start_mark, s->name, "the current folder is not known (use an absolute path)");
    const size_t length = strlen(whole);
    snprintf(whole + length, sizeof whole - length, "%s%.*s%s", length ? "/" : "", folder,
             folder ? r->file : "", path);
    if (strlen(whole) >= KN_FILE)
        return fail(r, node->start_mark, s->name, "the path is longer than %d bytes", KN_FILE - 1);
    memcpy(path, whole, strlen(whole) + 1);
    return KN_OK;
}

static enum kn_status read_scalar(struct reader *r, const struct kn_setting *s, const yaml_node_t *node,
                                  int index)
{
    char why[KN_TEXT];
    struct kn_si_value si;
    if (node->type != YAML_SCALAR_NODE && strcmp(s->name, "gas.species") == 0 &&
        kn_config_unsupported("mixture", why))
        return fail(r, node->start_mark, s->name, "%s", why);
    if (node->type != YAML_SCALAR_NODE)
        return fail(r, node->start_mark, s->name, "expected %s, found a %s", type_name(s->key),
                    node->type == YAML_SEQUENCE_NODE ? "list" : "group of keys");
    if (!kn_config_store(s->key, kn_config_target(&r->c, s), index, (const char *)node->data.scalar.value,
                         node->data.scalar.length, &si, why))
        return fail(r, node->start_mark, s->name, "%s", why);
    if (s->key->type == KN_TYPE_FILE)
        return find_file(r, s, node);
    if (isfinite(si.value)) {
        const bool other = si.dimension != s->key->dimension;
        r->c.si.given[s->index] |= ((other ? 1U + KN_SI_OTHER : 1U) << index);
        r->c.si.value[s->index][index] = si.value;
        r->c.si.number[s->index][index] = ((const double *)kn_config_target(&r->c, s))[index];
    }
    return KN_OK;
}

static ptrdiff_t length_of(const yaml_node_t *node)
{
    return node->data.sequence.items.top - node->data.sequence.items.start;
}

/* The values of a list; pairs may be lists in it.  `count` is the number of values so far. */
static enum kn_status read_values(struct reader *r, const struct kn_setting *s, const yaml_node_t *node,
                                  int *count)
{
    const bool pairs = s->key->flags & KN_KEY_PAIRS;
    for (ptrdiff_t i = 0; i < length_of(node); i++) {
        const yaml_node_t *value = yaml_document_get_node(&r->document, node->data.sequence.items.start[i]);
        const bool nested = pairs && value->type == YAML_SEQUENCE_NODE;
        if (!nested && *count == s->key->count)
            return fail(r, value->start_mark, s->name, "too many values (at most %d)", s->key->count);
        KN_TRY(nested ? read_values(r, s, value, count) : read_scalar(r, s, value, (*count)++));
    }
    return KN_OK;
}

static enum kn_status read_list(struct reader *r, const struct kn_setting *s, const yaml_node_t *node)
{
    const bool pairs = s->key->flags & KN_KEY_PAIRS;
    int count = 0;
    if (!pairs && (length_of(node) < 1 || length_of(node) > s->key->count))
        return fail(r, node->start_mark, s->name, "a list of %td values (1 to %d%s)", length_of(node),
                    s->key->count, s->key->flags & KN_KEY_POINTS ? "" : ", for x, y, z");
    KN_TRY(read_values(r, s, node, &count));
    if (pairs && (count < 2 || count % 2 != 0))
        return fail(r, node->start_mark, s->name, "%d values (pairs from, to)", count);
    fill_rest(&r->c, s, count);
    return KN_OK;
}

static enum kn_status read_setting(struct reader *r, const struct kn_setting *s, yaml_mark_t key_mark,
                                   const yaml_node_t *node)
{
    struct kn_place *at = &r->places.at[s->index];
    if (at->line > 0)
        return fail(r, key_mark, s->name, "set twice (first at line %d)", at->line);
    *at = place_of(r, node->start_mark);
    r->c.si.given[s->index] = 0;

    if (node->type == YAML_SEQUENCE_NODE && s->key->count > 1)
        return read_list(r, s, node);
    const int last = s->key->flags & KN_KEY_LAST ? s->key->count - 1 : 0;
    for (int i = 0; i < last; i++)
        kn_config_store_initial(&r->c, s, i);
    KN_TRY(read_scalar(r, s, node, last));
    fill_rest(&r->c, s, last + 1);
    return KN_OK;
}

/* Append the first word of a name after a prefix, unless it was the last. */
static void add_member(char *name, size_t prefix, char last[KN_NAME], char text[KN_TEXT])
{
    const size_t length = strlen(text);
    char *word = name + prefix + (prefix > 0);
    word[strcspn(word, ".")] = '\0';
    if (strcmp(word, last) != 0)
        snprintf(text + length, KN_TEXT - length, "%s%s", length ? ", " : "", word);
    memmove(last, word, strlen(word) + 1);
}

/* The keys of a group, or the items of a list: "delta" in "gas"; all groups for "". */
static void list_members(const struct kn_case *c, const char *group, char text[KN_TEXT])
{
    struct kn_setting s;
    char last[KN_NAME] = "", name[KN_NAME];
    const size_t prefix = strlen(group);
    text[0] = '\0';
    for (int i = 0; prefix > 0 && kn_config_setting(c, i, &s); i = s.index + 1)
        if (strncmp(s.name, group, prefix) == 0 && s.name[prefix] == '.')
            add_member(s.name, prefix, last, text);
    for (const struct kn_key *key = kn_config_keys; key->name && prefix == 0; key++) {
        snprintf(name, sizeof name, "%s", key->name);
        add_member(name, 0, last, text);
    }
}

static enum kn_status fail_unknown(const struct reader *r, yaml_mark_t mark, const char *name)
{
    char suggestion[KN_NAME], members[KN_TEXT], group[2 * KN_NAME + 16];
    if (kn_config_unsupported(name, members))
        return fail(r, mark, name, "%s", members);
    const bool wall =
        strncmp(name, "walls.", 6) == 0; /* a side that is not known has no near key elsewhere */
    if (kn_config_suggest(&r->c, name, suggestion) && (!wall || strncmp(suggestion, "walls.", 6) == 0))
        return fail(r, mark, name, "unknown key (did you mean %s?)", suggestion);
    snprintf(group, sizeof group, "%s", name);
    while (*group && !kn_config_is_group(&r->c, group)) {
        char *dot = strrchr(group, '.');
        *(dot ? dot : group) = '\0';
    }
    list_members(&r->c, group, members);
    return fail(r, mark, name, "unknown key (keys%s%s: %s)", *group ? " of " : "", group, members);
}

static enum kn_status read_group(struct reader *r, const char *group, const yaml_node_t *node);

/* The corners of a box: the values of the keys of a group as a list.  *read becomes true if they are. */
static enum kn_status read_corners(struct reader *r, const char *group, const yaml_node_t *node, bool *read)
{
    struct kn_setting s;
    const size_t prefix = strlen(group);
    const yaml_node_item_t *item = node->data.sequence.items.start;
    if (node->type != YAML_SEQUENCE_NODE)
        return KN_OK;
    for (int i = 0; kn_config_setting(&r->c, i, &s); i = s.index + 1) {
        const bool member = strncmp(s.name, group, prefix) == 0 && s.name[prefix] == '.';
        if (!member || !(s.key->flags & KN_KEY_CORNER))
            continue;
        *read = true;
        if (length_of(node) != 2)
            return fail(r, node->start_mark, group, "expected two corners, such as [[0.2, 0.2], [0.4, 0.5]]");
        const yaml_node_t *value = yaml_document_get_node(&r->document, *item++);
        KN_TRY(read_setting(r, &s, value->start_mark, value));
    }
    return KN_OK;
}

/* Read one key and its value or group. */
static enum kn_status read_key(struct reader *r, const char *name, yaml_mark_t mark, const yaml_node_t *node)
{
    struct kn_setting s;
    char members[KN_TEXT];
    bool corners = false;
    if (!kn_config_add_item(&r->c, name, members))
        return fail(r, mark, name, "%s", members);
    if (kn_config_find(&r->c, name, &s))
        return read_setting(r, &s, mark, node);
    if (!kn_config_is_group(&r->c, name))
        return fail_unknown(r, mark, name);
    if (node->type == YAML_MAPPING_NODE)
        return read_group(r, name, node);
    KN_TRY(read_corners(r, name, node, &corners));
    if (corners)
        return KN_OK;
    list_members(&r->c, name, members);
    return fail(r, node->start_mark, name, "expected a group of keys, found a %s (keys: %s)",
                node->type == YAML_SEQUENCE_NODE ? "list" : "value", members);
}

/* True if an earlier pair has the same key. */
static bool is_repeated(struct reader *r, const yaml_node_t *mapping, const yaml_node_pair_t *pair)
{
    const yaml_node_t *key = yaml_document_get_node(&r->document, pair->key);
    for (const yaml_node_pair_t *other = mapping->data.mapping.pairs.start; other < pair; other++) {
        const yaml_node_t *earlier = yaml_document_get_node(&r->document, other->key);
        if (strcmp((char *)earlier->data.scalar.value, (char *)key->data.scalar.value) == 0)
            return true;
    }
    return false;
}

static enum kn_status read_group(struct reader *r, const char *group, const yaml_node_t *node)
{
    const yaml_node_pair_t *pair = node->data.mapping.pairs.start;
    for (; pair < node->data.mapping.pairs.top; pair++) {
        const yaml_node_t *key = yaml_document_get_node(&r->document, pair->key);
        const yaml_node_t *value = yaml_document_get_node(&r->document, pair->value);
        char quoted[KN_NAME + 8], name[2 * KN_NAME + 16];
        if (key->type != YAML_SCALAR_NODE)
            return fail(r, key->start_mark, group, "a key must be a word, not a list or a group");
        kn_config_quote((char *)key->data.scalar.value, key->data.scalar.length, quoted);
        snprintf(name, sizeof name, "%.64s%s%s", group, *group ? "." : "", quoted);
        if (is_repeated(r, node, pair))
            return fail(r, key->start_mark, name, "written twice in the same group (once is allowed)");
        KN_TRY(read_key(r, name, key->start_mark, value));
    }
    return KN_OK;
}

/* Line and column of a byte. */
static yaml_mark_t mark_of(const struct reader *r, size_t offset)
{
    yaml_mark_t mark = {0};
    for (size_t i = 0; i < offset && i < r->size; i++) {
        mark.column = r->text[i] == '\n' ? 0 : mark.column + 1;
        mark.line += r->text[i] == '\n';
    }
    return mark;
}

static enum kn_status fail_yaml(const struct reader *r, const yaml_parser_t *parser)
{
    if (parser->error == YAML_MEMORY_ERROR || !parser->problem) /* libyaml does not always report it */
        return kn_error_set(KN_EMEMORY, "not enough memory to read the case");
    if (parser->error == YAML_READER_ERROR)
        return fail(r, mark_of(r, parser->problem_offset), "", "not UTF-8 text: %s", parser->problem);
    size_t at = parser->problem_mark.index;
    bool tab = at < r->size && r->text[at] == '\t';
    return fail(r, parser->problem_mark, "", "not valid YAML: %s%s", parser->problem,
                tab ? " (indent with spaces, not tabs)" : "");
}

/* Reject YAML features that a case file does not need: aliases, anchors, tags, several documents. */
static enum kn_status check_event(const struct reader *r, const yaml_event_t *event, int *depth,
                                  int *documents)
{
    const yaml_char_t *anchor = NULL, *tag = NULL;
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        if (++*documents > 1)
            return fail(r, event->start_mark, "", "a second document (one per file is allowed)");
        return KN_OK;
    case YAML_ALIAS_EVENT:
        return fail(r, event->start_mark, "", "a YAML alias (write the value itself)");
    case YAML_SEQUENCE_START_EVENT:
    case YAML_MAPPING_START_EVENT:
        ++*depth;
        /* fall through */
    case YAML_SCALAR_EVENT: /* the three structs begin with the same members */
        anchor = event->data.scalar.anchor;
        tag = event->data.scalar.tag;
        break;
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        --*depth;
        break;
    default:
        break;
    }
    if (anchor || tag)
        return fail(r, event->start_mark, "", "a YAML %s (write the value alone)", anchor ? "anchor" : "tag");
    if (*depth > DEPTH_LIMIT)
        return fail(r, event->start_mark, "", "nested too deeply (at most %d levels)", DEPTH_LIMIT);
    return KN_OK;
}

static enum kn_status start_parser(const struct reader *r, yaml_parser_t *parser)
{
    if (!yaml_parser_initialize(parser))
        return kn_error_set(KN_EMEMORY, "not enough memory to read the case");
    yaml_parser_set_input_string(parser, (const unsigned char *)r->text, r->size);
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING);
    return KN_OK;
}

/* Check the events of the text first: this needs little memory at any depth. */
static enum kn_status check_stream(const struct reader *r)
{
    yaml_parser_t parser;
    yaml_event_t event;
    enum kn_status status = KN_OK;
    int depth = 0, documents = 0;
    bool more = true;
    KN_TRY(start_parser(r, &parser));
    while (more && status == KN_OK) {
        if (!yaml_parser_parse(&parser, &event)) {
            status = fail_yaml(r, &parser);
            break;
        }
        more = event.type != YAML_STREAM_END_EVENT;
        status = check_event(r, &event, &depth, &documents);
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    if (status == KN_OK && documents == 0)
        status = fail(r, (yaml_mark_t){0}, "",
                      "the file is empty (at least one key is needed, such as gas.delta: 1)");
    return status;
}

static enum kn_status check_bytes(const struct reader *r)
{
    for (size_t i = 0; i < r->size; i++) {
        unsigned char byte = (unsigned char)r->text[i];
        if ((byte < ' ' && byte != '\n' && byte != '\r' && byte != '\t') || byte == 127)
            return fail(r, mark_of(r, i), "", "byte 0x%02x: this is not text (a case is UTF-8 text)", byte);
    }
    return KN_OK;
}

/* Read r->text into the case of r, as the value of a key or, if it is "", as a whole case. */
static enum kn_status read_text(struct reader *r, const char *key)
{
    yaml_parser_t parser;
    KN_TRY(check_bytes(r));
    KN_TRY(check_stream(r));
    KN_TRY(start_parser(r, &parser));
    const bool loaded = yaml_parser_load(&parser, &r->document);
    const yaml_node_t *root = loaded ? yaml_document_get_root_node(&r->document) : NULL;
    enum kn_status status = KN_OK;
    if (!root)
        status = fail_yaml(r, &parser);
    else if (*key)
        status = read_key(r, key, (yaml_mark_t){0}, root);
    else if (root->type == YAML_MAPPING_NODE)
        status = read_group(r, "", root);
    else
        status = fail(r, root->start_mark, "", "expected keys and values (such as gas.delta: 1)");
    if (loaded)
        yaml_document_delete(&r->document);
    yaml_parser_delete(&parser);
    return status;
}

/* Read a source and copy its settings. */
static enum kn_status read_source(struct reader *r, const char *key, struct kn_case *c,
                                  struct kn_places *places)
{
    r->c = *c;
    KN_TRY(read_text(r, key));
    kn_scales_apply(&r->c);
    *c = r->c;
    for (int i = 0; places && i < KN_SETTINGS; i++)
        if (r->places.at[i].line > 0)
            places->at[i] = r->places.at[i];
    return KN_OK;
}

enum kn_status kn_config_parse(struct kn_case *c, const char *text, size_t size, const char *name,
                               struct kn_places *places)
{
    struct reader r = {.file = name, .text = text, .size = size};
    return read_source(&r, "", c, places);
}

static enum kn_status fail_open(const char *path)
{
    const int error = errno;
    char whole[FILENAME_MAX];
    snprintf(whole, sizeof whole, "%.500s.yaml", path);
    const char *hint = error != ENOENT ? "" : " (knudsen init writes a case file, knudsen cases lists some)";
    if (error == ENOENT && access(whole, R_OK) == 0)
        return kn_error_set(KN_EINPUT, "%.500s: no such file (did you mean %.500s?)", path, whole);
    return kn_error_set(KN_EINPUT, "%.500s: cannot be opened: %s%s", path, strerror(error), hint);
}

enum kn_status kn_config_load(struct kn_case *c, const char *path, struct kn_places *places)
{
    struct stat info;
    char *text = NULL;
    size_t size = 0;
    FILE *file = fopen(path, "rb");
    if (!file)
        return fail_open(path);
    enum kn_status status =
        fstat(fileno(file), &info) == 0 && S_ISDIR(info.st_mode)
            ? kn_error_set(KN_EINPUT, "%.500s: is a folder (give the case file in it)", path)
            : kn_files_read_all(file, path, FILE_LIMIT, &text, &size);
    fclose(file);
    if (status == KN_OK)
        status = kn_config_parse(c, text, size, path, places);
    free(text);
    return status;
}

enum kn_status kn_config_set(struct kn_case *c, const char *assignment, struct kn_places *places)
{
    char key[KN_NAME + 8];
    const char *equals = strchr(assignment, '=');
    if (!equals || equals == assignment) {
        kn_config_quote(assignment, strlen(assignment), key);
        return kn_error_set(KN_EINPUT, "--set %s: expected key=value (such as gas.delta=10)", key);
    }
    kn_config_quote(assignment, (size_t)(equals - assignment), key);
    struct reader r = {.assignment = assignment, .text = equals + 1, .size = strlen(equals + 1)};
    if (strspn(r.text, " ") == r.size)
        return fail(&r, (yaml_mark_t){0}, key, "no value after '='");
    return read_source(&r, key, c, places);
}

enum kn_status kn_case_load(struct kn_case *c, const char *path)
{
    return kn_config_load(c, path, NULL);
}

enum kn_status kn_case_set(struct kn_case *c, const char *assignment)
{
    return kn_config_set(c, assignment, NULL);
}
