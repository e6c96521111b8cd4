#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "fabric.h"
#include "topology/hierarchy.h"

namespace strata::testing {

// The messages of reductions against what every group boundary must carry. As for the broadcast, only
// members, leaders and the root are used, nothing of the planner. `segment_bytes`: of every message but the
// last of an edge; 0 = one message. Each answers with what differs; empty when all agree.

/// The mirror image of a broadcast: each group that does not hold the root sends `bytes` once to the outside,
/// a group that holds it sends nothing; each rank but the root sends `bytes` once.
std::vector<std::string> check_reduce_bytes(const topology::Hierarchy& hierarchy, int root, std::size_t bytes,
                                            std::size_t segment_bytes,
                                            const std::vector<SentMessage>& messages);

/// Up and down: towards the root a group that does not hold it sends `bytes` once to the outside, away from
/// the root it receives them once, and so does each rank but the root. Which direction a message goes follows
/// from the pairs that talk to each other: they must form a tree.
std::vector<std::string> check_allreduce_bytes(const topology::Hierarchy& hierarchy, int root,
                                               std::size_t bytes, std::size_t segment_bytes,
                                               const std::vector<SentMessage>& messages);

/// The same for several trees: `roots` stand for nobody outside their own one.
std::vector<std::string> check_tree_bytes(const topology::Hierarchy& hierarchy, const std::vector<int>& roots,
                                          std::size_t bytes, std::size_t segment_bytes,
                                          const std::vector<SentMessage>& messages);

/// Recursive doubling among the core, which is the ranks that stand for the children of the topmost group
/// (their lowest members with `rank_order`, else their leaders) and those that stop in it: each sends and
/// receives one message per round in which its place takes part. Nobody else sends beyond such a child;
/// within it the same as for an allreduce whose root is the core rank, in one message.
std::vector<std::string> check_exchange_bytes(const topology::Hierarchy& hierarchy, bool rank_order,
                                              std::size_t bytes, const std::vector<SentMessage>& messages);

}  // namespace strata::testing
