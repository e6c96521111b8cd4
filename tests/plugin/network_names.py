#!/usr/bin/env python3
"""Tests that a network description without nodes of the job is reported once, with the names of both sides; a
complete one is not."""
import sys

from job import Paths, check, conclude, synthetic, run

ALL = "hosts:p[0-1]=top.site0;p[2-3]=top.site1"
CASES = {  # coll_strata_network, further parameters, and the kind of nodes in the message; None: no message
    "all": (ALL, {}, None),
    "none": ("hosts:c[0-9]=top", {}, "any node"),
    "some": ("hosts:p[0-2]=top.site0", {}, "some nodes"),
    "not_asked": ("none", {}, None),
    "one_node": ("hosts:c[0-9]=top", synthetic(1, 8), None),
}
HOSTS = {"none": "c0, c1, c2, c3, c4, c5, c6, c7 and 2 more", "some": "p0, p1, p2"}


def test(paths, case, wanted):
    network, parameters, kind = CASES[case]
    settings = synthetic(4, 2) | {"coll_strata_setup_after": "0", "coll_strata_network": network} | parameters
    kind = wanted or kind

    def judge(outcome):
        outcome.expect_success()
        outcome.expect_messages(network=0 if kind is None else 1)
        if kind is None:
            return
        for text in (f"does not name {kind} of this job", f"hosts that it names:            {HOSTS[case]}\n"):
            outcome.expect(text in outcome.output, f"the message lacks '{text}'")

    check(run(paths, 8, "bcast_roots", parameters=settings), judge)


conclude(lambda: test(Paths(sys.argv[1]), sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else None))
