"""Results of all places: strata compared with the best component that a user has without it, and with the
limit of the links."""

import dataclasses
import math

from ..measuring import files, operations, units
from ..measuring.table import WORTH_COMPARING

from . import contenders


@dataclasses.dataclass(frozen=True)
class Row:
    """One size of a cell, in milliseconds."""

    place: str
    cell: object
    size: int
    ours: float
    best: float
    best_name: str
    limit: float  # limit of the links, if it is known and the size is large enough; else None

    @property
    def ratio(self):
        """Returns the speed-up over the best of the others."""
        return self.best / self.ours

    @property
    def share(self):
        """Returns the share of the speed-up that the links allow, or None."""
        return self.limit and self.limit / self.ours


def rows(place, records, limit_ms):
    """`limit_ms(cell, size)` returns None where the limit is unknown."""
    found = []
    for record in records:
        able = record.able()
        for size in record.cell.sizes:
            ours = able[contenders.OURS].median(size) if contenders.OURS in able else None
            others = [(median, name) for name in contenders.STOCK
                      if name in able and (median := able[name].median(size))]
            if ours and others:
                limit = limit_ms(record.cell, size) if size >= WORTH_COMPARING else None
                found.append(Row(place, record.cell, size, ours, *min(others), limit))
    return found


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def means(all_rows, paint):
    """Returns geometric means per operation."""
    if not all_rows:
        return []
    title = "Speed-up of strata over the best of tuned and han: geometric mean (worst–best);"
    lines = ["", paint(title, "bold"),
             "from 64 KiB also its share of the speed-up that the links allow.",
             f"{'':12}{'below 64 KiB':>24}{'from 64 KiB':>24}{'share of the possible':>26}"]
    by_operation = {}
    for row in all_rows:
        by_operation.setdefault(operations.ALL[row.cell.operation].title, []).append(row)
    for title, its in [*by_operation.items(), ("all", all_rows)]:
        small = [row.ratio for row in its if row.size < WORTH_COMPARING]
        great = [row.ratio for row in its if row.size >= WORTH_COMPARING]
        shares = [row.share for row in its if row.share]
        lines.append(f"{title:12}{_spread(small):>24}{_spread(great):>24}{_spread(shares, 100, ' %'):>26}")
    return lines


def _spread(values, factor=1, unit=""):
    if not values:
        return "–"
    digits = 0 if unit else 2
    numbers = [f"{factor * value:.{digits}f}" for value in (geometric_mean(values), min(values), max(values))]
    return f"{numbers[0]}{unit} ({numbers[1]}–{numbers[2]})"


def details(all_rows):
    """Lists the sizes one by one."""
    lines, place = [], None
    for row in sorted(all_rows, key=lambda one: one.place):
        if row.place != place:
            place = row.place
            lines += ["", f"{place or 'Size by size'} (ms)",
                      f"{'':44}{'strata':>9}{'best of tuned, han':>22}{'ratio':>8}{'limit':>9}{'share':>7}"]
        what = f"{row.cell.short_title()}, {units.size_text(row.size)}"
        limit = f"{units.three_digits(row.limit):>9}{row.share:>7.0%}" if row.limit else f"{'–':>9}{'–':>7}"
        best = f"{units.three_digits(row.best)} {row.best_name}"
        lines.append(f"{what:44}{units.three_digits(row.ours):>9}{best:>22}{row.ratio:>8.2f}{limit}")
    return lines


def write_csv(all_rows, path):
    def texts(*values):
        return [f"{value:.6g}" if value else "" for value in values]

    columns = ("place", "operation", "order", "root", "size", "strata_ms", "best_ms", "best", "ratio", "limit_ms", "share")
    files.write_csv(path, columns, ((row.place, row.cell.operation, row.cell.order, row.cell.root or "", row.size,
                                     *texts(row.ours, row.best), row.best_name, f"{row.ratio:.6g}",
                                     *texts(row.limit, row.share)) for row in all_rows))


def write_json(outcomes, all_rows, path):
    """`outcomes` are by place."""
    files.write_json(path, {"places": {place: {"verdict": outcome.verdict().name.lower(),
                                               "confirmed": [one.to_json() for one in outcome.confirmed],
                                               "missing": outcome.missing, "unopposed": outcome.unopposed,
                                               "unclear": outcome.unclear}
                                       for place, outcome in outcomes.items()},
                            "rows": [dataclasses.asdict(row) | {"ratio": row.ratio, "share": row.share}
                                     for row in all_rows]})
