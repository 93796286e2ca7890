"""The topic "steady": the page docs/steady.md, measurements of the solver for steady states and oscillations."""

import cmath
import math
import resource

from ..errors import Error
from ..program import Scratch, output_of
from ..program import run as run_case
from ..sweeping.sweep import sweep

_MISSED = 3  # exit code
_DELTAS = (0.01, 0.1, 1, 10, 100, 1000)
_OPERATOR = {"collision.method": "operator", "velocity.nodes": 8, "space.order": 3, "time.mode": "steady"}
_LINE = {"space.cells": 40}
_COUETTE = {"walls.left.velocity": [0, -0.5, 0], "walls.right.velocity": [0, 0.5, 0]}
_POISEUILLE = {"source.force": [0, 1, 0]}
_CREEP = {"source.temperature_gradient": [0, 1, 0]}
_FOURIER = {"walls.left.temperature": -0.5, "walls.right.temperature": 0.5}
_LID = {"walls.top.velocity": [1, 0, 0]}

# Flow, nodes per axis, settings, most iterations.
_FLOWS = [
    (f"{name}, 40 cells", nodes, _LINE | flow, 20)
    for name, flow in (("Couette", _COUETTE), ("Poiseuille", _POISEUILLE), ("Fourier", _FOURIER))
    for nodes in (8, 12)
]
_FLOWS += [("cavity, 16 x 16", nodes, {"space.cells": [16, 16]} | _LID, 40) for nodes in (8, 12)]
_FLOWS += [("cavity, 32 x 32", 8, {"space.cells": [32, 32]} | _LID, 40)]
_FLOWS += [("cube, 16 x 16 x 16", 8, {"space.cells": [16, 16, 16]} | _LID, 40)]

# Flows at a finite disturbance, by the name of the linear flow and what is added.
_STRONG = tuple((f"Couette, 40 cells, eps {eps:g}", _LINE | _COUETTE | {"disturbance": eps}) for eps in (0.5, 1))
_STRONG += (
    ("Fourier, 40 cells, temperature ratio 2",
     _LINE | {"disturbance": 1, "walls.left.temperature": 0, "walls.right.temperature": 1}),
    ("cavity, 16 x 16, eps 0.5", {"space.cells": [16, 16], "disturbance": 0.5} | _LID),
    ("cavity, 32 x 32, eps 0.5", {"space.cells": [32, 32], "disturbance": 0.5} | _LID),
)  # fmt: skip

# Settings of cases/oscillating-couette, with the references there for delta 10.
_PLATE = {"walls.right.oscillation.velocity": [0, 1, 0], "walls.right.oscillation.frequency": 0.1, "gas.delta": 10}
_PLATE |= {"time.mode": "frequency", "space.cells": 48, "space.stretch": [0.9, 1, 1]}
_REFERENCE = (0.32703, 0.50589)


class Page:
    """The text of the page, and whether a value is beyond its limit."""

    def __init__(self):
        self.text, self.missed = "", 0

    def table(self, title, text, head):
        self.text += f"\n## {title}\n\n{text}\n\n| {' | '.join(head)} |\n| {' | '.join('---' for _ in head)} |\n"

    def row(self, *cells):
        self.text += f"| {' | '.join(str(cell) for cell in cells)} |\n"
        print("  ".join(str(cell) for cell in cells), flush=True)

    def marked(self, value, is_good, form="{}"):
        """The value, in bold letters if it is beyond its limit."""
        self.missed += not is_good
        return form.format(value) if is_good else f"**{form.format(value)}**"


def _solve(job, settings):
    run = job.run("steady states", _OPERATOR | settings)
    if run.summary["quality"]["verdict"] not in ("steady", "oscillating"):
        raise Error(f"reproduce: no solution with {settings}")
    return run


def _iterations(job, page):
    """Counts by (flow, nodes)."""
    text = "Iterations to 1e-6 in residual and update (`time.tolerance: 1e-4`), hard spheres, order 3. Limits: 20 on "
    text += "lines, 40 for cavity and cube, and with 12 nodes the iterations with 8 nodes."
    page.table("Iterations", text, ("flow", "nodes", *(f"delta {delta:g}" for delta in _DELTAS)))
    counts = {}
    for name, nodes, flow, most in _FLOWS:
        runs = [_solve(job, flow | {"velocity.nodes": nodes, "gas.delta": delta}) for delta in _DELTAS]
        found = counts[name, nodes] = [run.summary["steps"] for run in runs]
        page.row(name, nodes, *(page.marked(a, a <= min(b, most)) for a, b in zip(found, counts[name, 8])))
    return counts


def _strong(job, page, counts):
    text = "The same at a finite disturbance. Limits: 1.5 times the iterations of the linear flow, plus 5."
    page.table("Finite disturbance", text, ("flow", *(f"delta {delta:g}" for delta in _DELTAS[1:5])))
    for name, flow in _STRONG:
        linear = counts[name.rpartition(", ")[0], 8][1:5]
        found = [_solve(job, flow | {"gas.delta": delta}).summary["steps"] for delta in _DELTAS[1:5]]
        page.row(name, *(page.marked(count, count <= 1.5 * base + 5) for count, base in zip(found, linear)))


def _within(page, name, value, limit, bar):
    """A row with a value and its relative deviation."""
    off = value / limit - 1
    page.row(name, f"{value:.6g}", f"{limit:.6g}", page.marked(100 * off, abs(off) <= bar, "{:+.3f} %"),
             f"{100 * bar:g} %")  # fmt: skip


