"""Command lines of the modules that the program starts: options, help and messages in the layout of the program.

It needs no library, so that ``--help`` works without them.
"""

import argparse
import difflib
import os
import re
import shutil
import signal
import sys
import textwrap

from .errors import Error

USAGE = 2  # exit codes
FAILURE = 4
INTERRUPTED = 130
_COLUMN = 29  # where the text of an option begins


def clean(text):
    """Text from anywhere, safe to print: control characters become question marks."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def choice(*words):
    """The type of an option that takes one of some words."""

    def read(text):
        if text in words:
            return text
        near = difflib.get_close_matches(text, words, 1)
        hint = f" (did you mean {near[0]}?)" if near else ""
        raise argparse.ArgumentTypeError(f"'{text}' is none of {', '.join(words)}{hint}")

    return read


def assignments(words):
    """The keys and values of options --set KEY=VALUE."""
    found = {}
    for word in words or ():
        key, equals, value = word.partition("=")
        if not equals or not key:
            raise Error(f"--set {word}: expected key=value (such as gas.delta=10)")
        found[key] = value
    return found


class Parser(argparse.ArgumentParser):
    """The command line of ``knudsen NAME``.

    ``doc`` is a sentence above the options, ``after`` is printed below them as it is.  Options are added with
    ``add_argument``; ``metavar`` names their value.  The positional arguments come with ``parse``.
    """

    def __init__(self, name, arguments, doc, after=""):
        super().__init__(prog=f"knudsen {name}", add_help=False, usage=f"knudsen {name} [OPTION...] {arguments}")
        self._doc, self._after = doc, after

    def parse(self, words, minimum=0, missing="an argument is missing"):
        """The options as attributes; ``arguments`` is the list of words that are no options."""
        self.add_argument("arguments", nargs="*", help=argparse.SUPPRESS)
        self.add_argument("-?", "-h", "--help", action="store_true", help="print this help")
        self.add_argument("-V", "--version", action="store_true", help="print the version of the program")
        first = argparse.ArgumentParser(add_help=False, allow_abbrev=False)  # before anything can be wrong
        first.add_argument("-?", "-h", "--help", action="store_true")
        first.add_argument("-V", "--version", action="store_true")
        asked, _ = first.parse_known_args(words[: words.index("--")] if "--" in words else words)
        if asked.help:
            print(self.format_help(), end="")
            sys.exit(0)
        if asked.version:
            from . import __version__

            print(f"knudsen {__version__}")
            sys.exit(0)
        end = words.index("--") if "--" in words else len(words)
        options = self.parse_intermixed_args(list(self._joined(words[:end])))
        options.arguments += words[end + 1 :]
        if len(options.arguments) < minimum:
            self.error(missing)
        return options

    def _joined(self, words):
        """The words, with a value that begins with '-' joined to its option: argparse takes it for an option."""
        known, words = self._option_string_actions, iter(words)
        for word in words:
            takes_value = word in known and known[word].nargs is None
            value = next(words, None) if takes_value else None
            if value is None:
                yield word
            elif value.startswith("-") and value not in known:
                yield f"{word}={value}" if word.startswith("--") else word + value
            else:
                yield from (word, value)

    def error(self, message):
        message = re.sub(r"^argument (?:-\w/)?(--[\w-]+): ", r"\1: ", message)
        print(f"{self.prog}: {clean(message)}\nTry `{self.prog} --help' for more information.", file=sys.stderr)
        sys.exit(USAGE)

    def format_help(self):
        width = min(shutil.get_terminal_size().columns, 80) - 1
        lines = [f"Usage: {self.usage}", *textwrap.wrap(self._doc, width), ""]
        for action in self._actions:
            if action.help != argparse.SUPPRESS:
                lines += _describe(action, width)
        return "\n".join(lines) + "\n" + (f"\n{self._after}" if self._after else "")


def _describe(action, width):
    short = [option for option in action.option_strings if not option.startswith("--")]
    long = next(option for option in action.option_strings if option.startswith("--"))
    value = f"={action.metavar}" if action.metavar else ""
    head = f"  {short[0] + ', ' if short else '    '}{long}{value}"
    text = textwrap.wrap(action.help, width - _COLUMN)
    if len(head) >= _COLUMN - 1:
        text.insert(0, "")
    return [f"{head:<{_COLUMN}}{text[0]}".rstrip(), *(" " * _COLUMN + line for line in text[1:])]


_STOP = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def _stop(*_):
    """The first request to stop ends the command; later ones must not disturb the end of its runs."""
    for number in _STOP:
        signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


def execute(command):
    """Run ``command(words)`` as the program would: messages on the error channel, and its exit codes."""
    try:
        for number in _STOP:
            signal.signal(number, _stop)
        code = command(sys.argv[1:]) or 0
        sys.stdout.flush()
    except Error as error:
        print(f"knudsen: {clean(str(error))}", file=sys.stderr)
        code = error.code or USAGE
    except KeyboardInterrupt:
        code = INTERRUPTED
    except BrokenPipeError:  # a reader that has ended
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = FAILURE
    except (OSError, MemoryError) as error:
        print(f"knudsen: {clean(str(error) or 'not enough memory')}", file=sys.stderr)
        code = FAILURE
    except Exception as error:  # a mistake in this package
        print(f"knudsen: internal error: {type(error).__name__}: {clean(str(error))}", file=sys.stderr)
        code = FAILURE
    sys.exit(code)
