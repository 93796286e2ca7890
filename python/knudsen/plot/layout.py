"""Where the panels of a picture are: in columns, below a wide map, or stacked in a narrow column of a journal."""

from contextlib import contextmanager

# Sizes in inches.  Labels are measured, so that nothing overlaps.
_LINE, _SMALL_LINE, _BESIDE = 5.2, 4.0, 3.6  # widths of frames with curves
_MAP, _MAP_BESIDE, _SMALL_MAP = 5.4, 4.8, 4.0  # and of maps
_WIDE = 9.4  # a wide map above curves
_HEIGHTS = (3.2, 2.3, 1.75)  # of frames with curves: one, two or more in a column
_LOWEST = 1.0  # of such a frame beside a map
_GAP = 0.12  # around panels
_NARROWEST = 1.4  # of a frame; below it panels are stacked
_PAGE_FONT, _PAPER_FONT = 10, 8
_INCH = 0.0254

_STYLE = {
    "font.family": "sans-serif",
    "axes.formatter.useoffset": False,
    "axes.formatter.use_mathtext": True,
    "axes.formatter.limits": (-3, 5),
    "legend.frameon": False,
    "mathtext.fontset": "dejavusans",
    "pdf.fonttype": 42,
    "ps.fonttype": 42,
    "svg.fonttype": "none",
    "svg.hashsalt": "knudsen",
    "path.simplify": True,
}


@contextmanager
def style(font):
    """The settings of knudsen plot, whatever the user's own are."""
    import matplotlib

    with matplotlib.rc_context():
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(_STYLE)
        matplotlib.rcParams.update({"font.size": font, "figure.titlesize": font + 1, "lines.markersize": 4})
        yield


def _plain(label):
    return "".join(letter for letter in label if letter not in "${}\\_")


class _Box:
    """A panel in the figure: the size of its frame, and the space that its labels take on each side."""

    def __init__(self, panel, ax, size):
        self.panel, self.ax = panel, ax
        self.width, self.height = size
        self.left = self.right = self.bottom = self.top = 0.0

    def measure(self, renderer, dots):
        frame, all_of_it = self.ax.get_window_extent(renderer), self.ax.get_tightbbox(renderer)
        self.left = max(0, frame.x0 - all_of_it.x0) / dots + _GAP
        self.right = max(0, all_of_it.x1 - frame.x1) / dots + _GAP
        self.bottom = max(0, frame.y0 - all_of_it.y0) / dots + _GAP
        self.top = max(0, all_of_it.y1 - frame.y1) / dots + _GAP

    def resize(self, width):
        """Another width of the frame; that of a map decides its height."""
        self.height *= width / self.width if self.panel.is_map else 1
        self.width = width


