#include "plot/plot_layout.h"

#include "plot/plot_map.h"

#include <math.h>
#include <string.h>

/* Around a frame: numbers and words on its left and below, a line of text above, the scale of a map. */
enum { LEFT = 96, RIGHT = 22, SCALE = 124, BOTTOM = 64, TOP = 18, NOTE = 16, TITLE = 34, LETTER = 8 };
enum { LINE_WIDTH = 520, SMALL_WIDTH = 390, BESIDE_WIDTH = 330 };
enum { WIDE = 1080, LOW_HEIGHT = 160 }; /* a page with a wide map, and frames below it */
enum { MAP_WIDTH = 540, BESIDE_MAP_WIDTH = 470, SMALL_MAP_WIDTH = 380 };

static int labels(const struct kn_plot_panel *p)
{
    int n = 0;
    for (int i = 0; i < p->ncurves; i++)
        n += p->curves[i].label[0] != '\0';
    return n;
}

static bool same_labels(const struct kn_plot_panel *a, const struct kn_plot_panel *b)
{
    if (a->ncurves != b->ncurves || strcmp(a->key, b->key) != 0)
        return false;
    for (int i = 0; i < a->ncurves; i++)
        if (strcmp(a->curves[i].label, b->curves[i].label) != 0)
            return false;
    return true;
}

