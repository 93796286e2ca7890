/* ParaView files: rectilinear .vtr per snapshot, or one per rank with a .pvtr that names them; .pvd is the
 * list over time. */
#ifndef KN_IO_VTK_H
#define KN_IO_VTK_H

#include "io/fields.h"

/* fields/NNNNNNNN.vtr, or .pvtr, and its entry in fields.pvd (entries at or after this
 * time that an earlier, longer run left are dropped).  All ranks call it. */
enum kn_status kn_vtk_write(const char *folder, const struct kn_snapshot *s);

#endif