def _accuracy(job, page):
    text = (
        "Dense gas on cells much thicker than a mean free path, and an oscillation. Poiseuille: 40 cells with "
        "`space.stretch: 0.8696`, against fine cells (theory, 16). Couette: 40 cells, against 1 / (delta + 2 x 0.98733). "
        "Oscillating Couette: 48 cells with `space.stretch: 0.9`, S = 1, against `cases/oscillating-couette`."
    )
    page.table("Accuracy", text, ("quantity", "found", "reference", "deviation", "allowed"))
    for delta, flow in (100, 17.664), (1000, 167.655):
        run = _solve(job, _LINE | _POISEUILLE | {"space.stretch": [0.8696, 1, 1], "gas.delta": delta})
        _within(page, f"Poiseuille, delta {delta}: G_P", run.quantities.G_P, flow, 5e-4)
    run = _solve(job, _LINE | _COUETTE | {"gas.delta": 888.5})
    _within(page, "Couette, delta 888.5: stress", -run.quantities.walls.left.stress[1], 1 / (888.5 + 2 * 0.98733), 1e-3)
    for nodes in 8, 12:
        found = _solve(job, _PLATE | {"velocity.nodes": nodes}).summary["oscillation"]["right.stress_y"]
        phase = cmath.phase(-cmath.exp(1j * found["phase"]))
        for name, value, limit in zip(("amplitude", "phase"), (found["amplitude"], phase), _REFERENCE):
            _within(page, f"oscillating Couette, delta 10, {nodes} nodes: {name}", value, limit, 1e-3)


def _reciprocity(job, page):
    text = (
        "The heat that a force drives, over the flow G_T that a temperature gradient drives, minus 1 (theory, 16). Limit: "
        "1e-5 on 40 cells. Differences with the same weights in both directions of flight reach it. With parabolas the "
        "value is an error of the cells. The last column is the order between 40 and 80 cells, if they are above round-off."
    )
    cells = (20, 40, 80, 160)
    head = ("delta", "cells", "differences", *(f"{count} cells" for count in cells), "order")
    page.table("Reciprocity", text, head)
    schemes = [(delta, f"{kind}, {order}", settings) for delta in (1, 10, 100) for kind, order, settings in (
        ("equal", "parabolas", {}),
        ("stretched 0.9 on 40", "parabolas", {"space.stretch": 0.9}),
        ("equal", "order 2", {"space.order": 2, "space.limiter": "none"}),
    )]  # fmt: skip
    for delta, name, settings in schemes:
        off = []
        for count in cells:
            own = settings | {"space.cells": count, "gas.delta": delta, "time.tolerance": 1e-5}
            if "space.stretch" in own:
                own["space.stretch"] = [settings["space.stretch"] ** (40 / count), 1, 1]
            heat = -_solve(job, _POISEUILLE | own).summary["history_last"]["average.qy"] / delta
            off.append(heat / _solve(job, _CREEP | own).quantities.G_T - 1)
        kind, order = name.split(", ")
        rate = math.log2(abs(off[1] / off[2]))
        good = [count != 40 or abs(value) <= 1e-5 for count, value in zip(cells, off)]
        values = [page.marked(value, one, "{:.1e}") for value, one in zip(off, good)]
        page.row(delta, kind, order, *values, f"{rate:.1f}" if abs(off[1]) > 1e-5 else "")


def _sweeps(job, page):
    """The case resonator over frequencies and pressures."""
    page.table("Sweeps", "The case `resonator`, by `knudsen sweep`.", ("sweep", "found", "allowed"))
    scratch = Scratch()
    case = scratch.path / "plate.yaml"
    output_of([job.program, "init", str(case.with_suffix("")), "--from", "resonator"])
    frequency = "walls.right.oscillation.frequency"
    found = sweep(case, {frequency: "10 kHz:100 MHz:40:log"}, program=job.program)
    seconds = sum(found["wall time [s]"])
    page.row("40 frequencies: time of all runs, s", page.marked(seconds, seconds < 60, "{:.1f}"), 60)
    page.row("40 frequencies: iterations", sum(found["steps"]), "")
    found = sweep(case, {"gas.pressure": "1 kPa:100 kPa:5:log"}, program=job.program)
    worst = 0
    for pressure, value in zip(found["gas.pressure [kPa]"], found["right.damping [Pa s m-1]"]):
        run = run_case(case, set={"gas.pressure": f"{pressure!r} kPa"}, program=job.program)
        worst = max(worst, abs(value / run.summary["moving_walls"]["right"]["damping_si"] - 1))
    text = "5 pressures: damping, largest deviation from single runs"
    page.row(text, page.marked(worst, worst < 2e-3, "{:.1e}"), "2e-3")


def _times(job, page):
    text = (
        "Cavity, 40 x 40 cells, 8 nodes, hard spheres, after the assembly of the operator: time of a whole run, and "
        f"processor time of its {job.machine()[1]} threads, which is the longest time on idle cores. Limit: 5 s."
    )
    page.table("Time", text, ("delta", "iterations", "time, s", "processor time, s"))
    for delta in _DELTAS[1:]:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        run = _solve(job, {"space.cells": [40, 40], "gas.delta": delta} | _LID)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        page.row(delta, run.summary["steps"], f"{run.summary['wall_s']:.1f}", page.marked(spent, spent <= 5, "{:.1f}"))


def make(job):
    page = Page()
    counts = _iterations(job, page)
    _strong(job, page, counts)
    for part in _accuracy, _reciprocity, _sweeps, _times:
        part(job, page)
    head = (
        "# Steady states and oscillations by iteration\n\nWritten by `knudsen reproduce steady --out docs`. The solver "
        "is described in [theory.md](theory.md), section 16. Values beyond their limit are in bold letters: "
        f"{page.missed}.\n"
    )
    job.page("steady.md", head + page.text)
    return _MISSED if page.missed else 0
