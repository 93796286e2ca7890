/* Runs a fuzz target over a corpus and over changed copies of it.  Inputs that reach new code are kept and
 * changed further if the target is built with -fsanitize-coverage=trace-pc.
 *
 *     fuzz_NAME [-runs=N] [-seconds=N] [-seed=N] FILE_OR_FOLDER...
 *
 * After a crash the file crash-NAME.PID contains the length of the input in eight bytes, then the input. */
#include "fuzz.h"

#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { LENGTH = 1 << 16, POOL = 1 << 14, SLOW = 20 /* seconds of processor time for one input */ };

struct input {
    size_t size;
    uint8_t *bytes;
};

static struct input pool[POOL];
static int npool;
static uint64_t state;
static uint8_t seen[1 << 22];
static long fresh;
static struct {
    uint64_t size;
    uint8_t bytes[LENGTH];
} * current; /* in a file, which survives a crash */
static char crash[256];

void __sanitizer_cov_trace_pc(void);

__attribute__((no_sanitize_coverage, no_sanitize("address", "undefined"))) void __sanitizer_cov_trace_pc(void)
{
    const uintptr_t at = (uintptr_t)__builtin_return_address(0) % sizeof seen;
    fresh += !seen[at];
    seen[at] = 1;
}

static uint32_t draw(uint32_t below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((state >> 33) % (below ? below : 1));
}

static void keep(const uint8_t *bytes, size_t size)
{
    uint8_t *copy = malloc(size + 1);
    if (!copy)
        exit(1);
    if (size > 0)
        memcpy(copy, bytes, size);
    const int at = npool < POOL ? npool++ : (int)draw(POOL);
    free(pool[at].bytes);
    pool[at] = (struct input){size, copy};
} /* cppcheck-suppress memleak ; the pool keeps it */

static int add_file(const char *path, const struct stat *info, int kind, struct FTW *at)
{
    (void)at;
    FILE *file = kind == FTW_F && info->st_size <= LENGTH ? fopen(path, "rb") : NULL;
    if (file) {
        static uint8_t bytes[LENGTH];
        keep(bytes, fread(bytes, 1, sizeof bytes, file));
        fclose(file);
    }
    return 0;
}

/* Replace `gone` bytes at a position by `count` bytes. */
static void splice(size_t at, size_t gone, const void *bytes, size_t count)
{
    if (at + gone > current->size || current->size - gone + count > LENGTH)
        return;
    memmove(current->bytes + at + count, current->bytes + at + gone, current->size - at - gone);
    memcpy(current->bytes + at, bytes, count);
    current->size += count - gone;
}

static void change(void)
{
    static const char *const words[] = {
        "nan",  "inf",      "-1",   "0",    "1e308", "1e-320", "4294967296", "9223372036854775807",
        "\"",   "'",        "{",    "}",    "[",     "]",      ",",          ":",
        "\n",   "\r\n",     "\x1b", "&a",   "*a",    "<<: ",   "# ",         "- ",
        "null", "\xff\xfe", "%s%n", "auto", "1 um",  "\xc3",   "..",         "="};
    static const uint64_t numbers[] = {0,
                                       1,
                                       0x7f,
                                       0xff,
                                       0x7fff,
                                       0xffff,
                                       0x7fffffff,
                                       0xffffffff,
                                       UINT64_MAX,
                                       1ull << 40,
                                       0x7ff0000000000000,
                                       0x7ff8000000000000};
    const size_t size = (size_t)current->size, at = draw((uint32_t)size + 1);
    const struct input *other = &pool[draw((uint32_t)npool)];
    const char *word = words[draw(sizeof words / sizeof *words)];
    const size_t from = draw((uint32_t)other->size + 1);
    size_t length = 1 + draw(draw(2) ? 8 : 200);
    switch (draw(8)) {
    case 0:
    case 1:
        if (at < size)
            current->bytes[at] ^= (uint8_t)(1u << draw(8));
        break;
    case 2:
        if (at < size)
            current->bytes[at] = (uint8_t)draw(256);
        break;
    case 3:
        splice(at, 0, word, strlen(word));
        break;
    case 4:
        splice(at, length, "", 0);
        break;
    case 5: {
        const size_t bytes = (size_t)1 << draw(4);
        splice(at, bytes, &numbers[draw(sizeof numbers / sizeof *numbers)], bytes);
        break;
    }
    case 6:
        length = length < other->size - from ? length : other->size - from;
        if (length > 0)
            splice(at, draw(2) ? length : 0, other->bytes + from, length);
        break;
    default: {
        uint8_t again[200];
        if (at + length <= size && length <= sizeof again) {
            memcpy(again, current->bytes + at, length);
            for (uint32_t i = draw(4); i-- > 0;)
                splice(at, 0, again, length);
        }
    }
    }
}

