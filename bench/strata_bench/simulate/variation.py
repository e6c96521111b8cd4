"""Machines with one changed number of their description."""

import json
import os

from ..measuring.files import read_json
from ..measuring.folders import BENCH

MACHINES = os.path.join(BENCH, "simgrid", "machines")
_OF_LINKS = ("latency_us", "mbytes_per_s", "bus_mbytes_per_s")
_OF_ALL = ("overhead_us", "combine_mbytes_per_s", "far_receive_mbytes_per_s")
FACTORS = (0.5, 2)


def variations(machine):
    """Returns [(label, level or None, key, factor)] of every number, halved and doubled."""
    description = _read(machine)
    found = [(f"{link['level']} {key} x {factor:g}", link["level"], key, factor)
             for link in description["links"] for key in _OF_LINKS if link.get(key) for factor in FACTORS]
    return found + [(f"{key} x {factor:g}", None, key, factor)
                    for key in _OF_ALL if description.get(key) for factor in FACTORS]


def varied(machine, level, key, factor):
    """Returns the description as text. If a latency would fall below that of an inner level, or rise above
    that of an outer one, changes these as well, so that latencies never fall outwards."""
    description = _read(machine)
    if level is None:
        description[key] *= factor
        return json.dumps(description)
    links = description["links"]
    place = next(place for place, link in enumerate(links) if link["level"] == level)
    links[place][key] *= factor
    if key == "latency_us":
        for link in links[:place]:
            link[key] = max(link[key], links[place][key])
        for link in links[place + 1:]:
            link[key] = min(link[key], links[place][key])
    return json.dumps(description)


def _read(machine):
    return read_json(os.path.join(MACHINES, f"{machine}.json"))
