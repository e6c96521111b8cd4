"""How a job with a fault ended, whether the fault took effect, and the differences from a job without the plugin."""
import os
import re
import time
from dataclasses import dataclass, field

from nodes import TIMED_OUT

REFERENCE = "tuned"
SERVERS = ("tree", "levels", "ring", "rails")
WHOLE = 2048  # bytes of an Allreduce that goes whole over one rail
SLACK = 6  # seconds
NOT_OUTLIVED = "did not outlive the victim by a second"
SECOND_HAND = ("16",)  # MPI_ERR_OTHER, from Open MPI's OMPI_ERROR


@dataclass
class Seen:
    """How a job ended. seconds: from the fault to the end."""
    end: str  # "success", "ended" or "no end"
    seconds: float
    struck: int
    wrong: list = field(default_factory=list)
    errors: list = field(default_factory=list)  # error classes that ranks returned
    output: str = ""
    unproven: list = field(default_factory=list)  # why the fault had no effect, or hit another call
    served: dict = field(default_factory=dict)  # of rank 0, by operation: calls by engine
    left: list = field(default_factory=list)  # operations that the plugin itself chose to pass through

    @property
    def engines(self):
        """Returns the engines that served the calls before the fault, as text."""
        words = {f"{count} {name}" for counts in self.served.values() for name, count in counts.items()}
        return ", ".join(sorted(words))


def judge_files(folder, outcome, job, complaints=()):
    """`job`: has fault, operations, engine, ranks and victim. `complaints`: why the fault had no effect, so far."""
    now = time.time()
    names = sorted(os.listdir(folder))
    struck = [name for name in names if name.startswith("struck.")]
    since = min([os.stat(os.path.join(folder, name)).st_mtime for name in struck], default=now)
    if outcome.status == TIMED_OUT:
        end = "no end"
    else:
        end = "success" if outcome.status == 0 and "passed on" in outcome.output else "ended"
    served = read_served(folder, names)
    unproven = [*complaints, *fault_complaints(job, names), *engine_complaints(job, served)]
    return Seen(end, now - since, len(struck), [name for name in names if name.startswith("wrong.")],
                sorted({name.split(".")[2] for name in names if name.startswith("error.")}), outcome.output,
                unproven, {operation: reported_by(ranks) for operation, ranks in served.items()},
                [operation for operation, ranks in served.items() if job.engine == "auto" and are_left(ranks)])


def read_served(folder, names):
    """Returns the program's notes by operation and rank: {"calls": 4, "coll_strata_comm_tree": 4, ...}."""
    served = {}
    for name in names:
        if name.startswith("served."):
            _, operation, rank = name.split(".")
            with open(os.path.join(folder, name), encoding="ascii") as file:
                counts = {word: int(count) for word, count in (line.split() for line in file)}
            served.setdefault(operation, {})[int(rank)] = counts
    return served


def reported_by(ranks):
    """Returns the lowest rank's counts without zeros: by engine, or by the reason for passing calls through."""
    counts = ranks[min(ranks)]
    return {name: count for name in (*SERVERS, *(f"forward_{why}" for why in reasons(counts)))
            if (count := counts.get(f"coll_strata_comm_{name}", 0))}


def reasons(counts):
    beginning = "coll_strata_comm_forward_"
    return [name[len(beginning):] for name in counts if name.startswith(beginning)]


def are_left(ranks):
    """Returns whether all ranks passed all calls through because the plugin predicts no gain."""
    return all(counts.get("coll_strata_comm_forward_model", 0) == counts["calls"] for counts in ranks.values())


def engine_complaints(job, served):
    """Returns why the fault did not hit the engine in question. A fault in the very first call has no earlier calls;
    fault_complaints() reports what it hit."""
    if job.fault.at == 0 and not job.fault.survivable:
        return []
    found = []
    for operation in job.operations:
        ranks = served.get(operation, {})
        if len(ranks) < job.ranks:
            found.append(f"{job.ranks - len(ranks)} ranks do not say what served {operation} before the fault")
            continue
        if job.engine == "auto" and are_left(ranks):
            continue  # reported by remarks()
        one_rail = job.engine == "rails" and operation == "allreduce" and job.fault.bytes <= WHOLE
        engine = "tree" if one_rail else job.engine
        wrong = {rank: why for rank, counts in sorted(ranks.items()) if (why := other_server(engine, counts))}
        if wrong:
            rank = min(wrong)
            found.append(f"{operation} was not served by {engine}: on rank {rank} {wrong[rank]}")
    return found


