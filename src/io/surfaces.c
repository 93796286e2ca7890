/* Gathers the results at the faces of all surfaces and writes them for ParaView. */
#include "io/surfaces.h"

#include "config/case.h"
#include "error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* By cell and side; facets of a cell by the following columns, so that the order is that of one rank. */
static int by_place(const void *a, const void *b)
{
    const double *x = a, *y = b;
    int at = KN_SURFACES_CELL;
    while (at + 1 < KN_SURFACES_FORCE && x[at] == y[at])
        at++;
    return (x[at] > y[at]) - (x[at] < y[at]);
}

static void fill_face(double *row, const struct kn_space *space, int face)
{
    const struct kn_face *f = &space->faces[face];
    row[KN_SURFACES_CELL] = (double)kn_space_number(space, f->cell);
    row[KN_SURFACES_SIDE] = f->side;
    row[KN_SURFACES_SURFACE] = f->surface;
    row[KN_SURFACES_AREA] = f->area;
    row[KN_SURFACES_NORMAL + f->side / 2] = (f->side & 1) ? 1 : -1;
    kn_space_face_centre(space, face, row + KN_SURFACES_CENTRE);
}

/* The cell of a facet is that of the gas at its centre. */
static void fill_facet(double *row, const struct kn_space *space, const struct kn_facet *f)
{
    double inside[3];
    for (int d = 0; d < 3; d++)
        inside[d] = f->centre[d] - 1e-9 * space->edges[d][space->whole[d]] * f->normal[d];
    row[KN_SURFACES_CELL] = (double)kn_space_number_at(space, inside);
    row[KN_SURFACES_SIDE] = KN_SURFACES_CUT;
    row[KN_SURFACES_SURFACE] = f->surface;
    row[KN_SURFACES_AREA] = f->area;
    memcpy(row + KN_SURFACES_CENTRE, f->centre, sizeof f->centre);
    memcpy(row + KN_SURFACES_NORMAL, f->normal, sizeof f->normal);
}

static void fill_rows(double *row, const struct kn_snapshot *s)
{
    const int faces = s->space->nown, all = faces + s->space->volumes.own_facets;
    for (int i = 0; i < all; i++, row += KN_SURFACES_ROW) {
        memset(row, 0, KN_SURFACES_ROW * sizeof *row);
        if (i < faces)
            fill_face(row, s->space, i);
        else
            fill_facet(row, s->space, &s->space->volumes.facets[i - faces]);
        memcpy(row + KN_SURFACES_FORCE, s->surfaces + (size_t)i * KN_FLUXES_LOCAL,
               KN_FLUXES_LOCAL * sizeof *row);
    }
}

enum kn_status kn_surfaces_gather(struct kn_surfaces *to, const struct kn_snapshot *s)
{
    const struct kn_comm *comm = s->comm;
    const size_t row = KN_SURFACES_ROW * sizeof *to->rows;
    int64_t own = s->space->nown + s->space->volumes.own_facets, all = own;
    kn_comm_sum(comm, &all, 1);
    *to = (struct kn_surfaces){.count = all};
    to->rows = malloc((size_t)(comm->rank == 0 ? all : own) * row + 1);
    const enum kn_status status =
        kn_comm_agree(comm, to->rows ? KN_OK : kn_error_set(KN_EMEMORY, "no memory for the faces of walls"));
    if (status != KN_OK || !to->rows) {
        kn_surfaces_destroy(to);
        return status;
    }
    fill_rows(to->rows, s);
    if (comm->rank > 0) {
        kn_comm_send(comm, 0, &own, sizeof own);
        kn_comm_send(comm, 0, to->rows, (size_t)own * row);
        kn_surfaces_destroy(to);
        to->count = all;
        return KN_OK;
    }
    double *next = to->rows + own * KN_SURFACES_ROW;
    for (int from = 1; from < comm->size; from++) {
        int64_t count;
        kn_comm_receive(comm, from, &count, sizeof count);
        kn_comm_receive(comm, from, next, (size_t)count * row);
        next += count * KN_SURFACES_ROW;
    }
    qsort(to->rows, (size_t)all, row, by_place);
    return KN_OK;
}

