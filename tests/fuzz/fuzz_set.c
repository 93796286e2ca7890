/* Strings of --set, one per line, applied to the default case. */
#include "config/config.h"
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct kn_case c;
    struct kn_places places = {0};
    char *text = malloc(size + 1), *rest = text;
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    kn_case_default(&c);
    for (char *line; (line = strsep(&rest, "\n"));)
        kn_config_set(&c, line, &places);
    (void)kn_config_locate(&c, &places, kn_case_check(&c));
    free(text);
    return 0;
}
