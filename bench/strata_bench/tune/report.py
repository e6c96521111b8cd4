"""Results: a Markdown report, a table for the terminal, CSV and JSON."""

import dataclasses

from ..measuring import operations, units
from ..measuring.files import write_csv, write_json

from .cells import FINAL, RECOUNT
from .decide import broken, links_given, share
from .jobs import ROOT
from .plans import IN_FORCE

SHARES = (0.05, 0.10)


@dataclasses.dataclass
class Findings:
    """Contents of a report."""

    title: str
    shape: str
    order: str  # order of the ranks
    links: list  # links of this run: (Link, the model's values without rules or {})
    decisions: list
    checking: bool
    spent: float  # seconds
    budget: float
    files: dict  # purpose: path
    problems: list = dataclasses.field(default_factory=list)

    @property
    def measured(self):
        return [one for one in self.decisions if one.ratio is not None]

    @property
    def missing(self):
        """Returns cells that had a choice and no time."""
        return [one for one in self.decisions if one.ratio is None and len(one.cell.plans.contenders) > 1
                and not one.cell.failure and not one.cell.failed]

    @property
    def changes(self):
        return [one for one in self.decisions if one.changes]

    @property
    def is_open(self):
        """Returns whether the same command continues. After a tuning the next one starts from its rules."""
        return self.checking and bool(self.missing)

    @property
    def has_after(self):
        """Returns whether the decisions are in force from now on."""
        return not (self.checking or self.problems)


def markdown(found, pictures):
    lines = [f"# {found.title}", "", f"{found.shape}; {found.order}, root {ROOT}.", "", *_summary(found), ""]
    lines += [f"![{text}]({path})" for text, path in pictures] + [""] * bool(pictures)
    if found.links:
        lines += ["## Links", "", *_link_rows(found.links), ""]
    lines += ["## Cells", "", "Microseconds from an agreed start to the end: median and its 95 % interval. *Ratio*: the "
              "previous choice over the best contender, both measured afresh after the race, in three jobs if there was "
              "time. A choice changes only if the new one is better in each of them, and in three more.", "", *_cell_rows(found), ""]
    lines += [] if found.checking else [
        "Rules hold for these numbers of ranks and groups, for any order of the ranks and all roots; the run measured "
        "this order and one root. `forward` becomes no rule where the model expects it to be slower in another "
        "order.", ""]
    if found.files:
        lines += ["## Use it", "", *(f"* {what}: `{path}`" for what, path in found.files.items()), ""]
    return "\n".join(lines)


def _summary(found):
    lines = [f"{len(found.measured)} of {len(found.decisions)} cells measured in {units.clock(found.spent)} of "
             f"{units.clock(found.budget)} minutes; no time for {len(found.missing)} more."]
    if found.is_open:
        lines.append("The same command measures these, with a new --budget.")
    short = [one for one in found.measured if one.cell.finalists() and not one.cell.had_final()]
    if short:
        lines.append(f"{len(short)} of them had no time for a final; there the best may be so by luck, and the choice "
                     "in force stays.")
    unsure = [one for one in found.measured if one.cell.better(FINAL) and not one.cell.is_over(RECOUNT)]
    if unsure:
        lines.append(f"In {len(unsure)} of them an alternative is better, but there was no time to confirm it. Use "
                     "a longer --budget.")
    hasty = [one for one in found.measured if one.cell.hasty()]
    if hasty:
        lines.append(f"In {len(hasty)} of them the finalists were chosen from fewer than 6 repetitions: a better one "
                     "may have been missed. Use a longer --budget.")
    lines += [f"Before: {share(found.decisions, within)}." for within in SHARES]
    if found.links and not found.checking and (given := links_given([one.cell for one in found.decisions])):
        lines.append(f"Under the measured links the model's choices took {abs(given.ratio - 1):.1%} "
                     f"{'less' if given.holds else 'more'} time, in the mean of {given.cells} cells where they differ "
                     f"from those before: the links are {'in force' if given.holds else 'left out'}.")
    if found.has_after:
        lines += [f"After: {share(found.decisions, within, True)}." for within in SHARES]
        lines.append(f"{len(found.changes)} choices changed.")
    if found.problems:
        lines.append(f"{len(found.changes)} choices would change, but their rules have another effect than decided: "
                     "nothing was written. The measurements are kept for the same command.")
    lines += _failures(found)
    lines += [f"**PROBLEM**: {text}" for text in found.problems]
    for cell in (one.cell for one in found.decisions):
        lines += [f"{cell.name}: requested {name if name != IN_FORCE else cell.plans.chosen.name}, the job used {did}"
                  + ("" if name == IN_FORCE else "; left out") for name, did in cell.others.items()]
    return [line + "  " for line in lines]


