#include "report/report.h"

#include "report/report_fields.h"
#include "report/report_history.h"

#include "config/config.h"
#include "error.h"
#include "io/fields.h"
#include "io/folder.h"
#include "io/summary.h"
#include "io/provenance.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double MEGABYTES = 40;

/* The files of src/report/, made into arrays by tools/embed.cmake. */
extern const unsigned char kn_report_html[], kn_report_css[], kn_report_js[];

/* All that is known about a run. */
struct report {
    const char *folder;
    char title[NAME_MAX + 1];
    double bytes;     /* room for fields */
    char *summary;    /* summary.json, or NULL */
    bool has_case;
    struct kn_case c;
    struct kn_scales scales; /* known where the case was in SI units */
    char species[KN_FIELDS_SPECIES];
    struct kn_history_table history;
    struct kn_report_gas gas;
    struct kn_report_notes notes;
};

/* ------------------------------------------------------------------ summary */

static void take_case(struct report *r)
{
    r->has_case = kn_report_succeeded(kn_summary_case(r->summary, &r->c));
    if (!r->has_case && kn_summary_member(r->summary, "case"))
        kn_report_note(&r->notes, "This version cannot read the case of the run: %s", kn_error_message());
}

/* -------------------------------------------------------------------- parts */

static void print_values(FILE *to, const struct kn_setting *s, const struct kn_case *c)
{
    char text[KN_NAME], all[4 * KN_NAME] = "";
    for (int i = 0; i < s->key->count; i++) {
        kn_config_value_text(s->key, kn_config_target((struct kn_case *)c, s), i, text);
        const size_t length = strlen(all);
        snprintf(all + length, sizeof all - length, "%s%s", i ? ", " : "", text);
    }
    kn_report_put_text(to, all);
}

/* Every key: name, value, default, unit, what it means. */
static void print_case(FILE *to, const struct kn_case *c)
{
    struct kn_case initial;
    struct kn_setting s;
    kn_case_default(&initial);
    fputc('[', to);
    for (int i = 0; kn_config_setting(i, &s); i++) {
        fputs(i ? ", [" : "[", to);
        kn_report_put_text(to, s.name);
        fputs(", ", to);
        print_values(to, &s, c);
        fputs(", ", to);
        print_values(to, &s, &initial);
        fputs(", ", to);
        kn_report_put_text(to, s.key->unit);
        fputs(", ", to);
        kn_report_put_text(to, s.key->doc);
        fputc(']', to);
    }
    fputc(']', to);
}

static void print_scales(FILE *to, const struct report *r)
{
    if (!r->scales.known) {
        fputs("null", to);
        return;
    }
    fputs("{\"species\": ", to);
    kn_report_put_text(to, r->species);
    for (const struct kn_scale *scale = kn_scales_list; scale->name; scale++) {
        fprintf(to, ", \"%s\": ", scale->name);
        kn_report_put_number(to, kn_scales_value(&r->scales, scale));
    }
    fputc('}', to);
}

/* What has no dimension is shown as a bare number. */
static void print_unit(FILE *to, const struct report *r, const char *name, const char *column)
{
    const enum kn_dimension dimension = kn_monitor_dimension(column);
    const struct kn_conversion by = kn_scales_conversion(&r->scales, dimension);
    const bool bare = dimension == KN_DIMENSION_NONE, si = r->scales.known && !bare;
    kn_report_put_text(to, name);
    fputs(": ", to);
    kn_report_put_rule(to, bare ? "1" : kn_monitor_unit(column), si ? kn_units_si(dimension) : NULL,
                       by.factor, by.offset);
}

/* Units of the columns of the history, and of what summary.json has of a wall. */
static void print_units(FILE *to, const struct report *r)
{
    static const char *const always[][2] = {
        {"stress", "top.stress_x"},     {"shear", "top.stress_x"}, {"heat_flux", "top.heat_flux"},
        {"mass_flux", "top.mass_flux"}, {"time", "time"},          {"residual", "residual"}};
    fputc('{', to);
    for (size_t i = 0; i < sizeof always / sizeof *always; i++) {
        fputs(i ? ", " : "", to);
        print_unit(to, r, always[i][0], always[i][1]);
    }
    for (int i = 0; i < r->history.columns; i++) {
        fputs(", ", to);
        print_unit(to, r, r->history.names[i], r->history.names[i]);
    }
    fputc('}', to);
}

static void print_data(FILE *to, struct report *r)
{
    fputs("{\"title\": ", to);
    kn_report_put_text(to, r->title);
    fprintf(to, ", \"version\": \"%s\", \"commit\": ", KN_VERSION);
    kn_report_put_text(to, kn_provenance_commit());
    fputs(",\n\"summary\": ", to);
    kn_report_put_text(to, r->summary ? r->summary : "");
    fputs(",\n\"case\": ", to);
    if (r->has_case)
        print_case(to, &r->c);
    else
        fputs("null", to);
    fputs(",\n\"history\": ", to);
    kn_report_history_print(to, &r->history, &r->notes);
    fputs(",\n\"si\": ", to);
    print_scales(to, r);
    fputs(",\n\"units\": ", to);
    print_units(to, r);
    fputs(",\n\"fields\": ", to);
    kn_report_fields_print(to, &r->gas, r->bytes, &r->notes);
    fprintf(to, ",\n\"notes\": [%s]}", r->notes.text ? r->notes.text : "");
}

