#include "backend.h"

#include <string.h>

/* Best first: "auto" takes the first. */
static const struct kn_backend *const backends[] = {&kn_backend_cpu};

const char *const kn_backend_names[] = {"auto", "cpu", NULL};

const struct kn_backend *kn_backend_find(const char *name)
{
    if (strcmp(name, "auto") == 0)
        return backends[0];
    for (size_t i = 0; i < sizeof backends / sizeof *backends; i++)
        if (strcmp(name, backends[i]->name) == 0)
            return backends[i];
    return NULL;
}
