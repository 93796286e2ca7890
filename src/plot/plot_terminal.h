/* A sheet on the terminal: block characters and numbers, for those who sit far from the screen. */
#ifndef KN_PLOT_TERMINAL_H
#define KN_PLOT_TERMINAL_H

#include "plot/plot_sheet.h"

/* On stdout, as wide as the terminal; colour where it is one and NO_COLOR is not set. */
enum kn_status kn_plot_terminal_draw(const struct kn_plot_sheet *s);

#endif