def _failures(found):
    """Returns one line per error; equal errors of several jobs once."""
    lines, jobs = [], {}
    cells = [one.cell for one in found.decisions]
    for cell, name, why in broken(cells):
        if not name:
            jobs.setdefault(why, []).append(cell.name)
        elif not cell.failure:
            lines.append(f"**FAILED**: {cell.name}, {name}: {why}")
    return [f"**FAILED**: {names[0]}{f' and {len(names) - 1} more' if names[1:] else ''}, the job: {why}"
            for why, names in jobs.items()] + lines


def _link_rows(links):
    rows = ["| level | pairs | value | measured (95 % interval) | the model's default |", "|---|---|---|---|---|"]
    for link, defaults in links:
        for name, one in link.values.items():
            default = f"{defaults[name]:.3g}" if name in defaults else ""
            rows.append(f"| {link.level} | {link.pairs} | {name} | {_interval_text(one, 3)} | {default} |")
    return rows


def _cell_rows(found):
    rows = ["| operation | size | before | time | best | time | ratio | from now on | why |",
            "|---|---|---|---|---|---|---|---|---|"]
    for one in found.decisions:
        cell = one.cell
        best = f"{one.best} | {_time(one.best_time)}" if one.best else " | "
        ratio = f"{one.ratio:.2f}" if one.ratio else ""
        after = _after(one, found)
        rows.append(f"| {operations.ALL[cell.operation].title} | {units.size_text(cell.size)} | "
                    f"{cell.plans.before_text} | {_time(one.before)} | {best} | {ratio} | {after} | {one.why()} |")
    return rows


def _after(decision, found):
    """Returns the new choice, if it changes."""
    if not found.has_after or decision.name == decision.cell.plans.before:
        return "the same"
    return decision.cell.asked(decision.name).name


def _time(one):
    return _interval_text(one, 4) if one else ""


def _interval_text(one, digits):
    if one.low == -float("inf"):
        return f"{one.median:.{digits}g} (too few)"
    return f"{one.median:.{digits}g} ({one.low:.{digits}g}–{one.high:.{digits}g})"


def terminal(found, paint):
    """Returns lines for the terminal: changes, the worst cells, the summary."""
    lines = [""]
    worst = sorted((one for one in found.measured if one.ratio > 1 + SHARES[0]), key=lambda one: -one.ratio)
    for one in worst:
        what = f"{operations.ALL[one.cell.operation].title} of {units.size_text(one.cell.size)}"
        then = f", now {_after(one, found)}" if found.has_after else ""
        text = f"  {what:24} {one.ratio:5.2f} x {one.best}{then}"
        lines.append(paint(text, "green" if one.changes and found.has_after else "dim"))
    if worst:
        lines[0] = "\nSlower than the best by more than 5 %:"
    return lines + ["", *(line.rstrip().replace("**", "") for line in _summary(found))]


def write_table(decisions, path):
    columns = ("operation", "bytes", "contender", "plan", "repetitions", "predicted_us", "median_us", "low_us", "high_us",
               "ratio_to_best", "chosen", "failure")
    write_csv(path, columns, (_row(one, contender) for one in decisions for contender in one.cell.plans.contenders))


def _row(decision, contender):
    cell, middle = decision.cell, decision.cell.middle(contender.name)
    plan = cell.plans.chosen.name if contender.name == IN_FORCE else contender.name
    numbers = (middle.median, middle.low, middle.high, middle.median / decision.best_us) if (
        middle and decision.best_us) else ()
    texts = [f"{number:.6g}" for number in numbers] or [""] * 4
    return (cell.operation, cell.size, contender.name, plan, len(cell.times[contender.name]),
            f"{contender.predicted_us:.6g}", *texts, int(contender.name == decision.name),
            cell.failed.get(contender.name, cell.failure).split("\n")[0])


def write_data(found, settings, path):
    write_json(path, {
        "unit": "us", "settings": settings, "shape": found.shape, "seconds": found.spent, "problems": found.problems,
        "shares": {when: {f"{within:.0%}": dataclasses.asdict(share(found.decisions, within, when == "after"))
                          for within in SHARES}
                   for when in ("before", "after")[:1 + found.has_after]},
        "links": [link.to_json() for link, _ in found.links],
        "cells": [{"operation": one.cell.operation, "bytes": one.cell.size, "before": one.cell.plans.before_text,
                   "in_force": one.cell.plans.chosen.name, "best": one.best, "chosen": one.name, "ratio": one.ratio, "ratio_after": one.ratio_after,
                   "why": one.why(), **one.cell.to_json()} for one in found.decisions]})