def other_server(engine, counts):
    """Returns what served calls instead; empty if all is well."""
    by_engine = {name: counts[f"coll_strata_comm_{name}"] for name in SERVERS if f"coll_strata_comm_{name}" in counts}
    if engine == REFERENCE:
        return "by the plugin" if by_engine else None
    if not by_engine:
        return "there is no plugin"
    # Without parameters the plugin chooses freely.
    served = sum(by_engine.values()) if engine == "auto" else by_engine.get(engine, 0)
    if served > 0 and (engine == "auto" or served == counts["calls"]):
        return None
    others = reported_by({0: counts})
    return "by " + (", ".join(f"{name}: {count}" for name, count in others.items()) or "no component")


def fault_complaints(job, names):
    """Returns why the victim's own notes do not show the fault in question."""
    fault, found = job.fault, []
    for operation in job.operations:
        if f"struck.{operation}" not in names:
            continue  # counted elsewhere
        if fault.kind == "stop" and f"stopped.{operation}" not in names:
            found.append(f"the victim was never stopped in {operation}")
        if fault.when == "message" and job.engine != REFERENCE and f"hit.{operation}.agreement" not in names:
            hit = [name.split(".")[2] for name in names if name.startswith(f"hit.{operation}.")]
            where = {"message": "a message of a collective", "returned": "after the call"}
            found.append(f"the fault did not hit the agreement, but {where.get(hit[0]) if hit else 'an unknown call'}")
    if fault.outlived:
        gone = [rank for rank in range(job.ranks) if rank != job.victim and f"outlived.{rank}" not in names]
        if gone:
            found.append(f"ranks {','.join(map(str, gone))} {NOT_OUTLIVED}")
    return found


def deviations(fault, operations, seen, reference, slack=SLACK):
    """Returns what is wrong, or differs from a job without the plugin; empty if all is well."""
    found = list(seen.unproven)
    if seen.wrong or "WRONG" in seen.output:
        found.append("WRONG data: " + "; ".join(re.findall(r"interrupted: .*WRONG.*", seen.output) or seen.wrong))
    if fault.kind != "none" and seen.struck != (len(operations) if fault.survivable else 1):
        found.append(f"the fault struck {seen.struck} times")
    if fault.survivable and seen.end != "success":
        found.append("no end within the limit" if seen.end == "no end" else "did not survive")
    if not fault.survivable and seen.end == "success":
        found.append("success in spite of the fault")
    if reference and not fault.survivable:
        found += differences(fault, seen, reference, slack)
    return found


def differences(fault, seen, reference, slack):
    found = []
    if seen.end == "no end" and reference.end != "no end":
        found.append(f"no end within the limit, tuned: {reference.end}")
    elif seen.end == reference.end == "ended" and seen.seconds > reference.seconds + slack:
        found.append(f"ended {seen.seconds:.1f} s after the fault, tuned: {reference.seconds:.1f} s")
    # Whether a rank gets an error before mpirun or another rank ends it is a matter of microseconds: a rank without
    # an error is no witness, and without any to compare all may be right. Both jobs get their messages from the same
    # layer, so its report of a dead peer is the same. Only in an agreement a rank may learn of a failure from
    # another rank; coll/tuned has no such messages.
    legitimate = {*reference.errors, *(SECOND_HAND if fault.when == "message" else ())}
    others = [error for error in seen.errors if error not in legitimate]
    if reference.errors and others:
        found.append(f"error class {'/'.join(others)}, tuned: {'/'.join(reference.errors)}")
    return found


def remarks(fault, seen, reference):
    """Returns what is no deviation, but weakens the evidence of an ending."""
    noted = [f"auto leaves {','.join(seen.left)} to tuned"] if seen.left else []
    if reference and reference.end == "no end" and not fault.survivable:
        noted.append("hangs, as tuned does" if seen.end == "no end" else f"{seen.end}, where tuned hangs")
    return noted


def cannot_be_done(release, seen):
    """Returns why a fault has no effect with a release of Open MPI, judged by a job without the plugin; empty if it
    has. The settings that make mpirun leave the other ranks alone work on 4.1 and 5.0.7; where MPI ends them all the
    same, there is no such fault."""
    if release >= 5 and seen.unproven and all(NOT_OUTLIVED in text for text in seen.unproven):
        return f"not with Open MPI {release}.0: {'; '.join(seen.unproven)}"
    return None
