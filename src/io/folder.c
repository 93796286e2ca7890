/* Keeps the marker of a results folder, which lists the files of the program, and replaces an earlier run. */
#include "io/folder.h"
#include "error.h"
#include "files/files.h"
#include "io/fields.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* The command that writes a file. */
enum need {
    VIEW,      /* plot or report */
    RUN,       /* every run */
    RUN_VTK,   /* a run with output.vtk */
    RUN_SERIES /* a run with a series of fields */
};

/* Every name that the program may write into a results folder.  The marker lists those that it has written.
 * Other names in a marker are ignored, so that a marker cannot refer to a file outside of the folder.  A
 * slash follows the name of a folder; the files of a series in it (kn_fields_is_series) belong to the
 * program. */
static const struct {
    const char *name;
    enum need need;
    bool folder;
} entries[] = {
    {KN_FOLDER_CASE, RUN, false},     {"run.log", RUN, false},         {"history.csv", RUN, false},
    {"fields.h5", RUN, false},        {"fields.pvd", RUN_VTK, false},  {"fields", RUN_SERIES, true},
    {"surfaces.vtp", RUN_VTK, false}, {"checkpoint-a.h5", RUN, false}, {"checkpoint-b.h5", RUN, false},
    {"summary.json", RUN, false},     {"report.html", VIEW, false},    {"picture.png", VIEW, false},
};
enum { NAMES = sizeof entries / sizeof *entries };

/* Files in the new folder that record the progress of kn_folder_replace. */
static const char CLEARING[] = ".clearing", MOVING[] = ".moving";

struct list {
    struct {
        bool listed;
        bool sealed; /* with size and checksum */
        long long size;
        uint64_t sum;
    } of[NAMES];
};

static const char HEAD[] = "knudsen results, format 1";

static int number_of(const char *name)
{
    for (int i = 0; i < NAMES; i++)
        if (strcmp(entries[i].name, name) == 0)
            return i;
    return -1;
}

static void read_line(struct list *list, const char *line)
{
    char name[64];
    long long size = 0;
    uint64_t sum = 0;
    const int found = sscanf(line, "%63s %lld %" SCNx64, name, &size, &sum);
    const size_t length = found > 0 ? strlen(name) : 0;
    const bool folder = length > 0 && name[length - 1] == '/';
    if (folder)
        name[length - 1] = '\0';
    const int i = found > 0 ? number_of(name) : -1;
    if (i < 0 || entries[i].folder != folder || (found != 1 && found != 3))
        return;
    list->of[i].listed = true;
    list->of[i].sealed = found == 3;
    list->of[i].size = size;
    list->of[i].sum = sum;
}

/* A folder without a marker has an empty list. */
static enum kn_status read_list(const char *folder, struct list *list)
{
    char path[KN_PATH], line[256];
    enum kn_status status = KN_OK;
    *list = (struct list){0};
    KN_TRY(kn_files_join(path, folder, KN_FOLDER_MARKER));
    const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    FILE *from = fd < 0 ? NULL : fdopen(fd, "r");
    if (!from) {
        if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
            return KN_OK;
        status = kn_error_set(KN_EIO, "cannot read '%s': %s", path, strerror(errno));
        if (fd >= 0)
            close(fd);
        return status;
    }
    if (!fgets(line, sizeof line, from) || strncmp(line, HEAD, strlen(HEAD)) != 0)
        status = kn_error_set(KN_EINPUT, "'%s' is damaged or not written by this program", path);
    while (status == KN_OK && fgets(line, sizeof line, from))
        read_line(list, line);
    if (status == KN_OK)
        status = kn_files_at_end(from, path);
    fclose(from);
    return status;
}

static enum kn_status print_list(FILE *to, const void *what)
{
    const struct list *list = what;
    fprintf(to,
            "%s\n"
            "# knudsen " KN_VERSION
            " replaces and removes the files listed here, and no others in this folder.\n",
            HEAD);
    for (int i = 0; i < NAMES; i++) {
        if (list->of[i].listed && list->of[i].sealed)
            fprintf(to, "%s %lld %016" PRIx64 "\n", entries[i].name, list->of[i].size, list->of[i].sum);
        else if (list->of[i].listed)
            fprintf(to, "%s%s\n", entries[i].name, entries[i].folder ? "/" : "");
    }
    return KN_OK;
}

