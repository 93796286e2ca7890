/* Writes files that are complete or absent, and reads, locks and checks files. */
#include "files/files.h"
#include "error.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static enum kn_status make_one(const char *path)
{
    struct stat info;
    if (mkdir(path, 0777) == 0)
        return KN_OK;
    int reason = errno;
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode))
        return KN_OK;
    return kn_error_set(KN_EIO, "cannot create the folder '%s': %s", path,
                        reason == EEXIST ? "a file of that name exists" : strerror(reason));
}

enum kn_status kn_files_make_folder(const char *path)
{
    char part[KN_PATH];
    if (!*path)
        return kn_error_set(KN_EIO, "cannot create a folder without a name");
    if (strlen(path) >= sizeof part)
        return kn_error_set(KN_EIO, "the path '%.60s...' is longer than %d characters", path, KN_PATH - 1);
    strcpy(part, path);
    for (char *slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        KN_TRY(make_one(part));
        *slash = '/';
    }
    KN_TRY(make_one(part));
    if (access(path, W_OK | X_OK) != 0)
        return kn_error_set(KN_EIO, "cannot write into the folder '%s': %s", path, strerror(errno));
    return KN_OK;
}

enum kn_status kn_files_join(char *path, const char *folder, const char *name)
{
    size_t length = strlen(folder);
    const char *slash = length && folder[length - 1] == '/' ? "" : "/";
    if (snprintf(path, KN_PATH, "%s%s%s", folder, slash, name) >= KN_PATH)
        return kn_error_set(KN_EIO, "the path '%.60s.../%s' is longer than %d characters", folder, name,
                            KN_PATH - 1);
    return KN_OK;
}

enum kn_status kn_files_program(char path[KN_PATH])
{
    const ssize_t length = readlink("/proc/self/exe", path, KN_PATH - 1);
    if (length < 0)
        return kn_error_set(KN_EIO, "the path of this program cannot be read: %s", strerror(errno));
    path[length] = '\0';
    return KN_OK;
}

bool kn_files_beside(char path[KN_PATH], const char *name)
{
    static const char *const places[] = {"", "../", "../share/knudsen/"};
    char program[KN_PATH];
    bool found = false;
    if (kn_files_program(program) != KN_OK)
        return false;
    const int length = (int)(strrchr(program, '/') - program);
    for (int i = 0; i < 3 && !found; i++)
        found = snprintf(path, KN_PATH, "%.*s/%s%s", length, program, places[i], name) < KN_PATH &&
                access(path, R_OK) == 0;
    return found;
}

enum kn_status kn_files_temporary(char *temporary, const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    struct stat info;
    /* A rename would replace a device such as /dev/null, too. */
    if (lstat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISLNK(info.st_mode))
        return kn_error_set(KN_EIO, "cannot write '%s': it is not a regular file", path);
    if (snprintf(temporary, KN_PATH, "%.*s.%s" KN_FILES_TEMPORARY, (int)(name - path), path, name) >= KN_PATH)
        return kn_error_set(KN_EIO, "the path '%.60s...' is too long", path);
    return KN_OK;
}

int kn_files_create(const char *temporary)
{
    struct stat info;
    /* A killed run may have left a file of this name.  A link or a folder does not belong to the program. */
    if (lstat(temporary, &info) == 0 && S_ISREG(info.st_mode))
        unlink(temporary);
    return open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
}

static int sync_path(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return errno;
    int reason = fsync(fd) == 0 ? 0 : errno;
    close(fd);
    return reason;
}

/* A new name survives a power failure only after its folder has been written to disk. */
static int sync_folder_of(const char *path)
{
    char folder[KN_PATH];
    const char *slash = strrchr(path, '/');
    if (!slash)
        strcpy(folder, ".");
    else if (slash == path)
        strcpy(folder, "/");
    else
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
    int reason = sync_path(folder);
    return reason == EINVAL || reason == EACCES ? 0 : reason; /* some file systems cannot sync a folder */
}

enum kn_status kn_files_commit(const char *temporary, const char *path)
{
    int reason = sync_path(temporary);
    if (!reason && rename(temporary, path) != 0)
        reason = errno;
    if (reason) {
        unlink(temporary);
        return kn_error_set(KN_EIO, "cannot write '%s': %s", path, strerror(reason));
    }
    reason = sync_folder_of(path);
    if (reason)
        return kn_error_set(KN_EIO, "cannot write the folder of '%s' to disk: %s", path, strerror(reason));
    return KN_OK;
}

