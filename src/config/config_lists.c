/* The settings of a case: its keys, with the keys of a list once for every item of the list. */
#include "config/case.h"
#include "config/config.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* An item of a list that the case file names begins with its name, char[KN_ITEM_NAME]. */
static const struct list {
    const char *group, *item; /* "walls", "<side>": the first parts of the names of its keys */
    size_t offset, size;      /* of the first item in struct kn_case, and of each */
    int count;                /* largest number of items */
    bool open;                /* the case file names the items */
} lists[KN_LISTS] = {
    [KN_LIST_WALLS] = {"walls", "<side>", offsetof(struct kn_case, walls), sizeof(struct kn_wall), KN_SIDES,
                       false},
    [KN_LIST_BODIES] = {"bodies", "<name>", offsetof(struct kn_case, bodies), sizeof(struct kn_body),
                        KN_BODIES, true},
    [KN_LIST_PORTS] = {"ports", "<name>", offsetof(struct kn_case, ports), sizeof(struct kn_port), KN_PORTS,
                       true},
};

enum kn_list kn_config_open_list(const char *name, size_t length)
{
    for (int i = 1; i < KN_LISTS; i++)
        if (lists[i].open && strlen(lists[i].group) == length && strncmp(lists[i].group, name, length) == 0)
            return (enum kn_list)i;
    return KN_LIST_NONE;
}

const char *kn_config_list_name(enum kn_list list)
{
    return lists[list].group;
}

static char *item_at(const struct kn_case *c, enum kn_list list, int item)
{
    return (char *)c + lists[list].offset + (size_t)item * lists[list].size;
}

const char *kn_config_item_name(const struct kn_case *c, enum kn_list list, int item)
{
    if (!lists[list].open)
        return kn_case_side_name((enum kn_side)item);
    return c ? item_at(c, list, item) : "";
}

/* Name of a key with the name of the item. */
static void fill_name(struct kn_setting *s, const struct kn_case *c)
{
    const struct list *list = &lists[s->key->list];
    if (s->key->list == KN_LIST_NONE)
        snprintf(s->name, KN_NAME, "%s", s->key->name);
    else
        snprintf(s->name, KN_NAME, "%s.%.*s.%s", list->group, KN_ITEM_NAME,
                 kn_config_item_name(c, s->key->list, s->item),
                 s->key->name + strlen(list->group) + strlen(list->item) + 2);
}

/* Consecutive keys of the table that belong to the same list, or to none. */
static int block_length(const struct kn_key *first)
{
    int length = 1;
    while (first[length].name && first[length].list == first->list)
        length++;
    return length;
}

bool kn_config_setting(const struct kn_case *c, int index, struct kn_setting *s)
{
    int first = 0, keys;
    for (const struct kn_key *block = kn_config_keys; block->name; block += keys) {
        const int items = block->list == KN_LIST_NONE ? 1 : lists[block->list].count;
        keys = block_length(block);
        index = index < first ? first : index;
        for (int item = (index - first) / keys; item < items; item++, index = first + item * keys) {
            if (block->list != KN_LIST_NONE && !*kn_config_item_name(c, block->list, item))
                continue;
            *s = (struct kn_setting){.key = block + (index - first) % keys, .item = item, .index = index};
            fill_name(s, c);
            return true;
        }
        first += keys * items;
    }
    return false;
}

bool kn_config_find(const struct kn_case *c, const char *name, struct kn_setting *s)
{
    for (int i = 0; kn_config_setting(c, i, s); i = s->index + 1)
        if (strcmp(s->name, name) == 0)
            return true;
    return false;
}

bool kn_config_is_group(const struct kn_case *c, const char *name)
{
    struct kn_setting s;
    size_t length = strlen(name);
    if (kn_config_open_list(name, length) != KN_LIST_NONE)
        return true;
    for (int i = 0; length > 0 && kn_config_setting(c, i, &s); i = s.index + 1)
        if (strncmp(s.name, name, length) == 0 && s.name[length] == '.')
            return true;
    return false;
}

