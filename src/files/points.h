/* A list of points of a plane from a text file: two numbers per line. */
#ifndef KN_POINTS_H
#define KN_POINTS_H

#include "knudsen.h"

enum { KN_POINTS_LINES = 4096 }; /* of a file, at most */

/* *points is owned by the caller, in the unit of the file.  KN_EINPUT with the reason if the file is not such
 * a list.  A first line without numbers is a header, and empty lines and those after # are left out; a last
 * point equal to the first is as well. */
enum kn_status kn_points_read(const char *path, double (**points)[2], int *count);

#endif
