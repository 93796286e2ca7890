"""A line of progress on the error channel, which later ones replace on a terminal."""

import os
import shutil
import sys
import time

_LIVE, _PLAIN = 0.2, 20  # s between lines, on a terminal and elsewhere


class ProgressLine:
    """``show(text)`` prints a line if the latest one is old enough; ``clear()`` removes it before other output."""

    def __init__(self):
        self._live = sys.stderr.isatty() and os.environ.get("TERM", "") not in ("", "dumb")
        self._shown, self._spoken = False, time.monotonic()

    def is_due(self):
        return time.monotonic() - self._spoken >= (_LIVE if self._live else _PLAIN)

    def show(self, text):
        if not self.is_due():
            return
        if self._live:
            width = shutil.get_terminal_size().columns - 2
            print(f"\r  {text[:width]}\033[J\r", end="", file=sys.stderr, flush=True)
        else:
            print(text, file=sys.stderr, flush=True)
        self._shown, self._spoken = self._live, time.monotonic()

    def clear(self):
        if self._shown:
            print("\r\033[J", end="", file=sys.stderr, flush=True)
        self._shown, self._spoken = False, time.monotonic()
