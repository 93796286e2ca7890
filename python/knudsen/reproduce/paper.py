"""The topic "paper": the runs, table 1 and figures 1 to 6 of Frezzotti, Ghiroldi and Gibelli (arXiv:1005.5405)."""

import math
from dataclasses import dataclass, field

import numpy as np

from . import paper_figures, paper_speed, paper_table, richardson
from .paper_data import FLOWS, QUANTITIES, REDUCED, WHOLE

ROWS = 500  # of the history of a run, approximately
PARTS = 8  # of the averaged time, for the statistical error
DISCRETISATION = {
    "disturbance": 0.01,
    "velocity.grid": "stretched",
    "velocity.range": 3,
    "velocity.weights": "midpoint",
    "collision.method": "monte-carlo",
    "collision.estimator": "paper",
    "collision.update": "exponential",
    "time.courant": 0.5,
    "time.splitting": "lie",
    "space.cluster": ["both", "high"],
}


class Record:
    """The part of a run that tables and figures use; the files of the run may then be removed."""

    def __init__(self, run):
        gas = run.mean or run.fields
        self.side = len(run.x)
        self.seconds = run.seconds
        self.edges = run.x_edges / run.x_edges[-1]
        self.x, self.y = run.x / run.x_edges[-1], run.y / run.y_edges[-1]
        self.ux, self.uy = gas["ux"], gas["uy"]
        self.time, self.drag = run.history["time"], run.history["D"]
        self.value = (self._stress(gas), run.quantities.D, run.quantities.G)
        self.error = (math.nan,) * 3
        if run.mean:
            self.error = (_scatter(self._stress_parts(run)), *(_scatter(_parts(run, name)) for name in "DG"))

    def _stress(self, gas):
        """Mean over the lid of |Pi_xy| in the cells below it."""
        return float(np.sum(np.diff(self.edges) * np.abs(gas["Pxy"][-1])))

    def _stress_parts(self, run):
        """Means of the stress over parts of the averaged time, from the averages up to the end of each part."""
        average, end = run.case.output.average, run.case.time.end
        sums, rows = [np.zeros(self.side)], [0]
        for at in run.series:
            if at.time > average + (end - average) / PARTS / 2:  # one at the start has the first row only
                rows.append(np.count_nonzero((run.history["step"] <= at.step) & (run.history["time"] >= average)))
                sums.append(rows[-1] * at.mean["Pxy"][-1])
        means = [(b - a) / n for a, b, n in zip(sums, sums[1:], np.diff(rows))]
        return [np.sum(np.diff(self.edges) * np.abs(mean)) for mean in means]


def _parts(run, name):
    """Means of a column of the history over parts of the averaged time."""
    begin, end = run.case.output.average, run.case.time.end
    part = np.floor((run.history["time"] - begin) / (end - begin) * PARTS)
    return [run.history[name][np.minimum(part, PARTS - 1) == i].mean() for i in range(PARTS)]


def _scatter(means):
    """Standard error of a mean from the means of parts of the time.

    The noise of the gas as a whole lasts as long as the gas takes to become steady: a few long parts show it,
    single rows do not.
    """
    return float(np.std(means, ddof=1) / math.sqrt(len(means))) if len(means) > 1 else math.nan


@dataclass
class Study:
    """Uniform grids of one flow and order, from coarse to fine; lists of numbers have one per quantity."""

    sides: tuple
    order: int
    points: list = field(default_factory=list)  # records
    limit: list = field(default_factory=list)  # as the cells become small
    factor: list = field(default_factory=list)  # the relative error is about factor h^slope,
    slope: list = field(default_factory=list)
    free_order: list = field(default_factory=list)  # of the finest three grids, no limit assumed

    @property
    def h(self):
        return [1 / side for side in self.sides]

    def values(self, quantity):
        return [point.value[quantity] for point in self.points]

    def errors(self, quantity):
        """Relative errors against the extrapolated limit."""
        return [abs(value / self.limit[quantity] - 1) for value in self.values(quantity)]

    def extrapolate(self):
        """Lines in h at first order, in h^2 at second, through the finest grids."""
        for quantity in QUANTITIES:
            values = self.values(quantity)
            self.limit.append(richardson.limit(self.h, values, self.order))
            factor, slope = richardson.slope(self.h, values, self.limit[-1])
            self.factor.append(factor)
            self.slope.append(slope)
            self.free_order.append(richardson.order(self.h, values))


