#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "fabric.h"
#include "topology/hierarchy.h"

namespace strata::testing {

/// The expectations that an Allgather is checked against.
struct AllgatherFacts {
    const topology::Hierarchy& hierarchy;
    int root = 0;
    const std::vector<std::size_t>& bytes;  ///< size of every rank's block
    std::vector<std::size_t> segments;      ///< segment size by group; 0: one message
    std::vector<bool> rings;                ///< by group: its method is the ring
};

/// Compares the messages of an Allgather with rings with the expected messages, to the byte and in order.
/// Uses only members and leaders of the groups and the root, not the planner. The participants of a group
/// are the ranks that stop there and, for each child group, the root or else the child's leader:
/// * In a ring (three or more participants), in the order of the lowest ranks behind them, each sends only
///   to the next: first the blocks behind itself, then those behind its predecessor, and so on, except
///   those behind the receiver; then all blocks from outside the group, unless the receiver is the group's
///   local root. Each part is sent in segments, the last one shorter.
/// * In any other group the participants form a tree; its edges carry in each direction everything behind
///   the sender, in segments.
/// * No other messages exist. Every rank receives every block but its own once, and every group the blocks
///   it lacks.
/// Returns the differences; empty when all agree.
std::vector<std::string> check_ring_bytes(const AllgatherFacts& facts,
                                          const std::vector<SentMessage>& messages);

}  // namespace strata::testing
