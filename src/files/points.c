/* Reads a list of points. */
#include "files/points.h"

#include "error.h"
#include "files/files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 1 << 20, LINE = 256 /* bytes */ };

/* Two numbers, separated by blanks, a comma or a semicolon; no text may follow. */
static bool read_line(const char *line, double point[2])
{
    char *end;
    for (int d = 0; d < 2; d++) {
        line += strspn(line, d > 0 ? " \t,;" : " \t");
        point[d] = strtod(line, &end);
        if (end == line || !(fabs(point[d]) < 1e30))
            return false;
        line = end;
    }
    return line[strspn(line, " \t\r,;")] == '\0';
}

/* Such a line is no header. */
static bool begins_with_number(const char *line)
{
    char *end;
    strtod(line, &end);
    return end > line;
}

static enum kn_status read_lines(const char *path, const char *text, size_t size, double (*points)[2],
                                 int *count)
{
    char line[LINE];
    int number = 0;
    const size_t begin = size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0; /* a byte order mark */
    for (size_t at = begin, length; at < size; at += length + 1) {
        const char *end = memchr(text + at, '\n', size - at);
        length = end ? (size_t)(end - text) - at : size - at;
        number++;
        if (length >= LINE)
            return kn_error_set(KN_EINPUT, "%.300s, line %d: is too long", path, number);
        memcpy(line, text + at, length);
        line[length] = '\0';
        if (line[0] == '#' || line[strspn(line, " \t\r")] == '\0')
            continue;
        if (*count == KN_POINTS_LINES)
            return kn_error_set(KN_EINPUT, "%.300s has more than %d points", path, KN_POINTS_LINES);
        if (read_line(line, points[*count]))
            ++*count;
        else if (number > 1 || begins_with_number(line))
            return kn_error_set(KN_EINPUT, "%.300s, line %d: expected two numbers, x and y", path, number);
    }
    return KN_OK;
}

enum kn_status kn_points_read(const char *path, double (**points)[2], int *count)
{
    char *text;
    size_t size;
    *points = NULL;
    *count = 0;
    KN_TRY(kn_files_read(path, LARGEST, &text, &size));
    if (!text)
        return kn_error_set(KN_EINPUT, "%.300s does not exist", path);
    double(*list)[2] = malloc(KN_POINTS_LINES * sizeof *list);
    enum kn_status status = list ? read_lines(path, text, size, list, count)
                                 : kn_error_set(KN_EMEMORY, "no memory for the points of '%.300s'", path);
    free(text);
    if (status == KN_OK && *count > 1 && list[0][0] == list[*count - 1][0] &&
        list[0][1] == list[*count - 1][1])
        --*count;
    if (status == KN_OK && *count < 3)
        status = kn_error_set(KN_EINPUT, "%.300s has %d points (at least 3)", path, *count);
    if (status == KN_OK)
        *points = list;
    else
        free(list);
    return status;
}