@dataclass
class Paper:
    """All results; lists have one entry per flow."""

    machine: str
    reduced: bool  # coarser grids than the paper's
    stretched: list = field(default_factory=list)
    studies: list = field(default_factory=list)  # [flow][order - 1]
    operator: list = field(default_factory=list)  # second order, no noise; None at delta = 0.1
    speed: list = field(default_factory=list)  # entries of knudsen bench --json


def _cavity(plan, number, side):
    return {
        "gas.delta": FLOWS[number].delta,
        "space.cells": [side, side],
        "time.end": plan.end[number],
        "walls.top.velocity": [1, 0, 0],
    }


def _with_history(job, settings):
    return settings | {"output.history": 1 + job.steps(settings) // ROWS}


def _paper_case(job, plan, number, order, side, stretched):
    """The paper's discretisation; stretched by as much as the paper's grid from end to end, or uniform."""
    flow, end, average = FLOWS[number], plan.end[number], plan.average[number]
    power = flow.side / side if stretched else 0
    settings = _cavity(plan, number, side) | DISCRETISATION
    settings |= {
        "space.stretch": [float(f"{ratio**power:.10g}") for ratio in flow.stretch],
        "space.order": order,
        "velocity.nodes": flow.nodes,
        "velocity.ratio": flow.ratio,
        "collision.samples": flow.samples,
        "collision.conservation": plan.conservation if stretched else "projection",
        "output.average": average,
        "output.fields": (end - average) / PARTS,
    }
    return _with_history(job, settings)


def _name(number, order, side, grid):
    return f"delta {FLOWS[number].delta:<4} order {order}  {side:3d} x {side:<3d} {grid}"


def _run_paper(job, plan, number, order, side, stretched=False):
    name = _name(number, order, side, "stretched" if stretched else "uniform")
    record = Record(job.run(name, _paper_case(job, plan, number, order, side, stretched)))
    columns = "  ".join(f"{value:8.4f} +-{error:.5f}" for value, error in zip(record.value, record.error))
    print(f"{name:<46} {columns}  {record.seconds:7.1f}", flush=True)
    return record


def _run_study(job, plan, number, order):
    study = Study(plan.grids[number][order - 1], order)
    study.points = [_run_paper(job, plan, number, order, side) for side in study.sides]
    study.extrapolate()
    return study


def _run_operator(job, plan, number):
    side = plan.operator_side
    settings = _cavity(plan, number, side)
    settings |= {"collision.method": "operator", "velocity.nodes": plan.operator_nodes, "space.order": 2}
    name = _name(number, 2, side, "operator")
    record = Record(job.run(name, _with_history(job, settings)))
    columns = " ".join(f"{value:8.4f} {'':8}" for value in record.value)
    print(f"{name:<46} {columns} {record.seconds:7.1f}", flush=True)
    return record


def _run_all(job, plan, paper):
    print(f"{'run':<46} {'D in cells at lid':>17}  {'D at the lid':>17}  {'G':>17}  {'s':>7}", flush=True)
    for number in range(len(FLOWS)):
        paper.stretched.append(_run_paper(job, plan, number, 1, plan.side[number], stretched=True))
        paper.studies.append([_run_study(job, plan, number, order) for order in (1, 2)])
        # at delta = 0.1 the few nodes of the operator show as rays
        paper.operator.append(_run_operator(job, plan, number) if number > 0 else None)


def _report(paper):
    figures = (
        "Error of D and G over the size of the cells",
        "Profiles through the middle and through the vortex",
        "Drag over time, delta 1 and delta 10",
        "Speed-up over one thread",
        "Parts of the time of a step",
        "GFLOP/s as the paper counts",
    )
    coarser = ", on coarser grids than the paper's" if paper.reduced else ""
    text = "# Solving the Boltzmann equation on GPUs, reproduced\n\n"
    text += f"`knudsen reproduce paper`, {paper.machine}{coarser}.\n\n" + paper_table.markdown(paper)
    for number, title in enumerate(figures, 1):
        text += f"\n## Fig. {number}: {title}\n\n![{title}](fig{number}.svg)\n"
    return text


def make(job):
    backend, threads = job.machine()
    reduced = backend != "cuda"
    paper = Paper(f"CPU, {threads} threads" if reduced else "GPU", reduced)
    plan = REDUCED if reduced else WHOLE
    note = "; there is no GPU, so the grids are coarser than the paper's" if reduced else ""
    print(f"The paper's cavity on {paper.machine}{note}\n", flush=True)
    _run_all(job, plan, paper)
    # The results of the runs are on disk before the speed is measured.
    paper_table.write(job, paper)
    paper_figures.write(job, paper)
    paper_speed.measure(job, plan, paper)
    paper_speed.write(job, paper)
    job.text("paper.md", _report(paper))
