#!/usr/bin/env python3
"""Tests the judges of guests' reports: they accept good reports and reject every kind of bad one. Needs no QEMU."""
import json
import os
import tempfile
import unittest

import initramfs
from cases import CASES, Failure, Report, check, check_refusal

# Per case: NUMA node of each rank, leader of all, leaders of the NUMA groups, leaders of NICs.
_GOOD = {
    "near": ([0, 0, 1, 1, 2, 2, 3, 3], 3, [0, 3, 4, 7], [3]),
    "moved": ([0, 1, 2, 3, 0, 1, 2, 3], 7, [4, 1, 2, 7], [7]),
    "two": ([0, 0, 1, 1, 2, 2, 3, 3], 4, [1, 2, 4, 6], [2, 4]),
    "unknown": ([0, 0, 1, 1, 2, 2, 3, 3], 0, [0, 2, 4, 6], [0]),
}


def hierarchy(places, leader, group_leaders):
    members = [[rank for rank, node in enumerate(places) if node == numa] for numa in range(4)]
    groups = [{"leader": chosen, "members": group} for chosen, group in zip(group_leaders, members)]
    top = {"leader": leader, "members": list(range(8))}
    return {"ranks": 8, "levels": [{"kind": "node", "groups": [top]}, {"kind": "numa", "groups": groups}]}


def report(name, **changes):
    """A good report on a case, but for `changes` (parts by name; NICs by line)."""
    case = CASES[name]
    places, leader, group_leaders, on_nics = _GOOD[name]
    part = {"places": places, "leader": leader, "group_leaders": group_leaders, "on_nics": on_nics,
            "status": 0, "messages": "", "picture": None, "end": True} | changes
    nics = [f"{mac} 0000:{number * 40:02x}:00.0 eth{number} {-1 if nic.node is None else nic.node} "
             f"{'addressed' if nic.in_use else 'idle'}"
             for number, (mac, nic) in enumerate(zip(case.macs(), case.nics))]
    ranks = [f"rank {rank} {2 * node + part['places'][:rank].count(node)}"
             for rank, node in enumerate(part["places"])]
    leaders = f"nic_leaders {' '.join(map(str, part['on_nics']))}"
    drawn = hierarchy(part["places"], part["leader"], part["group_leaders"])
    lines = ["=== nics", *part.get("nics", nics),
             "=== nodes", *(f"{node} {2 * node}-{2 * node + 1}" for node in range(4)),
             "=== run", *part.get("ranks", ranks), leaders, f"status {part['status']}",
             "=== messages", *part["messages"].splitlines(),
             "=== hierarchy", part.get("json", json.dumps(drawn))]
    return "\r\n".join([*lines, "=== end"] if part["end"] else lines) + "\r\n"


class Judge(unittest.TestCase):
    """check()"""

    def refuses(self, pattern, name, **changes):
        with self.assertRaisesRegex(Failure, pattern):
            check(report(name, **changes), CASES[name])

    def test_accepts_good_reports(self):
        for name, case in CASES.items():
            with self.subTest(name):
                self.assertIn(f"elected: rank {_GOOD[name][1]} ", check(report(name), case))

    def test_refuses_leaders_far_from_the_nic(self):
        self.refuses(r"the leader is rank 0 on NUMA node 0, expected one on \[1\]", "near", leader=0)
        self.refuses(r"the leader is rank 5 on NUMA node 1, expected one on \[3\]", "moved", leader=5)
        self.refuses(r"the leader is rank 0 on NUMA node 0, expected one on \[1, 2\]", "two", leader=0)
        self.refuses("rank 3 leads .*, expected the lowest", "unknown", leader=3)
        self.refuses(r"rank 7 leads \[6, 7\], expected the lowest", "unknown", group_leaders=[0, 2, 4, 7])

    def test_refuses_leaders_of_nics(self):
        self.refuses(r"NUMA nodes \[0\], expected one on each of \[1\]", "near", on_nics=[0])
        self.refuses(r"NUMA nodes \[1, 3\], expected one on each of \[3\]", "moved", on_nics=[1, 3])
        self.refuses(r"NUMA nodes \[1\], expected one on each of \[1, 2\]", "two", on_nics=[2])
        self.refuses(r"NUMA nodes \[1, 1\], expected one on each of \[1, 2\]", "two", on_nics=[2, 3])
        self.refuses("expected rank 0 alone", "unknown", on_nics=[0, 2])

    def test_refuses_every_other_case(self):
        for name, case in CASES.items():
            for other, expected in CASES.items():
                if other != name:
                    with self.subTest(f"{name} as {other}"), self.assertRaises(Failure):
                        check(report(name), expected)

    def test_election_off(self):
        off = {"leader": 0, "group_leaders": [0, 2, 4, 6]}
        self.assertIn("refused, as it must be", check_refusal(report("near", **off), CASES["near"]))
        for reason, changes in (("rank 0 was accepted", {}), ("another reason", {"on_nics": [0]})):
            with self.assertRaisesRegex(Failure, reason):
                check_refusal(report("near", **changes), CASES["near"])

    def test_refuses_another_machine(self):
        self.refuses("the kernel's NICs", "near", nics=["52:54:00:00:00:01 0000:41:00.0 eth0 2 addressed"])
        self.refuses("the kernel's NICs", "near", nics=["52:54:00:00:00:01 0000:41:00.0 eth0 1 idle"])
        self.refuses("the kernel's NICs", "near", nics=[])

    def test_refuses_a_bad_run(self):
        self.refuses("mpirun failed", "near", status=1)
        self.refuses("messages where none were expected:\nno NIC", "unknown", messages="no NIC\n")
        self.refuses("rank 0 runs on CPUs 0-7: NUMA nodes", "near", ranks=["rank 0 0-7"])
        self.refuses("ranks: .*, expected 0 to 7", "near", ranks=["rank 0 0"])
        self.refuses("the guest's report ends at: hierarchy", "near", end=False)
        self.refuses("no JSON", "near", json="")
        self.refuses("expected one for each of", "near",
                     json=json.dumps(hierarchy([0, 0, 0, 1, 2, 2, 3, 3], 3, [0, 3, 4, 6])))
        with self.assertRaisesRegex(Failure, "ends at: the beginning"):
            Report("")


class Initramfs(unittest.TestCase):
    """initramfs.py"""

    def test_load_order(self):
        with tempfile.TemporaryDirectory() as folder:
            needs = {"top": "left,right", "left": "base-one", "right": "base-one,builtin", "base_one": ""}
            drivers = {}
            for name, need in needs.items():
                drivers[name] = os.path.join(folder, name)
                with open(drivers[name], "wb") as file:
                    file.write(b"ELF\0alias=x\0depends=" + need.encode() + b"\0name=" + name.encode() + b"\0")
            order = [os.path.basename(path) for path in initramfs.load_order(("top",), drivers)]
        self.assertEqual(order, ["base_one", "left", "right", "top"])


if __name__ == "__main__":
    unittest.main()
