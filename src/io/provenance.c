/* Collects the origin of a result: program, machine, command and date. */
#include "io/provenance.h"

#include "cpu/cpu_kernels.h"
#include "files/files.h"
#include "stamp.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

const char *kn_provenance_commit(void)
{
    return KN_STAMP_COMMIT;
}

/* /proc/self/cmdline has the words of the command line, each with a final zero. */
static void take_command(char *text, size_t size)
{
    char words[4096];
    FILE *from = fopen("/proc/self/cmdline", "re"), *to = fmemopen(text, size, "w");
    const size_t length = from ? fread(words, 1, sizeof words - 1, from) : 0;
    words[length] = '\0';
    text[0] = '\0';
    for (size_t at = 0; to && at < length; at += strlen(words + at) + 1) {
        fputs(at ? " " : "", to);
        kn_files_shell_word(to, words + at);
    }
    if (to)
        fclose(to);
    if (from)
        fclose(from);
    text[size - 1] = '\0';
}

void kn_provenance_take(struct kn_provenance *p)
{
    const time_t now = time(NULL);
    struct tm utc;
    *p = (struct kn_provenance){
        .commit = KN_STAMP_COMMIT, .compiler = KN_STAMP_COMPILER, .flags = KN_STAMP_FLAGS};
    kn_cpu_processor(p->processor, sizeof p->processor);
    if (gmtime_r(&now, &utc))
        strftime(p->started, sizeof p->started, "%Y-%m-%dT%H:%M:%SZ", &utc);
    take_command(p->command, sizeof p->command);
}
