/* Triangles of a surface from an STL file, binary or text. */
#ifndef KN_STL_H
#define KN_STL_H

#include "knudsen.h"

enum { KN_STL_TRIANGLES = 4000000 }; /* of a file, at most */

struct kn_stl {
    int count;
    double (*corners)[3][3]; /* [count][corner][axis], in the unit of the file; owned by the caller */
};

/* KN_EINPUT with the reason if the file is not such a surface.  Triangles without area are left out. */
enum kn_status kn_stl_read(struct kn_stl *s, const char *path);

#endif
