"""Results of an earlier sweep in the folder of a point: none, a run to continue, or results to keep."""

import json

from ..errors import Error
from ..results import Run

NEW, CONTINUED, DONE = "new", "continued", "done"
_CHECKPOINTS = ("checkpoint-a.h5", "checkpoint-b.h5")

# Keys without effect on the results.
_FREE = {"run.threads", "run.backend", "run.walltime", "run.exchange", "run.force", "output.checkpoint", "output.vtk"}
_FREE |= {"initial.from"}  # within the tolerance


def _keys(case, before=""):
    for name, value in case.items():
        if isinstance(value, dict):
            yield from _keys(value, f"{before}{name}.")
        else:
            yield before + name, value


def difference(case, found):
    """The first key in which a planned case differs from the case of a run, with both values; None if there is none.

    A value that is still ``auto`` in the plan is chosen by the run.
    """
    had = dict(_keys(found))
    for key, value in _keys(case):
        if key not in _FREE and value != "auto" and had.get(key) != value:
            return key, json.dumps(value), json.dumps(had.get(key))
    return None


def state_of(folder, case):
    """NEW, CONTINUED or DONE; an Error if the folder holds a run of another case."""
    if not (folder / "summary.json").exists():
        return CONTINUED if any((folder / name).exists() for name in _CHECKPOINTS) else NEW
    run = Run(folder)
    changed = difference(case, run.case)
    if changed:
        key, now, then = changed
        raise Error(
            f"'{folder}' holds a run with {key}: {then}, but now it is {now} "
            "(--overwrite replaces it, --out DIR writes elsewhere)"
        )
    return DONE if run.finished else CONTINUED
