"""Figures 1 to 3 of the paper: convergence, velocity profiles, drag over time."""

import math

import numpy as np

from . import log_axes
from .paper_data import CELLS, FLOW, FLOWS, MIDLINE, QUANTITIES, WALL

_COLOURS = ("#0060a8", "#2e8b57", "#d1495b")  # one per flow
_MARKERS = ("o", "s", "^")  # as in the paper
_PROFILED = (0, 2)  # delta = 0.1 and 10
_TIMED = (1, 2)  # the paper's caption has delta = 1, its text delta = 10


def _block(comment, rows):
    """One block of a data file; two empty lines separate blocks."""
    return f"# {comment}\n" + "".join(" ".join(row) + "\n" for row in rows) + "\n\n"


# ---------------------------------------------------------------------- fig. 1


def _error_data(paper):
    text = ""
    for order in (1, 2):
        for flow, studies in zip(FLOWS, paper.studies):
            study = studies[order - 1]
            errors = [study.errors(quantity) for quantity in QUANTITIES]
            rows = []
            for k, point in enumerate(study.points):
                row = [f"{1 / point.side:.8g}", *(f"{error[k]:.6g}" for error in errors)]
                rows.append(row + [f"{value:.6g}" for value in point.value] + [f"{error:.2g}" for error in point.error])
            comment = f"order {order}, delta {flow.delta}: h / L, relative errors of D in cells, D at lid, G;"
            text += _block(comment + " these values; their statistical errors", rows)
    return text


def _draw_errors_of(axes, paper, order, quantity, title):
    for i, (flow, studies) in enumerate(zip(FLOWS, paper.studies)):
        study = studies[order - 1]
        factor, slope = study.factor[quantity], study.slope[quantity]
        label = rf"$\delta$ = {flow.delta}, slope {slope:.2f}"
        style = {"marker": _MARKERS[i], "linestyle": "none", "markerfacecolor": "none", "color": _COLOURS[i]}
        axes.loglog(study.h, study.errors(quantity), label=label, **style)
        if math.isfinite(slope):
            h = np.array([min(study.h) / 1.2, max(study.h) * 1.2])
            axes.loglog(h, factor * h**slope, color=_COLOURS[i], linewidth=1)
    low, high = axes.get_xlim()
    log_axes.finish(axes, [h for h in (0.005, 0.01, 0.02, 0.05, 0.1) if low < h < high])
    axes.set(title=title, xlabel="cell $h / L$", ylabel="relative error")
    axes.legend(loc="lower right")


def _draw_errors(figure, paper):
    axes = figure.subplots(2, 2)
    _draw_errors_of(axes[0, 0], paper, 1, CELLS, "(a) drag $D$ in the cells at the lid, order 1")
    _draw_errors_of(axes[0, 1], paper, 1, FLOW, "(b) flow $G$, order 1")
    _draw_errors_of(axes[1, 0], paper, 2, WALL, "drag $D$ at the lid, order 2")
    _draw_errors_of(axes[1, 1], paper, 2, FLOW, "flow $G$, order 2")


# ---------------------------------------------------------------------- fig. 2


def _across(values, centres, at):
    """Values [..., n] at a place between the centres of cells, by the line through the two nearest."""
    low = min(max(np.searchsorted(centres, at) - 1, 0), len(centres) - 2)
    share = (at - centres[low]) / (centres[low + 1] - centres[low])
    return (1 - share) * values[..., low] + share * values[..., low + 1]


def vertical(record):
    """u_x on the vertical line through the centre, for each y of the cells."""
    return _across(record.ux, record.x, 0.5)


def vortex_height(record):
    """y / L of the centre of the vortex: the sign change of u_x on the midline nearest to the lid."""
    u, y = vertical(record), record.y
    changes = np.flatnonzero((u[1:] >= 0) & (u[:-1] < 0))
    if len(changes) == 0:
        return 0.5
    j = changes[-1]
    return y[j] + (y[j + 1] - y[j]) * u[j] / (u[j] - u[j + 1])


def horizontal(record):
    """u_y on the horizontal line through the vortex, for each x of the cells."""
    return _across(record.uy.T, record.y, vortex_height(record))


def _profiled(paper, i):
    """Name and record of the three computations of a flow; the last may be missing."""
    return (
        ("order 1, stretched", paper.stretched[i]),
        ("order 2, uniform", paper.studies[i][1].points[-1]),
        ("operator, order 2", paper.operator[i]),
    )


