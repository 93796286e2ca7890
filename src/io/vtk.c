/* Writes the files for ParaView: the grid of each rank (.vtr), the list of ranks (.pvtr) and of times (.pvd).
 */
#include "config/case.h"
#include "error.h"
#include "files/files.h"
#include "io/fields.h"
#include "io/store.h"
#include "text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Length of the base64 text of an array of doubles and its size. */
static size_t encoded_size(size_t values)
{
    return (8 + 8 * values + 2) / 3 * 4;
}

/* Prefixes of the names of fields. */
static const char *const prefixes[KN_FIELDS_KINDS] = {"", "mean_", "amplitude_", "phase_"};
static const char axes[] = "xyz";

/* Arrays that filters of ParaView use by default. */
static const char ACTIVE[] = "Vectors=\"u\" Tensors=\"Pi\"";

/* VTK takes six components for a symmetric tensor in the order xx yy zz xy yz xz; here xz comes before yz. */
static int component(const struct kn_quantity *q, int i)
{
    static const int tensor[] = {0, 1, 2, 3, 5, 4};
    return q->components == 6 ? tensor[i] : i;
}

static double cell_value(const struct kn_snapshot *s, int which, const struct kn_quantity *q, size_t cell,
                         int i)
{
    return kn_fields_values(s, which)[cell * KN_FIELDS + (size_t)q->first + (size_t)component(q, i)];
}

/* ParaView has no factors for arrays: a case in SI units is written in SI units. */
static struct kn_conversion conversion(const struct kn_snapshot *s, int which, enum kn_dimension dimension)
{
    struct kn_scales scales;
    const bool known = kn_scales_create(&scales, s->c) == KN_OK && scales.known;
    return known ? kn_fields_conversion(&scales, which, dimension) : (struct kn_conversion){1, 0};
}

/* ParaView hides cells with this value of an array of this name. */
enum { HIDDEN = 32 };
static const char GHOSTS[] = "DataArray type=\"UInt8\" Name=\"vtkGhostType\" NumberOfComponents=\"1\"";

/* The attributes of an array, in the file of a rank or, with the mark "P", in the list of ranks. */
static void print_array(FILE *to, const char *mark, int which, const struct kn_quantity *q)
{
    fprintf(to, "<%sDataArray type=\"Float64\" Name=\"%s%s\" NumberOfComponents=\"%d\"", mark,
            prefixes[which], q->name, q->components);
    for (int i = 0; i < q->components && q->components > 1; i++)
        fprintf(to, " ComponentName%d=\"%s\"", i, q->component_names[component(q, i)]);
}

static void print_heads(FILE *to, const struct kn_snapshot *s)
{
    size_t offset = 0, ncells = (size_t)s->space->ncells;
    fprintf(to, "      <CellData %s>\n", ACTIVE);
    for (int which = 0; which < KN_FIELDS_KINDS; which++)
        for (const struct kn_quantity *q = kn_quantities; q->name && kn_fields_values(s, which); q++) {
            fputs("        ", to);
            print_array(to, "", which, q);
            fprintf(to, " format=\"appended\" offset=\"%zu\"/>\n", offset);
            offset += encoded_size(ncells * (size_t)q->components);
        }
    if (kn_case_bodies(s->c) > 0) {
        fprintf(to, "        <%s format=\"appended\" offset=\"%zu\"/>\n", GHOSTS, offset);
        offset += (8 + ncells + 2) / 3 * 4;
    }
    fputs("      </CellData>\n      <Coordinates>\n", to);
    for (int d = 0; d < 3; d++) {
        fprintf(to, "        <DataArray type=\"Float64\" Name=\"%c\" format=\"appended\" offset=\"%zu\"/>\n",
                axes[d], offset);
        offset += encoded_size((size_t)s->space->cells[d] + 1);
    }
    fputs("      </Coordinates>\n", to);
}

