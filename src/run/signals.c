/* Handlers that record signals for the loop of a run. */
#include "run/run_parts.h"

#include <signal.h>
#include <time.h>

static volatile sig_atomic_t requested_stop, requested_save, requested_at; /* s */

/* A second signal has its default effect, except within a second: some launchers send a signal to the process
 * and to its group. */
static void on_stop(int signal_number)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (!requested_stop) {
        requested_at = (sig_atomic_t)now.tv_sec;
        requested_stop = 1;
    } else if ((sig_atomic_t)now.tv_sec - requested_at > 1) {
        signal(signal_number, SIG_DFL);
        raise(signal_number);
    }
}

static void on_save(int signal_number)
{
    (void)signal_number;
    requested_save = 1;
}

static const struct caught {
    int number;
    void (*handler)(int);
} caught[] = {{SIGINT, on_stop}, {SIGTERM, on_stop}, {SIGHUP, on_stop}, {SIGUSR1, on_save}};
enum { CAUGHT = sizeof caught / sizeof *caught };

static struct sigaction before[CAUGHT];

void kn_signals_catch(void)
{
    requested_stop = requested_save = 0;
    for (int i = 0; i < CAUGHT; i++) {
        struct sigaction action = {.sa_handler = caught[i].handler, .sa_flags = SA_RESTART};
        sigemptyset(&action.sa_mask);
        sigaction(caught[i].number, &action, &before[i]);
    }
}

void kn_signals_release(void)
{
    for (int i = 0; i < CAUGHT; i++)
        sigaction(caught[i].number, &before[i], NULL);
}

bool kn_signals_stop(void)
{
    return requested_stop;
}

bool kn_signals_save(void)
{
    const bool requested = requested_save;
    requested_save = 0;
    return requested;
}
