"""Compares verdicts of external tests without and with the plugin.

A verdict is a text: "pass", or another outcome with the counts of failures inside the test ("fail (107 passed, 1
failed)"), so that two tests that fail differently are not equal."""
import dataclasses
import re

PASSED = "pass"
SAME, FLAKY, EXPLAINED, DIFFERS = "same", "flaky", "explained", "differs"


@dataclasses.dataclass(frozen=True)
class Explanation:
    """A legitimate difference: `without` and `with_plugin` are regular expressions that match only the verdicts
    concerned. `engines`: the only engines concerned, if not all."""

    without: str
    with_plugin: str
    reason: str
    engines: tuple = ()

    def holds_for(self, engine):
        return not self.engines or engine in self.engines

    def covers(self, comparison):
        return all(re.fullmatch(self.without, verdict) for verdict in comparison.without) and \
            all(re.fullmatch(self.with_plugin, verdict) for verdict in comparison.with_plugin)


@dataclasses.dataclass
class Comparison:
    """One test on one layout with one engine. `without`, `with_plugin`: the verdicts of all its runs."""

    test: str
    without: list
    with_plugin: list
    served: bool  # the engine served a collective of it
    explanation: object = None  # Explanation of a difference, if there is one for this test

    @property
    def kind(self):
        """A row is flaky if stock Open MPI also yields every verdict that occurred with the plugin. A verdict that
        only the plugin yields is a difference, however rare."""
        if set(self.with_plugin) == set(self.without) and len(set(self.without)) == 1:
            return SAME
        if set(self.with_plugin) <= set(self.without):
            return FLAKY
        return EXPLAINED if self.explanation and self.explanation.covers(self) else DIFFERS

    def __str__(self):
        text = f"{self.test}: without {_counted(self.without)}; with {_counted(self.with_plugin)}"
        return f"{text}: {self.explanation.reason}" if self.kind == EXPLAINED else text


def _counted(verdicts):
    """Returns the verdicts, with their counts if there was more than one run."""
    if len(verdicts) == 1:
        return verdicts[0]
    return ", ".join(f"{verdicts.count(verdict)}x {verdict}" for verdict in dict.fromkeys(verdicts))


def compare(test, without, with_plugin, repeat, explanation=None):
    """`without()`, `with_plugin()`: run the test once, return (verdict, served). If the first verdicts agree, they
    decide; otherwise both run `repeat` more times, and then stock Open MPI up to three times as often again while
    the plugin has a verdict of its own: a rare flake of stock Open MPI needs more runs to appear."""
    stock = [without()[0]]
    verdict, served = with_plugin()
    comparison = Comparison(test, stock, [verdict], served, explanation)
    if comparison.kind != SAME:
        for _ in range(repeat):
            stock.append(without()[0])
            comparison.with_plugin.append(with_plugin()[0])
        for _ in range(3 * repeat):
            if comparison.kind != DIFFERS or len(set(comparison.with_plugin)) == 1:
                break
            stock.append(without()[0])
    return comparison


@dataclasses.dataclass
class Row:
    """All tests of a suite on one layout with one engine."""

    suite: str
    layout: str
    engine: str
    comparisons: list

    def named(self, kind):
        return [comparison for comparison in self.comparisons if comparison.kind == kind]

    @property
    def complaint(self):
        """Returns why this row is a failure, or None."""
        if not self.comparisons:
            return "no test ran"
        if self.named(DIFFERS):
            return "verdicts differ"
        if self.engine != "auto" and not any(comparison.served for comparison in self.comparisons):
            return f"the plugin's {self.engine} was used in no test: is it loaded?"
        return None

    def cells(self):
        passed = [sum(getattr(comparison, side)[0] == PASSED for comparison in self.comparisons)
                  for side in ("without", "with_plugin")]
        return [self.suite, self.layout, self.engine, len(self.comparisons), *passed,
                sum(comparison.served for comparison in self.comparisons), len(self.named(FLAKY)),
                len(self.named(EXPLAINED)), len(self.named(DIFFERS))]


HEAD = ["suite", "layout", "engine", "tests", "passed without", "passed with", "by it", "flaky",
        "explained", "differing"]


def table(rows):
    """Returns lines: the table, then the names of its numbers."""
    cells = [HEAD, *([str(cell) for cell in row.cells()] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells)]
    lines = ["  ".join(cell.ljust(width) if number < 3 else cell.rjust(width)
                       for number, (cell, width) in enumerate(zip(line, widths))).rstrip()
             for line in cells]
    for title, select in (("Differing", lambda row: row.named(DIFFERS)),
                          ("Flaky, in stock Open MPI too", lambda row: row.named(FLAKY)),
                          ("Differing for a known reason", lambda row: row.named(EXPLAINED)),
                          ("Failing both ways", _failing_both_ways)):
        found = {}
        for row in rows:
            for comparison in select(row):
                found.setdefault(f"{row.suite} {comparison}", []).append(f"{row.layout} {row.engine}")
        if found:
            lines += ["", f"{title}:", *(f"  {text}  [{', '.join(where)}]" for text, where in found.items())]
    return lines


def _failing_both_ways(row):
    return [comparison for comparison in row.named(SAME) if comparison.without[0] != PASSED]
