"""The cost of monitoring a Reduce or a ping-pong, inside a node or between emulated ones: with a session, with a
suspended one, and without Open MPI's monitoring.

Every run of the program gives one value per size, the median of its calls (an average would mostly show
moments in which the operating system does something else). Runs with and without alternate; the difference
is that of their means.
"""

import dataclasses
import os
import shutil
import statistics

from ..measuring import cli, competitors, files, gnuplot, units, welch
from ..measuring.cluster import ClusterError
from ..measuring.launcher import Launcher

LIMIT_US = 5
RANKS = (2, 16)  # each with its own core
SIZES = (4, 64, 1024, 16384, 65536)
_SECONDS = 60  # seconds of a run
_NODES = 2  # emulated, with a rank on each
SHAPE = ("--nodes", str(_NODES), "--sites", "1", "--slots", "1")
_OPERATIONS = {"reduce": "Reduce of integers", "pingpong": "a message to the other rank and back"}
_SWITCHES = {False: {}, True: {"pml": "ob1,monitoring", "pml_monitoring_enable": "1"}}


@dataclasses.dataclass
class Times:
    """Microseconds of all runs, by size and state: "without", "active", "suspended"."""

    ranks: int
    us: dict = dataclasses.field(default_factory=dict)  # (size, state) -> [one value per run]
    skipped: str = ""
    failure: str = ""
    operation: str = "reduce"
    nodes: int = 1

    def name(self):
        """Returns its name for files and errors."""
        return f"{self.ranks}" if self.nodes == 1 else f"{self.operation}-{self.nodes}-nodes"

    def title(self):
        emulated = f"a rank on each of {self.nodes} emulated nodes"
        return f"{_OPERATIONS[self.operation]}, {emulated if self.nodes > 1 else f'{self.ranks} ranks with a core each'}"

    def add(self, lines):
        for line in lines:
            if line["ns"]:
                self.us.setdefault((line["size"], line["state"]), []).append(statistics.median(line["ns"]) / 1e3)

    def sizes(self):
        return sorted({size for size, _ in self.us})

    def mean(self, size, state):
        values = self.us.get((size, state))
        return statistics.fmean(values) if values else None

    def difference(self, size, state, base):
        return welch.difference(self.us.get((size, state), []), self.us.get((size, base), []))

    def differences(self):
        """Returns, by size, active session minus no monitoring, except sizes with too few values."""
        return {size: found for size in self.sizes() if (found := self.difference(size, "active", "without"))}

    def within_limit(self):
        found = self.differences()
        return bool(found) and all(one.high < LIMIT_US for one in found.values())


