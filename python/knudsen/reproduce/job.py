"""What all topics share: runs of the program, text files and figures in one folder."""

import json
import os
import sys
import tempfile
import textwrap
import time
from pathlib import Path

from ..program import find_program, output_of
from ..program import run as run_case

_LINES = {"width": 150, "break_long_words": False, "break_on_hyphens": False}  # of a page

# Results are read once: no files for ParaView, and a checkpoint only after an interruption.
PLAIN = {"output.vtk": False, "output.checkpoint": 0}
STYLE = {
    "font.size": 9,
    "axes.titlesize": 9.5,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#e4e4e4",
    "grid.linewidth": 0.6,
    "legend.frameon": True,
    "legend.framealpha": 0.9,
    "legend.edgecolor": "none",
    "legend.fontsize": 8.5,
    "lines.linewidth": 1.3,
    "svg.hashsalt": "knudsen",  # the same data give the same file
}


class Job:
    """A topic in progress: its folder, and whether its progress is shown on a terminal."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.terminal = sys.stdout.isatty()
        self.program = find_program()
        self.folder.mkdir(parents=True, exist_ok=True)

    def run(self, what, settings):
        """Run a case given by its keys; ``what`` and the fraction done are shown on a terminal.

        The results are in a temporary folder, which is removed with the returned run.
        """
        begin = time.monotonic()
        try:
            run = run_case({}, set=PLAIN | settings, program=self.program, progress=self._progress(what))
        finally:
            self._clear()
        run.seconds = time.monotonic() - begin
        return run

    def steps(self, settings):
        """The number of time steps of a case."""
        return self.ask("run", ".", "--dry-run", "--json", settings=settings)["plan"]["steps"]

    def machine(self):
        """Backend and number of threads that runs use."""
        cavity = {"space.cells": [40, 40], "collision.method": "bgk", "velocity.nodes": 8}
        entry = self.ask("info", ".", "--json", settings=cavity)
        return entry["backend"], entry["threads"]

    def ask(self, *words, settings=None):
        """The JSON that a command of the program prints; the word "." stands for an empty case file."""
        with tempfile.TemporaryDirectory(prefix="knudsen-") as scratch:
            case = Path(scratch) / "case.yaml"
            case.write_text("{}\n")
            command = [self.program] + [str(case) if word == "." else word for word in words]
            for key, value in (settings or {}).items():
                command += ["--set", f"{key}={value if isinstance(value, str) else json.dumps(value)}"]
            return json.loads(output_of(command))

    def page(self, name, content):
        """Write a page; long lines are divided, except rows of tables."""
        lines = []
        for line in content.split("\n"):
            if len(line) <= _LINES["width"] or line.startswith("|"):
                lines.append(line)
            else:
                indent = "  " if line.startswith("* ") else ""
                lines += textwrap.wrap(line, **_LINES, subsequent_indent=indent)
        self.text(name, "\n".join(lines))

    def text(self, name, content):
        """Write a text file; it appears complete or not at all."""
        path = self.folder / name
        part = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            part.write_text(content, encoding="utf-8")
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)

    def figure(self, name, title, data, draw, size):
        """Write NAME.dat, and NAME.png and NAME.svg, which ``draw(figure)`` fills; size in inches."""
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot

        self.text(f"{name}.dat", f"# {title}\n{data}")
        with pyplot.rc_context(STYLE):
            figure = pyplot.figure(figsize=size, layout="constrained")
            draw(figure)
            for kind, facts in ("png", {"Title": title}), ("svg", {"Title": title, "Date": None}):
                figure.savefig(self.folder / f"{name}.{kind}", dpi=150, metadata=facts)
            pyplot.close(figure)

    def _progress(self, what):
        def show(entry):
            if entry["event"] == "progress" and entry["steps"]:
                print(f"\r\033[K{what} ... {100 * entry['step'] / entry['steps']:.0f} %", end="", flush=True)

        return show if self.terminal else None

    def _clear(self):
        if self.terminal:
            print("\r\033[K", end="", flush=True)
