#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "algorithms/base/arena.h"
#include "algorithms/engines/block_exchange.h"
#include "algorithms/patterns/block_routes.h"
#include "fabric.h"
#include "random.h"

namespace strata::testing {

/// Layout of all ranks' blocks in one buffer.
enum class BlockPlacement {
    in_order,  ///< by rank, without gaps
    gaps,      ///< by rank, with gaps
    permuted,  ///< in any order, some with gaps; differs per rank
};

/// One Allgather, Gather or Scatter to run on all ranks of a hierarchy.
struct BlockCase {
    topology::Hierarchy hierarchy;
    algorithms::Plan plan;
    algorithms::ChunkDirection flow = algorithms::ChunkDirection::all;
    int root = 0;
    std::vector<std::size_t> bytes;  ///< size of every rank's block
    BlockPlacement placement = BlockPlacement::in_order;

    std::size_t total() const;
};

/// One rank's buffers: the blocks that it keeps, with guard bytes around each. Blocks that only pass
/// through have no memory; blocks that the rank never sees have an impossible size.
class BlockMemory {
public:
    BlockMemory(const BlockCase& run, int rank, const algorithms::BlockRoutes& routes);
    std::span<algorithms::Block> blocks() { return blocks_; }
    /// Returns the errors found after an exchange that returned 0; empty when there are none.
    std::string verdict() const;
    static std::byte expected(int rank, std::size_t offset);

private:
    std::vector<std::byte> image(bool after) const;
    bool keeps(int block) const;
    bool holds_at_start(int block) const;

    const BlockCase& run_;
    int rank_;
    std::vector<std::byte> storage_;
    std::vector<std::size_t> offsets_;  ///< by rank, for the blocks that the rank keeps
    std::vector<algorithms::Block> blocks_;
};

/// 0 to `most` bytes per rank: all equal, all different, most 0, or one much larger than the others.
std::vector<std::size_t> random_block_bytes(Random& random, int ranks, std::size_t most);

/// The routes of a rank, for runs with damaged routes.
using RoutesOf = std::function<algorithms::BlockRoutes(int rank)>;
RoutesOf planned_routes(const BlockCase& run);

/// Runs exchange_blocks() on every rank; adds wrong data and overwritten guard bytes to the report's
/// problems. `arenas`: one per rank, reset after use; nullptr for new ones.
RunReport run_blocks(const BlockCase& run, const FabricOptions& options,
                     std::deque<algorithms::Arena>* arenas = nullptr);
RunReport run_blocks(const BlockCase& run, const FabricOptions& options, const RoutesOf& routes_of,
                     std::deque<algorithms::Arena>* arenas = nullptr);

/// Segment size by group, and the groups whose method is the ring, for the byte oracles.
std::vector<std::size_t> segments_by_group(const BlockCase& run);
std::vector<bool> rings_by_group(const BlockCase& run);
/// Describes the case for failure messages.
std::string describe(const BlockCase& run);

}  // namespace strata::testing
