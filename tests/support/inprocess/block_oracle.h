#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "algorithms/patterns/block_routes.h"
#include "fabric.h"
#include "topology/hierarchy.h"

namespace strata::testing {

/// Bytes that cross the boundary of a group.
struct BoundaryBytes {
    std::size_t in = 0;
    std::size_t out = 0;
    bool operator==(const BoundaryBytes&) const = default;
};
BoundaryBytes boundary_bytes(const topology::Group& group, const std::vector<SentMessage>& messages);

/// Compares the messages of an Allgather, Gather or Scatter with what must cross every boundary. Uses the
/// members and leaders of the groups, the root and the sizes of the blocks (by rank) only, nothing of the
/// planner:
/// * whoever exchanges messages with whom makes a tree in which every group hangs together, so that a block
///   enters or leaves a group once; only the group's local root (the root, or its leader) reaches outside; to
///   other nodes the one that receives for the root does in its place (`receiver`, -1: the root);
/// * every edge of this tree carries in each direction exactly the blocks of one of its two sides (all: of
/// the
///   sender's; to or from the root: of the side without the root), in messages of the segment size of the
///   group that joins its ends (0 = one message), the last one shorter; nothing where these are 0 bytes;
/// * all: every group receives what it lacks once. To the root: a group without it sends its own bytes
/// besides
///   what passes through, one with it receives what it lacks and sends nothing. From the root: the mirror
///   image.
/// Returns what differs; empty when all agree.
std::vector<std::string> check_block_bytes(const topology::Hierarchy& hierarchy, algorithms::BlockFlow flow,
                                           int root, const std::vector<std::size_t>& bytes,
                                           const std::vector<std::size_t>& segment_bytes_of_group,
                                           const std::vector<SentMessage>& messages, int receiver = -1);

}  // namespace strata::testing
