/* knudsen reproduce: figures and tables of a publication, or of this program's documents, from one
 * command.  A topic is one entry of the table in reproduce.c and one function, which makes runs,
 * prints lines as they are done and writes files through what is declared here. */
#ifndef KN_REPRODUCE_H
#define KN_REPRODUCE_H

#include "plot/draw.h"
#include "verify/record.h"

/* A topic in the making. */
struct kn_reproduce {
    const char *folder;
    bool terminal;      /* somebody watches: show how much of a run is done */
    int figures, drawn; /* written, and drawn by gnuplot */
};

/* Make everything about the topic of that name, in `folder` or, where that is NULL, in results/NAME;
 * print on stdout. */
enum kn_status kn_reproduce(const char *name, const char *folder);

/* The topics with a sentence on each. */
void kn_reproduce_list(FILE *to);

/* ------------------------------------------------------------ for the topics */

/* Run a case in memory; `what` stands on the terminal meanwhile.  A signal ends it with
 * KN_EINTERRUPTED. */
enum kn_status kn_reproduce_run(const struct kn_reproduce *job, const char *what, const struct kn_case *c,
                                struct kn_record *r);

/* Say whether somebody has asked to stop. */
bool kn_reproduce_is_stopped(void);

/* Draw a figure into the folder, or write what draws it. */
enum kn_status kn_reproduce_figure(struct kn_reproduce *job, const struct kn_draw *figure);

/* Write a text file into the folder. */
enum kn_status kn_reproduce_text(const struct kn_reproduce *job, const char *name,
                                 void (*fill)(FILE *to, const void *what), const void *what);

/* The topics (reproduce_*.c). */
enum kn_status kn_reproduce_paper(struct kn_reproduce *job);
enum kn_status kn_reproduce_verification(struct kn_reproduce *job);

#endif
