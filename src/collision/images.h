/* Images of Hermite products under the linear collision operator, at the nodes of a velocity grid. */
#ifndef KN_IMAGES_H
#define KN_IMAGES_H

#include "collision/elements.h"
#include "point/pair.h"

/* Degree of the polynomials that get their images, theory (44b). With fewer than 10 nodes per axis the sums
 * over the nodes are too inaccurate for them; degree 1 then stands for the invariants, whose images vanish.
 */
int kn_images_degree(const int half[3]);

/* Number of products up to a degree. */
int kn_images_count(int degree);

/* L phi at the nodes of an octant, images[count][size], for all products phi up to a degree of at most 5:
 * those of parity 0, then those of parity 1 and so on, each in the order of kn_elements_list. */
enum kn_status kn_images_fill(const struct kn_assembly *g, int degree, int threads, double *images);

#endif