void kn_surfaces_destroy(struct kn_surfaces *surfaces)
{
    free(surfaces->rows);
    *surfaces = (struct kn_surfaces){0};
}

/* True if a wall, body or port before this one has its name. */
static bool repeats_name(const struct kn_case *c, int surface)
{
    bool repeats = false;
    for (int i = 0; i < surface; i++)
        repeats = repeats || strcmp(kn_case_surface_name(c, i), kn_case_surface_name(c, surface)) == 0;
    return repeats;
}

char *kn_surfaces_names(const struct kn_case *c)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    for (int i = 0; to && i < kn_case_surfaces(c); i++) {
        const bool whole = repeats_name(c, i);
        fprintf(to, "%s%s%s%s", i ? " " : "", whole ? kn_case_surface_list(c, i) : "", whole ? "." : "",
                kn_case_surface_name(c, i));
    }
    if (to)
        fclose(to);
    return text;
}

struct vtk {
    const struct kn_surfaces *surfaces;
    const struct kn_snapshot *s;
    struct kn_scales scales;
    struct polygon *polygons; /* [count] */
    int64_t corners;          /* of all */
};

static struct kn_conversion conversion(const struct vtk *v, enum kn_dimension dimension)
{
    return v->scales.known ? kn_scales_conversion(&v->scales, dimension) : (struct kn_conversion){1, 0};
}

/* A convex polygon. */
enum { CORNERS = 10 };
struct polygon {
    int count;
    double corner[CORNERS][3];
};

/* Keep the part of a polygon on one side of a plane normal to an axis: sign (x - at) <= 0. */
static void clip(struct polygon *p, int axis, double at, double sign)
{
    struct polygon kept = {0};
    for (int i = 0; i < p->count; i++) {
        const double *a = p->corner[i], *b = p->corner[(i + 1) % p->count];
        const double above = sign * (a[axis] - at), next = sign * (b[axis] - at);
        if (above <= 0)
            memcpy(kept.corner[kept.count++], a, sizeof *kept.corner);
        if ((above < 0 && next > 0) || (above > 0 && next < 0)) {
            for (int d = 0; d < 3; d++)
                kept.corner[kept.count][d] = a[d] + above / (above - next) * (b[d] - a[d]);
            kept.count++;
        }
    }
    *p = kept;
}

/* The part of the plane of a face or a facet that is inside its cell.  In two dimensions the length of a
 * facet is its area. */
static struct polygon polygon_of(const struct kn_space *space, const double *row)
{
    const double *n = row + KN_SURFACES_NORMAL, *centre = row + KN_SURFACES_CENTRE;
    struct polygon p = {.count = 4};
    double along[2][3] = {{0}}, low[3], high[3], reach = 0;
    int at[3], least = 2;
    kn_space_locate(space, (int64_t)row[KN_SURFACES_CELL], at);
    for (int d = 0; d < 3; d++) {
        low[d] = space->edges[d][at[d]];
        high[d] = space->edges[d][at[d] + 1];
        reach += high[d] - low[d];
        least = fabs(n[d]) < fabs(n[least]) ? d : least;
    }
    for (int d = 0; d < 3; d++)
        along[0][d] = (d == least) - n[least] * n[d]; /* along the axis that the plane is closest to */
    const double length = sqrt(1 - n[least] * n[least]);
    for (int d = 0; d < 3; d++)
        along[1][d] =
            (n[(d + 1) % 3] * along[0][(d + 2) % 3] - n[(d + 2) % 3] * along[0][(d + 1) % 3]) / length;
    const bool plane = space->naxes == 2 && row[KN_SURFACES_SIDE] == KN_SURFACES_CUT;
    const double across = plane ? row[KN_SURFACES_AREA] / 2 : reach;
    for (int i = 0; i < 4; i++)
        for (int d = 0; d < 3; d++)
            p.corner[i][d] = centre[d] + (i == 0 || i == 3 ? -1 : 1) * across * along[1][d] +
                             (i < 2 ? -1 : 1) * reach / length * along[0][d];
    for (int d = 0; d < 3; d++) {
        clip(&p, d, low[d] - 1e-9 * reach, -1);
        clip(&p, d, high[d] + 1e-9 * reach, 1);
    }
    return p;
}