class Layout:
    """The figure of some panels: on a page, or of a given width in metres."""

    def __init__(self, panels, title, width=None):
        self.panels, self.title = panels, title
        self.width = width / _INCH if width else None
        self.font = _PAPER_FONT if width else _PAGE_FONT
        maps = [panel for panel in panels if panel.is_map]
        self.mixed = 0 < len(maps) < len(panels)
        self.wide = self.mixed and len(maps) == 1 and maps[0].aspect < 0.45
        legends = 0.8 if any(panel.labels for panel in panels) else 0.6  # they take room beside the frames
        self.narrow = bool(width) and self.width < legends * self._page_width(maps)
        if self.narrow:
            self.mixed = self.wide = False
        self.rows = list(self._arrange(len(maps)))

    def _page_width(self, maps):
        """About the width of the page, in letters of the size on paper."""
        n = len(self.panels)
        if self.mixed:
            page = _MAP_BESIDE + _BESIDE + 3.2
        elif maps:
            page = _MAP + 1.8 if n == 1 else (_SMALL_MAP + 1.8) * (2 if n <= 6 else 3)
        else:
            page = _LINE + 1.2 if n <= 3 else (_SMALL_LINE + 1.2) * (2 if n <= 6 else 3)
        return page * _PAPER_FONT / _PAGE_FONT

    def _arrange(self, maps):
        """Rows of columns of panels, by number."""
        n = len(self.panels)
        numbers = list(range(n))
        if self.narrow:
            yield from ([[i]] for i in numbers)
        elif self.wide:
            yield [[0]]
            across = min(3, n - 1)
            for first in range(1, n, across):
                yield [[i] for i in numbers[first : first + across]]
        elif self.mixed:
            yield [[i for i in numbers if self.panels[i].is_map], [i for i in numbers if not self.panels[i].is_map]]
        else:
            across = 1 if n <= (1 if maps else 3) else 2 if n <= 6 else 3
            for first in range(0, n, across):
                yield [[i] for i in numbers[first : first + across]]

    def _frame(self, panel):
        """The size of a frame on the page."""
        several = sum(other.is_map for other in self.panels) > 1
        if panel.is_map:
            width = _WIDE if self.wide else _SMALL_MAP if several else _MAP_BESIDE if self.mixed else _MAP
            return width, width * panel.aspect
        if self.wide:
            return 2.6, 1.7
        if self.mixed:
            return _BESIDE, _LOWEST
        if max(map(len, self.rows)) > 1:
            return _SMALL_LINE, _HEIGHTS[min(len(self.rows), 3) - 1]
        return _LINE, _HEIGHTS[min(len(self.rows), 3) - 1]

    # -------------------------------------------------------------------------------------------------- draw

    def draw(self):
        """The figure with all panels in it."""
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        figure = Figure(figsize=(8, 6), dpi=100)
        canvas = FigureCanvasAgg(figure)
        boxes = [self._draw_panel(figure, panel) for panel in self.panels]
        renderer = canvas.get_renderer()
        for box in boxes:
            box.measure(renderer, figure.dpi)
        if self.narrow:
            self._make_narrow(boxes)
        self._place(figure, boxes)
        return figure

    def _draw_panel(self, figure, panel):
        from matplotlib.ticker import MaxNLocator

        size = self._frame(panel)
        if self.narrow:
            size = self.width - 0.8, (self.width - 0.8) * (panel.aspect if panel.is_map else 0.62)
        at = [0.2, 0.2, size[0] / figure.get_figwidth(), size[1] / figure.get_figheight()]
        ax = figure.add_axes(at, label=str(id(panel)))
        panel.draw(ax)
        if not panel.is_map:
            if not panel.logarithmic:
                ax.yaxis.set_major_locator(MaxNLocator(5, min_n_ticks=3, steps=[1, 2, 2.5, 5, 10]))
            if panel.labels and not panel.repeats:
                self._add_legend(panel, ax, size)
        return _Box(panel, ax, size)

    def _add_legend(self, panel, ax, size):
        place = {"loc": "upper left", "bbox_to_anchor": (1.02, 1.0)}
        if self.narrow:
            above = 0.2 / size[1] if panel.note else 0.03
            longest = max(len(_plain(label)) for label in panel.labels)
            columns = int(72 * size[0] / (self.font * (0.6 * longest + 4.5)))
            place = {"loc": "lower left", "bbox_to_anchor": (0, 1 + above), "ncols": min(max(columns, 1), 3)}
        ax.legend(title=panel.key or None, borderaxespad=0, handlelength=2.5, alignment="left", **place)

    def _make_narrow(self, boxes):
        """All frames get the width that the widest labels leave; that of a map also leaves room for its colours."""
        left = max(box.left for box in boxes)
        for box in boxes:
            box.left = left
            box.resize(self.width - left - (box.right if box.panel.is_map else _GAP))

    def _place(self, figure, boxes):
        """Set the size of the figure and the places of the frames, from the top."""
        rows = [[[boxes[i] for i in column] for column in row] for row in self.rows]
        self._align(rows)
        width = max(sum(_column_width(column) for column in row) for row in rows)
        if self.width and not self.narrow:
            self._shrink(rows, width)
            width = self.width
        elif self.narrow:
            width = self.width
        if self.wide:
            self._spread(rows, width)
        lines = self._title_lines(width)
        title = len(lines) * 1.5 * self.font / 72 + 0.1 if lines else 0
        heights = [max(_column_height(column) for column in row) for row in rows]
        height = title + sum(heights)
        figure.set_size_inches(width, height)
        top = height - title
        for row, high in zip(rows, heights):
            x = 0.0
            for column in row:
                y = top
                for box in column:
                    y -= box.top + box.height
                    at = [(x + _left(column)) / width, y / height, box.width / width, box.height / height]
                    box.ax.set_position(at)
                    y -= box.bottom
                x += _column_width(column)
            top -= high
        if lines:
            figure.text(0.5, 1 - 0.08 / height, "\n".join(lines), ha="center", va="top", fontsize=self.font + 1)

    def _align(self, rows):
        """Frames below each other share their left edge; curves beside a map are as high as it is together."""
        if self.wide or not (self.mixed or self.narrow):
            for row in rows:  # panels beside each other share their upper and lower edges
                bottom, top = (max(getattr(box, side) for c in row for box in c) for side in ("bottom", "top"))
                for column in row:
                    for box in column:
                        box.bottom, box.top = bottom, top
        if not self.mixed and not self.narrow:
            for k in range(max(map(len, rows))):
                column = [row[k][0] for row in rows if k < len(row)]
                left, right = max(box.left for box in column), max(box.right for box in column)
                for box in column:
                    box.left, box.right = left, right
        if self.mixed and not self.wide:
            maps, curves = rows[0]
            room = _column_height(maps) - sum(box.top + box.bottom for box in curves)
            for box in curves:
                box.height = max(_LOWEST, room / len(curves))

    def _shrink(self, rows, width):
        """Make frames narrower or wider until the page has the width that was asked for."""
        across = max(rows, key=lambda row: sum(_column_width(column) for column in row))
        frames = sum(column[0].width for column in across)
        ratio = max(self.width - (width - frames), _NARROWEST) / frames
        for row in rows:
            for column in row:
                for box in column:
                    box.height *= 1 if box.panel.is_map else max(min(ratio, 1), 0.7)
                    box.resize(box.width * ratio)
        self._align(rows)

    def _spread(self, rows, width):
        """The wide map and the rows below it have the width of the page."""
        for row in rows:
            spare = width - sum(_column_width(column) for column in row)
            for column in row:
                for box in column:
                    box.resize(box.width + spare / len(row))

    def _title_lines(self, width):
        """The title, broken where it would be wider than the picture."""
        most = (width - 0.2) * 72 / (0.56 * (self.font + 1))
        lines = []
        for part in self.title:
            if lines and len(_plain(lines[-1])) + len(_plain(part)) + 4 < most:
                lines[-1] += f",   {part}"
            else:
                lines.append(part)
        return lines


def _left(column):
    return max(box.left for box in column)


def _column_width(column):
    return _left(column) + max(box.width + box.right for box in column)


def _column_height(column):
    return sum(box.top + box.height + box.bottom for box in column)
