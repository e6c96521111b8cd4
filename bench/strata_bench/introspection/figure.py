"""What a module of figures offers to command_line:

  FIGURES             names for --figure
  FILES               regular expression of the files that it writes beside table.txt and measurements.json
  add_options(parser) options of its own, in a group of their own
  measure(names, setting) -> Findings       of the figures that are wanted; clusters are its own business
"""

import contextlib
import dataclasses

from ..measuring import command, place


@dataclasses.dataclass(frozen=True)
class Setting:
    """Where and how much is measured."""

    options: object  # of the command line
    built: command.Built
    folder: str  # of the results, with a folder `logs`
    progress: object

    @contextlib.contextmanager
    def cluster(self, shape, description):
        """A cluster of that shape (options of bench/cluster up), kept if that is wanted."""
        self.progress.show("building the cluster")
        with place.opened(self.built.relay, shape, keep=self.options.keep_cluster) as cluster:
            self.progress.step(f"cluster is up: {description}")
            yield cluster
        command.say_kept(cluster, self.progress)


class Findings:
    """What was measured; a module derives from it."""

    def text(self, paint):
        """Lines: tables, then what they say beside the paper's statements."""
        raise NotImplementedError

    def failures(self):
        """A line for everything that is wrong, for which the command fails."""
        raise NotImplementedError

    def to_json(self):
        """For measurements.json, under the name of the module."""
        raise NotImplementedError

    def draw(self, folder):
        """Pictures: (paths, why some are missing). `folder`: where they go."""
        del folder
        return [], ""
