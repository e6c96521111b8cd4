"""The rules file and the tuner's part of it.

For every shape of job (ranks, levels, their groups) the tuner owns one map per collective: the engine by
size, and the algorithm and segment on each level. Its rules stand before all others, so that they hold, and
are identified by their comment. Sizes outside the map keep the later rules of a person, and the model.
"""

import dataclasses
import json
import math
import os

from ..measuring.cluster import ClusterError
from ..measuring.units import parse_size

_MARK = "tuned for "
_NO_END = 1 << 62


@dataclasses.dataclass(frozen=True)
class Shape:
    """The shape for which rules hold: exactly this many ranks, and the participants of the largest group of
    each level."""

    ranks: int
    text: str
    participants: tuple  # (level, number)

    @property
    def comment(self):
        return _MARK + self.text

    def conditions(self):
        """Returns the conditions of a rule."""
        return {"ranks": _exactly(self.ranks),
                "hierarchy": [{"level": level, "group": _exactly(number)} for level, number in self.participants]}


def choice(operation, parameters):
    """Returns the body of a rule that requests the same as these parameters, as comparable text."""
    given = {name.removeprefix(operation + "_"): value for name, value in parameters}
    body = {"engine": given.pop("algorithm", "auto")}
    levels = {}
    for key, rule_key, of in (("level_algorithms", "algorithm", str), ("segsize", "segment", _segment)):
        for entry in filter(None, given.pop(key, "").split(",")):
            level, _, value = entry.rpartition("=")
            levels.setdefault(level, {})[rule_key] = of(value)
    if given:
        raise ValueError(f"no rule can set {', '.join(sorted(given))}")
    if levels:
        body["levels"] = [{**({"level": level} if level else {}), **values} for level, values in levels.items()]
    return json.dumps(body)


def _segment(text):
    return 0 if text == "0" else parse_size(text)


class Ranges:
    """A map of sizes to choices: pieces [from, below) that do not overlap, ascending."""

    def __init__(self, pieces=()):
        self.pieces = list(pieces)  # (from, below, choice)

    def paint(self, first, below, what):
        """Sets the choice of a piece; None removes it."""
        kept = []
        for low, high, old in self.pieces:
            kept += [(low, min(high, first), old)] if low < first else []
            kept += [(max(low, below), high, old)] if high > below else []
        self.pieces = sorted(kept + ([(first, below, what)] if what is not None else []))
        self._merge()

    def _merge(self):
        merged = []
        for piece in self.pieces:
            if merged and merged[-1][1] == piece[0] and merged[-1][2] == piece[2]:
                merged[-1] = (merged[-1][0], *piece[1:])
            else:
                merged.append(piece)
        self.pieces = merged

    def at(self, size):
        return next((what for low, high, what in self.pieces if low <= size < high), None)


def bounds(sizes):
    """Returns {size: (from, below)}: up to the geometric mean with the next measured size, and no further
    than measured."""
    sizes = sorted(sizes)
    middles = [math.isqrt(one * other) + 1 for one, other in zip(sizes, sizes[1:])]
    return dict(zip(sizes, zip([sizes[0], *middles], [*middles, sizes[-1] + 1])))


class RulesFile:
    """A rules file: read by read(), written by write()."""

    def __init__(self, links=(), own=None, others=()):
        self.links = list(links)
        self.own = own or {}  # by collective: Ranges
        self.others = list(others)  # rules of people and for other shapes

    def paint(self, operation, size_bounds, what):
        """`size_bounds` is None for an operation without data."""
        self.own.setdefault(operation, Ranges()).paint(*(size_bounds or (0, _NO_END)), what)

    def without_own(self):
        return RulesFile(self.links, {}, self.others)

    def rules(self, shape):
        return [_rule(operation, piece, shape) for operation, ranges in self.own.items()
                for piece in ranges.pieces] + self.others

    def write(self, path, shape, comment):
        """Writes one entry per line, as a whole or not at all."""
        def block(name, entries):
            lines = ",\n".join("    " + json.dumps(entry, ensure_ascii=True) for entry in entries)
            return f'  "{name}": [' + (f"\n{lines}\n  ]" if entries else "]")

        parts = ['  "version": 1', f'  "comment": {json.dumps(comment)}', block("links", self.links),
                 block("rules", self.rules(shape))]
        with open(path + ".new", "w", encoding="utf-8") as file:
            file.write("{\n" + ",\n".join(parts) + "\n}\n")
        os.replace(path + ".new", path)


def read(path, shape):
    """Reads a file; an absent one is empty. The planner checks its grammar."""
    if path is None:
        return RulesFile()
    try:
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
    except (OSError, ValueError) as error:
        raise ClusterError(f"{path}: {error}") from error
    own, others = {}, []
    for rule in found.get("rules", ()):
        if rule.get("comment") == shape.comment:
            limits = rule.get("bytes", {})
            body = json.dumps({key: rule[key] for key in ("engine", "levels") if key in rule})
            own.setdefault(rule["collective"], Ranges()).paint(
                limits.get("from", 0), limits.get("below", _NO_END), body)
        else:
            others.append(rule)
    return RulesFile(found.get("links", ()), own, others)


def _rule(operation, piece, shape):
    first, below, what = piece
    limits = {**({"from": first} if first else {}), **({"below": below} if below < _NO_END else {})}
    return {"collective": operation, **({"bytes": limits} if limits else {}),
            **shape.conditions(), **json.loads(what), "comment": shape.comment}


def _exactly(count):
    return {"from": count, "below": count + 1}
