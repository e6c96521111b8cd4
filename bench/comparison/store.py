"""Finished cells in files, so that they need not be measured again."""

import json
import os

from measuring.cluster import ClusterError
from measuring.units import path_text

from .measure import Record


class Store:
    """A folder with a file per cell and one that says by which settings all were measured."""

    def __init__(self, folder, settings):
        self._folder = folder
        os.makedirs(folder, exist_ok=True)
        path = os.path.join(folder, "settings.json")
        settings = json.loads(json.dumps(settings))  # tuples become lists, as in the file
        if not os.path.exists(path):
            _write(path, settings)
            return
        found = _read(path)
        for name in sorted(settings.keys() | found.keys()):
            if settings.get(name) != found.get(name):
                raise ClusterError(f"{path_text(folder)} was measured with {name} {found.get(name)}, now wanted is "
                                   f"{settings.get(name)}; give other --results, or --anew to lose the old ones")

    def load(self, name, cell):
        """The record of a cell measured before, or None."""
        path = self._path(name)
        found = _read(path) if os.path.exists(path) else None
        wanted = (cell.root, list(cell.sizes))
        is_it = found and (found["cell"]["root"], found["cell"]["sizes"]) == wanted
        return Record.from_json(cell, found) if is_it else None

    def save(self, name, record):
        _write(self._path(name), record.to_json())

    def _path(self, name):
        return os.path.join(self._folder, f"cell-{name}.json")


def _read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def _write(path, content):
    """As a whole: whoever is interrupted leaves the old file or the new one."""
    with open(path + ".new", "w", encoding="utf-8") as file:
        json.dump(content, file, indent=1)
    os.replace(path + ".new", path)
