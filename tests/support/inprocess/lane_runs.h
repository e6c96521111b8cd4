#pragma once
#include <vector>

#include "algorithms/engines/lanes.h"
#include "bcast_runs.h"
#include "block_runs.h"
#include "reduce_runs.h"
#include "topology/card_lanes.h"

namespace strata::testing {

/// A job on nodes with network cards.
struct CardedJob {
    std::vector<topology::LocalityRecord> records;
    topology::Hierarchy hierarchy;
    topology::CardLanes lanes;
};

/// `near[n][c]` processes near card c of node n, and `far` more on each node; ranks node after node, card
/// after card, or in an order drawn from `shuffle`. `switches`: nodes 0, 2, 4, ... and 1, 3, 5, ... below one
/// each.
CardedJob carded_job(const std::vector<std::vector<int>>& near, int far = 0, Random* shuffle = nullptr,
                     bool switches = false);
/// 2 to 5 nodes with 1 to 5 cards each, some without a process near them.
CardedJob random_carded_job(Random& random);

/// `count` trees over the groups of `hierarchy` with leaders drawn at random, and random blocks in each.
topology::CardLanes random_lanes(Random& random, const topology::Hierarchy& hierarchy, int count);

/// bcast_lanes(), allreduce_lanes() and exchange_blocks() over the trees of `lanes`.
RunReport run_lanes(const BcastCase& bcast, const topology::CardLanes& lanes, const FabricOptions& options);
ReduceRun run_lanes(const ReduceCase& reduce, const topology::CardLanes& lanes, const FabricOptions& options,
                    Arenas* arenas = nullptr);
RunReport run_lanes(const BlockCase& run, const topology::CardLanes& lanes, const FabricOptions& options);

}  // namespace strata::testing
