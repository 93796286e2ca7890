/* Where the panels of a sheet lie on the page. */
#ifndef KN_PLOT_LAYOUT_H
#define KN_PLOT_LAYOUT_H

#include "plot/plot_sheet.h"

enum { KN_PLOT_KEY_LINE = 20 }; /* pixels of a line in a key */

struct kn_plot_box {
    double x, y, width, height; /* of the axes' frame, from the lower left corner */
};

/* In pixels of a picture for the screen. */
struct kn_plot_layout {
    double width, height;
    double middle; /* of all frames, where the title is centred */
    struct kn_plot_box box[KN_PLOT_PANELS];
    bool has_key[KN_PLOT_PANELS]; /* beside the panel; panels with the same curves share the first one's */
    bool is_narrow;               /* the keys stand above the panels */
};

/* With a width above 0 all panels stand one below the other where they would not fit side by side. */
void kn_plot_layout_make(struct kn_plot_layout *l, const struct kn_plot_sheet *s, double width);

#endif
