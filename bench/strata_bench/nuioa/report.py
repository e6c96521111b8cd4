"""Tables and conclusions, compared with the paper's statements."""

import os

from ..measuring import units
from ..measuring.table import WORTH_A_SHARE, note_data, note_repetitions, speed_up

from .cases import ALLGATHER, BINDINGS, FIGURES, FIRST, GATHER, HEADLINE, REDUCE

FASTER, SHARE, ROOT_COST = 1.5, 0.90, 0.05  # targets: speed-up over no election, share of the limit, cost of a far root
REDUCE_FASTER = 1.4  # speed-up over no election, with a near root
BLOCKS_FASTER = 1.4  # speed-up over no election: a Gather to a far root, an Allgather
TITLES = {
    "headline": "Half of each node's ranks far, 4 nodes with 4 ranks",
    "5": "As the paper's figure 5: one rank per node, by binding",
    "8": "As the paper's figure 8: ranks per node",
    "9": "As the paper's figure 9: number of nodes (the paper: 8 ranks on each; here: 4)",
    "reduce": "Reduce: half of each node's ranks far, 4 nodes with 4 ranks",
    "gather": "Gather: half of each node's ranks far, 4 nodes with 4 ranks",
    "allgather": "Allgather: half of each node's ranks far, 4 nodes with 4 ranks",
}


def megabytes(size, milliseconds, receivers=1):
    """Returns throughput in MB/s (10^6 bytes)."""
    return size * receivers / milliseconds / 1e3


def receivers(case):
    """Returns the number of ranks in the aggregate throughput: all that receive or, towards a root, send."""
    return case.ranks - 1


def rank_bytes(case, size):
    """Returns the bytes that each of those receives or sends: in a Gather its own chunk."""
    return size / case.ranks if case.has_blocks and case.root else size


def _row(measurement, case, name, size):
    """Returns the row of one competitor at one size, at most 86 columns."""
    series = measurement.series[case][name]
    median = series.median(size)
    if median is None:
        return f"{name:>9} {'failed' if series.failure else 'no time':>8}"
    times = series.times[size]
    spread = f"{units.three_digits(min(times))}–{units.three_digits(max(times))}"
    share = f"{100 * measurement.limit(case, size) / median:.0f} %" if size >= WORTH_A_SHARE else ""
    elected = name == "strata" and case.can_elect
    gain = speed_up(series, measurement.series[case]["off"], size) if elected else None
    return (f"{name:>9} {units.three_digits(median):>8} {spread:>12} "
            f"{megabytes(rank_bytes(case, size), median):>8.1f} "
            f"{megabytes(rank_bytes(case, size), median, receivers(case)):>10.0f} {share:>8} {f'{gain:.2f}x' if gain else '':>9}")


def table(measurement, figures, sizes, paint):
    lines = []
    for figure in figures:
        lines += ["", paint(TITLES[figure], "bold"),
                  f"{'':18} {'median':>8} {'min–max':>12} {'MB/s per':>8} {'aggregate':>10} {'share of':>8} "
                  f"{'election':>9}",
                  f"{'size':>9}{'':9} {'ms':>8} {'ms':>12} {'rank':>8} {'MB/s':>10} {'limit':>8} "
                  f"{'gains':>9}"]
        for case in FIGURES[figure]:
            lines.append("  " + case.short_title())
            for size in sizes:
                for place, name in enumerate(measurement.series[case]):
                    start = "" if place else units.size_text(size)
                    lines.append(f"{start:>9}{_row(measurement, case, name, size)}".rstrip())
    return lines


def _limit_notes(measurement, case):
    plan, size = measurement.cluster.plan, max(measurement.effort.sizes)
    near, far = (units.three_digits(limit(case, size))
                 for limit in (measurement.limit, measurement.limit_of_lowest))
    if case.has_blocks:
        where = "the NIC of the root's node" if case.root else "every NIC"
        foreign = f"{case.ranks - case.per_node[0]} of {case.ranks}"
        return [f"Limit: of {units.size_text(size)} {foreign} chunks, those of other nodes, cross {where} "
                f"({plan.nic}):",
                f"{near} ms; the path to far ranks ({plan.far_mbit:g} Mbit/s) only where a node has no near one: "
                f"{far} ms."]
    return [f"Limit: a message of {units.size_text(size)} crosses each NIC ({plan.nic}) once: {near} ms; "
            "the path to far ranks",
            f"({plan.far_mbit:g} Mbit/s) only where a node has no near one: {far} ms. Aggregate: over all "
            "ranks but the root."]


