#pragma once
#include <vector>

#include "algorithms/engines/rails.h"
#include "bcast_runs.h"
#include "block_runs.h"
#include "reduce_runs.h"
#include "topology/nic_rails.h"

namespace strata::testing {

/// A job on nodes with NICs.
struct NicJob {
    std::vector<topology::LocalityRecord> records;
    topology::Hierarchy hierarchy;
    topology::NicRails rails;
};

/// `near[n][c]` processes local to NIC c of node n, and `far` more on each node. Ranks follow node after
/// node, NIC after NIC, or a random order from `shuffle`. `switches`: one switch above nodes 0, 2, 4, ...,
/// one above nodes 1, 3, 5, ....
NicJob nic_job(const std::vector<std::vector<int>>& near, int far = 0, Random* shuffle = nullptr,
               bool switches = false);
/// 2 to 5 nodes with 1 to 5 NICs each; some NICs have no local process.
NicJob random_nic_job(Random& random);

/// `count` trees over the groups of `hierarchy` with random leaders and random blocks.
topology::NicRails random_rails(Random& random, const topology::Hierarchy& hierarchy, int count);

/// bcast_rails(), allreduce_rails() and exchange_blocks() over the trees of `rails`.
RunReport run_rails(const BcastCase& bcast, const topology::NicRails& rails, const FabricOptions& options);
ReduceRun run_rails(const ReduceCase& reduce, const topology::NicRails& rails, const FabricOptions& options,
                    Arenas* arenas = nullptr);
RunReport run_rails(const BlockCase& run, const topology::NicRails& rails, const FabricOptions& options);

}  // namespace strata::testing
