/* Selects from a space with smooth bodies what one rank computes and what it reads from others.  Every rank
 * computes the cuts and control volumes of the whole space, so that all have the same; the kernels then have
 * only those that they need. */
#include "grid/part.h"

#include "config/case.h"
#include "error.h"

#include <stdlib.h>
#include <string.h>

enum { OCTANTS = 8, ABSENT = -1 };

struct part {
    const struct kn_case *c;
    const struct kn_space *whole;
    struct kn_space *to;
    struct kn_mesh mesh; /* of the whole space, with one node per octant */
    /* Numbers in the part of everything in the whole space; ABSENT: it is not needed. */
    int32_t *cell, *face, *volume, *link, *crossing;
    int32_t *order; /* [to->volumes.count] control volumes of the part in the whole space */
};

static enum kn_status fail_memory(void)
{
    return kn_error_set(KN_EMEMORY, "no memory for the part of a rank of the cells at smooth bodies");
}

static bool is_own(const struct part *p, int cell)
{
    int at[3];
    bool inside = true;
    kn_space_place(p->whole, cell, at);
    for (int d = 0; d < 3; d++)
        inside = inside && at[d] >= p->to->box.first[d] && at[d] < p->to->box.end[d];
    return inside;
}

/* The values on the surface of a control volume are computed on every rank that reads some of them. */
static void need_volume(struct part *p, int volume)
{
    const struct kn_volumes *v = &p->whole->volumes;
    const struct kn_volume *own = &v->list[volume];
    p->volume[volume] = p->cell[own->cell] = 0;
    for (int i = 0; i < own->points && p->c->space.order > 1; i++)
        p->cell[v->points[own->first_point + i].cell] = 0;
}

static void need_stencil(struct part *p, struct kn_site site, int axis);

/* A row of `outgoing`: a wall face needs what arrives there, a link the control volume behind it. */
static void need_outgoing(struct part *p, int64_t row)
{
    const struct kn_space *x = p->whole;
    if (row >= x->nfaces) {
        const struct kn_link *link = kn_volumes_link(&x->volumes, x->nfaces, (int)row);
        need_volume(p, x->volumes.of_cell[kn_volumes_cell(link->beyond)]);
        return;
    }
    const struct kn_face *f = &x->faces[row];
    if (p->face[row] != ABSENT)
        return;
    p->face[row] = 0;
    for (int octant = 0; octant < OCTANTS; octant++)
        need_stencil(p, (struct kn_site){f->cell, octant}, f->side / 2);
}

static void need_row(struct part *p, int64_t source)
{
    if (source < 0)
        need_outgoing(p, ~source / OCTANTS);
    else
        p->cell[source / OCTANTS] = 0;
}

/* The value on the downwind face of a site. */
static void need_stencil(struct part *p, struct kn_site site, int axis)
{
    const int order = p->c->space.order;
    p->cell[site.cell] = 0;
    if (order == 1)
        return;
    const struct kn_stencil t = kn_mesh_stencil(&p->mesh, site, axis, order, 1);
    need_row(p, t.up);
    if (t.down >= 0)
        need_row(p, t.down);
    for (int i = 0; i < t.transverse; i++)
        need_row(p, t.side[i]);
}

static void need_for_cell(struct part *p, int cell)
{
    for (int octant = 0; octant < OCTANTS; octant++)
        for (int i = 0; i < p->mesh.naxes; i++) {
            const struct kn_site site = {cell, octant}, up = kn_mesh_walk(&p->mesh, site, p->mesh.axes[i], 0);
            need_stencil(p, site, p->mesh.axes[i]);
            if (up.cell < 0)
                need_outgoing(p, ~up.cell);
            else
                need_stencil(p, up, p->mesh.axes[i]);
        }
}

