"""An artificial cluster for bench/tune: its contenders, a rules file's choice, and actual times.

It has three contenders besides forward (the last one excludes a level); the model chooses "near" for all
sizes. In fact "small" is a quarter faster below 1 KiB, "large" a third faster from 64 KiB on, and in
between "small" is one percent faster, which does not justify a rule.
"""

import json
import os

RANKS = 8
PICTURE = {"ranks": RANKS, "links": [{"level": "cluster", "latency_us": 77.5}], "levels": [
    {"kind": "cluster", "groups": [{"leader": 0, "members": list(range(8))}]},
    {"kind": "node", "groups": [{"name": "n0", "leader": 0, "members": [0, 1, 2, 3]},
                                {"name": "n1", "leader": 5, "members": [4, 5, 6, 7]}]}]}
FORWARD = {"engine": "forward"}
WAYS = {
    "near": {"engine": "tree", "levels": [{"level": "cluster", "algorithm": "chain", "segment": 61440},
                                          {"level": "node", "algorithm": "binomial", "segment": 0}]},
    "small": {"engine": "tree", "levels": [{"level": "cluster", "algorithm": "linear", "segment": 0},
                                           {"level": "node", "algorithm": "linear", "segment": 0}]},
    "large": {"engine": "tree", "levels": [{"level": "cluster", "algorithm": "knomial:4", "segment": 61440},
                                           {"level": "node", "algorithm": "binomial", "segment": 8192}],
              "skipped": [{"level": "numa"}]},
}
LATENCY_US, OVERHEAD_US, RATE = 20.0, 2.0, 1000.0  # of every link; RATE in bytes per microsecond


def chosen(rules, operation, size):
    """Returns the name of the contender that a rules file (its content, or None) chooses."""
    engine, levels = None, {}
    for rule in (rules or {}).get("rules", ()):
        limits = rule.get("bytes", {})
        if (rule["collective"] != operation or not rule["ranks"]["from"] <= RANKS < rule["ranks"]["below"]
                or not limits.get("from", 0) <= size < limits.get("below", 1 << 62)
                or any(need["group"]["from"] != {"cluster": 2, "node": 4}[need["level"]]
                       for need in rule.get("hierarchy", ()))):
            continue
        engine = engine or rule["engine"]
        for entry in rule.get("levels", ()):
            levels.setdefault(entry["level"], entry)
    if engine == "forward":
        return "forward"
    if not levels:
        misled = os.environ.get("STRATA_FAKE") == "misled" and (rules or {}).get("links")
        return "large" if misled else "near"
    return _named([{"level": level, "algorithm": entry["algorithm"], "segment": entry.get("segment", 0)}
                   for level, entry in levels.items()], size)


def of_info(info, operation, size):
    """Returns the same for info keys."""
    told = {key.removeprefix(f"strata_{operation}_"): value for key, value in info.items()}
    if told["algorithm"] == "forward":
        return "forward"
    algorithms, segments = (dict(entry.split("=") for entry in told[key].split(","))
                            for key in ("level_algorithms", "segsize"))
    return _named([{"level": level, "algorithm": algorithms[level], "segment": int(segments.get(level, 0))}
                   for level in algorithms], size)


def _named(levels, size):
    """A segment that holds the whole message counts as none."""
    def plain(entries):
        return {entry["level"]: (entry["algorithm"], entry["segment"] if entry["segment"] < (size or 1) else 0)
                for entry in entries}

    return next(name for name, way in WAYS.items() if plain(
        way["levels"] + [{**one, "algorithm": "skip", "segment": 0} for one in way.get("skipped", ())]) == plain(levels))


def predicted_us(name, size):
    base = 50 + size / 500
    return base * {"near": 1, "small": 1.1, "large": 1.2, "forward": 2}[name]


def true_us(name, size):
    base = 80 + size / 400
    if name == "small":
        return base * (0.75 if size < 1024 else 0.99 if size < 65536 else 1.4)
    if name == "large":
        return base * (1.3 if size < 65536 else 0.67)
    return base * {"near": 1, "forward": 1.8}[name]


def load(path):
    if not path:
        return None
    with open(path, encoding="utf-8") as file:
        return json.load(file)