static enum kn_status write_list(const char *folder, const struct list *list)
{
    char path[KN_PATH];
    KN_TRY(kn_files_join(path, folder, KN_FOLDER_MARKER));
    return kn_files_write(path, print_list, list);
}

/* Prevent other processes from changing the marker between read_list and write_list.  A run holds the lock of
 * the folder until it ends, but reports can be written meanwhile; therefore the marker has a separate lock.
 * Returns a file to close, or -1 if there is no marker yet, or if the file system has no locks. */
static int lock_marker(const char *folder)
{
    char path[KN_PATH];
    struct stat now, locked;
    int lock = -1;
    if (kn_files_join(path, folder, KN_FOLDER_MARKER) != KN_OK)
        return lock;
    while ((lock = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)) >= 0) {
        const bool held = flock(lock, LOCK_EX) == 0;
        if (!held || fstat(lock, &locked) != 0 || lstat(path, &now) != 0 || now.st_ino == locked.st_ino)
            break;
        close(lock); /* replaced while this process waited */
    }
    return lock;
}

static bool sum_file(const char *path, long long *size, uint64_t *sum)
{
    char block[8192];
    const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    FILE *from = fd < 0 ? NULL : fdopen(fd, "r");
    if (!from)
        return false;
    size_t n;
    *size = 0;
    *sum = KN_FILES_SUM;
    while ((n = fread(block, 1, sizeof block, from)) > 0) {
        *size += (long long)n;
        *sum = kn_files_sum(*sum, block, n);
    }
    const bool good = !ferror(from);
    fclose(from);
    return good;
}

static int is_series(const struct dirent *entry)
{
    return kn_fields_is_series(entry->d_name);
}

/* True if the folder contains files of a series, or cannot be read. */
static bool may_hold_series(const char *path)
{
    struct dirent **found = NULL;
    const int n = scandir(path, &found, is_series, NULL);
    for (int i = 0; i < n; i++)
        free(found[i]);
    free(found);
    return n != 0;
}

enum state { ABSENT, OURS, FOREIGN };

static enum state state_of(const struct list *list, const char *folder, int i)
{
    char path[KN_PATH];
    struct stat info;
    long long size;
    uint64_t sum;
    if (kn_files_join(path, folder, entries[i].name) != KN_OK)
        return FOREIGN;
    if (lstat(path, &info) != 0)
        return errno == ENOENT || errno == ENOTDIR ? ABSENT : FOREIGN;
    if (entries[i].folder) /* a folder without a series may be used for one */
        return S_ISDIR(info.st_mode) && (list->of[i].listed || !may_hold_series(path)) ? OURS : FOREIGN;
    if (!list->of[i].listed || !S_ISREG(info.st_mode))
        return FOREIGN;
    if (!list->of[i].sealed)
        return OURS;
    return sum_file(path, &size, &sum) && size == list->of[i].size && sum == list->of[i].sum ? OURS : FOREIGN;
}

static enum kn_status refuse(const char *folder, int i)
{
    return kn_error_set(
        KN_EINPUT,
        "'%s/%s' was not written by this program, or was changed since, and is not replaced: move it away, "
        "or choose another place for the results (results of version 0.1 have no marker " KN_FOLDER_MARKER
        " and are not replaced either)",
        folder, entries[i].name);
}

enum kn_status kn_folder_check(const char *folder, const char *name)
{
    struct list list;
    const int i = number_of(name);
    KN_TRY(read_list(folder, &list));
    return i >= 0 && state_of(&list, folder, i) == FOREIGN ? refuse(folder, i) : KN_OK;
}

static bool is_wanted(const struct kn_case *c, int i)
{
    const enum need need = entries[i].need;
    return need == RUN || (need != VIEW && c->output.vtk) || (need == RUN_SERIES && c->output.fields > 0);
}

