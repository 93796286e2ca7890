/* Files of the operator cache. The name of a file depends on its grid: the program first writes a valid file.
 */
#include "fuzz.h"

#include "collision/operator.h"
#include "files/files.h"
#include "knudsen.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct kn_velocity grid;
static struct kn_operator op;
static char name[256];
static uint64_t good; /* checksum of the contents of a valid file */

static uint64_t sum_bits(void)
{
    uint64_t sum = 0, bits;
    for (int p = 0; p < KN_PARITIES; p++)
        for (int i = 0; i < op.size; i++) {
            memcpy(&bits, &op.rate[p][i], sizeof bits);
            sum = sum * 31 + bits;
        }
    return sum;
}

/* The file of the corpus, in the cache folder under its own name. */
static void copy_good(void)
{
    char from[sizeof name + 16], path[KN_PATH];
    const char *corpus = getenv("FUZZ_CORPUS");
    DIR *list = corpus && kn_files_join(path, corpus, "operator") == KN_OK ? opendir(path) : NULL;
    for (const struct dirent *entry; list && (entry = readdir(list));)
        if (strncmp(entry->d_name, "operator-", 9) == 0)
            strcpy(name, entry->d_name);
    if (!*name)
        abort();
    closedir(list);
    snprintf(from, sizeof from, "operator/%s", name);
    fuzz_copy(name, from);
}

static void create(void)
{
    struct kn_case c;
    kn_case_default(&c);
    copy_good();
    setenv("KNUDSEN_CACHE", fuzz_folder(), 1);
    if (kn_case_set(&c, "velocity.grid=gauss") != KN_OK || kn_case_set(&c, "velocity.nodes=6") != KN_OK ||
        kn_velocity_create(&grid, &c) != KN_OK ||
        kn_operator_create(&op, &c, &grid, &kn_comm_alone, NULL, NULL) != KN_OK ||
        strcmp(op.origin, "cache") != 0)
        abort();
    good = sum_bits();
}

static void destroy(void)
{
    kn_operator_destroy(&op);
    kn_velocity_destroy(&grid);
}

/* An accepted file has the contents that the program has saved. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!*name) {
        create();
        atexit(destroy);
    }
    fuzz_write(name, data, size);
    if (kn_operator_load(&op, &grid) && sum_bits() != good)
        abort();
    return 0;
}