static void need_for_volume(struct part *p, const struct kn_volume *own)
{
    const struct kn_volumes *v = &p->whole->volumes;
    need_volume(p, (int)(own - v->list));
    for (int i = own->facets; i < own->pieces; i++) {
        const struct kn_piece *piece = &v->pieces[own->first_piece + i];
        const struct kn_link *link = kn_volumes_link(v, p->whole->nfaces, piece->row);
        if (!link)
            need_volume(p, v->of_cell[kn_volumes_cell(piece->cell)]);
        for (int octant = 0; octant < OCTANTS && link; octant++)
            if (((octant & p->mesh.bit[piece->axis]) == 0) == ((link->side & 1) != 0))
                need_stencil(p, (struct kn_site){link->cell, octant}, piece->axis);
    }
}

/* Everything that a step in the box reads. */
static void find_needed(struct part *p)
{
    const struct kn_space *x = p->whole;
    for (int cell = 0; cell < x->ncells; cell++) {
        const int volume = kn_volumes_at(&x->volumes, cell);
        if (!is_own(p, cell))
            continue;
        if (volume >= 0 && x->volumes.list[volume].cell == cell)
            need_for_volume(p, &x->volumes.list[volume]);
        else if (volume >= 0)
            need_volume(p, volume); /* its values are those of the cell */
        else if (!x->solid[cell])
            need_for_cell(p, cell);
    }
    for (int face = 0; face < x->nfaces; face++)
        if (is_own(p, x->faces[face].cell))
            need_outgoing(p, face);
}

/* Cells of the box as in a box without bodies, then the halo. */
static enum kn_status number_cells(struct part *p)
{
    struct kn_space *to = p->to;
    for (int cell = 0; cell < p->whole->ncells; cell++)
        to->nhalo += p->cell[cell] != ABSENT && !is_own(p, cell);
    to->halo = malloc(((size_t)to->nhalo + 1) * sizeof *to->halo);
    if (!to->halo)
        return fail_memory();
    to->nhalo = 0;
    for (int cell = 0; cell < p->whole->ncells; cell++)
        if (p->cell[cell] != ABSENT && !is_own(p, cell)) {
            p->cell[cell] = to->ncells + to->nhalo;
            to->halo[to->nhalo++] = cell;
        }
    for (int cell = 0; cell < to->ncells; cell++)
        p->cell[kn_space_number(to, cell)] = cell;
    return KN_OK;
}

/* Faces of the box first. */
static enum kn_status take_faces(struct part *p)
{
    const struct kn_space *x = p->whole;
    struct kn_space *to = p->to;
    const int first = kn_case_patches(p->c);
    to->faces = malloc(((size_t)x->nfaces + 1) * sizeof *to->faces);
    if (!to->faces)
        return fail_memory();
    for (int own = 1; own >= 0; own--) {
        for (int face = 0; face < x->nfaces; face++) {
            struct kn_face f = x->faces[face];
            if (p->face[face] == ABSENT || is_own(p, f.cell) != own)
                continue;
            f.cell = p->cell[f.cell];
            f.patch = f.patch < first ? f.patch : first + to->nvaried++;
            p->face[face] = to->nfaces;
            to->faces[to->nfaces++] = f;
        }
        to->nown = own ? to->nfaces : to->nown;
    }
    return KN_OK;
}

