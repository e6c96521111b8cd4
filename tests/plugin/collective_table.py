"""The collectives as algorithms/base/collectives.def lists them."""
import os
import re

_FILE = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", "algorithms", "base", "collectives.def")


def _rows():
    with open(_FILE, encoding="utf-8") as file:
        return re.findall(r"^STRATA_COLLECTIVE\((\w+)(.*?)(?=^STRATA_COLLECTIVE|\Z)", file.read(),
                          re.MULTILINE | re.DOTALL)


def names():
    return [name for name, _ in _rows()]


def having(trait):
    """Returns the collectives with a trait, such as "by_ring"."""
    return [name for name, traits in _rows() if re.search(rf"\.{trait} = true\b", traits)]


def of_engine(engine):
    """Returns the collectives that an engine serves: all, unless it has a trait such as "by_ring"."""
    if engine == "node":
        return [name for name, traits in _rows() if ".sized = false" not in traits]
    return having(f"by_{engine}") or names()