static enum kn_status make_polygons(struct vtk *v)
{
    v->polygons = malloc((size_t)v->surfaces->count * sizeof *v->polygons + 1);
    if (!v->polygons)
        return kn_error_set(KN_EMEMORY, "no memory for the faces of surfaces.vtp");
    for (int64_t i = 0; i < v->surfaces->count; i++) {
        v->polygons[i] = polygon_of(v->s->space, v->surfaces->rows + i * KN_SURFACES_ROW);
        v->corners += v->polygons[i].count;
    }
    return KN_OK;
}

/* The corners of a face, around it. */
static void print_corners(FILE *to, const struct vtk *v, const struct polygon *p)
{
    const double by = conversion(v, KN_DIMENSION_PLACE).factor;
    for (int i = 0; i < p->count; i++)
        fprintf(to, "%.9g %.9g %.9g\n", by * p->corner[i][0], by * p->corner[i][1], by * p->corner[i][2]);
}

static void print_column(FILE *to, const struct vtk *v, const char *name, int first, int width,
                         enum kn_dimension dimension)
{
    const double by = conversion(v, dimension).factor;
    fprintf(to, "<DataArray type=\"Float64\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"ascii\">\n", name,
            width);
    for (int64_t i = 0; i < v->surfaces->count; i++)
        for (int k = 0; k < width; k++)
            fprintf(to, "%.9g%s", by * v->surfaces->rows[i * KN_SURFACES_ROW + first + k],
                    k + 1 < width ? " " : "\n");
    fputs("</DataArray>\n", to);
}

static enum kn_status print_vtk(FILE *to, const void *what)
{
    const struct vtk *v = what;
    const int64_t count = v->surfaces->count;
    fprintf(to,
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"0.1\">\n<PolyData>\n"
            "<Piece NumberOfPoints=\"%lld\" NumberOfVerts=\"0\" NumberOfLines=\"0\" NumberOfStrips=\"0\" "
            "NumberOfPolys=\"%lld\">\n<Points>\n<DataArray type=\"Float64\" NumberOfComponents=\"3\" "
            "format=\"ascii\">\n",
            (long long)v->corners, (long long)count);
    for (int64_t i = 0; i < count; i++)
        print_corners(to, v, &v->polygons[i]);
    fputs("</DataArray>\n</Points>\n<Polys>\n<DataArray type=\"Int64\" Name=\"connectivity\" "
          "format=\"ascii\">\n",
          to);
    for (int64_t i = 0; i < v->corners; i++)
        fprintf(to, "%lld%s", (long long)i, i % 16 == 15 ? "\n" : " ");
    fputs("</DataArray>\n<DataArray type=\"Int64\" Name=\"offsets\" format=\"ascii\">\n", to);
    int64_t end = 0;
    for (int64_t i = 0; i < count; i++)
        fprintf(to, "%lld\n", (long long)(end += v->polygons[i].count));
    fputs("</DataArray>\n</Polys>\n<CellData>\n", to);
    print_column(to, v, "surface", KN_SURFACES_SURFACE, 1, KN_DIMENSION_NONE);
    print_column(to, v, "force", KN_SURFACES_FORCE, 3, KN_DIMENSION_STRESS);
    print_column(to, v, "heat_flux", KN_SURFACES_HEAT, 1, KN_DIMENSION_HEAT_FLUX);
    print_column(to, v, "mass_flux", KN_SURFACES_MASS, 1, KN_DIMENSION_MASS_FLUX);
    fputs("</CellData>\n</Piece>\n</PolyData>\n</VTKFile>\n", to);
    return KN_OK;
}

enum kn_status kn_surfaces_write_vtk(const char *folder, const struct kn_surfaces *surfaces,
                                     const struct kn_snapshot *s)
{
    char path[KN_PATH];
    struct vtk v = {.surfaces = surfaces, .s = s};
    KN_TRY(kn_scales_create(&v.scales, s->c));
    KN_TRY(kn_files_join(path, folder, "surfaces.vtp"));
    enum kn_status status = make_polygons(&v);
    if (status == KN_OK)
        status = kn_files_write(path, print_vtk, &v);
    free(v.polygons);
    return status;
}
