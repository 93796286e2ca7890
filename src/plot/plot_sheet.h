/* What is drawn, whoever draws it: a sheet of panels with curves or maps.
 *
 * Text is marked up as gnuplot's enhanced text: {/:Italic x}, _ and ^ before a letter or {...}, and \ before
 * a character that would otherwise be markup. */
#ifndef KN_PLOT_SHEET_H
#define KN_PLOT_SHEET_H

#include "plot/streamline.h"

#include <stdio.h>

enum { KN_PLOT_TEXT = 256, KN_PLOT_PANELS = 12 };

enum kn_plot_style {
    KN_PLOT_LINE,
    KN_PLOT_POINTS, /* with error bars where there are any */
    KN_PLOT_LEVEL   /* a dashed line across the panel */
};

struct kn_plot_curve {
    char label[KN_PLOT_TEXT]; /* "": not in the key */
    enum kn_plot_style style;
    double shade; /* 0 to 1: early to late; NaN: told from others by colour and dashes */
    int n;
    double *x, *y; /* [n] in the units of the panel */
    double *error; /* [n], or NULL */
};

struct kn_plot_map {
    int pixels[2];
    double low[2], high[2]; /* of the axes, in their unit */
    double *value;          /* [pixels[1]][pixels[0]] */
    double range[2];
    bool is_signed; /* the middle of the range is where nothing is disturbed */
    struct kn_streamlines lines;
    int arrows;
    double (*arrow)[4];       /* [arrows] x, y, dx, dy: the longest as long as they are apart */
    double most[3], least[3]; /* greatest value and smallest, each with its place */
};

struct kn_plot_panel {
    bool is_map;
    char what[KN_PLOT_TEXT]; /* in words, for those who read what was drawn */
    char x_label[KN_PLOT_TEXT], y_label[KN_PLOT_TEXT];
    char note[KN_PLOT_TEXT]; /* above the panel; may be empty */
    char key[KN_PLOT_TEXT];  /* title of the key; may be empty */
    double x_range[2];
    bool logarithmic; /* the y axis */
    double rest;      /* y of the undisturbed gas */
    int ncurves;
    struct kn_plot_curve *curves;
    char value_label[KN_PLOT_TEXT]; /* of a map */
    struct kn_plot_map map;
};

struct kn_plot_sheet {
    char title[KN_PLOT_TEXT];
    int npanels;
    struct kn_plot_panel panels[KN_PLOT_PANELS];
};

/* A further panel, empty; NULL when the sheet is full. */
struct kn_plot_panel *kn_plot_sheet_add(struct kn_plot_sheet *s);

/* A further curve with room for n points; NULL when memory is short. */
struct kn_plot_curve *kn_plot_sheet_curve(struct kn_plot_panel *p, enum kn_plot_style style, int n,
                                          bool errors);

void kn_plot_sheet_destroy(struct kn_plot_sheet *s);

/* Plain text, marked up so that it shows as it is; control characters become '?'. */
void kn_plot_sheet_escape(char *marked, size_t size, const char *plain);

/* Marked-up text without its marks; without `utf8` in ASCII. */
void kn_plot_sheet_plain(char *plain, size_t size, const char *marked, bool utf8);

/* Text grows by more of it, as far as there is room. */
void kn_plot_sheet_append(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