/* The control volumes with rows in the box first, and the lengths of all lists. */
static enum kn_status number_volumes(struct part *p)
{
    const struct kn_volumes *v = &p->whole->volumes;
    struct kn_volumes *to = &p->to->volumes;
    p->order = malloc(((size_t)v->count + 1) * sizeof *p->order);
    if (!p->order)
        return fail_memory();
    for (int own = 1; own >= 0; own--) {
        for (int volume = 0; volume < v->count; volume++) {
            const struct kn_volume *u = &v->list[volume];
            if (p->volume[volume] == ABSENT || is_own(p, u->cell) != own)
                continue;
            p->volume[volume] = to->count;
            p->order[to->count++] = volume;
            to->npieces += u->pieces;
            to->npoints += u->points;
            to->nmatrices += 1 << u->pulls;
            to->nfacets += u->facets;
            for (int i = u->facets; i < u->pieces; i++)
                to->nlinks += kn_volumes_link(v, p->whole->nfaces, v->pieces[u->first_piece + i].row) != NULL;
        }
        to->own_count = own ? to->count : to->own_count;
        to->own_facets = own ? to->nfacets : to->own_facets;
        to->own_links = own ? to->nlinks : to->own_links;
    }
    to->list = malloc(((size_t)to->count + 1) * sizeof *to->list);
    to->pieces = malloc(((size_t)to->npieces + 1) * sizeof *to->pieces);
    to->points = malloc(((size_t)to->npoints + 1) * sizeof *to->points);
    to->matrices = malloc(((size_t)to->nmatrices + 1) * sizeof *to->matrices);
    to->facets = malloc(((size_t)to->nfacets + 1) * sizeof *to->facets);
    to->links = malloc(((size_t)to->nlinks + 1) * sizeof *to->links);
    return to->list && to->pieces && to->points && to->matrices && to->facets && to->links ? KN_OK
                                                                                           : fail_memory();
}

/* The cell of a link or a piece, also behind a periodic end. */
static int32_t map_beyond(const struct part *p, int32_t entry)
{
    const int32_t cell = p->cell[kn_volumes_cell(entry)];
    return cell == ABSENT ? KN_SPACE_OUTSIDE : entry < 0 ? ~cell : cell;
}

/* Lists filled so far. */
struct filled {
    int pieces, points, matrices, facets, links;
};

static void take_piece(struct part *p, int volume, const struct kn_piece *from, struct filled *n)
{
    const struct kn_space *x = p->whole;
    const struct kn_volumes *v = &x->volumes;
    struct kn_volumes *to = &p->to->volumes;
    struct kn_piece *piece = &to->pieces[n->pieces++];
    const struct kn_link *link = kn_volumes_link(v, x->nfaces, from->row);
    const int facets = p->to->nfaces, links = facets + to->nfacets, crossings = links + to->nlinks,
              crossing = from->row - x->nfaces - v->nfacets - v->nlinks;
    *piece = *from;
    if (from->axis < 0) {
        to->facets[n->facets] = v->facets[from->row - x->nfaces];
        to->facets[n->facets].volume = volume;
        piece->row = facets + n->facets++;
        return;
    }
    piece->cell = map_beyond(p, from->cell);
    if (link) {
        to->links[n->links] = (struct kn_link){p->cell[link->cell], link->side, map_beyond(p, link->beyond)};
        p->link[link - v->links] = n->links;
        piece->row = links + n->links++;
        return;
    }
    if (p->crossing[crossing] == ABSENT)
        p->crossing[crossing] = to->ncrossings++;
    piece->row = crossings + p->crossing[crossing];
}

static void take_volumes(struct part *p)
{
    const struct kn_volumes *v = &p->whole->volumes;
    struct kn_volumes *to = &p->to->volumes;
    struct filled n = {0};
    for (int i = 0; i < to->count; i++) {
        const struct kn_volume *from = &v->list[p->order[i]];
        struct kn_volume *u = &to->list[i];
        *u = *from;
        u->cell = p->cell[from->cell];
        u->first_piece = n.pieces;
        u->first_point = n.points;
        u->first_matrix = n.matrices;
        for (int k = 0; k < u->pieces; k++)
            take_piece(p, i, &v->pieces[from->first_piece + k], &n);
        for (int k = 0; k < u->points; k++) {
            to->points[n.points] = v->points[from->first_point + k];
            to->points[n.points].cell = p->cell[to->points[n.points].cell];
            n.points++;
        }
        memcpy(to->matrices + n.matrices, v->matrices + from->first_matrix,
               ((size_t)1 << u->pulls) * sizeof *to->matrices);
        n.matrices += 1 << u->pulls;
    }
}

