"""Convergence of results as grids, steps and samples are refined, for the topic "verification"."""

import math
from dataclasses import dataclass, field

import numpy as np

from . import richardson

_CELLS, _FINEST = (16, 32, 64, 128), 1024
_EXACT_PRANDTL = 0.660694457  # theory section 12
_COURANT = (0.8, 0.4, 0.2, 0.1, 0.05)
_SAMPLES = (128, 512, 2048, 8192)

# Shear waves between periodic ends, BGK: smooth in space and velocity, free of noise.
_WAVE = {
    "walls.left.kind": "periodic",
    "walls.right.kind": "periodic",
    "initial.shape": "shear",
    "initial.wave": 1,
    "collision.method": "bgk",
    "velocity.nodes": 8,
    "run.backend": "cpu",
}
_CAVITY = {"walls.top.velocity": [1, 0, 0], "gas.delta": 1}


@dataclass
class Curve:
    """A quantity on successively finer grids."""

    name: str
    expected: float = math.nan  # slope of theory; nan where theory has none
    x: list = field(default_factory=list)  # width, step, nodes or samples
    value: list = field(default_factory=list)
    error: list = field(default_factory=list)
    slope: float = math.nan  # of log error over log x; nan: not computed

    def add(self, x, value, error):
        self.x.append(x)
        self.value.append(value)
        self.error.append(error)

    def fit(self):
        found = richardson.fit_power(self.x, self.error)
        self.slope = found[1] if found else math.nan

    def compare_with_last(self):
        """Errors against the last point, which is then removed."""
        limit = self.value.pop()
        self.x.pop()
        self.error = [abs(value / limit - 1) for value in self.value]


@dataclass
class Study:
    name: str  # of its files
    title: str
    x: str
    y: str
    text: str  # the runs, and the result
    curves: list = field(default_factory=list)


def wave_part(run, name, wave):
    """Amplitude of a field at the end: of a wave with one period in the box, np.cos or np.sin, averaged over cells."""
    edges = run.x_edges / run.x_edges[-1]
    width = np.diff(edges)
    mean = wave(math.pi * (edges[1:] + edges[:-1])) * np.sinc(width)
    return float(np.sum(width * run.fields[name] * mean) / np.sum(width * mean**2))


def _refine_waves(job, study, settings, schemes, step, look):
    """One curve per scheme, against the last scheme on a far finer grid; ``step`` is that on one cell, 0: of settings."""

    def value(scheme, cells):
        case = _WAVE | settings | scheme | {"space.cells": cells}
        return look(job.run(study.title, case | {"time.step": step / cells} if step > 0 else case))

    limit = value(schemes[-1][1], _FINEST)
    for name, scheme, order in schemes:
        curve = Curve(name, order)
        for cells in _CELLS:
            found = value(scheme, cells)
            curve.add(step / cells if step > 0 else 1 / cells, found, abs(found / limit - 1))
        curve.fit()
        study.curves.append(curve)
    return study


def study_space(job):
    study = Study(
        "convergence-space",
        "Order in space",
        "width of a cell / L",
        "relative error",
        "A shear wave $u_y = \\cos x / \\lambda_0$ between periodic ends, BGK, 8 nodes per axis, at t = 2: its "
        "amplitude, against 1024 cells at order 3. The step is that of 1024 cells on all grids (`time.step: 0.00125`).",
    )
    schemes = (
        ("order 1", {"space.order": 1}, 1),
        ("order 2, van Leer", {"space.order": 2, "space.limiter": "van-leer"}, 2),
        ("order 2, no limiter", {"space.order": 2, "space.limiter": "none"}, 2),
        ("order 3", {"space.order": 3}, 3),
    )
    settings = {"gas.delta": 6.283185307179586, "time.end": 2, "time.step": 0.00125}
    return _refine_waves(job, study, settings, schemes, 0, lambda run: wave_part(run, "uy", np.cos))


def study_time(job):
    study = Study(
        "convergence-time",
        "Order in time",
        "step, lambda0 / V0",
        "relative error",
        "The stress of a shear wave of 62.8 lambda0, BGK, at t = 20, cells and steps refined together from steps of "
        "0.8: against 1024 cells and Strang splitting. Lie splitting leaves the gas a whole collision step behind, which "
        "is an error of the stress. The error of the velocity, which collisions conserve, is only $10^{-5}$.",
    )
    schemes = (("Lie", {"time.splitting": "lie"}, 1), ("Strang", {"time.splitting": "strang"}, 2))
    settings = {"gas.delta": 62.83185307179586, "space.order": 3, "time.end": 20}
    return _refine_waves(job, study, settings, schemes, 12.8, lambda run: wave_part(run, "Pxy", np.sin))


