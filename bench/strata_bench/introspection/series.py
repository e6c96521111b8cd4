"""A session and the NIC of its node, both read every 10 ms while the program sends now and then."""

import dataclasses
import itertools
import os
import statistics

from ..measuring import competitors, files, gnuplot

from .wire import TOLERANCE, monitored

CSV = "series.csv"


@dataclasses.dataclass(frozen=True)
class Series:
    """Bytes of every interval between two readings."""

    period_ms: float
    seconds: tuple  # at the end of each interval
    session: tuple
    nic: tuple  # data: without headers, and without the messages of the reading itself
    reading_bytes: float  # bytes of those messages per reading
    sent: int  # bytes that the program counted itself
    resent: int = 0

    def cumulative(self):
        """(session, NIC)"""
        return tuple(itertools.accumulate(self.session)), tuple(itertools.accumulate(self.nic))

    def delays_ms(self):
        """Returns, per message, the time from the reading in which the session has all of it to that in
        which the NIC has."""
        session, nic = self.cumulative()
        delays, place = [], 0
        for number, new in enumerate(self.session):
            if not new:
                continue
            place = max(place, number)
            while place < len(nic) - 1 and nic[place] < session[number] - TOLERANCE * new:
                place += 1
            delays.append((self.seconds[place] - self.seconds[number]) * 1e3)
        return delays

    def complaint(self):
        session, nic = (total[-1] for total in self.cumulative())
        if session != self.sent:
            return f"the session saw {session} bytes, the program sent {self.sent}"
        if abs(nic - session) > TOLERANCE * session:
            return f"the NIC sent {nic:.0f} bytes of data, by the session {session}"
        return ""


def understand(record):
    """Makes a Series from wire_series's output. Reading a session is collective and sends messages, which
    are on the wire but in no session: the NIC's bytes between readings while the program rests."""
    ticks, header = record["ticks"], record["header_bytes"]
    nic = [(after[2] - before[2]) - header * (after[3] - before[3]) for before, after in itertools.pairwise(ticks)]
    # The reading at the end of an interval covers the bytes sent after the reading at its start.
    session = [tick[1] for tick in ticks[1:]]
    resting = [data for number, data in enumerate(nic) if not any(session[max(0, number - 3):number + 2])]
    reading = statistics.median(resting) if resting else 0.0
    return Series(record["period_ms"], tuple(tick[0] for tick in ticks[1:]), tuple(session),
                  tuple(data - reading for data in nic), reading, sum(size for _, size in record["sent"]),
                  record["resent"])


def measure(cluster, built, folder, seconds):
    """Returns (Series or None, error)."""
    log = os.path.join(folder, "logs", "series")
    command = [built.tool(os.path.join("bench", "wire_series")), "--seconds", str(seconds), "--json", log + ".json"]
    places = ["--per-node", ",".join(["1", "1"] + ["0"] * (cluster.plan.nodes - 2))]
    done = cluster.run(places, monitored(competitors.tuned()), command, log, seconds + 60)
    if failure := done.failure():
        return None, failure
    return understand(files.read_json(log + ".json")), ""


def text(series, paint):
    session, nic = (total[-1] for total in series.cumulative())
    delays = series.delays_ms()
    lines = [paint(f"A session and a NIC, read every {series.period_ms:g} ms for {series.seconds[-1]:.0f} s", "bold"),
             f"  {len(delays)} messages: the session saw {session} bytes, the program sent {series.sent}, the NIC "
             f"{nic:.0f} ({nic / session - 1:+.2%})" if session else "  the session saw nothing"]
    if delays:
        lines.append(f"  the NIC has all of a message {statistics.median(delays):.0f} ms (median; {max(delays):.0f} ms at "
                     "most) after the session has it")
    lines.append(f"  excluded: {series.reading_bytes:.0f} bytes per reading, with which the two processes synchronise it")
    if series.resent:
        lines.append(f"  {series.resent} packets were sent twice")
    return lines + ["Paper, figures 2 and 3: what the session has seen is almost immediately sent to the network."]


def write_csv(series, folder):
    path = os.path.join(folder, CSV)
    session, nic = series.cumulative()
    columns = ("seconds", "session_bytes", "nic_bytes", "session_bytes_so_far", "nic_bytes_so_far")
    files.write_csv(path, columns, ((f"{second:.6f}", *(f"{value:.0f}" for value in values)) for second, *values in
                                    zip(series.seconds, series.session, series.nic, session, nic)))
    return path


def _impulses(name, seconds, values, colour, title):
    points = "".join(f"{second:.4f} {value / 1e3:.4g}\n" for second, value in zip(seconds, values))
    return (f"${name} << EOD\n{points}EOD\n",
            [f"${name} using 1:2 with impulses lw 1.5 lc rgb '{colour}' title {gnuplot.quoted(title)}"])


def _steps(name, seconds, values, look, title):
    points = "".join(f"{second:.4f} {value / 1e6:.6g}\n" for second, value in zip(seconds, values))
    return (f"${name} << EOD\n{points}EOD\n",
            [f"${name} using 1:2 with steps {look} title {gnuplot.quoted(title)}"])


def _sums(series, name):
    session, nic = series.cumulative()
    return [_steps(f"nic{name}", series.seconds, nic, "lw 5 lc rgb '#b9cbe6'", "NIC's counters"),
            _steps(f"session{name}", series.seconds, session, "lw 1.5 lc rgb '#1a7f37'", "session")]


def _close_up(series):
    """Returns settings that show one message in the middle."""
    at = [second for second, new in zip(series.seconds, series.session) if new] or [series.seconds[-1] / 2]
    return f"set xrange [{at[len(at) // 2] - 0.1:.2f}:{at[len(at) // 2] + 0.1:.2f}]\nset yrange [*:*]\n"


def draw(series, folder):
    """Writes the plots. Returns (paths, error)."""
    every = f"per {series.period_ms:g} ms"
    each = "set ylabel 'kB'\n"
    panels = [
        gnuplot.panel(f"NIC, {every}", [_impulses("nic", series.seconds, series.nic, "#5b7db1", "NIC's counters")], each),
        gnuplot.panel(f"Session, {every}", [_impulses("session", series.seconds, series.session, "#1a7f37", "session")], each),
        gnuplot.panel("So far", _sums(series, "sum"), "set ylabel 'MB'\n"),
        gnuplot.panel("So far, close-up", _sums(series, "close"), _close_up(series))]
    settings = (f"set xlabel 's'\nset xrange [0:{series.seconds[-1]:g}]\nset yrange [0:*]\n"
                "set key top left reverse Left samplen 2.5\n")
    paths, complaint = gnuplot.draw_panels(panels, "What is sent between two nodes", settings, os.path.join(folder, "series"))
    return [write_csv(series, folder), *paths], complaint
