/* Finds the memory that this process may still use, including limits of control groups. */
#include "config/config.h"
#include "error.h"

#include <math.h>
#include <string.h>

enum { PATH_ROOM = 4096 };

/* The number after `name` in a file of lines "name number"; the first number if name is "". */
static double number_in(const char *folder, const char *file, const char *name)
{
    char path[2 * PATH_ROOM], line[256];
    double value = INFINITY; /* also for "max" */
    snprintf(path, sizeof path, "%s/%s", folder, file);
    FILE *from = fopen(path, "r");
    while (from && fgets(line, sizeof line, from))
        if (strncmp(line, name, strlen(name)) == 0 && sscanf(line + strlen(name), "%lf", &value) == 1)
            break;
    if (from)
        fclose(from);
    return value;
}

/* Free memory of one control group; pages of the file cache count as free. */
static double room_in_group(const char *folder, const char *limit, const char *usage, const char *cache)
{
    double most = number_in(folder, limit, ""), used = number_in(folder, usage, "");
    double droppable = number_in(folder, "memory.stat", cache);
    if (!isfinite(most) || !isfinite(used))
        return INFINITY;
    return fmax(0, most - used + (isfinite(droppable) ? droppable : 0));
}

/* Every level above the process may have a limit. */
static double room_above(const char *mount, const char *group, bool v2)
{
    char folder[PATH_ROOM];
    double room = INFINITY;
    size_t root = (size_t)snprintf(folder, sizeof folder, "%s", mount);
    snprintf(folder + root, sizeof folder - root, "%s", group);
    for (;;) {
        room = fmin(room, v2 ? room_in_group(folder, "memory.max", "memory.current", "inactive_file ")
                             : room_in_group(folder, "memory.limit_in_bytes", "memory.usage_in_bytes",
                                             "total_inactive_file "));
        char *slash = strrchr(folder, '/');
        if (strlen(folder) <= root || !slash)
            return room;
        *slash = '\0';
    }
}

double kn_config_memory_available(void)
{
    double room = number_in("/proc", "meminfo", "MemAvailable:") * 1024;
    char line[PATH_ROOM];
    FILE *from = fopen("/proc/self/cgroup", "r");
    while (from && fgets(line, sizeof line, from)) { /* number:controllers:path */
        line[strcspn(line, "\n")] = '\0';
        char *controllers = strchr(line, ':'), *group = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!group)
            continue;
        *group++ = '\0';
        controllers++;
        if (!*controllers)
            room = fmin(room, room_above("/sys/fs/cgroup", group, true));
        else if (strstr(controllers, "memory"))
            room = fmin(room, room_above("/sys/fs/cgroup/memory", group, false));
    }
    if (from)
        fclose(from);
    return room;
}

void kn_config_bytes_text(double bytes, char text[KN_NAME])
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB"};
    int unit = 0;
    for (; bytes >= 999.5 && unit < 5; unit++)
        bytes /= 1000;
    snprintf(text, KN_NAME, "%.3g %s", bytes, units[unit]);
}

enum kn_status kn_config_check_memory(double bytes)
{
    char needed[KN_NAME], there[KN_NAME];
    double available = kn_config_memory_available();
    if (bytes <= available)
        return KN_OK;
    kn_config_bytes_text(bytes, needed);
    kn_config_bytes_text(available, there);
    return kn_error_set(KN_EMEMORY,
                        "space.cells: the case needs %s of memory and %s is available (use fewer space.cells "
                        "or velocity.nodes)",
                        needed, there);
}
