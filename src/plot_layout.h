/* Where the panels of a sheet lie on the page. */
#ifndef KN_PLOT_LAYOUT_H
#define KN_PLOT_LAYOUT_H

#include "plot_sheet.h"

struct kn_plot_box {
    double x, y, width, height; /* of the axes' frame, from the lower left corner */
};

/* In pixels of a picture for the screen. */
struct kn_plot_layout {
    double width, height;
    double middle; /* of all frames, where the title is centred */
    struct kn_plot_box box[KN_PLOT_PANELS];
    bool has_key[KN_PLOT_PANELS]; /* beside the panel; panels with the same curves share the first one's */
};

void kn_plot_layout_make(struct kn_plot_layout *l, const struct kn_plot_sheet *s);

#endif
