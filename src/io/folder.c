/* The marker of a results folder, and how a run replaces an earlier one. */
#include "io/folder.h"
#include "error.h"
#include "io/fields.h"
#include "io/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Every name that the program may write into a results folder.  The marker says which of them it wrote; other
 * names in a marker are ignored, so that a marker cannot lead out of the folder.  A name that ends with a
 * slash is a folder, in which files of a series (kn_fields_is_series) are the program's. */
static const char SERIES[] = "fields/";
static const char *const names[] = {
    KN_FOLDER_CASE, "run.log",         "history.csv",     "fields.h5",    "fields.pvd",
    SERIES,         "checkpoint-a.h5", "checkpoint-b.h5", "summary.json", "report.html",
    "picture.png",  "compare.png",     "plot.dat",        "plot.gp",
};
enum { NAMES = sizeof names / sizeof *names, FIRST_VIEW = 9 }; /* the rest is not written by runs */

/* In the new folder: what is left to do of kn_folder_replace. */
static const char CLEARING[] = ".clearing", MOVING[] = ".moving";

struct list {
    bool listed[NAMES];
    bool sealed[NAMES]; /* with size and checksum */
    long long size[NAMES];
    uint64_t sum[NAMES];
};

static const char HEAD[] = "knudsen results, format 1";

