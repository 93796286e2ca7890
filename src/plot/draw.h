/* Figures: data, a script that draws them, and the pictures where gnuplot is installed. */
#ifndef KN_DRAW_H
#define KN_DRAW_H

#include "knudsen.h"

#include <stdio.h>

/* What both functions print goes into files of their own; the commands find the data under the path
 * in the gnuplot variable `data`. */
struct kn_draw {
    const char *name;  /* of the files, before the dot */
    const char *title; /* what the figure shows; one line */
    int width, height; /* pixels */
    void (*data)(FILE *to, const void *what);
    void (*commands)(FILE *to, const void *what);
    const void *what;
};

/* Write NAME.dat and NAME.gp into the folder and, where gnuplot is installed, NAME.png and NAME.svg;
 * whether they were drawn is told through `drawn`.  `gnuplot FOLDER/NAME.gp` does the latter at any
 * time and from anywhere. */
enum kn_status kn_draw_figure(const char *folder, const struct kn_draw *figure, bool *drawn);

#endif
