#!/usr/bin/env python3
"""Tests of tests/cluster's analysis of faults in the middle of collectives, on artificial endings of jobs
and notes of their ranks, and on artificial links."""

import contextlib
import io
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cluster"))

from endings import Seen, cannot_be_done, deviations, judge_files, remarks  # noqa: E402
from faults import FAULTS, Job  # noqa: E402
from links import LinkChanger  # noqa: E402
from nodes import TIMED_OUT, Failure, Outcome  # noqa: E402
from table import Table  # noqa: E402

KILL, STOP, AGREEING = FAULTS["kill inside, returned"], FAULTS["stop"], FAULTS["kill in the agreement"]
STAY, CUT, LOSSY = FAULTS["kill inside, others stay"], FAULTS["cut"], FAULTS["lossy"]


def ended(seconds=0.3, **more):
    return Seen("ended", seconds, 1, **more)


SUCCESS, NO_END = Seen("success", 2, 1), Seen("no end", 19, 1)


class Deviations(unittest.TestCase):
    def expect(self, text, seen, reference, fault=KILL, operations=("bcast",)):
        found = deviations(fault, operations, seen, reference)
        if text is None:
            self.assertEqual(found, [])
        else:
            self.assertEqual(len(found), 1, found)
            self.assertIn(text, found[0])

    def test_ends_alike(self):
        self.expect(None, ended(), ended())
        self.expect(None, ended(5), ended(0.3))
        self.expect(None, ended(0.1), ended(9))

    def test_other_ends(self):
        self.expect("success in spite of the fault", SUCCESS, ended())
        self.expect("success in spite of the fault", SUCCESS, None)
        self.expect("success in spite of the fault", SUCCESS, NO_END)
        self.expect("no end within the limit, tuned: ended", NO_END, ended())
        self.expect("no end within the limit, tuned: success", NO_END, SUCCESS)
        self.expect("ended 7.0 s after the fault, tuned: 0.3 s", ended(7), ended())

    def test_the_fault_has_to_strike(self):
        self.expect("the fault struck 0 times", Seen("ended", 0, 0), ended())
        self.expect("the fault struck 2 times", Seen("ended", 0, 2), ended())
        self.expect("the fault struck 1 times", SUCCESS, None, STOP, ("bcast", "reduce"))
        self.expect(None, Seen("success", 2, 2), None, STOP, ("bcast", "reduce"))

    def test_who_survives_does_so_with_right_data(self):
        self.expect("did not survive", ended(), None, STOP)
        self.expect("no end within the limit", NO_END, None, STOP)
        self.expect("WRONG data: wrong.3", ended(wrong=["wrong.3"]), ended())
        self.expect("interrupted: rank 1: WRONG: x", ended(output="a\ninterrupted: rank 1: WRONG: x\n"), ended())

    def test_error_classes(self):
        self.expect(None, ended(errors=["16"]), ended(errors=["16"]))
        self.expect(None, ended(errors=["16"]), ended(errors=["16", "17"]))
        self.expect("error class 17, tuned: 16", ended(errors=["16", "17"]), ended(errors=["16"]))
        self.expect("error class 17, tuned: 15/16", ended(errors=["17"]), ended(errors=["15", "16"]))
        # A rank that ended before its error proves nothing.
        self.expect(None, ended(errors=["17"]), ended())
        self.expect(None, ended(), ended(errors=["17"]))
        # Reported by another rank, and only in an agreement.
        self.expect(None, ended(errors=["16"]), ended(errors=["15"]), AGREEING)
        self.expect("error class 16, tuned: 15", ended(errors=["16"]), ended(errors=["15"]))

    def test_a_reference_without_end_is_told_of(self):
        self.expect(None, NO_END, NO_END, STAY)
        self.assertEqual(remarks(STAY, NO_END, NO_END), ["hangs, as tuned does"])
        self.expect(None, ended(), NO_END, STAY)
        self.assertEqual(remarks(STAY, ended(), NO_END), ["ended, where tuned hangs"])
        self.assertEqual(remarks(KILL, ended(), ended()), [])
        self.assertEqual(remarks(STOP, SUCCESS, None), [])

    def test_what_is_unproven_is_none(self):
        self.expect("the link was never cut", Seen("success", 2, 1, unproven=["the link was never cut"]), None, CUT)

    def test_the_table_tells_hangs_from_others(self):
        with contextlib.redirect_stdout(io.StringIO()) as told, Table(None) as table:
            job = Job(STAY, ("bcast",), "tree")
            for reference in (NO_END, ended()):
                table.add("cluster", "stay", job, reference, NO_END, deviations(STAY, ("bcast",), NO_END, reference),
                          remarks(STAY, NO_END, reference))
            with self.assertRaises(Failure):
                table.conclude()
        self.assertIn("1 no end (hangs, as tuned does), 1 deviates", told.getvalue())


