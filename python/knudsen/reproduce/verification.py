"""The topic "verification": the page docs/verification.md with its figures."""

import json
import math
from collections import Counter

from ..errors import Error
from ..program import exit_code, started
from ..value_text import deviation, with_error
from . import log_axes
from .convergence import STUDIES

FAILED_CHECK = 3  # exit code of knudsen verify
HEAD = "| case | quantity | conditions | reference | source | Knudsen | deviation | allowed | verdict |\n"
HEAD += "| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n"


# --------------------------------------------------------------------- figures


def _data(study):
    text = ""
    for curve in study.curves:
        text += f"# {curve.name}: {study.x}, value, error\n"
        points = zip(curve.x, curve.value, curve.error)
        text += "".join(f"{x:.10g} {value:.10g} {error:.6g}\n" for x, value, error in points) + "\n\n"
    return text


def _draw(figure, study):
    axes = figure.subplots()
    for curve, marker in zip(study.curves, "osD^vP"):
        slope = f", slope {curve.slope:.2f}" if math.isfinite(curve.slope) else ""
        axes.loglog(curve.x, curve.error, marker=marker, markersize=5, label=curve.name + slope)
    log_axes.finish(axes, study.curves[0].x)
    axes.set(xlabel=study.x, ylabel=study.y)
    axes.legend(loc="best")


def _print_slopes(study):
    for curve in study.curves:
        if math.isfinite(curve.slope):
            found = f"slope {curve.slope:6.2f}, expected {curve.expected:g}"
        else:
            found = f"error {curve.error[0]:.1e} to {curve.error[-1]:.1e}"
        print(f"{study.title:<20} {curve.name:<22} {found}", flush=True)


# ---------------------------------------------------------------------- checks


def _make_checks(job, full):
    """The results of knudsen verify, one record per check, and its exit code; a failed check is part of the page."""
    command = [job.program, "verify", "--full" if full else "--quick", "--json"]
    with started(command) as child:
        entries = [json.loads(line) for line in child.stdout]
    if child.returncode not in (0, FAILED_CHECK):
        raise Error("knudsen verify failed", exit_code(child.returncode))
    return [entry for entry in entries if "verdict" in entry], child.returncode


def _check_row(entry):
    own = entry["tolerance"] - entry["reference_error"]
    verdict = "**fail**" if entry["verdict"] == "fail" else entry["verdict"]
    cells = (
        entry["case"],
        f"`{entry['quantity']}`",
        entry["conditions"],
        with_error(entry["reference"], entry["reference_error"]),
        entry["source"],
        with_error(entry["value"], own),
        deviation(entry, "deviation", sign=True),
        deviation(entry, "allowed"),
        verdict,
    )
    return "| " + " | ".join(cells) + " |\n"


# ------------------------------------------------------------------------ page


def _study_text(study):
    text = f"\n## {study.title}\n\n{study.text}\n\n![{study.title}](pictures/{study.name}.svg)\n\n"
    text += f"| curve | {study.x}: {study.y} | slope | expected |\n| --- | --- | --- | --- |\n"
    for curve in study.curves:
        points = ", ".join(f"{x:.4g}: {error:.2e}" for x, error in zip(curve.x, curve.error))
        slope = f"{curve.slope:.2f} | {curve.expected:g}" if math.isfinite(curve.slope) else "|"
        text += f"| {curve.name} | {points} | {slope} |\n"
    return text


def _page(studies, checks, gpu):
    machine, full = (" on a GPU", " --full") if gpu else (" on a CPU", "")
    count = Counter(entry["verdict"] for entry in checks)
    text = (
        "# Verification\n\n"
        f"Written by `knudsen reproduce verification --out docs`. The values below come from one run{machine}.\n\n"
        f"* [Checks](#checks) against exact and published values: `knudsen verify{full}`.\n"
        "* Convergence in [space](#order-in-space), [time](#order-in-time) and [velocity](#velocity-nodes), of "
        "[time steps to iterations](#iterations-and-time-steps), and of the [noise](#statistical-error).\n"
        "* The solver for steady states and oscillations: `steady.md`.\n"
        "* The table and figures of the paper: `paper.md`. Comparison with particles: `dsmc.md`.\n"
    )
    text += "".join(_study_text(study) for study in studies)
    text += (
        f"\n## Checks\n\n{len(checks)} checks: {count['pass']} pass, {count['fail']} fail, {count['open']} open. "
        "The pages of the cases explain the failures (`cases/NAME/README.md`). A check is open if it passes without a "
        "claimed accuracy and the allowed deviation is more than a tenth of the value. Uncertainties are given in "
        "parentheses (last digits), or after +- if larger than 1 %: that of the reference, and that of Knudsen as "
        "estimated from coarser grids (`knudsen verify --help`). The allowed deviation is their sum, or the claimed "
        "accuracy if that is less.\n\n"
    )
    return text + HEAD + "".join(_check_row(entry) for entry in checks)


def make(job):
    gpu = job.machine()[0] == "cuda"
    (job.folder / "pictures").mkdir(exist_ok=True)
    studies = []
    for study_of in STUDIES:
        study = study_of(job)
        _print_slopes(study)
        name = f"pictures/{study.name}"
        job.figure(name, study.title, _data(study), lambda figure, study=study: _draw(figure, study), (6.4, 3.4))
        studies.append(study)
    checks, code = _make_checks(job, gpu)
    job.page("verification.md", _page(studies, checks, gpu))
    return code
