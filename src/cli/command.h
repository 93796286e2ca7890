/* The commands of the program: each parses its command line and returns the exit code. */
#ifndef KN_COMMAND_H
#define KN_COMMAND_H

#include "config/config.h"

enum { KN_COMMAND_USAGE = 2 }; /* exit code of an invalid command line */

/* Options of several commands; those of a single command are letters or begin at KN_OPTION_OWN. */
enum { KN_OPTION_SET = 256, KN_OPTION_JSON, KN_OPTION_OWN };

/* A case on the command line: a file, and keys that are set after it in order. */
struct kn_command_case {
    const char *path;  /* or NULL: the defaults */
    const char **sets; /* [nsets], with space for every word of the command line */
    int nsets;
};

/* Read and check the case; errors state the place. */
enum kn_status kn_command_read(const struct kn_command_case *a, struct kn_case *c, struct kn_places *places);

/* Flags for argp: only rank 0 prints messages. */
unsigned kn_command_silence(void);

/* Print the error message and return the exit code.  A message that begins with a place in the case file
 * `path` has no prefix, so that editors recognise it. */
int kn_command_finish(enum kn_status status, const char *path);

/* The command with a similar spelling, or NULL. */
const char *kn_command_near(const char *word);

/* Print the list of commands. */
void kn_command_list(FILE *to);

int kn_command_bench(int argc, char **argv);
int kn_command_cases(int argc, char **argv);
int kn_command_doctor(int argc, char **argv);
int kn_command_help(int argc, char **argv);
int kn_command_info(int argc, char **argv);
int kn_command_init(int argc, char **argv);
int kn_command_plot(int argc, char **argv);
int kn_command_report(int argc, char **argv);
int kn_command_reproduce(int argc, char **argv);
int kn_command_run(int argc, char **argv);
int kn_command_verify(int argc, char **argv);

#endif
