/* Case files: an accepted case is printed and read back without a change. */
#include "config/config.h"
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

static void print_and_reload(const struct kn_case *c)
{
    struct kn_case back;
    char *text = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&text, &length);
    kn_config_print(to, c);
    fclose(to);
    kn_case_default(&back);
    if (kn_config_parse(&back, text, length, "printed", NULL) != KN_OK ||
        kn_config_fingerprint(c) != kn_config_fingerprint(&back))
        abort();
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct kn_case c;
    struct kn_places places = {0};
    kn_case_default(&c);
    if (kn_config_parse(&c, (const char *)data, size, "fuzz", &places) == KN_OK &&
        kn_config_locate(&c, &places, kn_case_check(&c)) == KN_OK)
        print_and_reload(&c);
    return 0;
}
