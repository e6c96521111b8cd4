"""Folders for results. A benchmark deletes the contents of a folder only if a benchmark made it, which a
marker shows."""

import json
import os

from .cluster import ClusterError

MARKER = ".strata-results"
_MARK = "A benchmark of coll/strata made this folder. Its next run deletes and replaces what is in it.\n"

# Keys of the files that runs left before there was a marker; any of these sets identifies one.
_OLDER = {
    "measurements.json": ({"unit", "rounds", "cluster", "cases"},
                          {"ranks", "rounds", "left_out", "applications"},
                          {"operation", "costs", "starts"},
                          {"unit", "settings", "verdict", "records"},
                          {"unit", "settings", "shape", "cells"}),
    "summary.json": ({"places", "rows"},),
    os.path.join("cells", "settings.json"): ({"place", "parameters", "build"},),
    os.path.join("check-cells", "settings.json"): ({"place", "parameters", "build"},),
}
_INTROSPECTED = {"examples", "reordering", "monitoring"}  # some keys of measurements.json


def check(path):
    """Raises ClusterError if the folder may hold the user's files."""
    try:
        found = os.listdir(path)
    except FileNotFoundError:
        return
    if found and not os.path.isfile(os.path.join(path, MARKER)) and not _is_older(path):
        raise ClusterError(f"--results {path}: this folder is not empty, and no benchmark has made it; give a new or "
                           "empty one, or, if whatever is in it may be deleted, make a file "
                           f"{os.path.join(path, MARKER)}")


def claim(path):
    """Makes the folder with the marker. Returns its absolute path."""
    check(path)
    folder = os.path.abspath(path)
    os.makedirs(folder, exist_ok=True)
    marker = os.path.join(folder, MARKER)
    if not os.path.exists(marker):
        with open(marker, "w", encoding="utf-8") as file:
            file.write(_MARK)
    return folder


def _is_older(folder):
    for name, known in _OLDER.items():
        keys = _keys_of(os.path.join(folder, name))
        if any(wanted <= keys for wanted in known):
            return True
        if name == "measurements.json" and keys and keys <= _INTROSPECTED:
            return True
    return False


def _keys_of(path):
    """Returns the keys of the object in a file; none if it holds none."""
    try:
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
    except (OSError, ValueError):
        return set()
    return set(found) if isinstance(found, dict) else set()
