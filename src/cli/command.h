/* The commands of the program: each reads its own command line and returns the exit code. */
#ifndef KN_COMMAND_H
#define KN_COMMAND_H

#include "config/config.h"

enum { KN_COMMAND_USAGE = 2 }; /* exit code of a command line that makes no sense */

/* Options that several commands share; letters and a command's own start below and above. */
enum { KN_OPTION_SET = 256, KN_OPTION_JSON, KN_OPTION_OWN };

/* A case as a command line gives it: a file, and keys set over it in order. */
struct kn_command_case {
    const char *path;  /* or NULL: the defaults */
    const char **sets; /* [nsets], room for every word of the command line */
    int nsets;
};

/* Read and check it; errors name the place. */
enum kn_status kn_command_read(const struct kn_command_case *a, struct kn_case *c, struct kn_places *places);

/* Say what went wrong and return the exit code.  A message that begins with
 * its place in the case file `path` stays as editors expect it. */
/* Flags for argp: what one rank says the others need not repeat. */
unsigned kn_command_silence(void);

int kn_command_finish(enum kn_status status, const char *path);

/* The command that is spelt like the word; NULL: none is. */
const char *kn_command_near(const char *word);

/* All of them, with a sentence each. */
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
