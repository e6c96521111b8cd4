"""The interface of a module of figures for command_line:
  FIGURES             names for --figure
  FILES               regular expression of the files that it writes beside table.txt and measurements.json
  add_options(parser) its own options, in their own group
  measure(names, setting) -> Findings       of the wanted figures; the module makes its own clusters"""

import contextlib
import dataclasses

from ..measuring import command, place


@dataclasses.dataclass(frozen=True)
class Setting:
    """Setting of a measurement."""

    options: object  # options of the command line
    built: command.Built
    folder: str  # folder of the results, with a folder `logs`
    progress: object

    @contextlib.contextmanager
    def cluster(self, shape, description):
        """Returns a cluster of that shape (options of bench/cluster up), kept if requested."""
        self.progress.show("building the cluster")
        with place.opened(self.built.relay, shape, keep=self.options.keep_cluster) as cluster:
            self.progress.step(f"cluster is up: {description}")
            yield cluster
        command.say_kept(cluster, self.progress)


class Findings:
    """Results; a module derives its own class."""

    def text(self, paint):
        """Returns lines: tables, then conclusions compared with the paper's statements."""
        raise NotImplementedError

    def failures(self):
        """Returns a line for every error, for which the command fails."""
        raise NotImplementedError

    def to_json(self):
        """Returns the data for measurements.json, under the name of the module."""
        raise NotImplementedError

    def draw(self, folder):
        """Writes pictures to `folder`. Returns (paths, error)."""
        del folder
        return [], ""