/* Bytes that start a letter. */
static int count_letters(const char *text)
{
    int n = 0;
    for (; *text; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

static double key_width(const struct kn_plot_panel *p)
{
    char plain[KN_PLOT_TEXT];
    int most = 0;
    for (int i = 0; i < p->ncurves; i++) {
        kn_plot_sheet_plain(plain, sizeof plain, p->curves[i].label, true);
        most = count_letters(plain) > most ? count_letters(plain) : most;
    }
    kn_plot_sheet_plain(plain, sizeof plain, p->key, true);
    most = count_letters(plain) > most + 4 ? count_letters(plain) - 4 : most;
    return 62 + 1.08 * LETTER * most;
}

static double margin_right(const struct kn_plot_panel *p)
{
    return p->is_map ? SCALE : labels(p) > 0 ? key_width(p) : RIGHT;
}

/* A column of panels of one width; those without a map share the height that is left. */
struct column {
    int n, panel[KN_PLOT_PANELS];
    double frame, right, height;
};

static double panel_height(const struct kn_plot_panel *p, double frame, double others)
{
    return TOP + (p->note[0] ? NOTE : 0) + BOTTOM +
           (p->is_map ? frame * kn_plot_map_aspect(&p->map) : others);
}

static void measure(struct column *c, const struct kn_plot_sheet *s, double others)
{
    c->right = RIGHT;
    c->height = 0;
    for (int i = 0; i < c->n; i++) {
        const struct kn_plot_panel *p = &s->panels[c->panel[i]];
        c->right = fmax(c->right, margin_right(p));
        c->height += panel_height(p, c->frame, others);
    }
}

/* Maps on the left and curves on the right, or all of a kind row by row; returns the number of columns. */
static int arrange(struct column *columns, const struct kn_plot_sheet *s)
{
    int maps = 0;
    for (int i = 0; i < s->npanels; i++)
        maps += s->panels[i].is_map;
    const bool mixed = maps > 0 && maps < s->npanels;
    const int in_one = maps > 0 ? 1 : 3, n = mixed ? 2 : s->npanels <= in_one ? 1 : s->npanels <= 6 ? 2 : 3;
    for (int i = 0; i < s->npanels; i++) {
        struct column *c = &columns[mixed ? !s->panels[i].is_map : i % n];
        c->panel[c->n++] = i;
    }
    for (int k = 0; k < n; k++) {
        if (maps > 0 && !(mixed && k == 1))
            columns[k].frame = maps > 1 ? SMALL_MAP_WIDTH : mixed ? BESIDE_MAP_WIDTH : MAP_WIDTH;
        else
            columns[k].frame = mixed ? BESIDE_WIDTH : n > 1 ? SMALL_WIDTH : LINE_WIDTH;
    }
    return n;
}

/* Frames without a map: as high as they are pleasant, or as their column has room for. */
static double line_height(const struct kn_plot_sheet *s, const struct column *columns, int n)
{
    if (n == 2 && s->panels[columns[0].panel[0]].is_map && !s->panels[columns[1].panel[0]].is_map) {
        const struct column *c = &columns[1];
        double room = columns[0].height;
        for (int i = 0; i < c->n; i++)
            room -= panel_height(&s->panels[c->panel[i]], 0, 0);
        return fmax(room / c->n, 105);
    }
    return columns[0].n > 2 ? 175 : columns[0].n > 1 ? 230 : 320;
}

/* One map that is much wider than high, with curves. */
static bool is_wide(const struct kn_plot_sheet *s)
{
    int maps = 0;
    for (int i = 0; i < s->npanels; i++)
        maps += s->panels[i].is_map;
    return maps == 1 && s->npanels > 1 && s->panels[0].is_map && kn_plot_map_aspect(&s->panels[0].map) < 0.45;
}

/* It spans the page, and the curves stand below it, up to three in a row. */
static void make_wide(struct kn_plot_layout *l, const struct kn_plot_sheet *s)
{
    const int n = s->npanels - 1, across = n < 3 ? n : 3, rows = (n + across - 1) / across;
    const double title = s->title[0] ? TITLE : 0, row = TOP + NOTE + BOTTOM + LOW_HEIGHT;
    double right = RIGHT;
    for (int i = 1; i <= n; i++)
        right = fmax(right, margin_right(&s->panels[i]));
    const double column = fmax((double)WIDE / across, LEFT + BESIDE_WIDTH / 2.0 + right);
    l->width = across * column;
    const double frame = l->width - LEFT - SCALE, map = frame * kn_plot_map_aspect(&s->panels[0].map);
    l->height = title + TOP + map + BOTTOM + rows * row;
    l->middle = LEFT + 0.5 * frame;
    l->box[0] = (struct kn_plot_box){LEFT, rows * row + BOTTOM, frame, map};
    for (int i = 1; i <= n; i++) {
        const int x = (i - 1) % across, y = rows - 1 - (i - 1) / across;
        l->box[i] =
            (struct kn_plot_box){x * column + LEFT, y * row + BOTTOM, column - LEFT - right, LOW_HEIGHT};
        l->has_key[i] = labels(&s->panels[i]) > 0;
    }
}

/* One below the other, keys above their frames. */
static void make_narrow(struct kn_plot_layout *l, const struct kn_plot_sheet *s, double width)
{
    static const double line_aspect = 0.62;
    const double title = s->title[0] ? TITLE : 0;
    double y = 0;
    *l = (struct kn_plot_layout){.width = width, .is_narrow = true};
    for (int i = s->npanels - 1; i >= 0; i--) {
        const struct kn_plot_panel *p = &s->panels[i];
        const double frame = width - LEFT - (p->is_map ? SCALE : RIGHT),
                     height = frame * (p->is_map ? kn_plot_map_aspect(&p->map) : line_aspect);
        l->has_key[i] = labels(p) > 0 && !(i > 0 && same_labels(p, &s->panels[i - 1]));
        const int lines = l->has_key[i] ? labels(p) + (p->key[0] != '\0') : 0;
        l->box[i] = (struct kn_plot_box){LEFT, y + BOTTOM, frame, height};
        y += BOTTOM + height + lines * KN_PLOT_KEY_LINE + (p->note[0] ? NOTE : 0) + TOP;
    }
    l->height = y + title;
    l->middle = 0.5 * width;
}

static void make_page(struct kn_plot_layout *l, const struct kn_plot_sheet *s)
{
    struct column columns[3] = {{.n = 0}};
    const double title = s->title[0] ? TITLE : 0;
    double x = 0;
    *l = (struct kn_plot_layout){.width = 0};
    if (is_wide(s)) {
        make_wide(l, s);
        return;
    }
    const int n = arrange(columns, s);
    measure(&columns[0], s, 0);
    const double others = line_height(s, columns, n);
    for (int k = 0; k < n; k++) {
        measure(&columns[k], s, others);
        l->height = fmax(l->height, columns[k].height + title);
    }
    for (int k = 0; k < n; k++) {
        double y = l->height - title;
        for (int i = 0; i < columns[k].n; i++) {
            const int at = columns[k].panel[i];
            const struct kn_plot_panel *p = &s->panels[at];
            const double high = panel_height(p, columns[k].frame, others);
            l->box[at] = (struct kn_plot_box){x + LEFT, y - high + BOTTOM, columns[k].frame,
                                              high - BOTTOM - TOP - (p->note[0] ? NOTE : 0)};
            l->has_key[at] = labels(p) > 0 && !(at > 0 && same_labels(p, &s->panels[at - 1]));
            y -= high;
        }
        x += LEFT + columns[k].frame + columns[k].right;
    }
    l->width = x;
    l->middle = 0.5 * (LEFT + x - columns[n - 1].right);
}

void kn_plot_layout_make(struct kn_plot_layout *l, const struct kn_plot_sheet *s, double width)
{
    const double shrunk = 1.36; /* letters may become smaller by this */
    make_page(l, s);
    if (width > 0 && l->width > shrunk * width)
        make_narrow(l, s, width);
}