def study_steady(job):
    study = Study(
        "convergence-steady",
        "Iterations and time steps",
        "time.courant",
        "relative difference",
        "Steady flows of hard spheres by time steps (`time.mode: unsteady`, `time.tolerance: 1e-6`), compared with iterations "
        "on the same grid (`time.mode: steady`), which have no error of the step: the stress of Couette flow, the heat flux of "
        "Fourier flow, and G_P and G_T of a channel on 20 cells, and D and G of a cavity on 16 x 16 cells; delta 1, 8 nodes "
        "per axis. The difference is first order in the step, because walls and collisions alternate. "
        "Below 3e-5 it also contains the end of the time steps and the round-off of their state.",
    )
    line = {"space.cells": 20, "gas.delta": 1}
    couette = line | {"walls.left.velocity": [0, -0.5, 0], "walls.right.velocity": [0, 0.5, 0]}
    fourier = line | {"walls.left.temperature": -0.5, "walls.right.temperature": 0.5}
    flows = (
        ("Couette", couette, lambda run: run.quantities.walls.right.stress[1]),
        ("Fourier", fourier, lambda run: run.quantities.walls.right.heat_flux),
        ("Poiseuille: G_P", line | {"source.force": [0, 1, 0]}, lambda run: run.quantities.G_P),
        ("creep: G_T", line | {"source.temperature_gradient": [0, 1, 0]}, lambda run: run.quantities.G_T),
        ("cavity: D", _CAVITY | {"space.cells": [16, 16]}, lambda run: run.quantities.D),
        ("cavity: G", _CAVITY | {"space.cells": [16, 16]}, lambda run: run.quantities.G),
    )
    common = {"collision.method": "operator", "velocity.nodes": 8, "time.tolerance": 1e-6, "run.backend": "cpu"}
    for name, flow, look in flows:
        curve = Curve(name, 1)
        limit = look(job.run(study.title, common | flow | {"time.mode": "steady"}))
        for courant in _COURANT:
            steps = {"time.mode": "unsteady", "time.courant": courant}
            found = look(job.run(study.title, common | flow | steps))
            curve.add(courant, found, abs(found / limit - 1))
        curve.fit()
        study.curves.append(curve)
    return study


def study_velocity(job):
    study = Study(
        "convergence-velocity",
        "Velocity nodes",
        "nodes per axis",
        "relative error",
        "Viscosity and Prandtl number of the assembled operator for hard spheres on the velocity grid (`knudsen info "
        "operator`; a run rescales the viscosity), and the drag D of a cavity, delta 1, 24 x 24 cells, by operator and "
        "BGK, compared with the largest number of nodes.",
    )
    viscosity, prandtl, *drags = [Curve(name) for name in ("viscosity", "Prandtl number", "D, operator", "D, BGK")]
    study.curves = [viscosity, prandtl, *drags]
    most = 16 if job.machine()[0] == "cuda" else 12
    for nodes in range(6, most + 1, 2):
        case = _CAVITY | {"space.cells": [24, 24], "velocity.nodes": nodes}
        for method, drag in zip(("operator", "bgk"), drags):
            run = job.run(study.title, case | {"collision.method": method})
            drag.add(nodes, run.quantities.D, math.nan)
        grid = job.ask("info", "operator", ".", "--json", settings=case | {"collision.method": "operator"})
        viscosity.add(nodes, grid["viscosity"], abs(grid["viscosity"] - 1))
        prandtl.add(nodes, grid["prandtl"], abs(grid["prandtl"] / _EXACT_PRANDTL - 1))
    for drag in drags:
        drag.compare_with_last()
    return study


def study_samples(job):
    study = Study(
        "convergence-samples",
        "Statistical error",
        "samples per step",
        "standard error of D / D",
        "Monte Carlo, cavity at delta 1, 12 x 12 cells, 8 nodes per axis: the stated standard error (batch means, "
        "`theory.md` section 13) of the mean of D over 200 lambda0 / V0.",
    )
    settings = _CAVITY | {"space.cells": [12, 12], "velocity.nodes": 8, "collision.method": "monte-carlo"}
    settings |= {"output.average": 8, "time.end": 208}
    for name, points in (("independent samples", "random"), ("lattice", "lattice")):
        curve = Curve(name, -0.5)
        for samples in _SAMPLES:
            run = job.run(study.title, settings | {"collision.points": points, "collision.samples": samples})
            error = run.errors.D / abs(run.quantities.D)
            curve.add(samples, error, error)
        curve.fit()
        study.curves.append(curve)
    return study


STUDIES = (study_space, study_time, study_steady, study_velocity, study_samples)
