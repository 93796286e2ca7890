/* Selects the kernels for this processor; the build compiles those of KN_ISA_TABLES. */
#include "cpu/cpu_kernels.h"
#include "cpu/cpu_steady.h"

#include "error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KN_CPU_TABLE(isa, width)                                                                             \
    {.name = #isa,                                                                                           \
     .lanes = (width),                                                                                       \
     .sample = kn_cpu_sample_##isa,                                                                          \
     .wall = kn_cpu_wall_##isa,                                                                              \
     .flux = kn_cpu_flux_##isa,                                                                              \
     .reconstruct = kn_cpu_reconstruct_##isa,                                                                \
     .link = kn_cpu_link_##isa,                                                                              \
     .facet_flux = kn_cpu_facet_flux_##isa,                                                                  \
     .balance = kn_cpu_balance_##isa,                                                                        \
     .stream = kn_cpu_stream_##isa,                                                                          \
     .collide = kn_cpu_collide_##isa,                                                                        \
     .changes = kn_cpu_changes_##isa,                                                                        \
     .moments = kn_cpu_moments_##isa,                                                                        \
     .store = kn_cpu_store_##isa,                                                                            \
     .fence = kn_cpu_fence_##isa,                                                                            \
     .steady = &kn_cpu_steady_##isa},

/* Simplest first. */
static const struct kn_cpu_kernels tables[] = {KN_ISA_TABLES};

static bool runs_here(const char *name)
{
#ifdef __x86_64__
    if (strcmp(name, "v4") == 0)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vl");
    if (strcmp(name, "v3") == 0)
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
               __builtin_cpu_supports("bmi2");
#endif
    return strcmp(name, "baseline") == 0;
}

/* Names of the instruction sets. */
static const char *words_of(const char *name)
{
    return strcmp(name, "v4") == 0 ? "AVX-512" : strcmp(name, "v3") == 0 ? "AVX2" : "baseline vectors";
}

/* "(R)" and "(TM)" are removed from the name. */
static void drop(char *text, const char *word)
{
    for (char *at; (at = strstr(text, word));)
        memmove(at, at + strlen(word), strlen(at + strlen(word)) + 1);
}

void kn_cpu_processor(char *name, size_t size)
{
    char text[256];
    FILE *list = fopen("/proc/cpuinfo", "re");
    snprintf(name, size, "unknown processor");
    while (list && fgets(text, sizeof text, list)) {
        const char *colon = strchr(text, ':');
        if (strncmp(text, "model name", 10) == 0 && colon) {
            snprintf(name, size, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
            break;
        }
    }
    if (list)
        fclose(list);
    drop(name, "(R)");
    drop(name, "(TM)");
}

void kn_cpu_device(char *text, size_t size)
{
    const struct kn_cpu_kernels *chosen = kn_cpu_kernels_find(getenv("KNUDSEN_ISA"));
    kn_cpu_processor(text, size);
    const size_t used = strlen(text);
    if (chosen)
        snprintf(text + used, size - used, ", %s", words_of(chosen->name));
}

const struct kn_cpu_kernels *kn_cpu_kernels_find(const char *name)
{
    const struct kn_cpu_kernels *found = NULL;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        if (runs_here(tables[i].name) && (!name || strcmp(name, tables[i].name) == 0))
            found = &tables[i];
    return found;
}

enum kn_status kn_cpu_kernels_choose(const struct kn_cpu_kernels **kernels)
{
    const char *name = getenv("KNUDSEN_ISA");
    *kernels = kn_cpu_kernels_find(name);
    return *kernels ? KN_OK
                    : kn_error_set(KN_EDEVICE,
                                   "KNUDSEN_ISA=%s: no such kernels on this processor (baseline, v3, v4)",
                                   name ? name : "");
}
