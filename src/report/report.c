/* Writes the report page of a run: the embedded HTML page with the data of the run as JSON. */
#include "report/report.h"

#include "config/config.h"
#include "error.h"
#include "io/folder.h"
#include "io/history.h"
#include "io/provenance.h"
#include "io/summary.h"
#include "report/report_fields.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double MEGABYTES = 40;

/* The files of src/report/page, made into arrays by tools/embed.cmake. */
extern const unsigned char kn_report_html[], kn_report_css[], kn_report_js[];

enum { ROWS = 3000 }; /* of the history that a chart can show */

/* All that is known about a run. */
struct report {
    const char *folder;
    char title[NAME_MAX + 1];
    double bytes;    /* room for fields */
    json_t *summary; /* summary.json, or NULL */
    bool has_case;
    struct kn_case c;
    struct kn_scales scales; /* known if the case was in SI units */
    char species[KN_FIELDS_SPECIES];
    struct kn_history_table history;
    struct kn_report_gas gas;
    json_t *notes; /* for the reader of the page */
};

static json_t *values_json(const struct kn_setting *s, const struct kn_case *c)
{
    char text[KN_NAME], all[4 * KN_NAME] = "";
    for (int i = 0; i < s->key->count; i++) {
        kn_config_value_text(s->key, kn_config_target((struct kn_case *)c, s), i, text);
        const size_t length = strlen(all);
        snprintf(all + length, sizeof all - length, "%s%s", i ? ", " : "", text);
    }
    return kn_json_text(all);
}

/* Every key: name, value, default, unit, meaning. */
static json_t *case_json(const struct kn_case *c)
{
    struct kn_case initial;
    struct kn_setting s;
    json_t *rows = json_array();
    kn_case_default(&initial);
    for (int i = 0; kn_config_setting(c, i, &s); i = s.index + 1)
        kn_json_append(rows,
                       json_pack("[s, o, o, s, s]", s.name, values_json(&s, c), values_json(&s, &initial),
                                 s.key->unit ? s.key->unit : "", s.key->doc));
    return rows;
}

/* At most ROWS rows, counted from the last. */
static json_t *history_json(const struct kn_history_table *h, json_t *notes)
{
    const int64_t every = h->rows > ROWS ? (h->rows + ROWS - 1) / ROWS : 1;
    const int64_t shown = h->rows ? (h->rows - 1) / every + 1 : 0;
    json_t *names = json_array(), *values = json_array();
    double *column = calloc((size_t)shown + 1, sizeof *column);
    for (int i = 0; i < h->columns; i++) {
        for (int64_t k = 0; column && k < shown; k++)
            column[k] = kn_history_at(h, h->rows - 1 - (shown - 1 - k) * every, i);
        kn_json_append(names, kn_json_text(h->names[i]));
        kn_json_append(values, column ? kn_report_fields_array(column, (size_t)shown) : NULL);
    }
    free(column);
    if (every > 1)
        kn_report_fields_note(notes, "The charts show one of %lld rows of history.csv, which has %lld.",
                              (long long)every, (long long)h->rows);
    return json_pack("{s:I, s:o, s:o}", "rows", (json_int_t)h->rows, "columns", names, "values", values);
}

/* A quantity without dimension is shown as a number alone. */
static json_t *unit_json(const struct report *r, const char *column)
{
    const struct kn_column *known = kn_monitor_find(column);
    const enum kn_dimension dimension = known ? known->dimension : KN_DIMENSION_NONE;
    const bool bare = dimension == KN_DIMENSION_NONE, si = r->scales.known && !bare;
    return kn_report_fields_unit(bare ? "1" : known->unit, si ? kn_units[dimension].si : NULL,
                                 kn_scales_conversion(&r->scales, dimension));
}

/* Units of the columns of the history, and of the results at walls in summary.json. */
static json_t *units_json(const struct report *r)
{
    static const char *const always[][2] = {
        {"stress", "top.stress_x"},     {"shear", "top.stress_x"}, {"heat_flux", "top.heat_flux"},
        {"mass_flux", "top.mass_flux"}, {"time", "time"},          {"residual", "residual"}};
    json_t *units = json_object();
    for (size_t i = 0; i < sizeof always / sizeof *always; i++)
        kn_json_set(units, always[i][0], unit_json(r, always[i][1]));
    for (int i = 0; i < r->history.columns; i++)
        kn_json_set(units, r->history.names[i], unit_json(r, r->history.names[i]));
    return units;
}

static json_t *data_of(struct report *r)
{
    json_t *history = history_json(&r->history, r->notes),
           *fields = kn_report_fields_json(&r->gas, r->bytes, r->notes); /* they add notes */
    return json_pack("{s:o, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:O}", "title",
                     kn_json_text(r->title), "version", KN_VERSION, "commit", kn_provenance_commit(),
                     "summary", r->summary ? json_incref(r->summary) : json_null(), "case",
                     r->has_case ? case_json(&r->c) : json_null(), "quantities", kn_quantities_json(),
                     "history", history, "si",
                     r->scales.known ? kn_summary_scales(&r->scales, r->species) : json_null(), "units",
                     units_json(r), "fields", fields, "notes", r->notes);
}

static void print_html(FILE *to, const char *text)
{
    static const char special[] = "&<>\"";
    static const char *const escaped[] = {"&amp;", "&lt;", "&gt;", "&quot;"};
    for (const char *found; *text; text++)
        if ((found = strchr(special, *text)))
            fputs(escaped[found - special], to);
        else
            fputc(*text, to);
}

