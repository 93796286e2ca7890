/* A sheet as a picture, drawn by gnuplot. */
#ifndef KN_PLOT_GNUPLOT_H
#define KN_PLOT_GNUPLOT_H

#include "plot/plot_sheet.h"

/* Draw into a file that ends in .png or .svg.  With a folder, plot.gp and plot.dat stay there, which draw it
 * again. */
enum kn_status kn_plot_gnuplot_draw(const struct kn_plot_sheet *s, const char *output, double width,
                                    const char *keep);

#endif
