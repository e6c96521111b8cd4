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

/// How the blocks of all ranks lie in one buffer.
enum class BlockPlacement {
    in_order,  ///< by rank, one behind the other
    gaps,      ///< by rank, apart
    permuted,  ///< in any order, some of them apart, on every rank another way
};

/// One Allgather, Gather or Scatter to run on all ranks of a hierarchy.
struct BlockCase {
    topology::Hierarchy hierarchy;
    algorithms::Plan plan;
    algorithms::ChunkDirection flow = algorithms::ChunkDirection::all;
    int root = 0;
    std::vector<std::size_t> bytes;  ///< of every rank's block
    BlockPlacement placement = BlockPlacement::in_order;

    std::size_t total() const;
};

/// One rank's buffers: the blocks that it keeps, with other bytes around each. Blocks that only pass through
/// have no memory, and those that it never sees a size that cannot be.
class BlockMemory {
public:
    BlockMemory(const BlockCase& run, int rank, const algorithms::BlockRoutes& routes);
    std::span<algorithms::Block> blocks() { return blocks_; }
    /// What is wrong after an exchange that returned 0; empty when nothing is.
    std::string verdict() const;
    static std::byte expected(int rank, std::size_t offset);

private:
    std::vector<std::byte> image(bool after) const;
    bool keeps(int block) const;
    bool holds_at_start(int block) const;

    const BlockCase& run_;
    int rank_;
    std::vector<std::byte> storage_;
    std::vector<std::size_t> offsets_;  ///< by rank; of the blocks that are kept
    std::vector<algorithms::Block> blocks_;
};

/// 0 to `most` bytes per rank: all equal, all different, most of them 0, or one far larger than the others.
std::vector<std::size_t> random_block_bytes(Random& random, int ranks, std::size_t most);

/// The routes of a rank, for runs over damaged ones.
using RoutesOf = std::function<algorithms::BlockRoutes(int rank)>;
RoutesOf planned_routes(const BlockCase& run);

/// Runs exchange_blocks() on every rank; wrong data and touched bytes around it are added to the report's
/// problems. `arenas`: one per rank, reset after use; nullptr for new ones.
RunReport run_blocks(const BlockCase& run, const FabricOptions& options,
                     std::deque<algorithms::Arena>* arenas = nullptr);
RunReport run_blocks(const BlockCase& run, const FabricOptions& options, const RoutesOf& routes_of,
                     std::deque<algorithms::Arena>* arenas = nullptr);

/// Segment size by group, and which groups' method is the ring, for the byte oracles.
std::vector<std::size_t> segments_by_group(const BlockCase& run);
std::vector<bool> rings_by_group(const BlockCase& run);
/// The case in words, for failure messages.
std::string describe(const BlockCase& run);

}  // namespace strata::testing
