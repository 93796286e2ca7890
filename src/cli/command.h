/* The commands of the program: each parses its command line and returns the exit code. */
#ifndef KN_COMMAND_H
#define KN_COMMAND_H

#include "config/config.h"

#include <argp.h>

enum { KN_COMMAND_USAGE = 2 }; /* exit code of an invalid command line */

/* A command and its line.  The struct of the arguments of a command begins with it. */
struct kn_command_line {
    enum kn_status (*execute)(struct kn_command_line *line);
    const char *doc, *args_doc;
    const struct argp_option *options; /* with keys from KN_OPTION, KN_OPTION_SET, and letters as aliases */
    int most;                          /* words that are not options, at most two */
    const char *kind, *missing; /* for messages: the kind of a word; the message without words, or NULL */
    bool (*check)(struct kn_command_line *line,
                  struct argp_state *state); /* or NULL; reports by argp_error */
    const char *words[2];
    const char *path;  /* the case file, or NULL: the defaults */
    const char **sets; /* [nsets] keys that are set after it in order, with space for one more */
    int nsets;
};

/* The key of an option that sets a member of the struct `type`: a bool, or the text of its argument. */
enum { KN_OPTION_SET = 256, KN_OPTION_MEMBERS };
#define KN_OPTION(type, member) (KN_OPTION_MEMBERS + (int)offsetof(type, member))

/* Parse the command line and execute the command.  Returns the exit code. */
int kn_command_start(struct kn_command_line *line, int argc, char **argv);

/* Read and check the case of the line; errors state the place. */
enum kn_status kn_command_read(const struct kn_command_line *line, struct kn_case *c,
                               struct kn_places *places);

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
int kn_command_sweep(int argc, char **argv);
int kn_command_verify(int argc, char **argv);

/* Explain a term.  Capital letters matter only if two terms differ by them.  False: there is no such term. */
bool kn_glossary_print(FILE *to, const char *word);

/* The term with the most similar spelling, or NULL. */
const char *kn_glossary_near(const char *word);

#endif
