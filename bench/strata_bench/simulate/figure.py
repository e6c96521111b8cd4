"""What figures of all kinds have in common."""

import abc
import os

from ..measuring import files


class Figure(abc.ABC):
    """Attributes: name, title, statement (what the paper says)."""

    @abc.abstractmethod
    def runs(self):
        """What has to be simulated."""

    @abc.abstractmethod
    def text(self, found):
        """The table for people. `found`: runs.Found of these runs."""

    @abc.abstractmethod
    def table(self, found):
        """The same as (columns, rows)."""

    @abc.abstractmethod
    def reached(self, found):
        """Whether what the paper says holds here, too."""

    @abc.abstractmethod
    def draw(self, found, base):
        """Writes base.svg and base.png; returns (paths, why something is missing)."""

    def write(self, found, folder):
        """The table for people, and as CSV; returns the paths."""
        paths = [os.path.join(folder, self.name + ending) for ending in (".txt", ".csv")]
        files.write_text(paths[0], self.text(found).split("\n"))
        files.write_csv(paths[1], *self.table(found))
        return paths
