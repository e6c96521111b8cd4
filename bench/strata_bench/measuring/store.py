"""Results in files, so that they are not measured again."""

import json
import os

from .cluster import ClusterError
from .files import read_json, write_json
from .units import path_text


class Store:
    """A folder with a file per cell and one with the settings of all measurements."""

    def __init__(self, folder, settings):
        self._folder = folder
        os.makedirs(folder, exist_ok=True)
        path = os.path.join(folder, "settings.json")
        settings = json.loads(json.dumps(settings))  # tuples become lists, as in the file
        if not os.path.exists(path):
            write_json(path, settings)
            return
        found = read_json(path)
        for name in sorted(settings.keys() | found.keys()):
            if settings.get(name) != found.get(name):
                raise ClusterError(f"{path_text(folder)} was measured with {name} {found.get(name)}, now wanted is "
                                   f"{settings.get(name)}; give other --results, or --anew to lose the old ones")

    def load(self, name):
        """Returns the data saved under this name, or None."""
        path = self._path(name)
        return read_json(path) if os.path.exists(path) else None

    def save(self, name, content):
        write_json(self._path(name), content)

    def _path(self, name):
        return os.path.join(self._folder, f"cell-{name}.json")
