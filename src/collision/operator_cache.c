/* Assembled operators on disk, one file per velocity grid, so that only the first run assembles. A file
 * contains its grid and a checksum; a file that is damaged, incomplete or for another grid is assembled
 * again and replaced. */
#include "collision/operator.h"
#include "files/files.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Increase it when the assembly changes. */
#define FORMAT "knudsen operator 6\n"

struct header {
    char format[96];
    uint64_t key, sum;
    int64_t size;
    double viscosity, prandtl, defect;
};

/* FNV-1a over bytes. */
static uint64_t hash(uint64_t sum, const void *bytes, size_t count)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < count; i++)
        sum = (sum ^ at[i]) * 0x100000001b3u;
    return sum;
}

static const uint64_t HASH_START = 0xcbf29ce484222325u;

static uint64_t key_of(const struct kn_operator *o, const struct kn_velocity *v)
{
    uint64_t key = hash(HASH_START, FORMAT, sizeof FORMAT);
    for (int d = 0; d < 3; d++) {
        key = hash(key, &v->half[d], sizeof v->half[d]);
        key = hash(key, v->node[d], (size_t)v->half[d] * sizeof *v->node[d]);
    }
    const int directions = KN_OPERATOR_FACE;
    key = hash(key, &directions, sizeof directions);
    key = hash(key, &o->degree, sizeof o->degree);
    key = hash(key, &o->strength, sizeof o->strength);
    key = hash(key, &o->exponent, sizeof o->exponent);
    return hash(key, o->weight, (size_t)o->size * sizeof *o->weight);
}

static uint64_t sum_of(const struct kn_operator *o, const struct header *h)
{
    const double transport[3] = {h->viscosity, h->prandtl, h->defect};
    const size_t n = (size_t)o->size;
    uint64_t sum = hash(HASH_START, transport, sizeof transport);
    for (int p = 0; p < KN_PARITIES; p++) {
        sum = hash(sum, o->rate[p], n * sizeof *o->rate[p]);
        sum = hash(sum, o->vector[p], n * n * sizeof *o->vector[p]);
    }
    return sum;
}

/* $KNUDSEN_CACHE, or knudsen in the cache folder of the user; false if there is none. */
static bool find_folder(char folder[KN_PATH])
{
    const char *own = getenv("KNUDSEN_CACHE"), *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int length = 0;
    if (own)
        length = snprintf(folder, KN_PATH, "%s", own);
    else if (cache && *cache)
        length = snprintf(folder, KN_PATH, "%s/knudsen", cache);
    else if (home && *home)
        length = snprintf(folder, KN_PATH, "%s/.cache/knudsen", home);
    return length > 0 && length < KN_PATH;
}

static bool find_file(uint64_t key, char folder[KN_PATH], char path[KN_PATH])
{
    char name[64];
    snprintf(name, sizeof name, "operator-%016llx.bin", (unsigned long long)key);
    return find_folder(folder) && kn_files_join(path, folder, name) == KN_OK;
}

bool kn_operator_load(struct kn_operator *o, const struct kn_velocity *v)
{
    char folder[KN_PATH], path[KN_PATH];
    struct header h;
    const uint64_t key = key_of(o, v);
    const size_t n = (size_t)o->size;
    FILE *from = find_file(key, folder, path) ? fopen(path, "rbe") : NULL;
    if (!from)
        return false;
    bool good = fread(&h, sizeof h, 1, from) == 1 && strncmp(h.format, FORMAT, sizeof h.format) == 0 &&
                h.key == key && h.size == o->size;
    for (int p = 0; p < KN_PARITIES && good; p++)
        good = fread(o->rate[p], sizeof *o->rate[p], n, from) == n &&
               fread(o->vector[p], sizeof *o->vector[p], n * n, from) == n * n;
    fclose(from);
    if (!good || h.sum != sum_of(o, &h))
        return false;
    o->viscosity = h.viscosity;
    o->prandtl = h.prandtl;
    o->defect = h.defect;
    return true;
}

static bool write_whole(FILE *to, const struct header *h, const struct kn_operator *o)
{
    const size_t n = (size_t)o->size;
    bool good = fwrite(h, sizeof *h, 1, to) == 1;
    for (int p = 0; p < KN_PARITIES && good; p++)
        good = fwrite(o->rate[p], sizeof *o->rate[p], n, to) == n &&
               fwrite(o->vector[p], sizeof *o->vector[p], n * n, to) == n * n;
    return good;
}

/* Written under a temporary name and renamed, so that simultaneous runs do not interfere. */
void kn_operator_save(const struct kn_operator *o, const struct kn_velocity *v)
{
    char folder[KN_PATH], path[KN_PATH], temporary[KN_PATH + 32];
    struct header h = {.key = key_of(o, v),
                       .size = o->size,
                       .viscosity = o->viscosity,
                       .prandtl = o->prandtl,
                       .defect = o->defect};
    h.sum = sum_of(o, &h);
    strncpy(h.format, FORMAT, sizeof h.format - 1);
    if (!find_file(h.key, folder, path) || kn_files_make_folder(folder) != KN_OK)
        return;
    snprintf(temporary, sizeof temporary, "%s.XXXXXX", path);
    const int file = mkstemp(temporary);
    FILE *to = file < 0 ? NULL : fdopen(file, "wb");
    if (!to)
        return;
    const bool good = write_whole(to, &h, o);
    if (fclose(to) != 0 || !good)
        unlink(temporary);
    else
        (void)kn_files_commit(temporary, path);
}