/* Read the list, and check that the files of a run may be replaced. */
static enum kn_status check_run(struct list *list, const char *folder, const struct kn_case *c)
{
    KN_TRY(read_list(folder, list));
    for (int i = 0; i < NAMES; i++)
        if (is_wanted(c, i) && state_of(list, folder, i) == FOREIGN)
            return refuse(folder, i);
    return KN_OK;
}

enum kn_status kn_folder_check_run(const char *folder, const struct kn_case *c)
{
    return check_run(&(struct list){0}, folder, c);
}

/* Names that the program has not written and will not write are left out: a file that gets such a name later
 * belongs to the user. */
enum kn_status kn_folder_claim_run(const char *folder, const struct kn_case *c)
{
    struct list list;
    const int lock = lock_marker(folder);
    enum kn_status status = check_run(&list, folder, c);
    for (int i = 0; i < NAMES && status == KN_OK; i++) {
        const bool wanted = is_wanted(c, i);
        list.of[i].listed = wanted || (list.of[i].listed && state_of(&list, folder, i) == OURS);
        list.of[i].sealed = list.of[i].sealed && !wanted;
    }
    if (status == KN_OK)
        status = write_list(folder, &list);
    close(lock);
    return status;
}

enum kn_status kn_folder_record(const char *folder, const char *name)
{
    struct list list;
    char path[KN_PATH];
    const int i = number_of(name);
    KN_TRY(kn_files_join(path, folder, name));
    if (i < 0)
        return KN_OK;
    const int lock = lock_marker(folder);
    enum kn_status status = read_list(folder, &list);
    if (status == KN_OK && !sum_file(path, &list.of[i].size, &list.of[i].sum))
        status = kn_error_set(KN_EIO, "cannot read '%s' back", path);
    if (status == KN_OK) {
        list.of[i].listed = list.of[i].sealed = true;
        status = write_list(folder, &list);
    }
    close(lock);
    return status;
}

bool kn_folder_holds_run(const char *folder)
{
    static const char *const results[] = {"summary.json", "fields.h5", "checkpoint-a.h5", "checkpoint-b.h5"};
    struct list list;
    if (read_list(folder, &list) != KN_OK)
        return false;
    for (int i = 0; i < 4; i++)
        if (state_of(&list, folder, number_of(results[i])) == OURS)
            return true;
    return false;
}

/* A folder that contains files of the user remains. */
static enum kn_status remove_folder(const char *path)
{
    if (rmdir(path) == 0 || errno == ENOENT || errno == ENOTEMPTY || errno == EEXIST)
        return KN_OK;
    return kn_error_set(KN_EIO, "cannot remove the folder '%s': %s", path, strerror(errno));
}

/* A link in place of the folder could lead to other files. */
static enum kn_status open_series(const char *path, int *fd)
{
    *fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return *fd >= 0 ? KN_OK : kn_error_set(KN_EIO, "cannot open the folder '%s': %s", path, strerror(errno));
}

/* Remove the files of a series, or move them into the folder `*to`. */
static enum kn_status empty_series(const char *path, const int *to)
{
    struct dirent **found = NULL;
    int from;
    enum kn_status status = open_series(path, &from);
    if (status != KN_OK)
        return status;
    const int n = scandir(path, &found, is_series, NULL);
    if (n < 0)
        status = kn_error_set(KN_EIO, "cannot read the folder '%s': %s", path, strerror(errno));
    for (int i = 0; i < n; i++) {
        const char *name = found[i]->d_name;
        if (status == KN_OK && (to ? renameat(from, name, *to, name) : unlinkat(from, name, 0)) != 0 &&
            errno != ENOENT)
            status = kn_error_set(KN_EIO, "cannot %s '%s/%s': %s", to ? "move" : "remove", path, name,
                                  strerror(errno));
        free(found[i]);
    }
    free(found);
    close(from);
    return status == KN_OK ? remove_folder(path) : status;
}

static enum kn_status remove_one(const char *folder, const char *name)
{
    char path[KN_PATH];
    KN_TRY(kn_files_join(path, folder, name));
    return kn_files_remove(path);
}

