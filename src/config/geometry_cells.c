/* Which body or port is at a cell or at a side of it. */
#include "config/geometry.h"

#include "config/case.h"
#include "config/shape.h"

bool kn_geometry_is_solid(const struct kn_geometry *g, const struct kn_solid *s, const int at[3])
{
    return s->image == 0 || kn_image_fills(&g->images[s->image - 1], at);
}

static bool is_inside(const struct kn_solid *s, const int at[3], int except)
{
    for (int d = 0; d < 3; d++)
        if (d != except && (at[d] < s->first[d] || at[d] >= s->end[d]))
            return false;
    return true;
}

int kn_geometry_fills(const struct kn_geometry *g, const int at[3])
{
    for (int i = 0; i < g->count; i++)
        if (is_inside(&g->solids[i], at, -1) && kn_geometry_is_solid(g, &g->solids[i], at))
            return g->solids[i].body;
    return -1;
}

int kn_geometry_covers(const struct kn_geometry *g, const int at[3], int side)
{
    const int axis = side / 2, edge = at[axis] + (side & 1);
    for (int i = 0; i < g->count; i++) {
        const struct kn_solid *s = &g->solids[i];
        if (s->first[axis] == edge && s->end[axis] == edge && is_inside(s, at, axis))
            return s->body;
    }
    return -1;
}

int kn_geometry_port(const struct kn_case *c, const struct kn_geometry *g, const int at[3], int side)
{
    for (int i = 0; i < kn_case_ports(c); i++) {
        bool inside = (int)c->ports[i].side == side;
        for (int d = 0; d < 3; d++)
            inside = inside && at[d] >= g->openings[i].first[d] && at[d] < g->openings[i].end[d];
        if (inside)
            return i;
    }
    return -1;
}

bool kn_geometry_has_wall(const struct kn_case *c, int side)
{
    struct kn_geometry g;
    int at[3];
    const int *n = c->space.cells, axis = side / 2, e = (axis + 1) % 3, f = (axis + 2) % 3;
    if (kn_shape_encloses(c, axis, side & 1))
        return false;
    if (kn_case_bodies(c) + kn_case_ports(c) == 0 || kn_geometry_create(&g, c) != KN_OK)
        return true;
    at[axis] = (side & 1) ? n[axis] - 1 : 0;
    for (at[e] = 0; at[e] < n[e]; at[e]++)
        for (at[f] = 0; at[f] < n[f]; at[f]++)
            if (kn_geometry_fills(&g, at) < 0 && kn_geometry_port(c, &g, at, side) < 0) {
                kn_geometry_destroy(&g);
                return true;
            }
    kn_geometry_destroy(&g);
    return false;
}

/* Number of faces between solid and other cells of an image, for the cells in a box. */
static int64_t image_faces(const struct kn_image *image, const int first[3], const int end[3])
{
    int64_t faces = 0;
    int at[3], low[3], high[3];
    for (int d = 0; d < 3; d++) {
        low[d] = image->first[d] > first[d] ? image->first[d] : first[d];
        high[d] = image->end[d] < end[d] ? image->end[d] : end[d];
    }
    for (at[2] = low[2]; at[2] < high[2]; at[2]++)
        for (at[1] = low[1]; at[1] < high[1]; at[1]++)
            for (at[0] = low[0]; at[0] < high[0]; at[0]++)
                for (int side = 0; side < KN_SIDES && kn_image_fills(image, at); side++) {
                    int next[3] = {at[0], at[1], at[2]};
                    next[side / 2] += (side & 1) ? 1 : -1;
                    faces += !kn_image_fills(image, next);
                }
    return faces;
}

int64_t kn_geometry_faces(const struct kn_geometry *g, const int first[3], const int end[3])
{
    int64_t faces = 0;
    for (int i = 0; i < g->count; i++)
        for (int axis = 0; axis < 3 && g->solids[i].image == 0; axis++) {
            int64_t area = 2;
            for (int d = 0; d < 3; d++) {
                const int low = g->solids[i].first[d] > first[d] ? g->solids[i].first[d] : first[d],
                          high = g->solids[i].end[d] < end[d] ? g->solids[i].end[d] : end[d];
                area *= d == axis ? 1 : high > low ? high - low : 0;
            }
            faces += area;
        }
    for (int i = 0; i < g->nimages; i++)
        faces += image_faces(&g->images[i], first, end);
    return faces;
}
