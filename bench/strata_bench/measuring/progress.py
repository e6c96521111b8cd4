"""Progress: a line that is overwritten on a terminal, and occasional lines elsewhere."""

import os
import signal
import sys
import time

from . import units

_WIDTH = 100
_QUIET_SECONDS = 15  # seconds between two lines where they cannot be overwritten
_BAR = 20  # columns


def bar(share):
    """Returns a quarter as [#####---------------]  25%."""
    share = min(1.0, max(0.0, share))
    done = int(share * _BAR)
    return f"[{'#' * done}{'-' * (_BAR - done)}] {share:4.0%}"


def _shortened(line):
    return line if len(line) <= _WIDTH else line[:_WIDTH - 3] + "..."


class Progress:
    def __init__(self, stream=sys.stdout):
        self._stream = stream
        self._live = stream.isatty()
        self._start = self._said = time.monotonic()
        self._text = ""
        self._end = None  # expected end
        if self._live:  # a timer prints: nothing polls while times are measured
            signal.signal(signal.SIGALRM, lambda *_: self._draw())
            signal.setitimer(signal.ITIMER_REAL, 1, 1)

    @property
    def elapsed(self):
        return time.monotonic() - self._start

    def show(self, text, left=None, share=None):
        """Sets the current action, the expected seconds left, and the finished share (None: unknown)."""
        self._end = None if left is None else self.elapsed + left
        self._text = text if share is None else f"{bar(share)} {text}"
        if self._live:
            self._draw()
        elif time.monotonic() - self._said >= _QUIET_SECONDS:
            self.say(_shortened(self._line()))

    def say(self, text=""):
        """Prints a line that stays."""
        self.clear()
        self._stream.write(text + "\n")
        self._stream.flush()
        self._said = time.monotonic()

    def step(self, text):
        """Prints a line that stays, with the time."""
        self.say(f"{units.clock(self.elapsed)}  {text}")

    def clear(self):
        """Clears the line."""
        if self._live and self._text:
            self._text = ""
            self._write("\r\033[K")

    def _line(self):
        left = "" if self._end is None else f"  (about {units.clock(max(0, self._end - self.elapsed))} left)"
        return f"{units.clock(self.elapsed)}  {self._text}{left}"

    def _draw(self):
        if self._text:
            self._write("\r\033[K" + _shortened(self._line()))

    def _write(self, text):
        # Not through the stream, which may be busy when the timer fires.
        os.write(self._stream.fileno(), text.encode())
