"""How far it is: a line that is written over on a terminal, now and then a line elsewhere."""

import os
import signal
import sys
import time

from . import units

_WIDTH = 100
_QUIET_SECONDS = 15  # between two lines where they cannot be written over
_BAR = 20  # columns


def bar(share):
    """A quarter as [#####---------------]  25%."""
    share = min(1.0, max(0.0, share))
    done = int(share * _BAR)
    return f"[{'#' * done}{'-' * (_BAR - done)}] {share:4.0%}"


class Progress:
    def __init__(self, stream=sys.stdout):
        self._stream = stream
        self._live = stream.isatty()
        self._start = self._said = time.monotonic()
        self._text = ""
        self._end = None  # expected
        if self._live:  # by a timer: nothing polls while times are measured
            signal.signal(signal.SIGALRM, lambda *_: self._draw())
            signal.setitimer(signal.ITIMER_REAL, 1, 1)

    @property
    def elapsed(self):
        return time.monotonic() - self._start

    def show(self, text, left=None, share=None):
        """What happens now, how many seconds are expected to be left, and what share is done (None: unknown)."""
        self._end = None if left is None else self.elapsed + left
        self._text = text if share is None else f"{bar(share)} {text}"
        if self._live:
            self._draw()
        elif time.monotonic() - self._said >= _QUIET_SECONDS:
            self.say(self._line())

    def say(self, text=""):
        """A line that stays."""
        self.clear()
        self._stream.write(text + "\n")
        self._stream.flush()
        self._said = time.monotonic()

    def step(self, text):
        """A line that stays, with the time."""
        self.say(f"{units.clock(self.elapsed)}  {text}")

    def clear(self):
        """Nothing is going on that would need a line."""
        if self._live and self._text:
            self._text = ""
            self._write("\r\033[K")

    def _line(self):
        left = "" if self._end is None else f"  (about {units.clock(max(0, self._end - self.elapsed))} left)"
        return f"{units.clock(self.elapsed)}  {self._text}{left}"

    def _draw(self):
        if self._text:
            self._write("\r\033[K" + self._line()[:_WIDTH])

    def _write(self, text):
        # Not through the stream, which may be busy when the timer strikes.
        os.write(self._stream.fileno(), text.encode())