static enum kn_status remove_listed(const struct list *list, const char *folder, int i)
{
    char path[KN_PATH];
    if (!list->of[i].listed || state_of(list, folder, i) != OURS)
        return KN_OK;
    KN_TRY(kn_files_join(path, folder, entries[i].name));
    return entries[i].folder ? empty_series(path, NULL) : kn_files_remove(path);
}

enum kn_status kn_folder_remove(const char *folder, const char *name)
{
    struct list list;
    const int i = number_of(name);
    KN_TRY(read_list(folder, &list));
    return i < 0 ? KN_OK : remove_listed(&list, folder, i);
}

enum kn_status kn_folder_clear(const char *folder)
{
    struct list list;
    KN_TRY(read_list(folder, &list));
    for (int i = 0; i < NAMES; i++)
        KN_TRY(remove_listed(&list, folder, i));
    return KN_OK;
}

enum kn_status kn_folder_new(char *path, const char *folder)
{
    struct stat info;
    KN_TRY(kn_files_join(path, folder, KN_FOLDER_NEW));
    if (lstat(path, &info) == 0 && !S_ISDIR(info.st_mode))
        return kn_error_set(KN_EINPUT, "'%s' is not a folder: move it away", path);
    return KN_OK;
}

enum kn_status kn_folder_drop_new(const char *folder)
{
    char new[KN_PATH];
    KN_TRY(kn_folder_new(new, folder));
    KN_TRY(kn_folder_clear(new));
    KN_TRY(remove_one(new, KN_FOLDER_MARKER));
    return remove_folder(new);
}

/* Whether a file exists; a folder that cannot be read is an error. */
static enum kn_status look_for(const char *folder, const char *name, bool *there)
{
    char path[KN_PATH];
    struct stat info;
    *there = false;
    KN_TRY(kn_files_join(path, folder, name));
    *there = lstat(path, &info) == 0;
    if (!*there && errno != ENOENT && errno != ENOTDIR)
        return kn_error_set(KN_EIO, "cannot look for '%s': %s", path, strerror(errno));
    return KN_OK;
}

static enum kn_status refuse_move(const char *folder, const char *name, const char *new)
{
    return kn_error_set(KN_EIO,
                        "'%s/%s' was not written by this program, or was changed since: move it away; the "
                        "new results are in '%s'",
                        folder, name, new);
}

/* The files in `new` and those that they replace must belong to the program: the folder may come from
 * elsewhere, or the user may have added files. */
static enum kn_status check_move(const char *folder, const char *new)
{
    struct list old, list;
    KN_TRY(read_list(new, &list));
    KN_TRY(read_list(folder, &old));
    for (int i = 0; i < NAMES; i++) {
        const enum state from = list.of[i].listed ? state_of(&list, new, i) : ABSENT;
        if (from == FOREIGN)
            return refuse_move(new, entries[i].name, new);
        if (from == OURS && state_of(&old, folder, i) == FOREIGN)
            return refuse_move(folder, entries[i].name, new);
    }
    return KN_OK;
}

static enum kn_status move_one(const char *folder, const char *name, const char *to)
{
    char from[KN_PATH], path[KN_PATH];
    KN_TRY(kn_files_join(from, folder, name));
    KN_TRY(kn_files_join(path, to, name));
    if (rename(from, path) != 0 && errno != ENOENT)
        return kn_error_set(KN_EIO, "cannot move '%s' to '%s': %s", from, path, strerror(errno));
    return KN_OK;
}

/* Move the files of a series into a folder that contains files of the user.  The marker of the results lists
 * the series first, so that a partly moved series belongs to the program. */
static enum kn_status merge_series(const char *folder, const char *new, int i)
{
    struct list old;
    char from[KN_PATH], to[KN_PATH];
    int fd = -1;
    KN_TRY(read_list(folder, &old));
    if (!old.of[i].listed) {
        old.of[i].listed = true;
        KN_TRY(write_list(folder, &old));
    }
    KN_TRY(kn_files_join(from, new, entries[i].name));
    KN_TRY(kn_files_join(to, folder, entries[i].name));
    KN_TRY(open_series(to, &fd));
    const enum kn_status status = empty_series(from, &fd);
    close(fd);
    return status;
}

