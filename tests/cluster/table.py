"""The table of the faults' matrix: on standard output and in a file, line by line as the jobs end."""
from collections import Counter

from nodes import Failure

COLUMNS = ("where", "fault", "operations", "victim", "root", "engine", "served before it", "expected (tuned)", "seen",
           "remark")


def told(seen):
    if seen is None:
        return "-"
    errors = f", error class {'/'.join(seen.errors)}" if seen.errors else ""
    return f"{seen.end} after {seen.seconds:.1f} s{errors}"


class Table:
    def __init__(self, path):
        self.file = open(path, "w", encoding="utf-8") if path else None
        self.counts = {}  # (fault, engine) -> how jobs ended
        self.deviations = []

    def __enter__(self):
        self.line(COLUMNS)
        self.line(["---"] * len(COLUMNS))
        return self

    def __exit__(self, *_):
        self.summary()
        if self.file:
            self.file.close()

    def say(self, text):
        print(text)
        if self.file:
            print(text, file=self.file, flush=True)

    def line(self, cells):
        self.say(f"| {' | '.join(map(str, cells))} |")

    def add(self, where, fault, job, reference, seen, found, noted=()):
        """`found`: deviations; `noted`: remarks that are no deviations."""
        remark = "; ".join([*(f"DEVIATES: {what}" for what in found), *noted])
        cells = (where, fault, ",".join(job.operations), job.victim, job.root, job.engine, seen.engines or "-",
                 told(reference), told(seen), remark)
        self.line(cells)
        end = seen.end + (f" ({'; '.join(noted)})" if noted else "")
        self.counts.setdefault((fault, job.engine), Counter())["deviates" if found else end] += 1
        if found:
            self.deviations.append(cells)
            print(seen.output)

    def summary(self):
        faults = list(dict.fromkeys(fault for fault, _ in self.counts))
        engines = list(dict.fromkeys(engine for _, engine in self.counts))
        self.say("")
        self.line(["jobs that ended so", *engines])
        self.line(["---"] * (len(engines) + 1))
        for fault in faults:
            ends = [self.counts.get((fault, engine), {}) for engine in engines]
            self.line([fault, *(", ".join(f"{count} {end}" for end, count in of.items()) or "-" for of in ends)])
        self.say("")
        for cells in self.deviations:
            self.say(f"deviation: {' | '.join(map(str, cells))}")

    def conclude(self):
        if self.deviations:
            raise Failure(f"{len(self.deviations)} jobs deviate")