class Notes(unittest.TestCase):
    """Files that ranks leave behind."""

    def judged(self, job, notes, status=1, complaints=(), served=None):
        with tempfile.TemporaryDirectory() as folder:
            for name in notes:
                with open(os.path.join(folder, name), "w", encoding="ascii"):
                    pass
            for rank, counts in (served or {}).items():
                with open(os.path.join(folder, f"served.bcast.{rank}"), "w", encoding="ascii") as file:
                    file.write("calls 4\n")
                    file.writelines(f"coll_strata_comm_{name} {count}\n" for name, count in counts.items())
            return judge_files(folder, Outcome(status, "passed on 8 ranks" if status == 0 else ""), job, complaints)

    def served_by(self, engine, counts, ranks=range(8)):
        served = {rank: counts for rank in ranks}
        return self.judged(Job(KILL, ("bcast",), engine), ["struck.bcast"], served=served).unproven

    def test_ends(self):
        job = Job(KILL, ("bcast",), "tuned")
        everybody = {rank: {} for rank in range(8)}
        self.assertEqual(self.judged(job, [], 0, served=everybody).end, "success")
        self.assertEqual(self.judged(job, [], TIMED_OUT, served=everybody).end, "no end")
        seen = self.judged(job, ["struck.bcast", "error.3.16", "error.4.16", "wrong.2"], served=everybody)
        self.assertEqual((seen.end, seen.struck, seen.errors, seen.wrong, seen.unproven),
                         ("ended", 1, ["16"], ["wrong.2"], []))

    def test_the_engine_has_served_the_calls_before(self):
        tree = {"tree": 4, "levels": 0, "forward": 0, "forward_model": 0}
        self.assertEqual(self.served_by("tree", tree), [])
        self.assertEqual(self.served_by("auto", tree), [])
        self.assertEqual(self.served_by("tuned", {}), [])
        self.assertEqual(self.served_by("levels", tree), ["bcast was not served by levels: on rank 0 by tree: 4"])
        self.assertEqual(self.served_by("tree", {}), ["bcast was not served by tree: on rank 0 there is no plugin"])
        self.assertEqual(self.served_by("tuned", tree), ["bcast was not served by tuned: on rank 0 by the plugin"])
        self.assertEqual(self.served_by("tree", tree, range(6)),
                         ["2 ranks do not say what served bcast before the fault"])
        left = {"tree": 0, "levels": 0, "forward": 4, "forward_early": 4}
        for engine in ("auto", "tree"):
            self.assertEqual(self.served_by(engine, left),
                             [f"bcast was not served by {engine}: on rank 0 by forward_early: 4"])
        left = {"tree": 0, "levels": 0, "forward": 4, "forward_model": 4}
        self.assertEqual(self.served_by("tree", left), ["bcast was not served by tree: on rank 0 by forward_model: 4"])
        served = {rank: left for rank in range(8)}
        seen = self.judged(Job(KILL, ("bcast",), "auto"), ["struck.bcast"], served=served)
        self.assertEqual((seen.unproven, remarks(KILL, seen, ended())), ([], ["auto leaves bcast to tuned"]))
        served[5] = tree
        seen = self.judged(Job(KILL, ("bcast",), "auto"), ["struck.bcast"], served=served)
        self.assertEqual(seen.unproven, ["bcast was not served by auto: on rank 0 by forward_model: 4"])
        some = {"tree": 3, "forward": 1, "forward_model": 1}
        self.assertEqual(self.served_by("tree", some),
                         ["bcast was not served by tree: on rank 0 by tree: 3, forward_model: 1"])

    def test_where_the_first_call_was_hit(self):
        job = Job(AGREEING, ("bcast",), "tree")
        self.assertEqual(self.judged(job, ["struck.bcast", "hit.bcast.agreement"]).unproven, [])
        for note, text in (("hit.bcast.message", "a message of a collective"), ("hit.bcast.returned", "after the call"),
                           ("other", "an unknown call")):
            self.assertEqual(self.judged(job, ["struck.bcast", note]).unproven,
                             [f"the fault did not hit the agreement, but {text}"])
        job = Job(AGREEING, ("bcast",), "tuned")
        self.assertEqual(self.judged(job, ["struck.bcast", "hit.bcast.returned"]).unproven, [])

    def test_who_is_to_stop_or_to_stay_does_so(self):
        everybody = {rank: {} for rank in range(8)}
        stop = Job(STOP, ("bcast",), "tuned")
        self.assertEqual(self.judged(stop, ["struck.bcast"], served=everybody).unproven,
                         ["the victim was never stopped in bcast"])
        self.assertEqual(self.judged(stop, ["struck.bcast", "stopped.bcast"], served=everybody).unproven, [])
        stay = Job(STAY, ("bcast",), "tuned", victim=3)
        outlived = [f"outlived.{rank}" for rank in range(8) if rank != 3]
        self.assertEqual(self.judged(stay, ["struck.bcast", *outlived], served=everybody).unproven, [])
        seen = self.judged(stay, ["struck.bcast", *outlived[:-2]], served=everybody)
        self.assertEqual(seen.unproven, ["ranks 6,7 did not outlive the victim by a second"])
        self.assertIsNone(cannot_be_done(4, seen))
        self.assertEqual(cannot_be_done(5, seen),
                         "not with Open MPI 5.0: ranks 6,7 did not outlive the victim by a second")
        self.assertIsNone(cannot_be_done(5, ended()))
        # An mpirun that does not start such a job at all is a separate case.
        self.assertIsNone(cannot_be_done(5, self.judged(stay, [])))

    def test_what_is_known_of_the_link_counts(self):
        everybody = {rank: {} for rank in range(8)}
        seen = self.judged(Job(CUT, ("bcast",), "tuned"), ["struck.bcast"], 0, ["the link was never cut"], everybody)
        self.assertEqual(deviations(CUT, ("bcast",), seen, None), ["the link was never cut"])


