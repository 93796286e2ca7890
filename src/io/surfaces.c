/* Gathers the results at the faces of all surfaces and writes them for ParaView. */
#include "io/surfaces.h"

#include "config/case.h"
#include "error.h"

#include <stdlib.h>
#include <string.h>

static int by_place(const void *a, const void *b)
{
    const double *x = a, *y = b;
    const int at = x[KN_SURFACES_CELL] == y[KN_SURFACES_CELL] ? KN_SURFACES_SIDE : KN_SURFACES_CELL;
    return (x[at] > y[at]) - (x[at] < y[at]);
}

static void fill_rows(double *row, const struct kn_snapshot *s)
{
    for (int face = 0; face < s->space->nown; face++, row += KN_SURFACES_ROW) {
        const struct kn_face *f = &s->space->faces[face];
        row[KN_SURFACES_CELL] = (double)kn_space_number(s->space, f->cell);
        row[KN_SURFACES_SIDE] = f->side;
        row[KN_SURFACES_SURFACE] = f->surface;
        row[KN_SURFACES_AREA] = f->area;
        kn_space_face_centre(s->space, face, row + KN_SURFACES_CENTRE);
        memcpy(row + KN_SURFACES_FORCE, s->surfaces + (size_t)face * KN_FLUXES_LOCAL,
               KN_FLUXES_LOCAL * sizeof *row);
    }
}

enum kn_status kn_surfaces_gather(struct kn_surfaces *to, const struct kn_snapshot *s)
{
    const struct kn_comm *comm = s->comm;
    const size_t row = KN_SURFACES_ROW * sizeof *to->rows;
    int64_t own = s->space->nown, all = own;
    kn_comm_sum(comm, &all, 1);
    *to = (struct kn_surfaces){.count = all};
    to->rows = malloc((size_t)(comm->rank == 0 ? all : own) * row + 1);
    const enum kn_status status =
        kn_comm_agree(comm, to->rows ? KN_OK : kn_error_set(KN_EMEMORY, "no memory for the faces of walls"));
    if (status != KN_OK) {
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

char *kn_surfaces_names(const struct kn_case *c)
{
    char *text = NULL;
    size_t size;
    const int bodies = kn_case_bodies(c);
    FILE *to = open_memstream(&text, &size);
    for (int i = 0; to && i < kn_case_surfaces(c); i++)
        fprintf(to, "%s%s", i ? " " : "",
                i < KN_SIDES            ? kn_case_side_name((enum kn_side)i)
                : i < KN_SIDES + bodies ? c->bodies[i - KN_SIDES].name
                                        : c->ports[i - KN_SIDES - bodies].name);
    if (to)
        fclose(to);
    return text;
}

struct vtk {
    const struct kn_surfaces *surfaces;
    const struct kn_snapshot *s;
    struct kn_scales scales;
};

static struct kn_conversion conversion(const struct vtk *v, enum kn_dimension dimension)
{
    return v->scales.known ? kn_scales_conversion(&v->scales, dimension) : (struct kn_conversion){1, 0};
}

/* The corners of a face, around it. */
static void print_corners(FILE *to, const struct vtk *v, const double *row)
{
    const struct kn_space *space = v->s->space;
    const int side = (int)row[KN_SURFACES_SIDE], axis = side / 2, e = (axis + 1) % 3, f = (axis + 2) % 3;
    const double by = conversion(v, KN_DIMENSION_PLACE).factor;
    int at[3];
    kn_space_locate(space, (int64_t)row[KN_SURFACES_CELL], at);
    for (int corner = 0; corner < 4; corner++) {
        double place[3];
        place[axis] = space->edges[axis][at[axis] + (side & 1)];
        place[e] = space->edges[e][at[e] + (corner == 1 || corner == 2)];
        place[f] = space->edges[f][at[f] + (corner >= 2)];
        fprintf(to, "%.9g %.9g %.9g\n", by * place[0], by * place[1], by * place[2]);
    }
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
            4LL * count, (long long)count);
    for (int64_t i = 0; i < count; i++)
        print_corners(to, v, v->surfaces->rows + i * KN_SURFACES_ROW);
    fputs("</DataArray>\n</Points>\n<Polys>\n<DataArray type=\"Int64\" Name=\"connectivity\" "
          "format=\"ascii\">\n",
          to);
    for (int64_t i = 0; i < 4 * count; i++)
        fprintf(to, "%lld%s", (long long)i, i % 4 == 3 ? "\n" : " ");
    fputs("</DataArray>\n<DataArray type=\"Int64\" Name=\"offsets\" format=\"ascii\">\n", to);
    for (int64_t i = 1; i <= count; i++)
        fprintf(to, "%lld\n", 4LL * i);
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
    return kn_files_write(path, print_vtk, &v);
}