static int number_of(const char *name)
{
    for (int i = 0; i < NAMES; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}

/* ------------------------------------------------------------------ the marker */

static void read_line(struct list *list, const char *line)
{
    char name[64];
    long long size;
    uint64_t sum;
    const int found = sscanf(line, "%63s %lld %" SCNx64, name, &size, &sum);
    const int i = found > 0 ? number_of(name) : -1;
    if (i < 0 || (found != 1 && found != 3))
        return;
    list->listed[i] = true;
    list->sealed[i] = found == 3;
    list->size[i] = found == 3 ? size : 0;
    list->sum[i] = found == 3 ? sum : 0;
}

/* A folder without a marker has an empty list. */
static enum kn_status read_list(const char *folder, struct list *list)
{
    char path[KN_PATH], line[256];
    *list = (struct list){0};
    enum kn_status status = kn_files_join(path, folder, KN_FOLDER_MARKER);
    if (status != KN_OK)
        return status;
    const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
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
    fclose(from);
    return status;
}

static void print_list(FILE *to, const void *what)
{
    const struct list *list = what;
    fprintf(to,
            "%s\n"
            "# knudsen " KN_VERSION
            " replaces and removes the files listed here, and no others in this folder.\n",
            HEAD);
    for (int i = 0; i < NAMES; i++) {
        if (list->listed[i] && list->sealed[i])
            fprintf(to, "%s %lld %016" PRIx64 "\n", names[i], list->size[i], list->sum[i]);
        else if (list->listed[i])
            fprintf(to, "%s\n", names[i]);
    }
}

static enum kn_status write_list(const char *folder, const struct list *list)
{
    char path[KN_PATH];
    const enum kn_status status = kn_files_join(path, folder, KN_FOLDER_MARKER);
    return status == KN_OK ? kn_files_write_text(path, print_list, list) : status;
}

/* ------------------------------------------------------------------- ownership */

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

/* Files of a series in path. */
static bool has_series(const char *path)
{
    struct dirent **found = NULL;
    const int n = scandir(path, &found, is_series, NULL);
    for (int i = 0; i < n; i++)
        free(found[i]);
    free(found);
    return n > 0;
}

enum state { ABSENT, OURS, FOREIGN };

static enum state state_of(const struct list *list, const char *folder, int i)
{
    char path[KN_PATH];
    struct stat info;
    long long size;
    uint64_t sum;
    const bool series = names[i] == SERIES;
    if (kn_files_join(path, folder, names[i]) != KN_OK)
        return FOREIGN;
    if (series)
        path[strlen(path) - 1] = '\0'; /* with the slash a link would be followed */
    if (lstat(path, &info) != 0)
        return errno == ENOENT || errno == ENOTDIR ? ABSENT : FOREIGN;
    if (series) /* a folder without a series may be used for one */
        return S_ISDIR(info.st_mode) && (list->listed[i] || !has_series(path)) ? OURS : FOREIGN;
    if (!list->listed[i] || !S_ISREG(info.st_mode))
        return FOREIGN;
    if (!list->sealed[i])
        return OURS;
    return sum_file(path, &size, &sum) && size == list->size[i] && sum == list->sum[i] ? OURS : FOREIGN;
}

static enum kn_status refuse(const char *folder, int i)
{
    return kn_error_set(
        KN_EINPUT,
        "'%s/%s' was not written by this program, or was changed since, and is not replaced: "
        "move it away, or choose another place for the results (results of version 0.1 have no "
        "marker " KN_FOLDER_MARKER " and are not replaced either)",
        folder, names[i]);
}

enum kn_status kn_folder_check(const char *folder, const char *name)
{
    struct list list;
    const int i = number_of(name);
    const enum kn_status status = read_list(folder, &list);
    if (status != KN_OK || i < 0 || state_of(&list, folder, i) != FOREIGN)
        return status;
    return refuse(folder, i);
}

static bool is_wanted(const struct kn_case *c, int i)
{
    if (strcmp(names[i], "fields.pvd") == 0)
        return c->output.vtk;
    if (names[i] == SERIES)
        return c->output.vtk || c->output.fields > 0;
    return i < FIRST_VIEW;
}

static enum kn_status check_run(const struct list *list, const char *folder, const struct kn_case *c)
{
    for (int i = 0; i < NAMES; i++)
        if (is_wanted(c, i) && state_of(list, folder, i) == FOREIGN)
            return refuse(folder, i);
    return KN_OK;
}

enum kn_status kn_folder_check_run(const char *folder, const struct kn_case *c)
{
    struct list list;
    const enum kn_status status = read_list(folder, &list);
    return status == KN_OK ? check_run(&list, folder, c) : status;
}

/* Names that the program neither has written nor is going to write are left out: a file that gets one of them
 * later is the user's. */
enum kn_status kn_folder_claim_run(const char *folder, const struct kn_case *c)
{
    struct list list;
    enum kn_status status = read_list(folder, &list);
    if (status == KN_OK)
        status = check_run(&list, folder, c);
    if (status != KN_OK)
        return status;
    for (int i = 0; i < NAMES; i++) {
        const bool wanted = is_wanted(c, i);
        list.listed[i] = wanted || (list.listed[i] && state_of(&list, folder, i) == OURS);
        list.sealed[i] = list.sealed[i] && !wanted;
    }
    return write_list(folder, &list);
}

enum kn_status kn_folder_record(const char *folder, const char *name)
{
    struct list list;
    char path[KN_PATH];
    const int i = number_of(name);
    enum kn_status status = read_list(folder, &list);
    if (status == KN_OK)
        status = kn_files_join(path, folder, name);
    if (status != KN_OK || i < 0)
        return status;
    if (!sum_file(path, &list.size[i], &list.sum[i]))
        return kn_error_set(KN_EIO, "cannot read '%s' back", path);
    list.listed[i] = list.sealed[i] = true;
    return write_list(folder, &list);
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

/* --------------------------------------------------------------------- removal */

/* Do something with every file of the series in folder/fields. */
static enum kn_status for_series(const char *folder, const char *to,
                                 enum kn_status (*act)(const char *folder, const char *name, const char *to))
{
    char within[KN_PATH];
    struct dirent **found = NULL;
    enum kn_status status = kn_files_join(within, folder, SERIES);
    const int n = status == KN_OK ? scandir(within, &found, is_series, NULL) : 0;
    for (int i = 0; i < n; i++) {
        if (status == KN_OK)
            status = act(within, found[i]->d_name, to);
        free(found[i]);
    }
    free(found);
    if (status == KN_OK)
        rmdir(within); /* unless the user keeps something there */
    return status;
}

static enum kn_status remove_one(const char *folder, const char *name, const char *to)
{
    char path[KN_PATH];
    (void)to;
    const enum kn_status status = kn_files_join(path, folder, name);
    return status == KN_OK ? kn_files_remove(path) : status;
}

static enum kn_status remove_listed(const struct list *list, const char *folder, int i)
{
    if (!list->listed[i] || state_of(list, folder, i) != OURS)
        return KN_OK;
    return names[i] == SERIES ? for_series(folder, NULL, remove_one) : remove_one(folder, names[i], NULL);
}

enum kn_status kn_folder_remove(const char *folder, const char *name)
{
    struct list list;
    const enum kn_status status = read_list(folder, &list);
    return status == KN_OK ? remove_listed(&list, folder, number_of(name)) : status;
}

enum kn_status kn_folder_clear(const char *folder)
{
    struct list list;
    enum kn_status status = read_list(folder, &list);
    for (int i = 0; i < NAMES && status == KN_OK; i++)
        status = remove_listed(&list, folder, i);
    return status;
}

enum kn_status kn_folder_new(char *path, const char *folder)
{
    struct stat info;
    const enum kn_status status = kn_files_join(path, folder, KN_FOLDER_NEW);
    if (status == KN_OK && lstat(path, &info) == 0 && !S_ISDIR(info.st_mode))
        return kn_error_set(KN_EINPUT, "'%s' is not a folder: move it away", path);
    return status;
}

enum kn_status kn_folder_drop_new(const char *folder)
{
    char new[KN_PATH];
    enum kn_status status = kn_folder_new(new, folder);
    if (status == KN_OK)
        status = kn_folder_clear(new);
    if (status == KN_OK)
        status = remove_one(new, KN_FOLDER_MARKER, NULL);
    if (status == KN_OK)
        rmdir(new); /* unless the user keeps something there */
    return status;
}

/* ----------------------------------------------------------------- replacement */

static enum kn_status move_one(const char *folder, const char *name, const char *to)
{
    char from[KN_PATH], path[KN_PATH];
    enum kn_status status = kn_files_join(from, folder, name);
    if (status == KN_OK)
        status = kn_files_join(path, to, name);
    if (status == KN_OK && rename(from, path) != 0 && errno != ENOENT)
        status = kn_error_set(KN_EIO, "cannot move '%s' to '%s': %s", from, path, strerror(errno));
    return status;
}

static enum kn_status move_series(const char *new, const char *folder)
{
    char to[KN_PATH];
    enum kn_status status = kn_files_join(to, folder, SERIES);
    if (status == KN_OK)
        status = kn_files_make_folder(to);
    return status == KN_OK ? for_series(new, to, move_one) : status;
}

/* Old files go, while the new ones are whole in their own folder; then new ones come.  Both can be done again
 * from the start. */
static enum kn_status clear_old(const char *folder, const char *new)
{
    char clearing[KN_PATH], moving[KN_PATH];
    enum kn_status status = kn_folder_clear(folder);
    if (status == KN_OK)
        status = kn_files_join(clearing, new, CLEARING);
    if (status == KN_OK)
        status = kn_files_join(moving, new, MOVING);
    if (status == KN_OK)
        status = kn_files_commit(clearing, moving);
    return status;
}

static enum kn_status move_new(const char *folder, const char *new)
{
    struct list list;
    enum kn_status status = read_list(new, &list);
    for (int i = 0; i < NAMES && status == KN_OK; i++)
        if (list.listed[i])
            status = names[i] == SERIES ? move_series(new, folder) : move_one(new, names[i], folder);
    if (status == KN_OK)
        status = move_one(new, KN_FOLDER_MARKER, folder);
    if (status == KN_OK)
        status = remove_one(new, MOVING, NULL);
    if (status == KN_OK)
        rmdir(new);
    return status;
}

static void print_nothing(FILE *to, const void *what)
{
    (void)to, (void)what;
}

enum kn_status kn_folder_replace(const char *folder)
{
    char new[KN_PATH], clearing[KN_PATH];
    struct list old, list;
    enum kn_status status = kn_folder_new(new, folder);
    if (status == KN_OK)
        status = read_list(new, &list);
    if (status == KN_OK)
        status = read_list(folder, &old);
    for (int i = 0; i < NAMES && status == KN_OK; i++) /* what has come since the run began */
        if (list.listed[i] && state_of(&list, new, i) == OURS && state_of(&old, folder, i) == FOREIGN)
            status = kn_error_set(KN_EIO,
                                  "'%s/%s' was not written by this program and is not replaced; the new "
                                  "results are in '%s'",
                                  folder, names[i], new);
    if (status == KN_OK)
        status = kn_files_join(clearing, new, CLEARING);
    if (status == KN_OK)
        status = kn_files_write_text(clearing, print_nothing, NULL);
    if (status == KN_OK)
        status = clear_old(folder, new);
    return status == KN_OK ? move_new(folder, new) : status;
}

static bool is_there(const char *folder, const char *name)
{
    char path[KN_PATH];
    struct stat info;
    return kn_files_join(path, folder, name) == KN_OK && lstat(path, &info) == 0;
}

enum kn_status kn_folder_recover(const char *folder)
{
    char new[KN_PATH];
    enum kn_status status = kn_folder_new(new, folder);
    if (status == KN_OK && is_there(new, CLEARING))
        status = clear_old(folder, new);
    if (status == KN_OK && is_there(new, MOVING))
        status = move_new(folder, new);
    return status;
}

/* -------------------------------------------------------------------- identity */

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