def notes(measurement):
    plan = measurement.cluster.plan
    cases = {FIRST[name].has_blocks: FIRST[name] for name in reversed(measurement.operations())}.values()
    slow = "to the far ranks" if plan.far_direction == "receive" else "both directions"
    return ["", *note_repetitions(measurement),
            "strata: the leader of each node is near its NIC; off: it is the lowest rank, which is far",
            f"(coll_strata_nic none). Slow: {slow}. The root leads its own node in both;",
            "with election a NIC-local process receives for the far root of a Reduce or Gather.",
            *(line for case in cases for line in _limit_notes(measurement, case)),
            f"{os.cpu_count()} cores carry all ranks and all traffic: more ranks reach a smaller share of the "
            "limit."]


def _judged(text, good, paint):
    return paint(f"{text}: {'reached' if good else 'MISSED'}.", "green" if good else "red")


def _beside(measurement, case, ours, size):
    """Compares with Open MPI's own components in at most one line."""
    others = [f"{other / ours:.1f} times as fast as {name}" for name in ("tuned", "han")
              if (other := measurement.median(case, name, size))]
    return ["  " + ", ".join(others)] if others else []


def _headline(measurement, size, paint):
    case, near_root = HEADLINE
    off, on, moved = (measurement.median(case, "off", size), measurement.median(case, "strata", size),
                      measurement.median(near_root, "strata", size))
    if not (off and on and moved):
        return ["  No times."]
    share, cost = measurement.limit(case, size) / on, on / moved - 1
    lines = [_judged(f"  {off / on:.2f} times as fast as without election (target {FASTER:g})",
                     off / on >= FASTER, paint),
             _judged(f"  {100 * share:.0f} % of the near path's limit (target {100 * SHARE:.0f})",
                     share >= SHARE, paint)]
    lines += _beside(measurement, case, on, size)
    root = f"  a far root costs {100 * cost:+.1f} %"
    lowest = measurement.limit_of_lowest(case, size)
    sent = "its NIC: only the direction to the far ranks is slow"
    if measurement.cluster.plan.far_direction == "receive":
        lines.append(_judged(f"{root} (target less than {100 * ROOT_COST:.0f})", cost < ROOT_COST, paint))
    else:
        lines.append(f"{root}: it sends through the slow path")
        sent = "the slow path and its NIC"
    return lines + [f"  Paths: rank 0 is far and sends through {sent}.",
                    "  It sends to the leader of another node. With election that one is near; without, the "
                    "message",
                    f"  takes the slow path, which allows {units.three_digits(lowest)} ms at best "
                    f"({100 * lowest / off:.0f} % of that reached)."]


def _reduce(measurement, size, paint):
    near_root, far_root = REDUCE
    off, on = (measurement.median(near_root, name, size) for name in ("off", "strata"))
    if not (off and on):
        return ["  No times."]
    lines = [_judged(f"  {off / on:.2f} times as fast as without election, to a near root (target "
                     f"{REDUCE_FASTER:g})", off / on >= REDUCE_FASTER, paint),
             f"  {100 * measurement.limit(near_root, size) / on:.0f} % of the near path's limit"]
    lines += _beside(measurement, near_root, on, size)
    far_off, far_on = (measurement.median(far_root, name, size) for name in ("off", "strata"))
    if far_off and far_on:
        lines.append(f"  to a far root: {far_off / far_on:.2f} times as fast; a NIC-local process receives "
                     "for it")
    lowest = measurement.limit_of_lowest(near_root, size)
    return lines + ["  Paths: partial sums stream from leader to leader towards the root. With election the "
                    "receiving",
                    "  leaders are near; without, sums take the slow path, which allows "
                    f"{units.three_digits(lowest)} ms at best",
                    f"  ({100 * lowest / off:.0f} % of that reached)."]