static void print_data(FILE *to, const struct kn_snapshot *s)
{
    struct kn_base64 b = {.to = to};
    for (int which = 0; which < KN_FIELDS_KINDS; which++)
        for (const struct kn_quantity *q = kn_quantities; q->name && kn_fields_values(s, which); q++) {
            const struct kn_conversion to_si = conversion(s, which, q->dimension);
            kn_base64_word(&b, 8 * (uint64_t)s->space->ncells * (uint64_t)q->components);
            for (size_t cell = 0; cell < (size_t)s->space->ncells; cell++)
                for (int i = 0; i < q->components; i++)
                    kn_base64_real(&b, to_si.offset + to_si.factor * cell_value(s, which, q, cell, i));
            kn_base64_end(&b);
        }
    if (kn_case_bodies(s->c) > 0) {
        kn_base64_word(&b, (uint64_t)s->space->ncells);
        for (int cell = 0; cell < s->space->ncells; cell++)
            kn_base64_byte(&b, s->space->volume[cell] == 0 ? HIDDEN : 0);
        kn_base64_end(&b);
    }
    const double metre = conversion(s, KN_FIELDS_NOW, KN_DIMENSION_PLACE).factor;
    for (int d = 0; d < 3; d++) {
        kn_base64_word(&b, 8 * ((uint64_t)s->space->cells[d] + 1));
        for (int i = 0; i <= s->space->cells[d]; i++)
            kn_base64_real(&b, metre * s->space->edges[d][s->space->box.first[d] + i]);
        kn_base64_end(&b);
    }
}

static void print_head(FILE *to, const char *type)
{
    fprintf(to,
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"%s\" version=\"1.0\" byte_order=\"LittleEndian\" "
            "header_type=\"UInt64\">\n  <%s",
            type, type);
}

/* Extents are in points, one more than cells; neighbouring boxes share the points between them. */
static void print_extent(FILE *to, const char *name, const int first[3], const int end[3])
{
    fprintf(to, " %s=\"%d %d %d %d %d %d\"", name, first[0], end[0], first[1], end[1], first[2], end[2]);
}

static enum kn_status print_grid(FILE *to, const void *what)
{
    const struct kn_snapshot *s = what;
    const struct kn_box *box = &s->space->box;
    print_head(to, "RectilinearGrid");
    print_extent(to, "WholeExtent", box->first, box->end);
    fputs(">\n    <Piece", to);
    print_extent(to, "Extent", box->first, box->end);
    fputs(">\n", to);
    print_heads(to, s);
    fputs("    </Piece>\n  </RectilinearGrid>\n  <AppendedData encoding=\"base64\">\n_", to);
    print_data(to, s);
    fputs("\n  </AppendedData>\n</VTKFile>\n", to);
    return KN_OK;
}

static void name_piece(char name[64], const struct kn_snapshot *s, int rank)
{
    snprintf(name, 64, "%08lld.%d.vtr", (long long)s->step, rank);
}

static enum kn_status print_pieces(FILE *to, const void *what)
{
    const struct kn_snapshot *s = what;
    char name[64];
    print_head(to, "PRectilinearGrid");
    print_extent(to, "WholeExtent", (const int[3]){0, 0, 0}, s->space->whole);
    fprintf(to, " GhostLevel=\"0\">\n    <PCellData %s>\n", ACTIVE);
    for (int which = 0; which < KN_FIELDS_KINDS; which++)
        for (const struct kn_quantity *q = kn_quantities; q->name && kn_fields_values(s, which); q++) {
            fputs("      ", to);
            print_array(to, "P", which, q);
            fputs("/>\n", to);
        }
    if (kn_case_bodies(s->c) > 0)
        fprintf(to, "      <P%s/>\n", GHOSTS);
    fputs("    </PCellData>\n    <PCoordinates>\n", to);
    for (int d = 0; d < 3; d++)
        fprintf(to, "      <PDataArray type=\"Float64\" Name=\"%c\"/>\n", axes[d]);
    fputs("    </PCoordinates>\n", to);
    for (int rank = 0; rank < s->comm->size; rank++) {
        name_piece(name, s, rank);
        fputs("    <Piece", to);
        print_extent(to, "Extent", s->boxes[rank].first, s->boxes[rank].end);
        fprintf(to, " Source=\"%s\"/>\n", name);
    }
    fputs("  </PRectilinearGrid>\n</VTKFile>\n", to);
    return KN_OK;
}

