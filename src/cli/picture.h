/* The picture of the geometry of a case: bodies, ports and walls. */
#ifndef KN_PICTURE_H
#define KN_PICTURE_H

#include "knudsen.h"

/* Draw it with the Python package into a file; prints its name. */
enum kn_status kn_picture_draw(const struct kn_case *c, const char *output);

#endif
