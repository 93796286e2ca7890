/* Maps: a field in a plane, with streamlines or arrows over it. */
#ifndef KN_PLOT_MAP_H
#define KN_PLOT_MAP_H

#include "plot/plot_panels.h"

/* A panel with a map of the first state. */
enum kn_status kn_plot_map_add(struct kn_plot_sheet *sheet, const struct kn_plot_scene *s,
                               const struct kn_plot_quantity *q);

/* Height over width at which a map is drawn: true to scale unless it would be a stripe. */
double kn_plot_map_aspect(const struct kn_plot_map *m);

#endif