/* The page, with the contents of its marks {{...}}. */
static enum kn_status fill_page(FILE *to, const void *what)
{
    struct report *r = (struct report *)what;
    enum kn_status status = KN_OK;
    for (const char *at = (const char *)kn_report_html, *mark; *at; at = mark) {
        mark = strstr(at, "{{");
        mark = mark ? mark : at + strlen(at);
        fwrite(at, 1, (size_t)(mark - at), to);
        if (strncmp(mark, "{{title}}", 9) == 0)
            print_html(to, r->title);
        else if (strncmp(mark, "{{style}}", 9) == 0)
            fputs((const char *)kn_report_css, to);
        else if (strncmp(mark, "{{script}}", 10) == 0)
            fputs((const char *)kn_report_js, to);
        else if (strncmp(mark, "{{data}}", 8) == 0)
            status = kn_json_print(to, data_of(r), (struct kn_json_layout){.levels = 1, .html = true});
        mark += *mark ? strcspn(mark, "}") + 2 : 0;
    }
    return status;
}

/* The name of the folder, also if it was given as "." */
static void find_title(struct report *r)
{
    char whole[PATH_MAX];
    const char *path = realpath(r->folder, whole) ? whole : r->folder, *slash = strrchr(path, '/');
    snprintf(r->title, sizeof r->title, "%.*s", NAME_MAX, slash && slash[1] ? slash + 1 : path);
}

static enum kn_status read_summary(struct report *r)
{
    enum kn_status status = kn_summary_read(r->folder, &r->summary);
    if (status == KN_EINPUT)
        kn_report_fields_note(r->notes, "summary.json is damaged and is left out.");
    else if (status == KN_OK && !r->summary)
        kn_report_fields_note(r->notes,
                              "The run has no summary.json: it has not ended yet, or it was killed. "
                              "The page shows its results so far.");
    if (!r->summary)
        return status == KN_EINPUT ? KN_OK : status;
    status = kn_summary_case(r->summary, &r->c);
    r->has_case = status == KN_OK;
    if (!r->has_case && json_object_get(r->summary, "case"))
        kn_report_fields_note(r->notes, "This version cannot read the case of the run: %s",
                              kn_error_message());
    return status == KN_EMEMORY ? status : KN_OK;
}

static enum kn_status read_folder(struct report *r)
{
    KN_TRY(kn_history_read(&r->history, r->folder));
    KN_TRY(kn_report_fields_open(&r->gas, r->folder));
    KN_TRY(read_summary(r));
    if (!r->summary && r->history.rows == 0 && r->gas.file < 0)
        return kn_error_set(
            KN_EIO,
            "'%s' is not a folder of results: it has neither summary.json nor history.csv nor "
            "fields.h5 (knudsen run writes them)",
            r->folder);
    if (!kn_fields_read_scales(r->gas.file, r->has_case ? &r->c : NULL, &r->scales, r->species))
        return kn_error_set(KN_EIO, "'%s' is damaged: the group si does not hold the species and the scales",
                            r->gas.path);
    if (r->gas.file < 0)
        kn_report_fields_note(r->notes,
                              "The run stopped before it wrote fields; knudsen run --resume continues it.");
    return KN_OK;
}

static enum kn_status choose_output(const struct kn_report_options *o, char *path, size_t size)
{
    char usual[KN_PATH];
    const char *chosen = o->output ? o->output : usual;
    KN_TRY(kn_files_join(usual, o->folder, "report.html"));
    const char *dot = strrchr(chosen, '.');
    if (!dot || (strcmp(dot, ".html") != 0 && strcmp(dot, ".htm") != 0))
        return kn_error_set(KN_EINPUT, "'%s' must end in .html", chosen);
    if ((size_t)snprintf(path, size, "%s", chosen) >= size)
        return kn_error_set(KN_EIO, "the path '%.60s...' is too long", chosen);
    return KN_OK;
}

static enum kn_status write_page(struct report *r, const char *path)
{
    const enum kn_status status = kn_files_write(path, fill_page, r);
    if (status == KN_EMEMORY)
        return kn_error_set(KN_EMEMORY, "not enough memory for the report of '%s'", r->folder);
    if (status == KN_OK && r->gas.damaged)
        return kn_error_set(
            KN_EIO,
            "'%s' is damaged: its values cannot be read or do not match their checksums; '%s' "
            "has the rest",
            r->gas.path, path);
    return status;
}

static enum kn_status make(struct report *r, const struct kn_report_options *options, char *path, size_t size)
{
    KN_TRY(choose_output(options, path, size));
    KN_TRY(read_folder(r));
    if (options->output)
        return write_page(r, path);
    KN_TRY(kn_folder_check(r->folder, "report.html"));
    KN_TRY(write_page(r, path));
    return kn_folder_record(r->folder, "report.html");
}

enum kn_status kn_report(const struct kn_report_options *options, char *path, size_t size)
{
    struct report *r = calloc(1, sizeof *r);
    if (!r)
        return kn_error_set(KN_EMEMORY, "not enough memory");
    r->folder = options->folder;
    r->gas.file = H5I_INVALID_HID;
    r->bytes = 1e6 * (options->megabytes > 0 ? options->megabytes : MEGABYTES);
    r->notes = json_array();
    find_title(r);
    const enum kn_status status = make(r, options, path, size);
    kn_report_fields_close(&r->gas);
    kn_history_free(&r->history);
    json_decref(r->notes);
    json_decref(r->summary);
    free(r);
    return status;
}