#define ENTRY "    <DataSet timestep=\"%s\" part=\"0\" file=\"%s\"/>\n"

struct list {
    const char *folder;
    FILE *old; /* the list so far, or NULL */
    const char *path;
    double time;
    const char *file; /* the new entry */
};

/* An entry remains if it is earlier and its file still exists. */
static bool stays(const struct list *list, const char *line, char *file)
{
    char path[KN_PATH], *end;
    const char *time = strstr(line, "timestep=\""), *name = strstr(line, "file=\"");
    if (!time || !name)
        return false;
    time += strlen("timestep=\"");
    name += strlen("file=\"");
    size_t length = strcspn(name, "\"");
    double value = strtod(time, &end);
    if (end == time || *end != '"' || !(value < list->time) || length >= 256)
        return false;
    memcpy(file, name, length);
    file[length] = '\0';
    return strcmp(file, list->file) != 0 && kn_files_join(path, list->folder, file) == KN_OK &&
           access(path, F_OK) == 0;
}

static enum kn_status print_list(FILE *to, const void *what)
{
    const struct list *list = what;
    enum kn_status status = KN_OK;
    char *line = NULL, file[256], number[32];
    size_t size = 0;
    print_head(to, "Collection");
    fputs(">\n", to);
    while (list->old && getline(&line, &size, list->old) >= 0)
        if (stays(list, line, file)) {
            double time = strtod(strstr(line, "timestep=\"") + strlen("timestep=\""), NULL);
            fprintf(to, ENTRY, kn_text_number(number, time), file);
        }
    free(line);
    if (list->old) /* entries that cannot be read would be lost */
        status = kn_files_at_end(list->old, list->path);
    fprintf(to, ENTRY, kn_text_number(number, list->time), list->file);
    fputs("  </Collection>\n</VTKFile>\n", to);
    return status;
}

static enum kn_status write_list(const char *folder, const char *file, double time)
{
    char path[KN_PATH];
    KN_TRY(kn_files_join(path, folder, "fields.pvd"));
    struct list list = {folder, NULL, path, time, file};
    KN_TRY(kn_files_open(&list.old, path));
    enum kn_status status = kn_files_write(path, print_list, &list);
    if (list.old)
        fclose(list.old);
    return status;
}

/* Write the cells of this rank. */
static enum kn_status write_grid(const char *series, const struct kn_snapshot *s)
{
    char path[KN_PATH], name[64];
    name_piece(name, s, s->comm->rank);
    if (s->comm->size == 1)
        snprintf(name, sizeof name, "%08lld.vtr", (long long)s->step);
    KN_TRY(kn_files_make_folder(series));
    KN_TRY(kn_files_join(path, series, name));
    return kn_files_write(path, print_grid, s);
}

/* Write the list of ranks and the list of times. */
static enum kn_status write_index(const char *folder, const struct kn_snapshot *s)
{
    const bool pieces = s->comm->size > 1;
    char path[KN_PATH], file[64];
    snprintf(file, sizeof file, "fields/%08lld.%s", (long long)s->step, pieces ? "pvtr" : "vtr");
    KN_TRY(kn_files_join(path, folder, file));
    if (pieces)
        KN_TRY(kn_files_write(path, print_pieces, s));
    return write_list(folder, file, conversion(s, KN_FIELDS_NOW, KN_DIMENSION_TIME).factor * s->time);
}

enum kn_status kn_vtk_write(const char *folder, const struct kn_snapshot *s)
{
    char series[KN_PATH];
    KN_TRY(kn_files_join(series, folder, "fields"));
    KN_TRY(kn_comm_agree(s->comm, write_grid(series, s)));
    return kn_comm_agree(s->comm, s->comm->rank == 0 ? write_index(folder, s) : KN_OK);
}