def _profile_data(paper):
    text = ""
    for i in _PROFILED:
        delta = FLOWS[i].delta
        for name, record in _profiled(paper, i):
            rows, height = [("NaN", "NaN")], ""  # a block without values where there is no run
            if record:
                rows = [(f"{y:.6g}", f"{u:.6g}") for y, u in zip(record.y, vertical(record))]
            text += _block(f"delta {delta}, {name}: y / L, u_x / u_w on the vertical midline", rows)
            if record:
                rows = [(f"{x:.6g}", f"{u:.6g}") for x, u in zip(record.x, horizontal(record))]
                height = f"\n# at y / L = {vortex_height(record):.4f}"
            text += _block(f"delta {delta}, {name}: x / L, u_y / u_w through the vortex{height}", rows)
        rows = [(f"{y:g}", f"{u:g}") for y, u in zip(MIDLINE, FLOWS[i].midline)]
        text += _block(f"delta {delta}, independent computation, unpublished: y / L, u_x / u_w", rows)
    return text


def _draw_profiles(figure, paper):
    panels = figure.subplots(1, 2)
    for axes, place, profile in ((panels[0], "y", vertical), (panels[1], "x", horizontal)):
        for i, dash in zip(_PROFILED, ("--", "-")):
            first, second, operator = (record for _, record in _profiled(paper, i))
            label = rf"order 1, $\delta$ = {FLOWS[i].delta}"
            axes.plot(getattr(first, place), profile(first), dash, color=_COLOURS[i], linewidth=1.8, label=label)
            label = "order 2" if i == _PROFILED[0] else None
            axes.plot(getattr(second, place), profile(second), color="black", linewidth=0.8, label=label)
            if operator:
                label = rf"operator, $\delta$ = {FLOWS[i].delta}"
                axes.plot(getattr(operator, place), profile(operator), ":", color="black", linewidth=1, label=label)
        axes.set_xlim(0, 1)
        axes.set_xlabel(f"${place} / L$")
    for i, marker in zip(_PROFILED, "so"):
        label = rf"reference, $\delta$ = {FLOWS[i].delta}"
        style = {"linestyle": "none", "markerfacecolor": "none", "markersize": 5, "clip_on": False}
        panels[0].plot(MIDLINE, FLOWS[i].midline, marker, color=_COLOURS[i], label=label, **style)
    panels[0].set(title="(a) vertical line through the centre", ylabel="$u_x / u_w$")
    panels[1].set(title="(b) horizontal line through the vortex", ylabel="$u_y / u_w$")
    panels[0].legend(loc="upper left")
    panels[1].legend(loc="upper right")


# ---------------------------------------------------------------------- fig. 3


def _history(record):
    """Time and drag; at step 0 nothing has passed the lid."""
    return record.time[1:], record.drag[1:]


def _drag_data(paper):
    text = ""
    for i in _TIMED:
        for record, comment in (
            (paper.stretched[i], f"delta {FLOWS[i].delta}: t V0 / lambda0, D at the lid"),
            (paper.operator[i], "the same by the operator, second order"),
        ):
            text += _block(comment, [(f"{t:.8g}", f"{d:.8g}") for t, d in zip(*_history(record))])
    return text


def _draw_drag(figure, paper):
    for axes, i in zip(figure.subplots(1, 2), _TIMED):
        axes.plot(*_history(paper.stretched[i]), color=_COLOURS[i], linewidth=1.1, label="Monte Carlo, as in the paper")
        axes.plot(*_history(paper.operator[i]), color="black", linewidth=1.1, label="operator, order 2")
        axes.set(title=rf"$\delta$ = {FLOWS[i].delta}", xlabel=r"$t\, V_0 / \lambda_0$", ylabel="drag $D$")
        axes.set_xlim(left=0)
        axes.legend(loc="lower right" if i == 1 else "upper right")


def write(job, paper):
    title = "Fig. 1: relative error of D and G over the size of the cells"
    job.figure("fig1", title, _error_data(paper), lambda figure: _draw_errors(figure, paper), (8.8, 7.2))
    title = "Fig. 2: profiles of the velocity"
    job.figure("fig2", title, _profile_data(paper), lambda figure: _draw_profiles(figure, paper), (9.6, 4))
    title = "Fig. 3: drag over time"
    job.figure("fig3", title, _drag_data(paper), lambda figure: _draw_drag(figure, paper), (9.6, 3.6))
