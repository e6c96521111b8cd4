"""The cost model's choice and its close alternatives, from strata-topo, without a job."""

import dataclasses
import json
import subprocess

from ..measuring import units
from ..measuring.cluster import ClusterError

INFO_PREFIX = "strata_"
IN_FORCE = "in force"  # the contender without parameters
FORWARD = "forward"
SKIP = "skip"  # algorithm of a level
_SAME = 1.1  # times the predicted time


@dataclasses.dataclass(frozen=True)
class Contender:
    """One way to carry out an operation of one size."""

    name: str
    parameters: tuple = ()  # (name without coll_strata_, value); none: the choice in force
    predicted_us: float = 0


def info_keys(parameters):
    """Returns the predicted plan of a communicator with these parameters."""
    return {INFO_PREFIX + name: value for name, value in parameters}


@dataclasses.dataclass(frozen=True)
class Plans:
    """Plans of one operation and size."""

    operation: str
    size: int  # 0: without data
    chosen: Contender  # the choice in force, with the parameters that would request it
    contenders: tuple  # the choice in force, then the others
    before: str = IN_FORCE  # the contender that was in force before the links were measured
    before_text: str = ""

    @property
    def name(self):
        return f"{self.operation}-{self.size}" if self.size else self.operation


class Planner:
    """Asks `program` (strata-topo) about the job in the picture `dump`."""

    def __init__(self, program, dump, closeness):
        self._program, self._dump, self._closeness = program, dump, closeness

    def plans(self, operations, sizes, rules):
        """Returns all plans under a rules file (None: without), in the order of the program's answer."""
        call = [self._program, "--plans", "--from-dump", self._dump, "--op", ",".join(operations), "--sizes",
                ",".join(map(str, sizes)), "--candidates", self._closeness, "--format", "json",
                *(("--rules", rules) if rules else ())]
        done = subprocess.run(call, text=True, capture_output=True, check=False)
        if done.returncode:
            raise ClusterError(f"{done.stderr.strip() or self._program + ' failed'}")
        return [_plans(record) for record in json.loads(done.stdout)]


def _plans(record):
    operation = record["collective"]
    size = record["bytes"] if operation != "barrier" else 0
    chosen = _contender(operation, size, record["chosen"])
    others = [_contender(operation, size, one) for one in record["candidates"]]
    others.append(forward(operation, record["chosen"].get("forward_us", 0)))
    contenders = {chosen.parameters: dataclasses.replace(chosen, name=IN_FORCE, parameters=())}
    for one in others:
        contenders.setdefault(one.parameters, one)
    return Plans(operation, size, chosen, _named_apart(contenders.values()), before_text=chosen.name)


def with_before(plans, before):
    """Returns `plans` with another file's choice among the contenders."""
    chosen = before.chosen
    if chosen.parameters == plans.chosen.parameters:
        return plans
    same = [one.name for one in plans.contenders if one.parameters == chosen.parameters]
    more = () if same else (chosen,)
    contenders = _named_apart((*plans.contenders, *more))
    return dataclasses.replace(plans, contenders=contenders, before=same[0] if same else contenders[-1].name,
                               before_text=chosen.name)


def asks_for(parameters, operation, engine, levels):
    """Returns whether parameters name this engine and on each level this algorithm, both as the plugin
    prints them: "tree" and "switch0 chain/61440, node binomial/0; skips numa, core"."""
    given = dict(parameters)
    asked = given.get(f"{operation}_algorithm", engine)
    used, _, skipped = levels.partition("; skips ")
    did = dict(entry.split("/")[0].split(" ") for entry in used.split(", ")) if used else {}
    did.update(dict.fromkeys(filter(None, skipped.split(", ")), SKIP))
    wanted = dict(entry.rpartition("=")[::2] for entry in filter(None, given.get(f"{operation}_level_algorithms", "")
                                                                 .split(",")))
    return engine == asked and all(
        did.get(level, algorithm) == algorithm for level, algorithm in wanted.items())


def _named_apart(contenders):
    """The names of a cell's contenders are unique."""
    found = {}
    for one in contenders:
        name = one.name
        while name in found:
            name += "'"
        found[name] = dataclasses.replace(one, name=name)
    return tuple(found.values())


def forward(operation, predicted_us=0):
    return Contender(FORWARD, ((f"{operation}_algorithm", FORWARD),), predicted_us)


def forward_of(plans):
    """Returns the contender that passes everything through to Open MPI, or None."""
    name = IN_FORCE if plans.chosen.name == FORWARD else FORWARD
    return next((one for one in plans.contenders if one.name == name), None)


def hangs_on_order(here, there, order):
    """Returns why no rule may choose "forward", or "": in another order of the ranks (`there`), the model
    expects it to be slower than here, and than its alternative."""
    def forward_us(plans):
        return one.predicted_us if (one := forward_of(plans)) else 0

    instead = there.contenders[0].predicted_us
    if forward_us(there) <= max(_SAME * forward_us(here), instead):
        return ""
    return (f"depends on the order of the ranks: with {order} order the model expects {forward_us(there):.4g} µs of it "
            f"instead of {forward_us(here):.4g}")


def _contender(operation, size, plan):
    if plan["engine"] == FORWARD:
        return forward(operation, plan.get("forward_us") or plan.get("predicted_us", 0))
    parameters = plan.get("parameters") or _parameters(operation, plan)
    parameters = {name: str(value) for name, value in parameters.items()}
    segments = f"{operation}_segsize"
    if segments in parameters:
        parameters[segments] = _whole(parameters[segments], size)
    return Contender(_name(plan, size), tuple(sorted(parameters.items())), plan.get("predicted_us", 0))


def _parameters(operation, plan):
    """Returns the parameters that request a plan."""
    def listed(key):
        skipped = plan.get("skipped", ()) if key == "algorithm" else ()
        return ",".join([f"{level['level']}={level[key]}" for level in plan["levels"]]
                        + [f"{level['level']}={SKIP}" for level in skipped])

    return {f"{operation}_algorithm": plan["engine"], f"{operation}_level_algorithms": listed("algorithm"),
            f"{operation}_segsize": listed("segment")}


def _whole(segments, size):
    """Writes a segment that holds the whole message as 0, so that it stays the same for neighbouring sizes."""
    def one(entry):
        level, equals, text = entry.rpartition("=")
        return f"{level}{equals}{0 if text != '0' and units.parse_size(text) >= size else text}"

    return ",".join(map(one, segments.split(","))) if size else segments


def _name(plan, size):
    """Returns "tree switch0 chain/60K, node binomial without numa"; "tree binomial" if all levels are
    alike."""
    def one(level):
        segment = level.get("segment", 0)
        cut = f"/{segment >> 10}K" if segment and not segment % 1024 else f"/{segment}" if segment else ""
        return level["algorithm"] + (cut if segment < size else "")

    levels = {level["level"]: one(level) for level in plan.get("levels", ())}
    skipped = ", ".join(level["level"] for level in plan.get("skipped", ()))
    end = f" without {skipped}" if skipped else ""
    if len(levels) > 1 and len(set(levels.values())) == 1:
        return f"{plan['engine']} {levels.popitem()[1]}{end}"
    return f"{plan['engine']} {', '.join(' '.join(level) for level in levels.items())}".strip() + end
