"""Common part of all figures."""

import abc
import os

from ..measuring import files


class Figure(abc.ABC):
    """Attributes: name, title, statement (of the paper)."""

    @abc.abstractmethod
    def runs(self):
        """Returns the runs to simulate."""

    @abc.abstractmethod
    def text(self, found):
        """Returns the table for people. `found` is runs.Found of these runs."""

    @abc.abstractmethod
    def table(self, found):
        """Returns the same as (columns, rows)."""

    @abc.abstractmethod
    def reached(self, found):
        """Returns whether the paper's statement holds here, too."""

    @abc.abstractmethod
    def draw(self, found, base):
        """Writes base.svg and base.png. Returns (paths, error)."""

    def write(self, found, folder):
        """Writes the table for people, and as CSV. Returns the paths."""
        paths = [os.path.join(folder, self.name + ending) for ending in (".txt", ".csv")]
        files.write_text(paths[0], self.text(found).split("\n"))
        files.write_csv(paths[1], *self.table(found))
        return paths
