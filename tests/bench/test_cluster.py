#!/usr/bin/env python3
"""Tests of the emulated cluster's plans, without building one."""

import os
import subprocess
import types
import unittest

from fakes import ROOT, Folder

from strata_bench.cluster import kernel, network, plan, state
from strata_bench.cluster.plan import UserError
from strata_bench.measuring.cluster import ClusterError, StandingCluster


def made(**options):
    """Returns the plan for options of `up`."""
    defaults = {"nodes": 4, "sites": 1, "site_sizes": None, "slots": "4", "nic": "500mbit", "uplink": None,
                "delay_us": 0, "relay_mbit": 0, "mtu": 9000, "queue_bytes": 1000000, "far_mbit": 0,
                "far_ranks": "half", "far_direction": "receive", "second_nic": ""}
    return plan.make(types.SimpleNamespace(**{**defaults, **options}))


class Slots(unittest.TestCase):
    def test_per_node(self):
        cluster = made(slots="2,4,1,3")
        self.assertEqual(plan.chosen_slots(cluster, None), (2, 4, 1, 3))
        self.assertEqual(plan.chosen_slots(cluster, "1"), (1, 1, 1, 1))
        self.assertEqual(plan.chosen_slots(cluster, "2,0,1,3"), (2, 0, 1, 3))
        for wrong in ("2", "1,1", "0", "1,1,1,x", "-1"):
            with self.assertRaises(UserError, msg=wrong):
                plan.chosen_slots(cluster, wrong)

    def test_hostfile_leaves_nodes_out(self):
        self.assertEqual(plan.hostfile((2, 0, 1)), "n0 slots=2\nn2 slots=1\n")
        self.assertEqual(sorted(plan.hostfile_by_rank((2, 0, 1), "shuffle", 7).split()), ["n0", "n0", "n2"])

    def test_nodes_of_ranks(self):
        self.assertEqual(plan.rank_nodes((2, 0, 3), "block"), [0, 0, 2, 2, 2])
        self.assertEqual(plan.rank_nodes((2, 0, 3), "cyclic"), [0, 2, 0, 2, 2])
        shuffled = plan.rank_nodes((2, 0, 3), "shuffle", 3)
        self.assertEqual("".join(f"n{node}\n" for node in shuffled), plan.hostfile_by_rank((2, 0, 3), "shuffle", 3))
        self.assertEqual(plan.hostfile_by_rank((1, 0, 2), "cyclic", 3), "n0\nn2\nn2\n")
        self.assertNotEqual(plan.rank_nodes((4,) * 4, "shuffle"), plan.rank_nodes((4,) * 4, "shuffle", 8))


class Lost(unittest.TestCase):
    def test_filters_that_tc_shows_twice_count_once(self):
        def told(index, packets):
            return {"kind": "u32", "options": {"actions": [{"index": index, "stats": {"packets": packets}}]}}

        both = [{"kind": "u32"}, {"kind": "u32", "options": {"fh": "801:"}}, told(1, 6), told(2, 3)]
        self.assertEqual(network.lost_packets(both + both), 9)
        self.assertEqual(network.lost_packets([]), 0)