/* The page, with what its marks {{...}} stand for. */
static void print_page(FILE *to, struct report *r)
{
    for (const char *at = (const char *)kn_report_html, *mark; *at; at = mark) {
        mark = strstr(at, "{{");
        mark = mark ? mark : at + strlen(at);
        fwrite(at, 1, (size_t)(mark - at), to);
        if (strncmp(mark, "{{title}}", 9) == 0)
            kn_report_put_html(to, r->title);
        else if (strncmp(mark, "{{style}}", 9) == 0)
            fputs((const char *)kn_report_css, to);
        else if (strncmp(mark, "{{script}}", 10) == 0)
            fputs((const char *)kn_report_js, to);
        else if (strncmp(mark, "{{data}}", 8) == 0)
            print_data(to, r);
        mark += *mark ? strcspn(mark, "}") + 2 : 0;
    }
}

/* --------------------------------------------------------------------- all */

/* The folder's own name, also where it was called "." */
static void find_title(struct report *r)
{
    char whole[PATH_MAX];
    const char *path = realpath(r->folder, whole) ? whole : r->folder, *slash = strrchr(path, '/');
    snprintf(r->title, sizeof r->title, "%.*s", NAME_MAX, slash && slash[1] ? slash + 1 : path);
}

static enum kn_status read_folder(struct report *r)
{
    enum kn_status status = kn_summary_read(r->folder, &r->summary);
    if (status == KN_OK)
        status = kn_history_read(&r->history, r->folder);
    if (status == KN_OK)
        status = kn_report_fields_open(&r->gas, r->folder);
    if (status != KN_OK)
        return status;
    if (!r->summary && r->history.rows == 0 && r->gas.file < 0)
        return kn_error_set(KN_EIO,
                            "'%s' is no folder of results: it has neither summary.json nor history.csv nor "
                            "fields.h5 (knudsen run writes them)",
                            r->folder);
    if (!r->summary)
        kn_report_note(&r->notes, "The run has no summary.json: it still goes on, or was ended by force. "
                                  "What it had written is here.");
    else
        take_case(r);
    if (!kn_fields_read_scales(r->gas.file, r->has_case ? &r->c : NULL, &r->scales, r->species))
        return kn_error_set(KN_EIO, "'%s' is damaged: the group si does not hold the species and the scales",
                            r->gas.path);
    if (r->gas.file < 0)
        kn_report_note(&r->notes,
                       "The run stopped before fields were written; knudsen run --resume goes on.");
    return KN_OK;
}

static enum kn_status choose_output(const struct kn_report_options *o, char *path, size_t size)
{
    char usual[KN_PATH];
    const char *chosen = o->output ? o->output : usual;
    const enum kn_status status = kn_files_join(usual, o->folder, "report.html");
    if (status != KN_OK)
        return status;
    const char *dot = strrchr(chosen, '.');
    if (!dot || (strcmp(dot, ".html") != 0 && strcmp(dot, ".htm") != 0))
        return kn_error_set(KN_EINPUT, "'%s' must end in .html", chosen);
    if ((size_t)snprintf(path, size, "%s", chosen) >= size)
        return kn_error_set(KN_EIO, "the path '%.60s...' is too long", chosen);
    return KN_OK;
}

static void print_text(FILE *to, const void *text)
{
    fputs(text, to);
}

/* The page is complete before it becomes a file. */
static enum kn_status write_page(struct report *r, const char *path)
{
    char *page = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&page, &size);
    bool good = to != NULL;
    if (good) {
        print_page(to, r);
        good = !ferror(to);
        good = fclose(to) == 0 && good && page;
    }
    const bool lacked = kn_report_lacked_memory() || !good;
    enum kn_status status =
        lacked ? kn_error_set(KN_EMEMORY, "not enough memory for the report of '%s'", r->folder)
               : kn_files_write_text(path, print_text, page);
    if (status == KN_OK && r->gas.damaged)
        status =
            kn_error_set(KN_EIO,
                         "'%s' is damaged: its values cannot be read or do not match their checksums; '%s' "
                         "has the rest",
                         r->gas.path, path);
    free(page);
    return status;
}

enum kn_status kn_report(const struct kn_report_options *options, char *path, size_t size)
{
    struct report *r = calloc(1, sizeof *r);
    enum kn_status status = KN_OK;
    if (!r || kn_report_notes_open(&r->notes) != 0) {
        free(r);
        return kn_error_set(KN_EMEMORY, "not enough memory");
    }
    r->folder = options->folder;
    (void)kn_report_lacked_memory();
    r->gas.file = H5I_INVALID_HID;
    r->bytes = 1e6 * (options->megabytes > 0 ? options->megabytes : MEGABYTES);
    find_title(r);
    status = choose_output(options, path, size);
    if (status == KN_OK)
        status = read_folder(r);
    if (status == KN_OK && !options->output)
        status = kn_folder_check(r->folder, "report.html");
    if (status == KN_OK)
        status = write_page(r, path);
    if (status == KN_OK && !options->output)
        status = kn_folder_record(r->folder, "report.html");
    kn_report_fields_close(&r->gas);
    kn_history_free(&r->history);
    kn_report_notes_close(&r->notes);
    free(r->summary);
    free(r);
    return status;
}
