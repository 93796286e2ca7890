/* Finds the cases that are installed with the program. */
#include "config/cases.h"

#include "error.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_folder(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

static enum kn_status find_folder(char folder[KN_PATH])
{
    const char *given = getenv("KNUDSEN_CASES");
    if (!given && !kn_files_beside(folder, "cases"))
        return kn_error_set(KN_EINPUT, "no cases beside the program (set KNUDSEN_CASES)");
    if (!given)
        return KN_OK;
    if (!is_folder(given))
        return kn_error_set(KN_EINPUT, "%s is not a folder of cases (see KNUDSEN_CASES)", given);
    if (snprintf(folder, KN_PATH, "%s", given) >= KN_PATH)
        return kn_error_set(KN_EINPUT, "the path of the cases is too long");
    return KN_OK;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

enum kn_status kn_cases_path(const struct kn_cases *all, const char *name, char path[KN_PATH])
{
    char folder[KN_PATH];
    KN_TRY(kn_files_join(folder, all->folder, name));
    return kn_files_join(path, folder, "case.yaml");
}

static bool is_case(const struct kn_cases *all, const char *name)
{
    char path[KN_PATH];
    return name[0] != '.' && strlen(name) < KN_NAME && kn_cases_path(all, name, path) == KN_OK &&
           access(path, R_OK) == 0;
}

enum kn_status kn_cases_find(struct kn_cases *all)
{
    all->count = 0;
    KN_TRY(find_folder(all->folder));
    DIR *directory = opendir(all->folder);
    if (!directory)
        return kn_error_set(KN_EIO, "%s cannot be read", all->folder);
    for (struct dirent *entry; (entry = readdir(directory)) && all->count < KN_CASES;)
        if (is_case(all, entry->d_name))
            snprintf(all->name[all->count++], KN_NAME, "%.*s", KN_NAME - 1, entry->d_name);
    closedir(directory);
    qsort(all->name, (size_t)all->count, sizeof *all->name, by_name);
    return all->count > 0 ? KN_OK
                          : kn_error_set(KN_EINPUT, "%s contains no case (each is a folder with a case.yaml)",
                                         all->folder);
}

bool kn_cases_have(const struct kn_cases *all, const char *name)
{
    char quoted[KN_NAME + 8];
    const char *near = NULL;
    for (int i = 0; i < all->count; i++) {
        if (strcmp(name, all->name[i]) == 0)
            return true;
        if (kn_config_is_near(name, all->name[i]))
            near = all->name[i];
    }
    kn_config_quote(name, strlen(name), quoted);
    if (near)
        kn_error_set(KN_EINPUT, "unknown case '%s' (did you mean %s?)", quoted, near);
    else
        kn_error_set(KN_EINPUT, "unknown case '%s' (knudsen cases lists them)", quoted);
    return false;
}

enum kn_status kn_cases_title(const struct kn_cases *all, const char *name, char title[KN_CASES_LINE])
{
    char path[KN_PATH];
    KN_TRY(kn_cases_path(all, name, path));
    FILE *file = fopen(path, "r");
    if (!file)
        return kn_error_set(KN_EIO, "%s cannot be opened: %s", path, strerror(errno));
    char line[KN_CASES_LINE];
    const bool some = fgets(line, sizeof line, file) && line[0] == '#';
    fclose(file);
    line[strcspn(line, "\n")] = '\0';
    snprintf(title, KN_CASES_LINE, "%s", some ? line + 1 + strspn(line + 1, " ") : "");
    return KN_OK;
}