def _blocks(measurement, case, size, paint, whom):
    """Compares without and with election, and with the limit; None without times."""
    off, on = (measurement.median(case, name, size) for name in ("off", "strata"))
    if not (off and on):
        return None
    return [_judged(f"  {off / on:.2f} times as fast as without election{whom} (target {BLOCKS_FASTER:g})",
                    off / on >= BLOCKS_FASTER, paint),
            f"  {100 * measurement.limit(case, size) / on:.0f} % of the near path's limit",
            *_beside(measurement, case, on, size)]


def _slow_path(measurement, case, size):
    lowest = measurement.limit_of_lowest(case, size)
    return (f"  slow path, which allows {units.three_digits(lowest)} ms at best "
            f"({100 * lowest / measurement.median(case, 'off', size):.0f} % of that reached).")


def _gather(measurement, size, paint):
    far_root, near_root = GATHER
    lines = _blocks(measurement, far_root, size, paint, ", to a far root")
    if lines is None:
        return ["  No times."]
    off, on = (measurement.median(near_root, name, size) for name in ("off", "strata"))
    if off and on:
        lines.append(f"  to a near root: {off / on:.2f} times as fast; no process is nearer")
    return lines + ["  Paths: all chunks of other nodes come through the root's NIC. With election a NIC-local "
                    "process",
                    "  receives for a far root and passes them on through shared memory. Without, they take the",
                    _slow_path(measurement, far_root, size)]


def _allgather(measurement, size, paint):
    case = ALLGATHER[0]
    lines = _blocks(measurement, case, size, paint, "")
    if lines is None:
        return ["  No times."]
    return lines + ["  Paths: the leader of every node receives the chunks of all others. Without "
                    "election by the",
                    _slow_path(measurement, case, size)]


def _percent(ours, theirs):
    """Returns the gain in throughput from two times."""
    return f"{100 * (theirs / ours - 1):+.0f} %" if ours and theirs else "no time"


def _figure_5(measurement, size, _paint):
    time = {case: measurement.median(case, "strata", size) for case in BINDINGS}
    far_far, near_far, far_near, near_near = (time[case] for case in BINDINGS)
    return ["  Paper: only the binding of the others counts, up to 50 % more throughput when they are near;",
            "  binding the root near does not help.",
            f"  Here: others near {_percent(far_near, far_far)} with a far root, "
            f"{_percent(near_near, near_far)} with a near one;",
            f"  root near {_percent(near_far, far_far)} with far others, "
            f"{_percent(near_near, far_near)} with near ones."]


def _gains(measurement, cases, size, unit):
    return ", ".join(f"{_percent(*(measurement.median(case, name, size) for name in ('strata', 'off')))} "
                     f"with {unit(case)}" for case in cases if case.can_elect)


def _figure_8(measurement, size, _paint):
    near = bool(measurement.median(BINDINGS[-2], "strata", size))
    alone = _percent(*(measurement.median(case, "strata", size) for case in (BINDINGS[-2], BINDINGS[0])))
    return ["  Paper: +50 % with 1 process per node, falling to +10 % with 8.",
            f"  Here: {_gains(measurement, FIGURES['8'], size, lambda case: case.each)} per node. "
            + "With 1 there is no",
            "  election" + (f" (binding the others near: {alone})." if near else ".")]


def _figure_9(measurement, size, _paint):
    return ["  Paper: +2 % with 2 nodes, +10 % with 8: its root sends to one leader after the other.",
            f"  Here: {_gains(measurement, FIGURES['9'], size, lambda case: case.nodes)} nodes.",
            "  The message streams from leader to leader: two nodes already show what the slow path costs."]


_VERDICTS = {"headline": _headline, "5": _figure_5, "8": _figure_8, "9": _figure_9, "reduce": _reduce,
             "gather": _gather, "allgather": _allgather}


def verdict(measurement, figures, paint):
    size = max(measurement.effort.sizes)
    lines = []
    for figure in figures:
        lines += ["", paint(f"{TITLES[figure]}, {units.size_text(size)}:", "bold"),
                  *_VERDICTS[figure](measurement, size, paint)]
    return lines + ["", *note_data(measurement, paint)]
