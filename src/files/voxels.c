/* Reads images as solid and empty voxels: PNG with libpng, NumPy arrays (.npy) and raw bytes. */
#include "files/voxels.h"

#include "error.h"
#include "files/files.h"

#include <math.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>

enum { NPY_HEADER = 1 << 16 }; /* bytes, at most */

/* A file in memory, and the numbers in it, in the order [z][y][x]. */
struct source {
    const char *path;
    char *bytes;
    size_t size;
    int voxels[3];
    char kind; /* of a number: 'b' or 'u' unsigned, 'i' signed, 'f' floating-point */
    int width; /* of a number, bytes */
    const char *first;
    uint8_t *picture; /* of a PNG; owned */
};

static enum kn_status refuse(const struct source *s, const char *why)
{
    return kn_error_set(KN_EINPUT, "%.300s %s", s->path, why);
}

static enum kn_status check_size(const struct source *s, const struct kn_voxels_rule *rule)
{
    char why[200];
    double count = 1;
    for (int d = 0; d < 3; d++)
        count *= s->voxels[d];
    if (count >= 1 && count <= rule->most)
        return KN_OK;
    snprintf(why, sizeof why, "has %d x %d x %d voxels, more than the space has cells (%.0f)", s->voxels[0],
             s->voxels[1], s->voxels[2], rule->most);
    return refuse(s, why);
}

/* The grey values, with the lowest row first; transparent pixels are white. */
static enum kn_status read_png(struct source *s, const struct kn_voxels_rule *rule)
{
    static const png_color white = {255, 255, 255};
    char why[200];
    png_image image = {.version = PNG_IMAGE_VERSION};
    if (!png_image_begin_read_from_memory(&image, s->bytes, s->size)) {
        snprintf(why, sizeof why, "is no readable PNG file (%s)", image.message);
        return refuse(s, why);
    }
    s->voxels[0] = image.width < INT32_MAX ? (int)image.width : INT32_MAX;
    s->voxels[1] = image.height < INT32_MAX ? (int)image.height : INT32_MAX;
    s->voxels[2] = s->width = 1;
    s->kind = 'u';
    image.format = PNG_FORMAT_GRAY;
    enum kn_status status = check_size(s, rule);
    if (status == KN_OK && !(s->picture = calloc((size_t)s->voxels[0], (size_t)s->voxels[1])))
        status = kn_error_set(KN_EMEMORY, "no memory for an image");
    if (status == KN_OK && !png_image_finish_read(&image, &white, s->picture, -s->voxels[0], NULL)) {
        snprintf(why, sizeof why, "is no readable PNG file (%s)", image.message);
        status = refuse(s, why);
    }
    png_image_free(&image);
    s->first = (char *)s->picture;
    return status;
}

/* The text after a key of the header of a NumPy array. */
static const char *header_value(const char *header, const char *key)
{
    const char *found = strstr(header, key);
    found = found ? found + strlen(key) : "";
    return found + strspn(found, " :");
}

/* The sizes "(nz, ny, nx)" or "(ny, nx)". */
static bool read_shape(struct source *s, const char *text)
{
    long size[3];
    int count = 0;
    text += *text == '(';
    for (char *end; count < 3; text = end + strspn(end, ", ")) {
        size[count] = strtol(text, &end, 10);
        if (end == text)
            break;
        if (size[count] < 1 || size[count] > INT32_MAX)
            return false;
        count++;
    }
    for (int d = 0; d < 3; d++)
        s->voxels[d] = d < count ? (int)size[count - 1 - d] : 1;
    return count >= 2 && *text == ')';
}

/* True for a character of a set; the end of a text is none. */
static bool is_of(const char *set, char c)
{
    return c && strchr(set, c);
}

