#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "fabric.h"
#include "topology/hierarchy.h"

namespace strata::testing {

/// What an Allgather is checked against.
struct AllgatherFacts {
    const topology::Hierarchy& hierarchy;
    int root = 0;
    const std::vector<std::size_t>& bytes;  ///< of every rank's block
    std::vector<std::size_t> segments;      ///< by group; 0: one message
    std::vector<bool> rings;                ///< by group: its method is the ring
};

/// Compares the messages of an Allgather with rings with what must be sent, to the byte and in order. Uses
/// the members and leaders of the groups and the root only, nothing of the planner. The participants of a
/// group are the ranks that stop there and, of each child group, the root or else the leader:
/// * of a ring (three or more), in the order of the lowest ranks behind them, each sends to the next and to
///   nobody else: the blocks behind itself, those behind the one before it and so on but for those behind the
///   receiver, then all from outside the group unless the receiver stands for the group; each of these parts
///   in segments, the last one shorter;
/// * of any other group, they make a tree, whose edges carry in each direction everything behind the sender,
///   in segments;
/// * nobody else talks to anybody, every rank receives every block but its own once, and every group what it
///   lacks.
/// Returns what differs; empty when all agree.
std::vector<std::string> check_ring_bytes(const AllgatherFacts& facts,
                                          const std::vector<SentMessage>& messages);

}  // namespace strata::testing
