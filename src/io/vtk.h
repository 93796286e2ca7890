/* The files for ParaView: .vtr per snapshot, or per rank with a .pvtr; .pvd is the list of times. */
#ifndef KN_IO_VTK_H
#define KN_IO_VTK_H

#include "io/fields.h"

/* Write fields/NNNNNNNN.vtr, or .pvtr, and its entry in fields.pvd; entries of an earlier, longer run at or
 * after this time are removed.  All ranks call it. */
enum kn_status kn_vtk_write(const char *folder, const struct kn_snapshot *s);

#endif
