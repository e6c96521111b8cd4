"""The interface of an application, and helpers that extract numbers from its output."""

import os
import re

NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[EeDd][-+]?\d+)?"


class Application:
    """A program from a Debian package with an input of ours."""

    name = ""  # name of its packages' purpose, apps-NAME, in component/packaging/debian-packages
    title = ""  # what it computes
    traffic = ""  # its MPI traffic
    program = ""
    files = ()  # further files of its packages that it needs
    environment = ()  # (name, value), set in every rank
    tolerance = 0.0  # greatest relative difference of a number: sums over ranks may run in another order
    seconds = 10  # approximate seconds of a run
    limit = 180  # seconds after which a run has failed

    def write_input(self, folder):
        """Writes the input files, the same every time."""
        raise NotImplementedError

    def command(self, ranks):
        raise NotImplementedError

    def read_output(self, text, folder):
        """Returns (numbers by printed name, seconds by name as measured by the program). `text` is its
        standard output, `folder` the folder where it ran. Raises ValueError if the run is not complete."""
        raise NotImplementedError


def write(folder, name, text):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write(text)


def read(folder, name):
    """Raises ValueError if the program has not written the file."""
    try:
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError as error:
        raise ValueError(f"it wrote no {name}") from error


def found(pattern, text, what):
    """Returns the groups of the pattern's first match. Raises ValueError, naming `what`, without a match."""
    match = re.search(pattern, text, re.MULTILINE)
    if not match:
        raise ValueError(f"its output is not complete: no {what}")
    return match


def numbered(pattern, text, what, least=1):
    """Returns every match of the pattern's last group, numbered, under a name made of the other groups and
    `what`. Raises ValueError if there are fewer than `least`."""
    numbers = {}
    for place, match in enumerate(re.finditer(pattern, text, re.MULTILINE), 1):
        numbers[" ".join((*match.groups()[:-1], what, str(place)))] = match.groups()[-1]
    if len(numbers) < least:
        raise ValueError(f"its output is not complete: {len(numbers)} times {what}, not {least}")
    return numbers