class Far(unittest.TestCase):
    def test_counts(self):
        self.assertEqual(plan.far_counts("half", (1, 2, 5, 8)), (0, 1, 2, 4))
        self.assertEqual(plan.far_counts("3", (1, 2, 5, 8)), (1, 2, 3, 3))
        self.assertEqual(plan.far_counts("1,0,0,2", (1, 1, 1, 1)), (1, 0, 0, 1))
        for wrong in ("1,0", "x", "-1"):
            with self.assertRaises(UserError, msg=wrong):
                plan.far_counts(wrong, (4, 4, 4, 4))

    def test_options_that_need_a_rate(self):
        self.assertFalse(made().has_far)
        self.assertTrue(made(far_mbit=300, far_ranks="1", far_direction="both").has_far)
        self.assertTrue(made(second_nic="200mbit", far_ranks="1").has_far)
        for wrong in ({"far_ranks": "1"}, {"far_direction": "both"}, {"far_mbit": -1},
                      {"far_mbit": 300, "far_ranks": "1,2"}, {"far_mbit": 300, "second_nic": "200mbit"},
                      {"second_nic": "fast"}, {"second_nic": "1gbit", "far_direction": "both"}):
            with self.assertRaises(UserError, msg=wrong):
                made(**wrong)

    def test_records(self):
        cluster = made(far_mbit=300, far_ranks="1")
        self.assertEqual(plan.Plan.from_json(cluster.to_json()), cluster)

    def test_people_are_told(self):
        text = "far from the NIC: the lowest 2 local ranks of a node, 300 Mbit/s towards them"
        self.assertIn(text, plan.describe(made(far_mbit=300)))
        self.assertIn("# " + text, plan.slurm_topology(made(far_mbit=300)))
        self.assertIn("1 to 2 local ranks of a node, 300 Mbit/s each way",
                      plan.describe(made(far_mbit=300, far_direction="both", slots="4,4,2,2")))
        self.assertIn("a second NIC for the lowest 2 local ranks of a node, 200mbit",
                      plan.describe(made(second_nic="200mbit")))
        self.assertNotIn("far", plan.describe(made()) + plan.slurm_topology(made()))

    def test_addresses_differ(self):
        addresses = [address(node) for node in range(1000)
                     for address in (plan.data_address, plan.far_data_address)]
        self.assertEqual(len(set(addresses)), 2000)


class Machine(unittest.TestCase):
    def places(self, slots, far):
        return plan.machine_parameters(slots, far)["coll_strata_placement"]

    def test_far_ranks_first(self):
        self.assertEqual(plan.machine_parameters((4, 4), (2, 2)),
                         {"coll_strata_topology": "synthetic:package:2 [numa] core:2",
                          "coll_strata_placement": "0;1;2;3", "coll_strata_nic": "eth0@numa:1"})
        self.assertEqual(plan.machine_parameters((4, 4), (2, 2), True)["coll_strata_nic"],
                         "eth0@numa:1,eth1@numa:0")
        self.assertEqual(self.places((4, 0), (1, 0)), "0;3;4;5")  # three cores on each package
        self.assertEqual(self.places((2, 2), (2, 2)), "0;1")
        self.assertEqual(self.places((2, 2), (0, 0)), "2;3")
        self.assertEqual(self.places((3, 1), (1, 1)), "0;2;3")

    def test_what_one_list_cannot_say(self):
        for slots, far in (((4, 2), (2, 1)), ((1, 1), (1, 0))):
            with self.assertRaises(UserError):
                self.places(slots, far)


class OtherVersion(Folder):
    """A cluster that another version of this command has recorded."""

    def command(self, name):
        return subprocess.run([os.path.join(ROOT, "bench", "cluster"), name, "--state", self.folder], text=True,
                              capture_output=True, check=False)

    def test_it_is_reported_and_can_be_removed(self):
        os.rmdir(os.path.join(self.folder, "logs"))
        holder = subprocess.Popen(["sleep", "300"])
        self.addCleanup(holder.wait)
        self.addCleanup(holder.kill)
        fields = made(second_nic="1gbit").to_json()
        fields["second_card"] = fields.pop("second_nic")
        state.State(self.folder).save(plan=fields, holder=holder.pid, holder_start=kernel.start_time(holder.pid),
                                      ready=True, user_namespace=False)
        found = self.command("topology")
        text = f"the cluster in {self.folder} was made by another version; run `bench/cluster down`"
        self.assertEqual((found.returncode, found.stderr), (2, f"cluster: {text}\n"))
        with self.assertRaisesRegex(ClusterError, text), StandingCluster(self.folder):
            pass
        self.assertEqual(self.command("down").returncode, 0)
        self.assertFalse(os.path.exists(self.folder))
        os.mkdir(self.folder)  # for the end of the test


if __name__ == "__main__":
    unittest.main()
