#!/usr/bin/env python3
"""Checks boards.pml with spin. Fails with the events that lead to an error, or if the search is incomplete.
--mistake builds a mistake into the protocol."""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile

MODEL = os.path.join(os.path.dirname(os.path.abspath(__file__)), "boards.pml")
DEEPEST = 3_000_000  # events of one search path; a longer path is an error
MISTAKES = {
    "PUBLISH_RELAXED": "publish() stores the number without release",
    "END_RELAXED": "end_reading() stores the number without release",
    "WAIT_RELAXED": "published_by() loads the number without acquire",
    "ROOM_PUBLISHED_RELAXED": "room() loads published numbers without acquire",
    "ROOM_READ_RELAXED": "room() loads read numbers without acquire",
    "NO_ROOM": "a rank publishes without room()",
    "ROOM_EARLY": "room() waits until all have read step s - 3",
    "ROOM_LATE": "room() waits until all have read step s - 1",
    "ROOM_OTHER_SLOT": "room() of step s looks for a published step s instead of s - 1",
    "ROOM_COUNTS_PUBLISHED": "room() takes a published step as read",
    "WAIT_OLDER": "published_by() is content with step s - 2",
    "WAIT_KNOWS_STEP": "published_by() takes the published step as read",
    "NO_END": "a rank that only reads does not call end_reading()",
    "END_EARLY": "a rank calls end_reading() and then reads",
    "ONE_SLOT": "a board has room for one step",
}


def run(command, folder):
    """Returns the output of a command."""
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} failed ({done.returncode}):\n{done.stdout}")
    return done.stdout


def check(folder, ranks, mistake, memory_mib):
    """Returns what the search found, and the events that lead to an error."""
    macros = [f"-DRANKS={ranks}"] + (["-DAHEAD=3", f"-D{mistake}"] if mistake else [])
    # Breadth-first, the first error has the fewest events, but a complete search needs several times the memory.
    search = ["-DBFS"] if mistake else []
    run(["spin", "-a", *macros, MODEL], folder)
    optimization = "-O2" if ranks > 2 else "-O0"
    run(["gcc", optimization, "-w", "-DSAFETY", f"-DMEMLIM={memory_mib}", *search, "-o", "pan", "pan.c"], folder)
    found = run(["./pan", "-b", f"-m{DEEPEST}"], folder)
    events = ""
    if os.path.exists(os.path.join(folder, "boards.pml.trail")):
        events = run(["spin", "-B", "-T", "-k", "boards.pml.trail", *macros, MODEL], folder)
    return found, events


def main():
    mistakes = "\n".join(f"  {name}: {what}" for name, what in MISTAKES.items())
    parser = argparse.ArgumentParser(description=__doc__, epilog=f"mistakes:\n{mistakes}",
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ranks", type=int, choices=(2, 3))
    parser.add_argument("--mistake", choices=sorted(MISTAKES), metavar="NAME")
    parser.add_argument("--memory-mib", type=int, default=1500, metavar="N", help="end a search that needs more (1500)")
    arguments = parser.parse_args()
    for program in ("spin", "gcc"):
        if shutil.which(program) is None:
            print(f"skipped: no {program} here; Debian package: {program}")
            return 77
    with tempfile.TemporaryDirectory() as folder:
        found, events = check(folder, arguments.ranks, arguments.mistake, arguments.memory_mib)
    print(f"{events}{found}")
    return 0 if "errors: 0\n" in found and "Search not completed" not in found else 1


if __name__ == "__main__":
    sys.exit(main())