enum kn_status kn_files_write(const char *path, enum kn_status (*fill)(FILE *to, const void *what),
                              const void *what)
{
    char temporary[KN_PATH];
    KN_TRY(kn_files_temporary(temporary, path));
    const int fd = kn_files_create(temporary);
    FILE *to = fd < 0 ? NULL : fdopen(fd, "w");
    if (!to) {
        const int reason = errno;
        if (fd >= 0)
            close(fd);
        return kn_error_set(KN_EIO, "cannot write '%s': %s", path, strerror(reason));
    }
    errno = 0; /* stdio keeps a flag only; a failed write leaves its reason here */
    enum kn_status status = fill(to, what);
    bool failed = fflush(to) != 0 || ferror(to);
    int reason = errno;
    if (fclose(to) != 0 && !failed) {
        failed = true;
        reason = errno;
    }
    if (failed && status == KN_OK)
        status =
            kn_error_set(KN_EIO, "cannot write '%s': %s", path, reason ? strerror(reason) : "write error");
    if (status == KN_OK)
        return kn_files_commit(temporary, path);
    unlink(temporary);
    return status;
}

enum kn_status kn_files_lock(const char *folder, int *lock)
{
    *lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (*lock < 0 || flock(*lock, LOCK_EX | LOCK_NB) == 0)
        return KN_OK;
    const bool taken = errno == EWOULDBLOCK;
    close(*lock);
    *lock = -1;
    if (!taken)
        return KN_OK;
    return kn_error_set(
        KN_EINPUT,
        "'%s' is in use: another run writes into it (wait for its end, or choose another folder with --out)",
        folder);
}

enum kn_status kn_files_remove(const char *path)
{
    if (unlink(path) != 0 && errno != ENOENT && errno != ENOTDIR)
        return kn_error_set(KN_EIO, "cannot remove '%s': %s", path, strerror(errno));
    return KN_OK;
}

static uint64_t add_word(uint64_t sum, uint64_t word)
{
    sum = (sum ^ word) * 1099511628211u;
    return sum ^ sum >> 32;
}

uint64_t kn_files_sum(uint64_t sum, const void *data, size_t bytes)
{
    const char *at = data, *end = bytes ? at + bytes : at;
    uint64_t word;
    for (; end - at >= (ptrdiff_t)sizeof word; at += sizeof word) {
        memcpy(&word, at, sizeof word);
        sum = add_word(sum, word);
    }
    if (at == end)
        return sum;
    word = 0;
    memcpy(&word, at, (size_t)(end - at));
    return add_word(sum, word);
}

static bool needs_quotes(const char *word)
{
    for (; *word; word++)
        if (!isalnum((unsigned char)*word) && !strchr("-_./=:,+@%", *word))
            return true;
    return false;
}

void kn_files_shell_word(FILE *to, const char *word)
{
    if (*word && !needs_quotes(word)) {
        fputs(word, to);
        return;
    }
    fputc('\'', to);
    for (; *word; word++)
        fputs(*word == '\'' ? "'\\''" : (const char[]){*word, '\0'}, to);
    fputc('\'', to);
}

enum kn_status kn_files_open(FILE **from, const char *path)
{
    struct stat info;
    const int fd =
        open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* opening a pipe would wait for its other end */
    *from = NULL;
    if (fd < 0 && errno == ENOENT)
        return KN_OK;
    if (fd >= 0 && fstat(fd, &info) == 0 && !S_ISREG(info.st_mode)) {
        close(fd);
        return kn_error_set(KN_EIO, "cannot read '%s': it is not a regular file", path);
    }
    if (fd >= 0 && (*from = fdopen(fd, "r")))
        return KN_OK;
    const int reason = errno;
    if (fd >= 0)
        close(fd);
    return kn_error_set(KN_EIO, "cannot read '%s': %s", path, strerror(reason));
}

enum kn_status kn_files_at_end(FILE *from, const char *path)
{
    if (feof(from) && !ferror(from))
        return KN_OK;
    return kn_error_set(KN_EIO, "cannot read '%s': %s", path, errno ? strerror(errno) : "read error");
}

enum kn_status kn_files_read_all(FILE *from, const char *path, size_t limit, char **text, size_t *size)
{
    size_t room = 1 << 16;
    *text = NULL;
    for (*size = 0; *size <= limit && !feof(from); room *= 2) {
        char *larger = realloc(*text, room);
        if (!larger)
            return kn_error_set(KN_EMEMORY, "not enough memory to read '%.500s'", path);
        *text = larger;
        *size += fread(*text + *size, 1, room - *size, from);
        if (ferror(from))
            return kn_error_set(KN_EIO, "%.500s: cannot be read: %s", path, strerror(errno));
    }
    if (*size > limit)
        return kn_error_set(KN_EINPUT, "%.500s: too large (at most %zu MiB)", path, limit >> 20);
    return KN_OK;
}

enum kn_status kn_files_read(const char *path, size_t limit, char **text, size_t *size)
{
    FILE *from;
    *text = NULL;
    *size = 0;
    enum kn_status status = kn_files_open(&from, path);
    if (!from)
        return status;
    status = kn_files_read_all(from, path, limit, text, size);
    fclose(from);
    if (status == KN_OK)
        return KN_OK;
    free(*text);
    *text = NULL;
    return status;
}
