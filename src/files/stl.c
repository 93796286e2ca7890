/* Reads STL files.  A file is binary if its size is that of the number of triangles in its header. */
#include "files/stl.h"

#include "error.h"
#include "files/files.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { HEADER = 80, RECORD = 50, WORD = 64, LARGEST = 1 << 30 /* bytes */ };

/* Lengths and areas beyond them would leave the range of numbers in products. */
static const double FARTHEST = 1e30, SMALLEST = 1e-60;

struct reader {
    const char *path, *at, *end;
    int line, room;
    struct kn_stl *to;
};

static enum kn_status refuse(const struct reader *r, const char *why)
{
    return r->line > 0 ? kn_error_set(KN_EINPUT, "%.300s, line %d: %s", r->path, r->line, why)
                       : kn_error_set(KN_EINPUT, "%.300s %s", r->path, why);
}

static bool has_area(double corner[3][3])
{
    double cross = 0;
    for (int d = 0; d < 3; d++) {
        const int e = (d + 1) % 3, f = (d + 2) % 3;
        cross += fabs((corner[1][e] - corner[0][e]) * (corner[2][f] - corner[0][f]) -
                      (corner[1][f] - corner[0][f]) * (corner[2][e] - corner[0][e]));
    }
    return cross > SMALLEST;
}

static enum kn_status add_triangle(struct reader *r, double corner[3][3])
{
    struct kn_stl *s = r->to;
    for (int k = 0; k < 3; k++)
        for (int d = 0; d < 3; d++)
            if (!(fabs(corner[k][d]) < FARTHEST))
                return refuse(r, "a coordinate is not a finite number");
    if (!has_area(corner))
        return KN_OK;
    if (s->count == KN_STL_TRIANGLES)
        return refuse(r, "has more than 4 million triangles");
    if (s->count == r->room) {
        r->room = r->room > 0 ? 2 * r->room : 64;
        void *more = realloc(s->corners, (size_t)r->room * sizeof *s->corners);
        if (!more)
            return kn_error_set(KN_EMEMORY, "no memory for the triangles of '%.300s'", r->path);
        s->corners = more;
    }
    memcpy(s->corners[s->count++], corner, sizeof *s->corners);
    return KN_OK;
}

static uint32_t number_at(const char *at)
{
    const unsigned char *b = (const unsigned char *)at;
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

/* A record is the normal, which is not used, the corners and two bytes; little-endian. */
static enum kn_status read_binary(struct reader *r, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const char *at = r->at + HEADER + 4 + (size_t)i * RECORD + 12;
        double corner[3][3];
        for (int k = 0; k < 9; k++) {
            const uint32_t bits = number_at(at + (ptrdiff_t)4 * k);
            float number;
            memcpy(&number, &bits, sizeof number);
            corner[k / 3][k % 3] = (double)number;
        }
        KN_TRY(add_triangle(r, corner));
    }
    return KN_OK;
}

/* The next word; false at the end. */
static bool next_word(struct reader *r, char word[WORD])
{
    size_t n = 0;
    for (; r->at < r->end && isspace((unsigned char)*r->at); r->at++)
        r->line += *r->at == '\n';
    for (; r->at < r->end && !isspace((unsigned char)*r->at); r->at++)
        if (n + 1 < WORD)
            word[n++] = *r->at;
    word[n] = '\0';
    return n > 0;
}

static enum kn_status read_corner(struct reader *r, double corner[3])
{
    char word[WORD], *end;
    for (int d = 0; d < 3; d++) {
        next_word(r, word);
        corner[d] = strtod(word, &end);
        if (end == word || *end || strlen(word) == WORD - 1)
            return refuse(r, "a vertex needs three numbers, of less than 63 characters each");
    }
    return KN_OK;
}

/* The name of the solid is the rest of its line. */
static enum kn_status read_text(struct reader *r)
{
    char word[WORD];
    double corner[3][3];
    int corners = -1; /* -1: outside of a facet */
    r->line = 1;
    while (next_word(r, word)) {
        if (corners < 0 && (strcasecmp(word, "solid") == 0 || strcasecmp(word, "endsolid") == 0)) {
            while (r->at < r->end && *r->at != '\n')
                r->at++;
        } else if (corners < 0 && strcasecmp(word, "facet") == 0) {
            corners = 0;
        } else if (corners >= 0 && strcasecmp(word, "vertex") == 0) {
            if (corners == 3)
                return refuse(r, "a facet has more than three corners (only triangles are supported)");
            KN_TRY(read_corner(r, corner[corners++]));
        } else if (strcasecmp(word, "endfacet") == 0) {
            if (corners != 3)
                return refuse(r, "a facet has not three corners");
            KN_TRY(add_triangle(r, corner));
            corners = -1;
        } else if (corners < 0)
            return refuse(r, "expected facet or endsolid");
    }
    return corners < 0 ? KN_OK : refuse(r, "the file ends within a facet");
}

static enum kn_status read_bytes(struct reader *r, size_t size)
{
    const uint32_t count = size >= HEADER + 4 ? number_at(r->at + HEADER) : 0;
    const bool text = size >= 5 && strncasecmp(r->at, "solid", 5) == 0;
    if (size >= HEADER + 4 && size == HEADER + 4 + (size_t)count * RECORD)
        return read_binary(r, count);
    if (text)
        return read_text(r);
    return refuse(r, "is no STL file (its size is not that of the number of triangles in its header, and it "
                     "does not begin with the word solid)");
}

enum kn_status kn_stl_read(struct kn_stl *s, const char *path)
{
    struct reader r = {.path = path, .to = s};
    char *bytes;
    size_t size;
    *s = (struct kn_stl){0};
    KN_TRY(kn_files_read(path, LARGEST, &bytes, &size));
    r.at = bytes;
    r.end = bytes ? bytes + size : NULL;
    enum kn_status status = bytes ? read_bytes(&r, size) : refuse(&r, "does not exist");
    r.line = 0;
    if (status == KN_OK && s->count == 0)
        status = refuse(&r, "has no triangles");
    free(bytes);
    if (status != KN_OK) {
        free(s->corners);
        *s = (struct kn_stl){0};
    }
    return status;
}
