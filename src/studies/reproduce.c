#include "studies/reproduce.h"

#include "config/config.h"
#include "error.h"
#include "files.h"
#include "run/signals.h"

#include <omp.h>
#include <string.h>
#include <unistd.h>

static const struct topic {
    const char *name;
    const char *doc;
    enum kn_status (*make)(struct kn_reproduce *job);
} topics[] = {
    {"paper",
     "table 1 and figures 1 to 6 of Frezzotti, Ghiroldi and Gibelli, Solving the Boltzmann equation on GPUs: "
     "on the "
     "paper's grids with a GPU (minutes), on coarser ones without (three minutes on 2 cores)",
     kn_reproduce_paper},
    {"verification",
     "docs/verification.md: orders of accuracy in space, time, velocity and samples, each measured, and all "
     "checks of "
     "knudsen verify (minutes; with a GPU those of --full)",
     kn_reproduce_verification},
};
enum { TOPICS = sizeof topics / sizeof *topics };

void kn_reproduce_list(FILE *to)
{
    for (int i = 0; i < TOPICS; i++)
        fprintf(to, "%-12s %s\n", topics[i].name, topics[i].doc);
}

/* ------------------------------------------------------------------- topics */

struct heard {
    const char *what;
    double last; /* when the line was written, s */
    bool terminal;
};

static bool hear(void *to, double part)
{
    struct heard *h = to;
    const double now = omp_get_wtime();
    if (h->terminal && now - h->last > 0.2) {
        printf("\r\033[K%s ... %.0f %%", h->what, 100 * part);
        fflush(stdout);
        h->last = now;
    }
    return !kn_signals_stop();
}

enum kn_status kn_reproduce_run(const struct kn_reproduce *job, const char *what, const struct kn_case *c,
                                struct kn_record *r)
{
    struct heard h = {what, 0, job->terminal};
    const struct kn_listener listener = {.hear = hear, .to = &h};
    const enum kn_status status = kn_record_make(r, c, &listener);
    if (job->terminal)
        printf("\r\033[K");
    return status;
}

bool kn_reproduce_is_stopped(void)
{
    return kn_signals_stop();
}

enum kn_status kn_reproduce_figure(struct kn_reproduce *job, const struct kn_draw *figure)
{
    bool drawn;
    const enum kn_status status = kn_draw_figure(job->folder, figure, &drawn);
    job->figures += status == KN_OK;
    job->drawn += status == KN_OK && drawn;
    return status;
}

enum kn_status kn_reproduce_text(const struct kn_reproduce *job, const char *name,
                                 void (*fill)(FILE *to, const void *what), const void *what)
{
    char path[KN_PATH];
    const enum kn_status status = kn_files_join(path, job->folder, name);
    return status == KN_OK ? kn_files_write_text(path, fill, what) : status;
}

/* --------------------------------------------------------------- the command */

static const struct topic *find(const char *name)
{
    const struct topic *near = NULL;
    char quoted[KN_NAME + 8], names[KN_TEXT] = "";
    for (int i = 0; i < TOPICS; i++) {
        if (strcmp(name, topics[i].name) == 0)
            return &topics[i];
        if (kn_config_is_near(name, topics[i].name))
            near = &topics[i];
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? ", " : "", topics[i].name);
    }
    kn_config_quote(name, strlen(name), quoted);
    if (near)
        kn_error_set(KN_EINPUT, "reproduce: unknown topic '%s' (did you mean %s?)", quoted, near->name);
    else
        kn_error_set(KN_EINPUT, "reproduce: unknown topic '%s' (there is %s)", quoted, names);
    return NULL;
}

static void conclude(const struct kn_reproduce *job, double seconds)
{
    printf("\nfiles in %s, after %.0f s\n", job->folder, seconds);
    if (job->drawn < job->figures)
        printf("gnuplot is not installed; where it is, gnuplot %s/NAME.gp draws NAME.png and NAME.svg\n",
               job->folder);
}

enum kn_status kn_reproduce(const char *name, const char *folder)
{
    const double started = omp_get_wtime();
    const struct topic *topic = find(name);
    char usual[KN_PATH];
    if (!topic)
        return KN_EINPUT;
    snprintf(usual, sizeof usual, "results/%s", topic->name);
    struct kn_reproduce job = {.folder = folder ? folder : usual, .terminal = isatty(STDOUT_FILENO)};
    enum kn_status status = kn_files_make_folder(job.folder);
    if (status != KN_OK)
        return status;
    kn_signals_catch();
    status = topic->make(&job);
    kn_signals_release();
    if (status == KN_OK)
        conclude(&job, omp_get_wtime() - started);
    return status;
}
