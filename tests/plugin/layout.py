#!/usr/bin/env python3
"""Tests the plugin in other releases of Open MPI than it is built for, and in builds with other structures, emulated
by a preloaded library: with equal layouts it serves, otherwise it steps aside with one message."""
import itertools
import re
import subprocess
import sys

from job import Failure, Paths, check, conclude, synthetic, run

RANKS = 3
ALL = "rank=0,1,2"
EPOCHS = (("4.1.0", "4.1.1"), ("4.1.2", "4.1.4", "4.1.8"), ("5.0.0", "5.0.6"), ("5.0.7", "5.0.9"), ("5.0.10",))
SEVERAL = {"4": ("4.1.0", "4.1.1", "4.1.4", "4.1.8", "5.0.7"), "5": ("4.1.4", "5.0.0", "5.0.6", "5.0.7", "5.0.9", "5.0.10")}
SUFFIXES = ("", "rc1", "amzn1")  # candidates and vendors: the release's structures, which the sizes must confirm


def built_for(paths):
    text = subprocess.run([paths["ompi_info"], "--version"], check=True, capture_output=True, text=True).stdout
    return re.search(r"v?(\d+\.\d+\.\d+)", text).group(1)


def job(paths, serves, says=None, larger=None, selection=ALL, parameters=None, messages=None):
    variables = [f"LD_PRELOAD={paths['other_release']}"]
    variables += [f"STRATA_TEST_RELEASE={says}"] if says is not None else []
    variables += [f"STRATA_TEST_CLASS={larger}"] if larger else []

    def judge(outcome):
        outcome.expect_success()
        with_plugin = RANKS if serves else 0
        outcome.expect(outcome.with_plugin == with_plugin,
                       f"'{says}': {outcome.with_plugin} ranks have the plugin, expected {with_plugin}")
        outcome.expect(outcome.pvar("bcast_tree") > 0 if serves else True, f"'{says}': no broadcast by the tree")
        outcome.expect_messages(**({} if serves else {"release": 1}))
        for text in messages or ():
            outcome.expect(text in " ".join(outcome.output.split()), f"'{says}': the output does not have '{text}'")

    check(run(paths, RANKS, "probe", ["--roots", "all"],
              synthetic(3, 1) | {"coll_strata_bcast_algorithm": "tree"} | (parameters or {}),
              [selection, *variables]), judge)


def releases(paths, own):
    mine = next((epoch for epoch in EPOCHS if own in epoch), ())
    if not mine:
        raise Failure(f"built for Open MPI {own}, which is unknown to this test")
    for release, suffix in zip(SEVERAL[own[0]], itertools.cycle(SUFFIXES)):
        says = f"Open MPI v{release}{suffix}, package: none, ident: {release}{suffix}"
        job(paths, release in mine, says,
            messages=() if release in mine else (f"built for Open MPI {own}, and Open MPI v{release}{suffix} runs there",))


def unknown(paths, own):
    series = own.rsplit(".", 1)[0]
    said = {"coll_strata_verbose": "1"}
    for says in (f"Open MPI v{series}.99", "Vendor MPI 10.4", ""):
        job(paths, True, says, parameters=said, messages=("a release is not in the list, but all sizes match",))
    job(paths, False, f"Open MPI v{series}.99", larger="ompi_op_t_class")


def sizes(paths, own):
    for larger in ("ompi_communicator_t", "opal_convertor_t", "ompi_request_t"):
        job(paths, False, f"Open MPI v{own}", larger=larger + "_class", messages=(f"{larger} has ",))


CASES = {"releases": releases, "unknown": unknown, "sizes": sizes,
         "can_fail": lambda paths, own: job(paths, True, "Open MPI v4.0.1")}

if __name__ == "__main__":
    test_paths = Paths(sys.argv[1])
    conclude(lambda: CASES[sys.argv[2]](test_paths, built_for(test_paths)))
