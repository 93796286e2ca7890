"""The command line of knudsen plot."""

import argparse
import re

from ..command_line import Parser, choice
from .quantities import names

KINDS = ("sheet", "map", "profile", "history")
FLOWS = ("auto", "lines", "arrows", "none")
FORMATS = ("png", "svg", "pdf", "eps")
_METRES = {"mm": 1e-3, "cm": 1e-2, "m": 1.0, "in": 0.0254, "pt": 0.0254 / 72, "um": 1e-6}

_AFTER = """\
Quantities: {names};
of the history the columns of history.csv, such as D or left.stress_y, and
fields for their means over the box.

Without options the sheet depends on the case: for a plane flow a map with
streamlines, the velocity on the midlines and the history of the drag; for a
flow along one axis profiles, at up to six times of the series; for a uniform
gas its history; for time.mode: frequency amplitudes and phases, and with -t
or --kind the gas at times of the period.  Several folders are drawn over
each other; the legend has the keys in which their cases differ.

A reference is a CSV file of one of two layouts.  (1) Points: the first line is
`x,ux' or `x,ux,error': an axis (in L) or `time', a quantity (or the word
value: any quantity), and optionally its error; lines that begin with # are
comments.  (2) The reference.csv of a case: the rows whose settings, over the
case.yaml beside it, describe the flow that is drawn.  Values at a place become
points of profiles, those of a column a level or points of its history.  Values
are in the units of the results, which are dimensionless.

Examples:
  knudsen plot results/cavity
  knudsen plot results/cavity --kind map -q theta,Pxy -o stress.svg
  knudsen plot results/cavity -k profile -o figure.pdf --width 86mm
  knudsen plot results/cavity -k profile -r cases/cavity/reference.csv
  knudsen plot results/a results/b -q D -k history
  knudsen plot results/resonator -o period.gif
"""


def _width(text):
    """A width on paper in metres."""
    found = re.fullmatch(r"([0-9.]+)\s*([a-z]+)", text)
    try:
        metres = float(found[1]) * _METRES[found[2]]
    except (TypeError, KeyError, ValueError):
        raise argparse.ArgumentTypeError(f"'{text}' is no width (such as 86mm)") from None
    if not 0.03 <= metres <= 1:
        raise argparse.ArgumentTypeError(f"'{text}' is out of range (30 mm to 1 m)")
    return metres


def _output(text):
    if text.rpartition(".")[2] not in (*FORMATS, "gif") or "." not in text:
        raise argparse.ArgumentTypeError(f"'{text}' must end in .png, .svg, .pdf, .eps or .gif")
    return text


def _wrapped_names():
    import textwrap

    return "\n".join(textwrap.wrap(", ".join(names()), 67, subsequent_indent=""))


def read(words):
    """The options of ``knudsen plot WORDS``; ``arguments`` are the folders."""
    parser = Parser(
        "plot",
        "DIR...",
        "Draw the results in a folder, or compare those in several.",
        _AFTER.format(names=_wrapped_names()),
    )
    add = parser.add_argument
    add("-o", "--output", metavar="FILE", type=_output,
        help="write the picture here, FILE.png, .svg, .pdf or .eps (default: picture.png in DIR; for several "
        "folders compare.png in the current folder, which must not exist); FILE.gif is an animation over a period "
        "of time.mode: frequency, or over the series of output.fields")
    add("-q", "--quantity", metavar="NAME", action="append", default=[],
        help="what to draw; several with commas, or the option again")
    add("-k", "--kind", metavar="KIND", type=choice(*KINDS), default="sheet",
        help="sheet (default), map, profile or history")
    add("-t", "--time", metavar="T",
        help="the fields nearest to this time (lambda0 / V0; or 5ns if the case has SI units); default: the last")
    add("-r", "--reference", metavar="FILE.csv", action="append", default=[],
        help="add published values; see below")
    add("--slice", metavar="AXIS=S", action="append", default=[],
        help="cut there, in L: z=0.5 is the plane of a box with three axes (the default); with x=0.3 as well, "
        "profiles are drawn there")
    add("--mean", action="store_true", help="the averages over time")
    add("--last", action="store_true", help="the last fields, even if there are averages or a series")
    add("--flow", metavar="HOW", type=choice(*FLOWS), default="auto",
        help="over a map: lines, arrows or none; auto (default): lines, and arrows on coarse grids")
    add("--dimensionless", action="store_true", help="no SI units, even if the case has them")
    add("--width", metavar="WIDTH", type=_width,
        help="width on paper with letters of 8 pt: 86mm is a column of many journals; panels are stacked if they do "
        "not fit side by side")
    options = parser.parse(words, 1, "no folder of results is given (knudsen run writes one)")
    if options.mean and options.last:
        parser.error("--mean and --last exclude each other")
    if options.mean and options.time:
        parser.error("--mean is an average over time and --time selects one time: choose one of them")
    return options