def cores():
    """Returns the number of whole cores that this process may use."""
    allowed, found = os.sched_getaffinity(0), set()
    for cpu in allowed:
        try:
            with open(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list", encoding="ascii") as file:
                found.add(file.read().strip())
        except OSError:
            found.add(str(cpu))
    return len(found)


def _launch(ranks):
    mpirun = shutil.which("mpirun.openmpi") or "mpirun"
    return Launcher(f"{mpirun} -n {ranks} --map-by core --bind-to core")


def _once(launcher, places, built, log, monitored, operation, options):
    """Returns (lines of one run, error)."""
    # Saves the second of waiting at the end of each of the many jobs.
    stock = competitors.with_parameters(dataclasses.replace(competitors.tuned(), environment=(
        ("OMPI_MCA_odls_base_sigkill_timeout", "0"),)), {"pml": "ob1", **_SWITCHES[monitored]})
    program = [built.tool(os.path.join("bench", "monitored_reduce")), "--op", operation,
               "--sizes", ",".join(map(str, SIZES)), "--reps", str(options.calls_per_run), "--json", log + ".json", *(["--monitored"] if monitored else [])]
    done = launcher.run(places, stock, program, log, _SECONDS)
    if failure := done.failure():
        return [], failure
    return files.read_json_lines(log + ".json"), ""


def measure(ranks, built, folder, options, progress):
    times = Times(ranks)
    if cores() < ranks:
        times.skipped = f"{ranks} ranks need a core each: there are {cores()} cores here"
        return times
    try:
        launcher = _launch(ranks)
    except ClusterError as error:
        times.failure = str(error)
        return times
    _take_turns(times, launcher, (), built, folder, options, progress)
    return times


def measure_between_nodes(operation, cluster, built, folder, options, progress):
    """`cluster` has the shape SHAPE."""
    times = Times(_NODES, operation=operation, nodes=_NODES)
    _take_turns(times, cluster, ("--order", "block"), built, folder, options, progress)
    return times


def _take_turns(times, launcher, places, built, folder, options, progress):
    log = os.path.join(folder, "logs", f"overhead-{times.name()}")
    for number in range(options.runs):
        progress.show(f"overhead: {times.title()}, run {number + 1} of {options.runs}", share=number / options.runs)
        for monitored in ((False, True) if number % 2 else (True, False)):
            lines, times.failure = _once(launcher, places, built, log, monitored, times.operation, options)
            times.add(lines)
            if times.failure:
                return


def _cell(found):
    return f"{found.mean:+10.3f} [{found.low:+.3f}, {found.high:+.3f}]" if found else f"{'–':>10}"


def table(all_times, paint):
    lines = []
    for times in all_times:
        lines += ["", paint(f"{times.title()}: microseconds", "bold")]
        if times.skipped:
            lines.append(paint(f"  SKIPPED: {times.skipped}", "bold"))
            continue
        if times.failure:
            lines.append(paint("  failed", "red"))
            continue
        lines.append(f"  {'':9}{'without':>10}{'with':>10}{'difference':>12}{'':20}   session active, not suspended")
        for size in times.sizes():
            means = "".join(f"{value:10.3f}" if (value := times.mean(size, state)) is not None else f"{'–':>10}"
                            for state in ("without", "active"))
            lines.append(f"  {units.size_text(size):9}{means}  {_cell(times.difference(size, 'active', 'without')):32}  "
                         f"{_cell(times.difference(size, 'active', 'suspended'))}")
    measured = [times for times in all_times if times.us]
    if measured:
        runs = max(len(values) for times in measured for values in times.us.values())
        lines += [f"Means of {runs} runs of the program, in brackets the 95 % interval of their difference (unpaired t-test,",
                  "unequal variances). Without: Open MPI's monitoring is off. Times from an agreed start to the end of rank 0."]
    return lines


def verdict(all_times):
    lines = []
    for times in all_times:
        found = times.differences()
        if found and not times.failure:
            high = max(one.high for one in found.values())
            state = "within" if times.within_limit() else "MORE THAN"
            lines += [f"{times.title()}: with 95 % confidence a session costs less than {max(high, 0):.2f} us, {state} the "
                      f"{LIMIT_US} us allowed.", "Paper, figure 4: less than 5 us in the worst case."]
    return lines


def draw(all_times, folder):
    """Writes the plots. Returns (paths, error)."""
    if not any(times.us for times in all_times):
        return [], ""  # table() gives the reason
    panels = []
    for times in all_times:
        found = times.differences()
        rows = [(size, one.mean, one.low, one.high) for size, one in found.items()]
        if rows:
            top = max(LIMIT_US * 1.2, max(one.high for one in found.values()) * 1.1)
            bottom = min(-1, min(one.low for one in found.values()) * 1.1)
            ends = (min(found), max(found))
            panels.append(gnuplot.panel(
                times.title(),
                [gnuplot.curve(f"cost{len(panels)}", rows, ("#1a7f37", 7), "session active, minus without monitoring"),
                 gnuplot.dashed(f"limit{len(panels)}", [(end, LIMIT_US) for end in ends], f"{LIMIT_US} us")],
                gnuplot.size_tics(list(found)) + f"set yrange [{bottom:.3g}:{top:.3g}]\n"))
    settings = "set ylabel 'µs'\nset key top left reverse Left samplen 2.5\n"
    return gnuplot.draw_panels(panels, "What monitoring costs: difference of means, 95 % interval", settings,
                               os.path.join(folder, "overhead"))


def add_options(group):
    group.add_argument("--runs", metavar="N", type=cli.count, default=180,
                       help="overhead: number of runs with and without monitoring, in turn (180)")
    group.add_argument("--calls-per-run", metavar="N", type=cli.count, default=15,
                       help="overhead: calls per size in each run (15)")
