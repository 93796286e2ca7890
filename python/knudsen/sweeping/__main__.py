"""The command knudsen sweep."""

import math
import threading
import time
from pathlib import Path

from ..command_line import FAILURE, INTERRUPTED, Parser, assignments, clean, execute
from ..errors import Error
from ..progress_line import ProgressLine
from . import points

_FAILED = 3  # exit code
AFTER = """KEY is a key of the case file, or several with commas that get the same values.
Values may have units, and several --vary make all combinations:

  knudsen sweep couette.yaml --vary gas.delta=0.1,1,10
  knudsen sweep mine.yaml --vary 'gas.pressure=1 kPa:100 kPa:5:log' \\
      --vary velocity.nodes=8,12 --set collision.method=bgk
  knudsen sweep plate.yaml \\
      --vary 'walls.right.oscillation.frequency=10 kHz:10 MHz:40:log'

DIR has a folder for each point, table.csv and sweep.png. The same command
continues an interrupted sweep: finished points are kept. A point that fails is
recorded in the table and does not stop the others. Exit codes: 0 all points are
finished, 2 invalid input, 3 a point failed, 4 input/output failure, 130 interrupted.
"""


def parser():
    options = Parser("sweep", "CASE.yaml --vary KEY=VALUES...", "Run a case for several values of its keys.", AFTER)
    options.add_argument(
        "--vary",
        action="append",
        metavar="KEY=VALUES",
        help="values a,b,c or from:to:number or from:to:number:log of a key; may be repeated",
    )
    options.add_argument("--set", action="append", metavar="KEY=VALUE", help="set a key in all points; may be repeated")
    options.add_argument("-o", "--out", metavar="DIR", help="folder of the results (default: results/NAME-sweep)")
    options.add_argument("--backend", metavar="NAME", help="device that computes: auto, cpu, cuda (run.backend)")
    text = "runs at the same time (default: one per core, one on a GPU, if memory allows)"
    options.add_argument("-j", "--jobs", metavar="N", type=int, help=text)
    options.add_argument("--overwrite", action="store_true", help="run all points again")
    options.add_argument("--dry-run", action="store_true", help="list the points; run and write nothing")
    return options


def settings_of(options):
    """The keys that all points set."""
    found = assignments(options.set)
    if options.backend:
        found["run.backend"] = options.backend
    return found


def default_folder(path):
    """results/NAME-sweep, with the name of the file, or of its folder if the file is case.yaml."""
    path = Path(path).resolve()
    name = path.stem if path.suffix in (".yaml", ".yml") else path.name
    return Path("results") / f"{path.parent.name if name == 'case' and path.parent.name else name}-sweep"


class Watch:
    """Prints a line for every point that has ended, and a progress line of the current runs."""

    def __init__(self, work):
        self._count, self._done = len(work.points), len(work.rows())
        self._line, self._lock, self._running = ProgressLine(), threading.Lock(), {}
        self._begin, self._paid, self._cost = time.monotonic(), 0, sum(point.cost for point in work.todo())

    def event(self, point, entry):
        """Called by the threads of the runs."""
        text = ""
        if entry["event"] in ("assembly", "pilot"):
            text = f"preparing {math.floor(100 * entry['part'])} %"
        elif entry["event"] == "progress":
            text = f"{math.floor(100 * entry['step'] / max(entry['steps'], 1))} %"
        with self._lock:
            if text:
                self._running[point.name] = f"{point.title} {text}"

    def tick(self):
        with self._lock:
            texts = list(self._running.values())
        left = ""
        if self._paid > 0:
            seconds = (time.monotonic() - self._begin) * (self._cost / self._paid - 1)
            left = f", about {seconds:.0f} s left"
        self._line.show(clean(f"{self._done} of {self._count} points{left}: {'; '.join(texts)}"))

    def ended(self, row, point):
        from . import table

        with self._lock:
            self._running.pop(point.name, None)
        self._done += 1
        self._paid += point.cost
        self.clear()
        text = f"{row['verdict']}: {row['message']}" if row.get("message") else row["verdict"]
        seconds = f", {row['wall time [s]']:.1f} s" if "wall time [s]" in row else ""
        note = f" ({table.warning(row)})" if table.warning(row) else ""
        print(clean(f"{self._done:4d}/{self._count}  {point.title}: {text}{seconds}{note}"), flush=True)

    def refused(self, point, message):
        """A point that cannot be run."""
        if message:
            print(clean(f"   -/{self._count}  {point.title}: refused: {message}"), flush=True)

    def clear(self):
        self._line.clear()


def list_points(work):
    """The points with their size, without a run."""
    ready = {point.name for point in work.todo()}
    rows = {row["folder"]: row for row in work.rows()}
    for number, point in enumerate(work.points, 1):
        row = rows.get(point.name, {})
        if point.name in ready:
            text = f"{point.plan['steps']:.0f} steps, {point.plan['memory_bytes'] / 1e6:.0f} MB"
        else:
            text = f"refused: {row['message']}" if row.get("message") else "finished"
        print(clean(f"{number:4d}/{len(work.points)}  {point.title}: {text}"))
    print(f"# {work.folder}; at most {work.default_jobs()} at the same time. Nothing was started or written.")


def report(work, seconds):
    """The last lines, and the exit code."""
    from . import figure, table

    rows = work.rows()
    counts = {}
    for row in rows:
        counts[row["verdict"]] = counts.get(row["verdict"], 0) + 1
    words = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
    print(f"{len(rows)} of {len(work.points)} points in {seconds:.0f} s: {words or 'none'}")
    doubtful = [row["folder"] for row in rows if table.warning(row)]
    if doubtful:
        print(clean(f"validity checks: {len(doubtful)} of {len(rows)} points with warnings ({doubtful[0]}/run.log, ...)"))
    names = [name for name in (table.NAME, figure.NAME) if (work.folder / name).exists()]
    print(clean(f"{work.folder}: {', '.join(names)}"))
    if work.interrupted:
        raise Error("interrupted; the same command continues the sweep", INTERRUPTED)
    if counts.get("failed"):
        raise Error(f"sweep: {counts['failed']} of {len(work.points)} points failed ({work.folder}/table.csv)", _FAILED)


def follow(work, options):
    """Check the points, then list or run them."""
    begin = time.monotonic()
    work.prepare()
    if options.dry_run:
        list_points(work)
        return
    watch = Watch(work)
    for point in work.points:
        watch.refused(point, work.message_of(point))
    try:
        work.execute(options.jobs or work.default_jobs(), watch)
    except KeyboardInterrupt:
        watch.clear()
        raise Error("interrupted; the same command continues the sweep", INTERRUPTED) from None
    watch.clear()
    report(work, time.monotonic() - begin)


def main(words):
    options = parser()
    found = options.parse(words, 1, "a case file is required")
    if len(found.arguments) > 1:
        options.error(f"one case file at a time: {found.arguments[0]} and {found.arguments[1]}")
    if not found.vary:
        options.error(f"--vary is required ({points.FORMS})")
    if found.jobs is not None and found.jobs < 1:
        options.error(f"--jobs: {found.jobs} (at least 1)")
    axes = points.read(found.vary)
    from .sweep import Work  # the libraries are loaded after the command line has been read

    folder = found.out or default_folder(found.arguments[0])
    work = Work(found.arguments[0], axes, out=folder, set=settings_of(found), overwrite=found.overwrite)
    try:
        follow(work, found)
    except OSError as error:
        raise Error(f"{error.strerror}: {error.filename}", FAILURE) from None


if __name__ == "__main__":
    execute(main)
