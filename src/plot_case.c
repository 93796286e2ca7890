#include "plot_case.h"

#include "config.h"
#include "io/summary.h"
#include "plot_sheet.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum kn_status kn_plot_case_read(struct kn_plot_run *r)
{
    const enum kn_status status = kn_summary_read(r->folder, &r->summary);
    r->has_case = status == KN_OK && r->summary && kn_summary_case(r->summary, &r->c) == KN_OK;
    return status;
}

double kn_plot_case_number(const struct kn_plot_run *r, const char *name)
{
    const char *value = kn_summary_member(kn_summary_member(r->summary, "quantities"), name);
    const int column = kn_history_column(&r->history, name);
    if (value)
        return kn_summary_number(value);
    return column < 0 || r->history.rows == 0 ? NAN : kn_history_at(&r->history, r->history.rows - 1, column);
}

/* ------------------------------------------------------------------- labels */

/* One setting of a case as in a case file: "1", "40 40 1". */
static void print_setting(const struct kn_plot_run *r, const struct kn_setting *s, char text[KN_TEXT])
{
    struct kn_case c = r->c;
    size_t length = 0;
    text[0] = '\0';
    for (int i = 0; i < s->key->count && length < KN_TEXT - KN_NAME; i++) {
        char one[KN_NAME];
        kn_config_value_text(s->key, kn_config_target(&c, s), i, one);
        length += (size_t)snprintf(text + length, KN_TEXT - length, "%s%s", i ? " " : "", one);
    }
}

/* What the user chose differs before what follows from it or only says how long to run. */
static int rank_of(const char *name)
{
    static const char *const late[] = {"time.", "output.", "run.", "space.", "velocity."};
    for (size_t i = 0; i < sizeof late / sizeof *late; i++)
        if (strncmp(name, late[i], strlen(late[i])) == 0)
            return strncmp(name, "space.", 6) == 0 || strncmp(name, "velocity.", 9) == 0 ? 1 : 2;
    return 0;
}

static bool differs(const struct kn_plot_run *runs, int n, const struct kn_setting *s)
{
    char first[KN_TEXT], other[KN_TEXT];
    print_setting(&runs[0], s, first);
    for (int i = 1; i < n; i++) {
        print_setting(&runs[i], s, other);
        if (strcmp(first, other) != 0)
            return true;
    }
    return false;
}

/* Add the settings of this rank that differ to the labels; returns how many there are. */
static int label_by_rank(struct kn_plot_run *runs, int n, int rank)
{
    struct kn_setting s;
    int found = 0;
    for (int index = 0; kn_config_setting(index, &s); index++) {
        if (rank_of(s.name) != rank || !differs(runs, n, &s) || found++ >= 2)
            continue;
        for (int i = 0; i < n; i++) {
            char value[KN_TEXT], plain[KN_TEXT + KN_NAME + 8], words[KN_TEXT];
            const size_t length = strlen(runs[i].label);
            print_setting(&runs[i], &s, value);
            snprintf(plain, sizeof plain, "%s%s %s", length ? ", " : "", s.name, value);
            kn_plot_sheet_escape(words, sizeof words, plain);
            kn_plot_sheet_append(runs[i].label, sizeof runs[i].label, "%s", words);
        }
    }
    return found;
}

static bool are_distinct(const struct kn_plot_run *runs, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            if (strcmp(runs[i].label, runs[j].label) == 0)
                return false;
    return true;
}

void kn_plot_case_label(struct kn_plot_run *runs, int n)
{
    bool cases = n > 1;
    for (int i = 0; i < n; i++) {
        runs[i].label[0] = '\0';
        cases = cases && runs[i].has_case;
    }
    for (int rank = 0; cases && rank < 3; rank++) {
        const int found = label_by_rank(runs, n, rank);
        if (found > 0 && found <= 2 && are_distinct(runs, n))
            return;
        cases = found <= 2;
    }
    for (int i = 0; i < n; i++)
        kn_plot_sheet_escape(runs[i].label, sizeof runs[i].label, runs[i].folder);
}