/* The earlier files have been removed: a file that has the name now belongs to the user. */
static enum kn_status move_listed(const char *folder, const char *new, int i)
{
    const char *name = entries[i].name;
    bool comes = false, stays = false;
    KN_TRY(look_for(new, name, &comes));
    KN_TRY(look_for(folder, name, &stays));
    if (!comes)
        return KN_OK;
    if (!stays)
        return move_one(new, name, folder);
    return entries[i].folder ? merge_series(folder, new, i) : refuse_move(folder, name, new);
}

/* Check that every name of a new file is free now; a file that could not be examined was not removed. */
static enum kn_status check_cleared(const char *folder, const char *new)
{
    struct list list;
    char path[KN_PATH];
    KN_TRY(read_list(new, &list));
    for (int i = 0; i < NAMES; i++) {
        bool comes = false, stays = false;
        if (list.of[i].listed)
            KN_TRY(look_for(new, entries[i].name, &comes));
        if (comes)
            KN_TRY(look_for(folder, entries[i].name, &stays));
        if (stays && entries[i].folder) /* it may contain files of the user */
            stays = kn_files_join(path, folder, entries[i].name) != KN_OK || may_hold_series(path);
        if (stays)
            return refuse_move(folder, entries[i].name, new);
    }
    return KN_OK;
}

/* Old files are removed while the new ones are complete in their own folder; then the new ones are moved.
 * Both steps can be repeated from the start. */
static enum kn_status clear_old(const char *folder, const char *new)
{
    char clearing[KN_PATH], moving[KN_PATH];
    KN_TRY(kn_folder_clear(folder));
    KN_TRY(check_cleared(folder, new));
    KN_TRY(kn_files_join(clearing, new, CLEARING));
    KN_TRY(kn_files_join(moving, new, MOVING));
    return kn_files_commit(clearing, moving);
}

static enum kn_status move_new(const char *folder, const char *new)
{
    struct list list;
    KN_TRY(read_list(new, &list));
    for (int i = 0; i < NAMES; i++)
        if (list.of[i].listed)
            KN_TRY(move_listed(folder, new, i));
    KN_TRY(move_one(new, KN_FOLDER_MARKER, folder));
    KN_TRY(remove_one(new, MOVING));
    return remove_folder(new);
}

static enum kn_status print_nothing(FILE *to, const void *what)
{
    (void)to, (void)what;
    return KN_OK;
}

enum kn_status kn_folder_replace(const char *folder)
{
    char new[KN_PATH], clearing[KN_PATH];
    KN_TRY(kn_folder_new(new, folder));
    KN_TRY(check_move(folder, new));
    KN_TRY(kn_files_join(clearing, new, CLEARING));
    KN_TRY(kn_files_write(clearing, print_nothing, NULL));
    KN_TRY(clear_old(folder, new));
    return move_new(folder, new);
}

enum kn_status kn_folder_recover(const char *folder)
{
    char new[KN_PATH];
    bool clearing = false, moving = false;
    KN_TRY(kn_folder_new(new, folder));
    KN_TRY(look_for(new, CLEARING, &clearing));
    KN_TRY(look_for(new, MOVING, &moving));
    if (!clearing && !moving)
        return KN_OK;
    KN_TRY(check_move(folder, new));
    if (clearing)
        KN_TRY(clear_old(folder, new));
    return move_new(folder, new);
}

bool kn_folder_identify(const char *path, struct kn_folder_identity *identity)
{
    struct stat info;
    if (stat(path, &info) != 0)
        return false;
    *identity = (struct kn_folder_identity){info.st_dev, info.st_ino};
    return true;
}

enum kn_status kn_folder_verify(const char *path, const struct kn_folder_identity *identity)
{
    struct kn_folder_identity now;
    if (kn_folder_identify(path, &now) && now.device == identity->device && now.inode == identity->inode)
        return KN_OK;
    return kn_error_set(KN_EIO, "'%s' was removed, renamed or replaced during the run", path);
}