static enum kn_status read_npy(struct source *s, const struct kn_voxels_rule *rule)
{
    const unsigned char *b = (unsigned char *)s->bytes;
    const size_t wide = s->size > 6 && b[6] > 1 ? 12 : 10;
    if (s->size < wide)
        return refuse(s, "is no complete NumPy array");
    const size_t length = b[8] + 256u * b[9] + (wide == 12 ? 65536u * b[10] + 16777216u * b[11] : 0);
    if (length >= NPY_HEADER || s->size < wide + length)
        return refuse(s, "is no complete NumPy array");
    char header[NPY_HEADER];
    memcpy(header, s->bytes + wide, length);
    header[length] = '\0';
    const char *type = header_value(header, "'descr'"), *order = header_value(header, "'fortran_order'");
    if (*type != '\'' || !is_of("<|", type[1]) || !is_of("buif", type[2]) || !is_of("1248", type[3]) ||
        (type[2] == 'f' && type[3] < '4') || type[4] != '\'')
        return refuse(s, "has numbers of a type that is not supported (bool, integers, float32 and float64, "
                         "little-endian, are)");
    if (strncmp(order, "False", 5) != 0)
        return refuse(s, "is in Fortran order (numpy.ascontiguousarray changes it)");
    if (!read_shape(s, header_value(header, "'shape'")))
        return refuse(s, "is no array of two or three dimensions ([y][x] or [z][y][x])");
    s->kind = type[2];
    s->width = type[3] - '0';
    s->first = s->bytes + wide + length;
    KN_TRY(check_size(s, rule));
    const size_t count = (size_t)s->voxels[0] * (size_t)s->voxels[1] * (size_t)s->voxels[2];
    return s->size == wide + length + count * (size_t)s->width
               ? KN_OK
               : refuse(s, "does not have the number of values that its header states");
}

static enum kn_status read_raw(struct source *s, const struct kn_voxels_rule *rule)
{
    char why[200];
    memcpy(s->voxels, rule->raw, sizeof s->voxels);
    s->kind = 'u';
    s->width = 1;
    s->first = s->bytes;
    KN_TRY(check_size(s, rule));
    const size_t count = (size_t)s->voxels[0] * (size_t)s->voxels[1] * (size_t)s->voxels[2];
    snprintf(why, sizeof why, "has %zu bytes, and %d x %d x %d voxels need %zu (one byte per voxel)", s->size,
             s->voxels[0], s->voxels[1], s->voxels[2], count);
    return s->size == count ? KN_OK : refuse(s, why);
}

static double value_at(const struct source *s, size_t i)
{
    const char *at = s->first + i * (size_t)s->width;
    uint64_t bits = 0;
    float single;
    double number;
    memcpy(&bits, at, (size_t)s->width);
    if (s->kind == 'f' && s->width == 4) {
        memcpy(&single, at, sizeof single);
        return (double)single;
    }
    if (s->kind == 'f') {
        memcpy(&number, at, sizeof number);
        return number;
    }
    if (s->kind == 'i') /* extend the sign */
        return (double)((int64_t)(bits << (64 - 8 * s->width)) >> (64 - 8 * s->width));
    return (double)bits;
}

static enum kn_status apply(const struct source *s, const struct kn_voxels_rule *rule, struct kn_voxels *v)
{
    const size_t count = (size_t)s->voxels[0] * (size_t)s->voxels[1] * (size_t)s->voxels[2];
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        const double value = value_at(s, i);
        if (!isfinite(value))
            return refuse(s, "has values that are not finite");
        low = fmin(low, value);
        high = fmax(high, value);
    }
    if (!(low < high))
        return refuse(s, "has the same value everywhere");
    const double middle = low + rule->threshold * (high - low);
    memcpy(v->size, s->voxels, sizeof v->size);
    if (!(v->solid = malloc(count + 1)))
        return kn_error_set(KN_EMEMORY, "no memory for an image");
    for (size_t i = 0; i < count; i++)
        v->solid[i] = (value_at(s, i) < middle) == rule->dark;
    return KN_OK;
}

static enum kn_status read_source(struct source *s, const struct kn_voxels_rule *rule)
{
    const bool png = s->size >= 8 && memcmp(s->bytes, "\x89PNG\r\n\x1a\n", 8) == 0,
               npy = s->size >= 8 && memcmp(s->bytes, "\x93NUMPY", 6) == 0;
    if (rule->raw[0] > 0)
        return read_raw(s, rule);
    if (png || npy)
        return png ? read_png(s, rule) : read_npy(s, rule);
    return refuse(s, "is neither a PNG file nor a NumPy array (raw bytes need image.voxels)");
}

enum kn_status kn_voxels_read(struct kn_voxels *v, const char *path, const struct kn_voxels_rule *rule)
{
    struct source s = {.path = path};
    *v = (struct kn_voxels){.size = {0}};
    KN_TRY(kn_files_read(path, (size_t)(8 * rule->most) + NPY_HEADER + 16, &s.bytes, &s.size));
    if (!s.bytes)
        return refuse(&s, "does not exist");
    enum kn_status status = read_source(&s, rule);
    if (status == KN_OK)
        status = apply(&s, rule, v);
    free(s.bytes);
    free(s.picture);
    return status;
}

void kn_voxels_destroy(struct kn_voxels *v)
{
    free(v->solid);
    *v = (struct kn_voxels){.size = {0}};
}
