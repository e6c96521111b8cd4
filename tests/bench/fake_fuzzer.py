#!/usr/bin/env python3
"""Replaces a program with libFuzzer and prints similar output. The target `good` finds nothing until it is
stopped; `bad` finds an input and reproduces it when given it; `lost` ends at once without output."""
import os
import signal
import sys


def main(words):
    target = os.environ["STRATA_FUZZ_TARGET"]
    inputs = [word for word in words if not word.startswith("-") and os.path.isfile(word)]
    if inputs:  # a finding is reproduced
        with open(inputs[0], encoding="utf-8") as file:
            return 77 if file.read() == target else 0
    if target == "lost":
        return 1
    print("#1\tINITED cov: 5 ft: 5 corp: 1/1b exec/s: 0 rss: 30Mb", file=sys.stderr, flush=True)
    if target == "bad":
        path = next(word for word in words if word.startswith("-artifact_prefix=")).partition("=")[2] + "crash-0123abcd"
        with open(path, "w", encoding="utf-8") as file:
            file.write(target)
        print(f"==7== ERROR: libFuzzer: deadly signal\nit went wrong\nTest unit written to {path}", file=sys.stderr)
        return 77
    ended = []
    signal.signal(signal.SIGUSR1, lambda *_: ended.append(True))
    while not ended:
        sum(range(100000))  # takes CPU time
    print("stat::number_of_executed_units: 1234", file=sys.stderr)
    return 0


sys.exit(main(sys.argv[1:]))
