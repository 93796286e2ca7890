"""Animations: one picture for each of many times, in axes and colours that do not change."""

import io

import numpy as np

from ..errors import Error
from . import sheet
from .layout import Layout, style
from .sources import State

_FRAMES = 24  # of a period
_MOST = 200  # of a series
_MILLISECONDS, _DOTS = 80, 110  # of a frame; per inch


class Frames:
    """Pictures of the size of the first."""

    def __init__(self, pictures, what):
        self._pictures, self.what = pictures, what

    def save(self, file):
        first, *others = self._pictures
        first.save(file, format="GIF", save_all=True, append_images=others, duration=_MILLISECONDS, loop=0)


def animate(scene, width=None):
    """The frames of a scene over a period of its oscillation, or over its series."""
    if len(scene.sources) > 1:
        raise Error("an animation shows one run")
    if scene.kind == "history" or scene.columns:
        raise Error("an animation shows fields: --kind map or profile")
    pages = [_page(scene, state) for state in _states(scene)]
    for panels in zip(*(panels for panels, _ in pages)):
        _share_range(panels)
    pictures = [_draw(panels, title, width) for panels, title in pages]
    what = ", ".join(panel.what for panel in pages[0][0])
    return Frames(pictures, f"{what}; {len(pages)} frames")


def _states(scene):
    source = scene.sources[0]
    if source.oscillates:
        chosen = source.run.period(_FRAMES)
    else:
        series = source.series()
        chosen = series[:: -(-len(series) // _MOST) or 1]
    if len(chosen) < 2:
        raise Error(f"'{source.folder}' has no series to animate (output.fields, or time.mode: frequency)")
    states = [State(source, at, False, scene.cut) for at in chosen]
    sizes = {}
    for state in states:
        state.join(states, sizes)
    return states


def _page(scene, state):
    scene.states, scene.timed = [state], True
    if scene.kind == "sheet":
        scene.kind = "map" if len(state.axes) == 2 else "profile"
    return sheet.compose(scene), sheet.title(scene)


def _share_range(panels):
    if panels[0].is_map:
        signed = any(panel.signed for panel in panels)
        low, high = min(panel.range[0] for panel in panels), max(panel.range[1] for panel in panels)
        for panel in panels:
            panel.signed, panel.range = signed, (low, high)
        return
    values = np.concatenate([curve.y for panel in panels for curve in panel.curves])
    low, high = np.nanmin(values), np.nanmax(values)
    margin = 0.05 * (high - low) or 1
    for panel in panels:
        panel.y_range = (low - margin, high + margin)


def _draw(panels, title, width):
    from matplotlib import pyplot
    from PIL import Image

    page, file = Layout(panels, title, width), io.BytesIO()
    with style(page.font):
        figure = page.draw()
        figure.savefig(file, format="png", dpi=_DOTS)
        pyplot.close(figure)
    return Image.open(file).convert("P", palette=Image.ADAPTIVE)