static int32_t map_neighbour(const struct part *p, int32_t entry)
{
    const struct kn_space *x = p->whole;
    if (entry >= 0)
        return p->cell[entry] == ABSENT ? KN_SPACE_OUTSIDE : p->cell[entry];
    const int32_t row = kn_mesh_face(entry), link = row - x->nfaces - x->volumes.nfacets,
                  reflection = kn_mesh_reflection(entry);
    if (link < 0)
        return kn_mesh_wall(p->face[row] == ABSENT ? KN_MESH_NO_FACE : p->face[row], reflection);
    return p->link[link] == ABSENT
               ? KN_SPACE_OUTSIDE
               : kn_mesh_wall(p->to->nfaces + p->to->volumes.nfacets + p->link[link], reflection);
}

static enum kn_status take_tables(struct part *p)
{
    const struct kn_space *x = p->whole;
    struct kn_space *to = p->to;
    const size_t n = (size_t)to->ncells, rows = n + (size_t)to->nhalo;
    to->neighbour = malloc(6 * rows * sizeof *to->neighbour);
    to->width = malloc(3 * rows * sizeof *to->width);
    to->volume = malloc(n * sizeof *to->volume);
    to->solid = malloc(n * sizeof *to->solid);
    to->volumes.of_cell = malloc(n * sizeof *to->volumes.of_cell);
    to->volumes.gas = malloc(n * sizeof *to->volumes.gas);
    if (!to->neighbour || !to->width || !to->volume || !to->solid || !to->volumes.of_cell || !to->volumes.gas)
        return fail_memory();
    for (size_t i = 0; i < rows; i++) {
        const size_t from = (size_t)(i < n ? kn_space_number(to, (int)i) : to->halo[i - n]);
        memcpy(to->width + 3 * i, x->width + 3 * from, 3 * sizeof *to->width);
        for (int side = 0; side < KN_SIDES; side++)
            to->neighbour[6 * i + (size_t)side] = map_neighbour(p, x->neighbour[6 * from + (size_t)side]);
        if (i >= n)
            continue;
        const int32_t volume = x->volumes.of_cell[from];
        to->volume[i] = x->volume[from];
        to->solid[i] = x->solid[from];
        to->volumes.of_cell[i] = volume >= 0 ? p->volume[volume] : volume;
        to->volumes.gas[i] = x->volumes.gas[from];
    }
    return KN_OK;
}

static int32_t *absent(int count)
{
    const size_t bytes = ((size_t)count + 1) * sizeof(int32_t);
    int32_t *list = malloc(bytes);
    return list ? memset(list, ABSENT, bytes) : NULL;
}

static enum kn_status select_all(struct part *p)
{
    const struct kn_space *x = p->whole;
    p->cell = absent(x->ncells);
    p->face = absent(x->nfaces);
    p->volume = absent(x->volumes.count);
    p->link = absent(x->volumes.nlinks);
    p->crossing = absent(x->volumes.ncrossings);
    if (!p->cell || !p->face || !p->volume || !p->link || !p->crossing)
        return fail_memory();
    find_needed(p);
    KN_TRY(number_cells(p));
    KN_TRY(take_faces(p));
    KN_TRY(number_volumes(p));
    take_volumes(p);
    return take_tables(p);
}

enum kn_status kn_part_create(struct kn_space *part, struct kn_space *whole, const struct kn_case *c)
{
    struct part p = {.c = c, .whole = whole, .to = part};
    p.mesh = (struct kn_mesh){.neighbour = whole->neighbour,
                              .width = whole->width,
                              .nnodes = OCTANTS,
                              .stride = 1,
                              .octants = OCTANTS,
                              .bit = {1, 2, 4},
                              .naxes = whole->naxes,
                              .axes = {whole->axes[0], whole->axes[1], whole->axes[2]}};
    const enum kn_status status = select_all(&p);
    free(p.cell);
    free(p.face);
    free(p.volume);
    free(p.link);
    free(p.crossing);
    free(p.order);
    memcpy(part->open, whole->open, sizeof part->open);
    part->extent = whole->extent;
    whole->extent = NULL;
    for (int d = 0; d < 3; d++) {
        part->edges[d] = whole->edges[d];
        whole->edges[d] = NULL;
    }
    return status;
}
