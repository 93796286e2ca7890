"""Start the program `knudsen` and open what it leaves."""

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import weakref
from contextlib import contextmanager
from pathlib import Path

from .errors import Error
from .results import Run


def find_program(program=None):
    """The path of the program: as given, else $KNUDSEN, else in PATH, else ``build/`` of the source tree."""
    asked = program or os.environ.get("KNUDSEN")
    if asked:
        found = shutil.which(str(asked))
        if not found:
            whence = "" if program else ", which $KNUDSEN names,"
            raise Error(f"{asked}{whence} is no program that can be started")
        return found
    built = Path(__file__).resolve().parents[2] / "build" / "knudsen"
    found = shutil.which("knudsen") or shutil.which(str(built))
    if not found:
        raise Error("the program knudsen is not in PATH: build it, or name it by program= or $KNUDSEN")
    return found


def run(
    case,
    out=None,
    set=None,
    program=None,
    *,
    resume=False,
    overwrite=False,
    progress=None,
    launcher=None,
    squeeze=True,
):
    """Run a case and open the result.

    case       a dict of groups and keys as in a case file (docs/input.md), or the path of one
    out        the folder of the results; without it a temporary one, which goes with the returned run
    set        keys set over the case: ``{"gas.delta": 10, "space.cells": [40, 40]}``
    program    where the program is (``find_program``)
    resume     continue from the checkpoint in ``out``
    overwrite  replace the run in the folder, when this one has come to its end
    progress   True shows a line that follows the run; a function is called with a dict about once a
               second, whose ``event`` is ``start``, ``progress``, ``end``, ... (``knudsen run --json``)
    launcher   command that starts it on several ranks: ``"mpirun -n 4"``, ``"srun"``, or a list of words

    A failure raises ``knudsen.Error`` with the program's message, and so does the end of ``run.walltime``.
    Ctrl-C lets the program write a checkpoint and then raises KeyboardInterrupt.  After both,
    ``resume=True`` continues the run.

    >>> case = {"space": {"cells": 40}, "collision": {"method": "bgk"}, "time": {"end": 20},
    ...         "walls": {"left": {"velocity": [0, -0.5, 0]}, "right": {"velocity": [0, 0.5, 0]}}}
    >>> for delta in (0.1, 1, 10):
    ...     print(delta, knudsen.run(case, set={"gas.delta": delta}).quantities.walls.right.shear)
    >>> knudsen.run("cases/cavity/case.yaml", out="results/cavity", progress=True)
    """
    program = find_program(program)
    with tempfile.TemporaryDirectory(prefix="knudsen-") as scratch:
        path = write_case(case, Path(scratch)) if isinstance(case, dict) else Path(case)
        temporary = None if out is not None else Scratch()
        folder = Path(out) if out is not None else temporary.path
        words = shlex.split(launcher) if isinstance(launcher, str) else list(launcher or [])
        command = words + [program, "run", _argument(path), f"--out={folder}", "--json"]
        command += [f"--set={key}={value_text(value)}" for key, value in (set or {}).items()]
        command += ["--resume"] * resume + ["--overwrite"] * overwrite
        code, message = _start(command, _show if progress is True else progress)
    if code != 0:
        # a dict has no lines and columns that the message could point at
        # and a launcher adds paragraphs of its own, between lines
        message = message.split("\n---", 1)[0].removeprefix("knudsen: ")
        if isinstance(case, dict) and message.startswith(f"{path}:"):
            message = message.split(": ", 1)[1]
        how = f"exit code {code}" if code > 0 else f"signal {-code}"
        raise Error(message or f"{program} ended with {how}", exit_code(code))
    return Run(folder, squeeze, temporary)


def plan(path, set=None, program=None):
    """The whole ``case`` of a file with keys set over it, and its ``plan``: steps, memory, device; without a run."""
    command = [find_program(program), "run", _argument(path), "--dry-run", "--json"]
    command += [f"--set={key}={value_text(value)}" for key, value in (set or {}).items()]
    return json.loads(output_of(command))


def dry_run(path, set=None, program=None):
    """The whole case of a file with keys set over it, its time step and the number of its steps, without a run."""
    found = plan(path, set, program)
    return found["case"], found["plan"]["time_step"], found["plan"]["steps"]


def output_of(command):
    """What a command of the program prints; an Error with its message if it fails."""
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode != 0:
        message = done.stderr.strip().removeprefix("knudsen: ")
        raise Error(message or f"{command[0]} failed", exit_code(done.returncode))
    return done.stdout


def exit_code(code):
    """The exit code for the return code of a child: 128 + n after signal n."""
    return code if code >= 0 else 128 - code


def _argument(path):
    """A path as an argument, which an option of the program cannot be confused with."""
    return os.path.abspath(path) if str(path).startswith("-") else str(path)


class Scratch:
    """A folder that goes with the last reference to it."""

    def __init__(self):
        self.path = Path(tempfile.mkdtemp(prefix="knudsen-run-"))
        weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)


def _plain(value):
    """Numbers and arrays of numpy, which json does not know."""
    if hasattr(value, "tolist"):
        return value.tolist()
    raise TypeError(f"{value!r} has no place in a case; numbers, words, True, False and lists of them have")


def value_text(value):
    """The value of a key as ``--set`` takes it."""
    return value if isinstance(value, str) else json.dumps(value, default=_plain)


def write_case(case, scratch):
    """A case file: JSON is YAML."""
    path = scratch / "case.yaml"
    path.write_text(json.dumps(case, indent=2, default=_plain) + "\n")
    return path


def _show(entry):
    """One line on the error channel that later ones replace."""
    event, text = entry["event"], ""
    if event in ("assembly", "pilot"):
        text = f"preparing, {100 * entry['part']:.0f} %"
    elif event == "progress":
        text = f"step {entry['step']}/{entry['steps']}  t = {entry['time']:.4g}"
        text += f"  residual {entry['residual']:.1e}" if entry["residual"] is not None else ""
        text += f"  {entry['eta_s']:.0f} s left" if entry["eta_s"] is not None else ""
    elif event == "end":
        text = entry["outcome"]
        text += f": step {entry['step']}, t = {entry['time']:.4g}" if "step" in entry else ""
    if text:
        print(f"\r{text:<70}", end="\n" if event == "end" else "", file=sys.stderr, flush=True)


def _start(command, progress):
    """Run to the end; the exit code and what was said on the error channel."""
    with tempfile.TemporaryFile("w+", errors="replace") as complaints:
        with started(command, stderr=complaints) as child:
            for line in child.stdout:
                if progress:
                    progress(json.loads(line))
        complaints.seek(0)
        return child.returncode, complaints.read().strip()


@contextmanager
def started(command, **options):
    """A child process, which has ended afterwards; an exception, of the user or of the body, interrupts it."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, errors="replace", **options) as child:
        try:
            yield child
        except BaseException:
            child.send_signal(signal.SIGINT)
            child.stdout.read()
            child.wait()
            raise