/* The struct that the offsets of a key refer to. */
static char *base_of(struct kn_case *c, const struct kn_setting *s)
{
    return s->key->list == KN_LIST_NONE ? (char *)c : item_at(c, s->key->list, s->item);
}

void *kn_config_target(struct kn_case *c, const struct kn_setting *s)
{
    return base_of(c, s) + s->key->offset;
}

void kn_config_choose(struct kn_case *c, const struct kn_setting *s)
{
    if (s->key->chosen)
        *(bool *)(base_of(c, s) + s->key->chosen) = true;
}

void kn_config_store_initial(struct kn_case *c, const struct kn_setting *s, int index)
{
    char text[KN_NAME], why[KN_TEXT];
    struct kn_si_value si;
    kn_config_initial(s->key, index, text);
    kn_config_store(s->key, kn_config_target(c, s), index, text, strlen(text), &si, why);
}

static bool is_name(const char *word, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)word[i]) && (i == 0 || !strchr("_-", word[i])))
            return false;
    return length > 0 && length < KN_ITEM_NAME && isalpha((unsigned char)*word);
}

/* A new item with the defaults of its keys. */
static void fill_item(struct kn_case *c, enum kn_list list, int item, const char *word, size_t length)
{
    struct kn_setting s;
    char *name = item_at(c, list, item);
    memset(name, 0, lists[list].size);
    memcpy(name, word, length);
    for (int i = 0; kn_config_setting(c, i, &s); i = s.index + 1)
        for (int index = 0; index < s.key->count && s.key->list == list && s.item == item; index++) {
            kn_config_store_initial(c, &s, index);
            c->si.given[s.index] = 0;
        }
}

bool kn_config_add_item(struct kn_case *c, const char *name, char why[KN_TEXT])
{
    const size_t group = strcspn(name, ".");
    const enum kn_list list = kn_config_open_list(name, group);
    const char *word = name + group + (name[group] == '.');
    const size_t length = strcspn(word, ".");
    int item = 0;
    if (list == KN_LIST_NONE || !name[group])
        return true;
    for (; item < lists[list].count && *item_at(c, list, item); item++)
        if (strlen(item_at(c, list, item)) == length && strncmp(item_at(c, list, item), word, length) == 0)
            return true;
    if (!is_name(word, length))
        snprintf(why, KN_TEXT, "'%.60s' is no name (a letter, then letters, digits, - or _; at most %d)",
                 word, KN_ITEM_NAME - 1);
    else if (item == lists[list].count)
        snprintf(why, KN_TEXT, "too many (at most %d %s)", lists[list].count, lists[list].group);
    else {
        fill_item(c, list, item, word, length);
        return true;
    }
    return false;
}

bool kn_config_items_differ(const struct kn_case *a, const struct kn_case *b, char name[KN_NAME])
{
    for (int list = 1; list < KN_LISTS; list++)
        for (int item = 0; item < lists[list].count; item++) {
            const char *one = kn_config_item_name(a, (enum kn_list)list, item),
                       *two = kn_config_item_name(b, (enum kn_list)list, item);
            if (strcmp(one, two) == 0)
                continue;
            snprintf(name, KN_NAME, "%s.%.*s", lists[list].group, KN_ITEM_NAME, *one ? one : two);
            return true;
        }
    return false;
}

/* The name of a key with the item of a name as its item: "bodies.bar.box" of "bodies.<name>.box". */
void kn_config_key_name(const struct kn_key *key, const char *like, char name[KN_NAME])
{
    const struct list *list = &lists[key->list];
    snprintf(name, KN_NAME, "%s", key->name);
    if (key->list == KN_LIST_NONE)
        return;
    const size_t group = strlen(list->group);
    if (strncmp(like, list->group, group) != 0 || like[group] != '.')
        return;
    snprintf(name, KN_NAME, "%s.%.*s%s", list->group, (int)strcspn(like + group + 1, "."), like + group + 1,
             key->name + group + 1 + strlen(list->item));
}