static void too_slow(int signal)
{
    static const char words[] = "fuzz: one input takes too long\n";
    (void)signal;
    (void)!write(STDERR_FILENO, words, sizeof words - 1);
    _exit(1);
}

static void run_current(void)
{
    const struct itimerval limit = {.it_value.tv_sec = SLOW};
    const long before = fresh;
    setitimer(ITIMER_PROF, &limit, NULL);
    LLVMFuzzerTestOneInput(current->bytes, (size_t)current->size);
    if (fresh > before)
        keep(current->bytes, (size_t)current->size);
}

static void take(const struct input *from)
{
    current->size = from->size;
    if (from->size > 0)
        memcpy(current->bytes, from->bytes, from->size);
}

static long option(const char *text, const char *name, long otherwise)
{
    const size_t length = strlen(name);
    return strncmp(text, name, length) == 0 ? strtol(text + length, NULL, 10) : otherwise;
}

static void open_crash(const char *program)
{
    const char *slash = strrchr(program, '/');
    snprintf(crash, sizeof crash, "crash-%s.%d", slash ? slash + 1 : program, (int)getpid());
    FILE *file = fopen(crash, "w+b");
    if (!file || ftruncate(fileno(file), sizeof *current) != 0)
        exit(1);
    current = mmap(NULL, sizeof *current, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
    fclose(file);
    if (current == MAP_FAILED)
        exit(1);
}

int main(int argc, char **argv)
{
    long runs = -1, seconds = -1, done = 0, seed = 1;
    for (int i = 1; i < argc; i++) {
        runs = option(argv[i], "-runs=", runs);
        seconds = option(argv[i], "-seconds=", seconds);
        seed = option(argv[i], "-seed=", seed);
        if (*argv[i] != '-' && nftw(argv[i], add_file, 8, FTW_PHYS) != 0)
            return 1;
    }
    if (npool == 0) {
        fprintf(stderr, "fuzz: no corpus\n");
        return 1;
    }
    state = (uint64_t)seed;
    signal(SIGPROF, too_slow);
    open_crash(argv[0]);
    FILE *terminal = fdopen(dup(STDOUT_FILENO), "w");
    if (!terminal || !freopen("/dev/null", "w", stdout)) /* targets print pictures */
        return 1;
    const time_t end = time(NULL) + seconds;
    const int given = npool;
    for (; done < given; done++) {
        take(&pool[done]);
        run_current();
    }
    for (; (runs < 0 || done < runs) && (seconds < 0 ? runs >= 0 : time(NULL) < end); done++) {
        take(&pool[draw((uint32_t)npool)]);
        for (uint32_t i = 1 + draw(6); i-- > 0;)
            change();
        run_current();
    }
    unlink(crash);
    const char *slash = strrchr(argv[0], '/');
    fprintf(terminal, "%-16s %9ld executions, %d inputs\n", slash ? slash + 1 : argv[0], done, npool);
    fclose(terminal);
    for (int i = 0; i < npool; i++)
        free(pool[i].bytes);
    return 0;
}
