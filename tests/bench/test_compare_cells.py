#!/usr/bin/env python3
"""Tests of the cells and the contenders of bench/compare."""

import itertools
import unittest

import fakes  # noqa: F401: finds the modules below

import collective_table

from strata_bench.compare import command_line, contenders, grid, setting
from strata_bench.measuring import launcher
from strata_bench.measuring.cluster import ClusterError


class Grid(unittest.TestCase):
    def test_the_sample_is_fixed(self):
        drawn = [grid.sample(grid.GATED, grid.ORDERS, grid.SIZES, seed) for seed in (1, 1, 2)]
        self.assertEqual(drawn[0], drawn[1])
        self.assertNotEqual(drawn[0], drawn[2])
        self.assertEqual({(cell.operation, cell.order) for cell in drawn[0]},
                         set(itertools.product(grid.GATED, grid.ORDERS)))
        for cell in drawn[0]:
            self.assertEqual(len(cell.sizes), 1 if cell.operation == "barrier" else 4)
            self.assertEqual(cell.root in grid.ROOTS, cell.operation in ("bcast", "reduce", "gather", "scatter"))
        self.assertEqual({cell.root for cell in drawn[0]}, {None, *grid.ROOTS})
        self.assertEqual((grid.SIZES[0], grid.SIZES[-1]), (8, 4 << 20))

    def test_the_full_grid_has_everything_once(self):
        cells = grid.full(("bcast", "barrier"), ("block", "cyclic"), grid.SIZES)
        found = [(cell.operation, cell.order, size) for cell in cells for size in cell.sizes]
        self.assertEqual(len(found), len(set(found)))
        self.assertEqual(len(found), 2 * (len(grid.SIZES) + 1))
        self.assertEqual(len({cell.name() for cell in cells}), len(cells))

    def test_names_tell_roots(self):
        cells = [grid.cell("bcast", "block", (8,), root) for root in grid.ROOTS]
        self.assertEqual([cell.name() for cell in cells],
                         ["bcast-block-root-0-8", "bcast-block-root-middle-8", "bcast-block-root-last-8"])
        self.assertEqual([grid.root_rank(root, 16) for root in (*grid.ROOTS, "3")], [0, 9, 15, 3])
        self.assertEqual([grid.root_rank("middle", ranks) for ranks in (1, 2, 3)], [0, 1, 2])

    def test_runs_hold_cells_of_one_order(self):
        cells = grid.full(grid.GATED, grid.ORDERS, grid.SIZES)
        parts = grid.runs(cells)
        self.assertEqual(sorted(cell.name() for part in parts for cell in part),
                         sorted(cell.name() for cell in cells))
        for part in parts:
            self.assertEqual(len({cell.order for cell in part}), 1)
            self.assertLessEqual(len(part), 8)
        self.assertEqual(len({part[0].order for part in parts[:4]}), 4)

    def test_unequal_nodes(self):
        self.assertEqual(setting.unequal((4, 4, 4, 4)), (4, 3, 2, 4))
        self.assertEqual(setting.unequal((1, 1, 2, 16, 16)), (1, 1, 1, 16, 12))


class Contenders(unittest.TestCase):
    def test_all_are_made_in_order(self):
        made = contenders.make(contenders.NAMES, "plugins", {"network": "none"})
        self.assertEqual(tuple(one.name for one in made), contenders.NAMES)
        self.assertEqual(len({(one.options, one.environment) for one in made}), 1)  # they share a run
        components = {one.name: one.component for one in made if one.component != "strata"}
        self.assertEqual(components, {"tuned": "tuned", "han": "han", "basic": "basic", "hierarchical": "tuned",
                                      "lane": "tuned", "hybrid": "tuned"})
        for one in made:
            self.assertEqual((one.is_plugin, ("ompi_comm_coll_preference", "strata") in one.info),
                             (one.name not in components,) * 2)

    def test_engines_serve_what_the_plugin_says(self):
        for engine, its in contenders.ENGINES.items():
            self.assertEqual(sorted(its), sorted(collective_table.of_engine(engine)), engine)

    def test_what_each_can(self):
        self.assertFalse(contenders.can("lane", "bcast", "unequal"))
        self.assertFalse(contenders.can("lane", "barrier", "block"))
        self.assertFalse(contenders.can("ring", "bcast", "block"))
        self.assertFalse(contenders.can("composed", "scatter", "block"))
        self.assertTrue(contenders.can("tuned", "scatterv", "unequal"))

    def test_a_former_name_is_accepted(self):
        options = command_line._parser().parse_args(["--with", "lanes,ring"])
        self.assertEqual(options.names, ("rails", "ring"))

    def test_what_is_said_of_one_is_said_by_its_communicator(self):
        ring, flat = contenders.make(("ring", "flat"), "plugins", {})
        self.assertIn(("strata_allgather_algorithm", "ring"), ring.info)
        self.assertIn(("strata_hierarchy", "none"), flat.info)
        for one in contenders.make(contenders.NAMES, "plugins", {}):
            for key, _ in one.info:
                self.assertLess(len(key), 36)  # MPI_MAX_INFO_KEY of Open MPI

    def test_the_environment_carries_parameters(self):
        options = ("--mca", "coll", "^strata", "--mca", "coll", "basic")
        self.assertEqual(launcher.as_environment(options), {"OMPI_MCA_coll": "basic"})
        with self.assertRaises(ValueError):
            launcher.as_environment(("--tag-output",))
        with self.assertRaises(ClusterError):
            launcher.Launcher("no-such-program -n 4")


if __name__ == "__main__":
    unittest.main()
