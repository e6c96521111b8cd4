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

/// Compares the messages of an Allgather, Gather or Scatter with the expected bytes over every boundary.
/// Uses only members and leaders of the groups, the root and the block sizes (by rank), not the planner:
/// * The pairs that exchange messages form a tree in which every group is connected, so that a block enters
///   or leaves a group once. Only the group's local root (the root, or the group's leader) reaches outside;
///   the rank that receives for the root (`receiver`; -1: the root) does so in the root's place to other
///   nodes.
/// * Every edge carries in each direction the blocks of one of its two sides (all: the sender's side; to or
///   from the root: the side without the root). Messages have the segment size of the group that joins the
///   edge's ends (0 = one message), the last one is shorter; an edge without bytes carries no message.
/// * all: every group receives the blocks it lacks once. To the root: a group without the root sends its
///   own bytes and those that pass through it; a group with the root receives what it lacks and sends
///   nothing. From the root: the mirror image.
/// Returns the differences; empty when all agree.
std::vector<std::string> check_block_bytes(const topology::Hierarchy& hierarchy, algorithms::ChunkDirection flow,
                                           int root, const std::vector<std::size_t>& bytes,
                                           const std::vector<std::size_t>& segment_bytes_of_group,
                                           const std::vector<SentMessage>& messages, int receiver = -1);

}  // namespace strata::testing
