"""Whether monitoring sessions match the wire, and their cost."""

from ..measuring import cli

from . import overhead, series, wire
from .figure import Findings

FIGURES = ("wire", "overhead", "overhead-nodes")
FILES = r"(series|overhead)\.(svg|png)|series\.csv|topology\.conf"
# Packets of 9000 bytes; queues long enough to drop none, because a retransmission is on the wire twice.
_SHAPE = ("--nodes", "4", "--sites", "2", "--slots", "4", "--uplink", "none", "--mtu", "9000", "--queue-bytes", "100000000")


def add_options(parser):
    group = parser.add_argument_group(f"monitoring ({', '.join(FIGURES)})")
    group.add_argument("--calls", metavar="N", type=cli.count, default=4, help="wire: calls per pattern (4)")
    group.add_argument("--series-seconds", metavar="N", type=cli.count, default=40,
                       help="wire: seconds over which session and NIC are read every 10 ms (40)")
    overhead.add_options(group)


def measure(names, setting):
    findings = MonitoringFindings()
    options = setting.options
    if "wire" in names:
        with setting.cluster(_SHAPE, "4 nodes at 2 sites, 4 ranks each, packets of 9000 bytes") as cluster:
            measurement = wire.Measurement(cluster, setting.built, setting.folder, options.calls)
            measurement.run(setting.progress)
            findings.runs = measurement.runs
            setting.progress.show("wire: a session and a NIC over time", left=options.series_seconds)
            findings.series, findings.no_series = series.measure(cluster, setting.built, setting.folder,
                                                                 options.series_seconds)
    if "overhead" in names:
        findings.times = [overhead.measure(ranks, setting.built, setting.folder, options, setting.progress)
                          for ranks in overhead.RANKS]
    if "overhead-nodes" in names:
        with setting.cluster(overhead.SHAPE, "2 nodes of one rank") as cluster:
            findings.times += [
                overhead.measure_between_nodes(operation, cluster, setting.built, setting.folder, options, setting.progress)
                for operation in ("pingpong", "reduce")]
    return findings


class MonitoringFindings(Findings):
    def __init__(self):
        self.runs = []  # of wire
        self.series = None
        self.no_series = ""
        self.times = []  # of overhead

    def text(self, paint):
        parts = []
        if self.runs:
            parts += [*wire.table(self.runs, paint), *wire.verdict(self.runs), ""]
        if self.series:
            parts += [*series.text(self.series, paint), ""]
        if self.times:
            parts += [*overhead.table(self.times, paint), *overhead.verdict(self.times)]
        return parts

    def failures(self):
        """No time counts as a failure."""
        found = [f"wire, {run.pattern.title()}, {run.by}: {complaint}" for run in self.runs
                 if (complaint := run.complaint())]
        if self.no_series:
            found.append(f"wire, series: {self.no_series}")
        if self.series and self.series.complaint():
            found.append(f"wire, series: {self.series.complaint()}")
        return found + [f"overhead, {times.title()}: {times.failure}" for times in self.times if times.failure]

    def to_json(self):
        return {
            "wire": [{"pattern": run.pattern.name, "bytes": run.pattern.bytes, "by": run.by, "failure": run.failure,
                      "messages": run.messages, "resent": run.resent, "nodes": [vars(node) for node in run.nodes]}
                     for run in self.runs],
            "series": vars(self.series) | {"delays_ms": self.series.delays_ms()} if self.series else None,
            "overhead": [{"operation": times.operation, "nodes": times.nodes, "ranks": times.ranks, "skipped": times.skipped,
                          "failure": times.failure,
                          "us": [{"size": size, "state": state, "us": values} for (size, state), values in times.us.items()]}
                         for times in self.times],
        }

    def draw(self, folder):
        drawn = [series.draw(self.series, folder)] if self.series else []
        drawn += [overhead.draw(self.times, folder)] if self.times else []
        return [path for paths, _ in drawn for path in paths], "\n".join(filter(None, dict.fromkeys(why for _, why in drawn)))
