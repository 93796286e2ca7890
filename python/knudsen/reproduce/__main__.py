"""knudsen reproduce: the tables and figures of a publication, or of the documents of this program, from one command."""

import difflib
import importlib
import time
from pathlib import Path

from ..command_line import FAILURE, INTERRUPTED, USAGE, Parser, execute
from ..errors import Error

# A topic is a module of this package with a function make(job) that returns an exit code, or None for success.
TOPICS = {
    "paper": "table 1 and figures 1 to 6 of Frezzotti, Ghiroldi and Gibelli, Solving the Boltzmann equation on GPUs: "
    "on the paper's grids with a GPU (minutes), on coarser ones without (three minutes on 2 cores)",
    "steady": "docs/steady.md: iterations for steady states from free-molecular to continuum flow, accuracy on thick cells, "
    "reciprocity, sweeps and times (two minutes on 2 cores)",
    "verification": "docs/verification.md: orders of accuracy in space, time, velocity and samples, each measured, and "
    "all checks of knudsen verify (minutes; with a GPU those of --full)",
}
AFTER = """Each figure is a PNG, an SVG and the data that it shows. Existing files are
replaced. Exit codes: 0 ok, 2 bad input, 3 numerical failure, 4 input/output
failure, 130 interrupted.
"""


def find(topic):
    """The name of a topic, or an error that suggests one."""
    if topic in TOPICS:
        return topic
    near = difflib.get_close_matches(topic, TOPICS, 1)
    hint = f"did you mean {near[0]}?" if near else f"there is {', '.join(TOPICS)}"
    raise Error(f"reproduce: unknown topic '{topic[:80]}' ({hint})", USAGE)


def make(topic, folder):
    """Make everything about a topic in a folder; the exit code."""
    begin = time.monotonic()
    module = importlib.import_module(f".{topic}", __package__)
    job = importlib.import_module(".job", __package__)
    try:
        code = module.make(job.Job(folder)) or 0
    except KeyboardInterrupt:
        raise Error("interrupted", INTERRUPTED) from None
    except OSError as error:
        raise Error(f"{error.strerror}: {error.filename}", FAILURE) from None
    print(f"\nfiles in {folder}, after {time.monotonic() - begin:.0f} s")
    return code


def main(words):
    parser = Parser(
        "reproduce",
        "[TOPIC]",
        "Make the tables and figures of a topic from one command; without a topic, list the topics.",
        AFTER,
    )
    text = "write tables, data and figures into this folder (default: results/TOPIC)"
    parser.add_argument("-o", "--out", metavar="DIR", help=text)
    options = parser.parse(words)
    if len(options.arguments) > 1:
        parser.error(f"one topic at a time: {options.arguments[0]} and {options.arguments[1]}")
    if not options.arguments:
        for name, doc in TOPICS.items():
            print(f"{name:<12} {doc}")
        return 0
    topic = find(options.arguments[0])
    return make(topic, options.out or Path("results") / topic)


if __name__ == "__main__":
    execute(main)
