"""Runs the verification cases: ``python3 -m knudsen.verify``, started by ``knudsen verify``."""

import difflib
import os
import signal
from dataclasses import dataclass
from pathlib import Path

from knudsen.command_line import INTERRUPTED, Parser, assignments, execute
from knudsen.errors import Error

_NUMERICAL = 3  # exit code


@dataclass
class Book:
    """A case and its references."""

    name: str
    yaml: Path
    csv: Path
    rows: list


def parser():
    options = Parser(
        "verify",
        "[CASE...]",
        "Run the verification cases and compare them with published, exact and independently computed values.",
        "The error of each result is estimated by two more runs, on half the cells and on\n"
        "three quarters of the velocities. Exit codes: 0 all pass, 2 bad input, 3 a check\n"
        "fails, 4 input/output failure, 130 interrupted.\n",
    )
    flags = {
        "--quick": "checks of less than three minutes on two cores (default)",
        "--full": "all checks, on finer grids; for a GPU",
        "--list": "list the cases with their numbers of checks; run nothing",
        "--json": "report as JSON, one object per line, with all parts of the errors",
    }
    for name, text in flags.items():
        options.add_argument(name, action="store_true", help=text)
    text = "set a key in all runs, over the case and the settings of reference.csv; may be repeated"
    options.add_argument("--set", action="append", metavar="KEY=VALUE", help=text)
    folder = "folder of the cases (default: $KNUDSEN_CASES, else beside the program)"
    options.add_argument("--cases", metavar="DIR", help=folder)
    return options


def find_folder(asked):
    """The folder of the cases: as given, else $KNUDSEN_CASES, which the program sets to the folder beside it."""
    given = asked or os.environ.get("KNUDSEN_CASES")
    if not given:
        raise Error("no cases beside the program (set KNUDSEN_CASES or --cases DIR)")
    if not Path(given).is_dir():
        raise Error(f"{given} is no folder of cases (see KNUDSEN_CASES and --cases DIR)")
    return Path(given)


def choose(folder, names):
    """The cases in a folder, or those of them that are named."""
    there = sorted(path.parent.name for path in folder.glob("*/case.yaml") if not path.parent.name.startswith("."))
    if not there:
        raise Error(f"{folder} holds no case (a folder with a case.yaml for each is needed)")
    for name in names:
        if name not in there:
            near = difflib.get_close_matches(name, there, 1)
            hint = f"did you mean {near[0]}?" if near else "knudsen cases lists them"
            raise Error(f"unknown case '{name}' ({hint})")
    return names or there


def open_book(folder, name):
    from knudsen.verify.reference import read

    path = folder / name
    return Book(name, path / "case.yaml", path / "reference.csv", read(path / "reference.csv"))


def due(book, full):
    from knudsen.verify.reference import is_due

    return [row for row in book.rows if is_due(row, book.rows, full)]


def print_entry(book):
    """Name, number of checks, and the first line of case.yaml, which describes the case."""
    with book.yaml.open(errors="replace") as file:
        title = file.readline().rstrip("\n")
    counts = f"{len(due(book, False)):3d} quick {len(due(book, True)):3d} full"
    print(f"{book.name:<20} {counts}   {title.removeprefix('# ')}")


def check_group(table, book, rows, extra):
    """The rows of one setting, with extra settings: run, measure, judge and report."""
    from knudsen.verify.judge import judge, measure
    from knudsen.verify.quantity import parse
    from knudsen.verify.reference import settings_of
    from knudsen.verify.trial import RUNS, Trial, scratch

    def progress(which, doing, part):
        table.progress(book.name, which, doing, part)

    recordings, results, line = {}, [], rows[0].line
    with scratch() as folder:
        try:
            quantities = [parse(row.quantity) for row in rows]
            trial = Trial(book.yaml, settings_of(rows[0].settings) | extra, quantities, folder, progress)
            try:
                recordings = {which: trial.make(which) for which in RUNS}
            except Error as error:
                if error.code != _NUMERICAL:
                    raise
            for row in rows:
                line = row.line
                results.append(measure(book.name, row, recordings))
        except Error as error:
            if error.code == INTERRUPTED:
                raise KeyboardInterrupt from None
            placed = str(error).startswith(f"{book.yaml}:")
            raise Error(str(error) if placed else f"{book.csv}:{line}: {error}", error.code) from None
    judge(results)
    for result in results:
        table.add(result)


def check_all(books, options):
    from knudsen.verify.table import Table

    groups, extra = {}, assignments(options.set)
    for book in books:
        for row in due(book, options.full):
            groups.setdefault((book.name, row.settings), (book, []))[1].append(row)
    table = Table(options.json, sum(len(rows) for _, rows in groups.values()))
    if not groups:
        raise Error(f"verify: nothing is compared{'' if options.full else ' (--full may have more)'}")
    try:
        for book, rows in groups.values():
            check_group(table, book, rows, extra)
    except KeyboardInterrupt:
        table.end()
        raise Error("interrupted", INTERRUPTED) from None
    finally:
        table.progress(None)
    table.end()
    if table.failed:
        raise Error(f"verify: {table.failed} of {table.checks} checks fail", _NUMERICAL)


def main(words):
    options = parser().parse(words)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # it writes no files: it ends when its reader ends
    folder = find_folder(options.cases)
    books = [open_book(folder, name) for name in choose(folder, options.arguments)]  # mistakes show before any run
    if options.list:
        for book in books:
            print_entry(book)
        return
    check_all(books, options)


if __name__ == "__main__":
    execute(main)
