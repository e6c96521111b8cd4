"""Tables and conclusions of bench/apps."""

import dataclasses
import statistics

from ..measuring import units
from ..measuring.table import SLOWER

from .comparison import NAMES, WITH, WITHOUT
from .profile import mean

WORTH_A_ROW = 0.01  # share of the time without the plugin
GAIN = 1.3  # least gain of a total that is reported
TOLERANCE_TEXT = f"{1 - SLOWER:.0%}".replace("%", " %")


def times_lines(comparison, paint):
    """Lists times of one application and the comparison of its numbers."""
    lines = ["", paint(comparison.title, "bold")]
    if comparison.failure:
        return lines + [paint(f"  FAILED: {comparison.failure}", "red", "bold")]
    width = max(map(len, comparison.times))
    lines.append(f"  {'seconds, median (min–max)':{width}}  {NAMES[WITHOUT]:>18}  {NAMES[WITH]:>18}"
                 f"  {'speed-up':>8}")
    for label, (stock, strata) in comparison.times.items():
        lines.append(f"  {label:{width}}  {_seconds(stock):>18}  {_seconds(strata):>18}  "
                     f"{comparison.speed_up(label):>7.2f}x")
    lines.append("  " + paint(comparison.verdict(), *(() if comparison.succeeded() else ("red", "bold"))))
    if comparison.plans:
        lines.append("  The plugin's choices: " + comparison.plans)
    return lines


def _seconds(values):
    return f"{statistics.median(values):.2f} ({min(values):.2f}–{max(values):.2f})"


@dataclasses.dataclass(frozen=True)
class Row:
    """Part of the time of a rank: seconds without and with the plugin."""

    name: str
    pair: tuple
    calls: float = 0
    detail: str = ""


def _size_text(size):
    return f"from {units.size_text(size)}" if size else "no data"


def _greatest_change(pair):
    """Returns the sizes of a function that gained or lost most: "from 512 KiB 0.59 → 0.06"."""
    sizes = sorted({size for function in pair for size in function.sizes})
    if len(sizes) < 2:
        return ""

    def of(function, size):
        return function.sizes.get(size, (0, 0))[1]

    most = max(sizes, key=lambda size: abs(of(pair[0], size) - of(pair[1], size)))
    return f"{_size_text(most)} {of(pair[0], most):.2f} → {of(pair[1], most):.2f}"


def rows(comparison):
    """Returns where the time of a rank went, longest first; short parts together, and time outside MPI
    last."""
    both = [mean(profiles) for profiles in comparison.profiles]
    found, rest = [], [0.0, 0.0]
    for name in dict.fromkeys(name for one in both for name in one.functions):
        pair = [one.of(name) for one in both]
        seconds = tuple(function.seconds for function in pair)
        if max(seconds) < WORTH_A_ROW * both[WITHOUT].seconds:
            rest = [so_far + more for so_far, more in zip(rest, seconds)]
        else:
            found.append(Row(name, seconds, pair[WITHOUT].calls, _greatest_change(pair)))
    found.sort(key=lambda row: -row.pair[WITHOUT])
    return found + [Row("other calls", tuple(rest)),
                    Row("outside MPI", tuple(one.seconds - one.in_mpi for one in both))]


def profile_lines(comparison):
    if comparison.failure or not all(comparison.profiles):
        return []
    lines = [f"  {'where a rank spends it':22} {'calls':>7} {NAMES[WITHOUT]:>8} {NAMES[WITH]:>8}  "
             "sizes that changed most"]
    for row in rows(comparison):
        calls = f"{row.calls:.0f}" if row.calls else ""
        lines.append(f"  {row.name:22} {calls:>7} {row.pair[WITHOUT]:8.2f} {row.pair[WITH]:8.2f}  {row.detail}"
                     .rstrip())
    return lines


def _losses(comparison):
    """Returns, for an application that became slower, the three greatest increases over all functions and
    sizes."""
    both = [mean(profiles) for profiles in comparison.profiles]
    found = []
    for name in both[WITH].functions:
        pair = [one.of(name) for one in both]
        for size, (_, seconds) in pair[WITH].sizes.items():
            before = pair[WITHOUT].sizes.get(size, (0, 0))[1]
            found.append((seconds - before, f"{name}, {_size_text(size)}: {before:.2f} → {seconds:.2f} s"))
    return [text for lost, text in sorted(found, reverse=True)[:3] if lost > 0]


def _speed(one):
    return (f"{one.title}: {one.speed_up():.2f} times as fast as without the plugin; the times "
            + ("lie apart" if one.apart() else "overlap"))


def verdict(comparisons, paint):
    lines = [""]
    for one in comparisons:
        if not one.behind():
            continue
        lines.append(paint(f"SLOWER: {_speed(one)}.", "red", "bold") if one.slower()
                     else f"Uncertain: {_speed(one)}.")
        if all(one.profiles):
            lines += [f"    {loss}" for loss in _losses(one)]
    ran = [one for one in comparisons if not one.failure]
    gains = sorted((one.speed_up() for one in ran), reverse=True)
    if gains:
        count = sum(gain >= GAIN for gain in gains)
        lines.append(f"{count} of {len(gains)} run{'s' * (len(gains) > 1)} at least {GAIN} times as fast in total "
                     f"with the plugin; the greatest gain is {gains[0]:.2f}.")
    if ran and not any(one.behind() for one in ran):
        lines.append(f"None was slower with the plugin by more than {TOLERANCE_TEXT}.")
    lines += [f"Slower by no more than {TOLERANCE_TEXT}: {_speed(one)}." for one in ran if one.slightly_behind()]
    if not all(one.succeeded() for one in comparisons):
        lines.append(paint("Some runs failed or gave other results: see above.", "red", "bold"))
    return lines


def notes(rounds, profiled=True):
    lines = ["", f"Seconds of {rounds} round{'s' * (rounds > 1)}, without and with the plugin in turn."]
    if profiled:
        lines += ["Time in MPI: means over ranks and rounds; it includes waiting for ranks that come later."]
    return lines


def summary(comparisons, rounds, paint):
    lines = []
    for comparison in comparisons:
        lines += times_lines(comparison, paint) + profile_lines(comparison)
    return lines + notes(rounds) + verdict(comparisons, paint)
