/* libFuzzer over the case reader: whatever the bytes, it ends with a status,
 * and what it accepts prints to a case that reads back the same.
 *
 *     clang -g -O1 -fsanitize=fuzzer,address,undefined -D_GNU_SOURCE -Iinclude -Isrc \
 *         tests/fuzz/fuzz_config.c src/config*.c src/error.c src/space.c -lyaml -lm -o fuzz-config
 *     ./fuzz-config -max_total_time=60 -max_len=4096 cases/
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void print_and_reload(const struct kn_case *c)
{
    struct kn_case back;
    char *text = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&text, &length);
    kn_config_print(to, c, false);
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
    enum kn_status status = kn_config_parse(&c, (const char *)data, size, "fuzz", &places);
    if (status == KN_OK) {
        status = kn_config_locate(&places, kn_case_check(&c));
        print_and_reload(&c);
    }
    if (status != KN_OK && strlen(kn_error_message()) >= 1023)
        abort();

    char *assignment = malloc(size + 1);
    memcpy(assignment, data, size);
    assignment[size] = '\0';
    kn_config_set(&c, assignment, &places);
    free(assignment);
    return 0;
}
