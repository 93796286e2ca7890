#include "plot/draw.h"

#include "error.h"
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const kinds[] = {"png", "svg"};
enum { KINDS = sizeof kinds / sizeof *kinds, NAME = 256 };

static void write_data(FILE *to, const void *of)
{
    const struct kn_draw *f = of;
    fprintf(to, "# %s\n", f->title);
    f->data(to, f->what);
}

/* Everything lies beside the script, wherever it is called from. */
static void write_script(FILE *to, const void *of)
{
    const struct kn_draw *f = of;
    fprintf(to, "# %s\n# gnuplot %s.gp draws %s.png and %s.svg from %s.dat, all beside this file.\n",
            f->title, f->name, f->name, f->name, f->name);
    fprintf(to, "here = ''\n"
                "do for [i = 1:strlen(ARG0)] { if (ARG0[i:i] eq '/') { here = ARG0[1:i] } }\n");
    fprintf(to, "data = here.'%s.dat'\n", f->name);
    fprintf(to, "do for [kind in 'png svg'] {\n");
    fprintf(to,
            "if (kind eq 'png') { set terminal pngcairo size %d,%d font 'sans,11' } else { set terminal svg "
            "size %d,%d font 'sans,12' background 'white' }\n",
            f->width, f->height, f->width, f->height);
    fprintf(to, "set output here.'%s.'.kind\nset grid lt 1 lc rgb '#e4e4e4' lw 0.6\n", f->name);
    f->commands(to, f->what);
    fprintf(to, "unset output\nreset\n}\n");
}

static enum kn_status path_of(char path[KN_PATH], const char *folder, const char *name, const char *kind)
{
    char file[NAME];
    snprintf(file, sizeof file, "%s.%s", name, kind);
    return kn_files_join(path, folder, file);
}

/* Exit status of gnuplot; -1 where there is none. */
static int run_gnuplot(const char *script)
{
    char *const arguments[] = {"gnuplot", (char *)script, NULL};
    posix_spawn_file_actions_t actions;
    pid_t child;
    int ended = -1;
    if (posix_spawn_file_actions_init(&actions) != 0)
        return -1;
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    if (posix_spawnp(&child, "gnuplot", &actions, NULL, arguments, environ) == 0)
        while (waitpid(child, &ended, 0) < 0 && errno == EINTR)
            ;
    posix_spawn_file_actions_destroy(&actions);
    return ended;
}

/* Old pictures go first: what is there afterwards belongs to the data beside it. */
static enum kn_status draw(const char *folder, const char *name, const char *script, bool *drawn)
{
    char path[KN_PATH];
    struct stat file;
    enum kn_status status = KN_OK;
    for (int i = 0; i < KINDS && status == KN_OK; i++) {
        status = path_of(path, folder, name, kinds[i]);
        if (status == KN_OK)
            status = kn_files_remove(path);
    }
    const int ended = status == KN_OK ? run_gnuplot(script) : -1;
    if (ended < 0)
        return status;
    for (int i = 0; i < KINDS; i++) {
        status = path_of(path, folder, name, kinds[i]);
        if (status == KN_OK && (ended != 0 || stat(path, &file) != 0 || file.st_size == 0))
            return kn_error_set(
                KN_EIO, "gnuplot cannot draw '%s' (gnuplot with the script beside it says why)", path);
    }
    *drawn = true;
    return status;
}

enum kn_status kn_draw_figure(const char *folder, const struct kn_draw *figure, bool *drawn)
{
    char data[KN_PATH], script[KN_PATH];
    *drawn = false;
    enum kn_status status = path_of(data, folder, figure->name, "dat");
    if (status == KN_OK)
        status = path_of(script, folder, figure->name, "gp");
    if (status == KN_OK)
        status = kn_files_write_text(data, write_data, figure);
    if (status == KN_OK)
        status = kn_files_write_text(script, write_script, figure);
    return status == KN_OK ? draw(folder, figure->name, script, drawn) : status;
}