class FakeNodes:
    """A link with given answers and counts."""
    slots = (2, 1, 3, 2)

    def __init__(self, answers, to_node=(7, 7), lost=0):
        self.answers, self.to_node, self.lost = list(answers), list(to_node), lost
        self.changes = []

    def call(self, action, node, *rest):
        if action == "exec":
            return self.answers.pop(0) + "\n"
        if rest[0] == "show":
            return f'{{"state": "-", "from_node": 0, "to_node": {self.to_node.pop(0)}, "lost": {self.lost}}}'
        self.changes.append((node, rest[0]))
        return ""


class Links(unittest.TestCase):
    def complaints(self, fault, nodes, goes_on=False):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("ready.bcast", "progress.0"):
                with open(os.path.join(folder, name), "w", encoding="ascii"):
                    pass
            changer = LinkChanger(nodes, fault, 2, folder, ("bcast",))
            changer.over.wait = lambda _seconds: False
            if goes_on:
                calls = iter(range(100))
                changer.progress = lambda: {"progress.0": next(calls)}
            changer.run()
            self.assertTrue(os.path.exists(os.path.join(folder, "struck.bcast")))
            return changer.complaints

    def test_a_cut_link(self):
        nodes = FakeNodes(["reached", "timed out"])
        self.assertEqual(self.complaints(CUT, nodes), [])
        self.assertEqual(nodes.changes, [("n2", "cut"), ("n2", "whole")])
        self.assertEqual(self.complaints(CUT, FakeNodes(["reached", "reached"])),
                         ["the link was never cut: n2 answers"])
        self.assertEqual(self.complaints(CUT, FakeNodes(["reached", "timed out"], (7, 9))),
                         ["the link was never cut: 2 packets have come through"])
        self.assertEqual(self.complaints(CUT, FakeNodes(["reached", "timed out"]), goes_on=True),
                         ["the link was never cut: every rank goes on"])
        self.assertEqual(self.complaints(CUT, FakeNodes(["timed out", "timed out"])),
                         ["the link of n2 did not work before it was to be cut"])

    def test_a_lossy_link(self):
        self.assertEqual(self.complaints(LOSSY, FakeNodes(["reached"], lost=3)), [])
        self.assertEqual(self.complaints(LOSSY, FakeNodes(["reached"], (7, 99))),
                         ["the link was never lossy: it has lost nothing"])

    def test_a_changer_that_fails_is_told_of(self):
        class Broken(FakeNodes):
            def call(self, *_arguments):
                raise Failure("no such link")

        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "ready.bcast"), "w", encoding="ascii"):
                pass
            changer = LinkChanger(Broken([]), CUT, 2, folder, ("bcast",))
            changer.run()
        self.assertEqual(changer.complaints, ["no such link"])


if __name__ == "__main__":
    unittest.main()
