#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "fabric.h"
#include "topology/hierarchy.h"

namespace strata::testing {

// Checks the messages of reductions against the expected bytes over every group boundary. Uses only
// members, leaders and the root, not the planner. `segment_bytes`: size of every message but the last of an
// edge; 0 = one message. Each function returns the differences; empty when all agree.

/// The mirror image of a broadcast: each group without the root sends `bytes` once to the outside; a group
/// with the root sends nothing. Each rank but the root sends `bytes` once.
std::vector<std::string> check_reduce_bytes(const topology::Hierarchy& hierarchy, int root, std::size_t bytes,
                                            std::size_t segment_bytes,
                                            const std::vector<SentMessage>& messages);

/// Up and down: a group without the root sends `bytes` once to the outside towards the root and receives
/// them once away from the root; so does each rank but the root. The direction of a message follows from
/// the pairs that exchange messages: they must form a tree.
std::vector<std::string> check_allreduce_bytes(const topology::Hierarchy& hierarchy, int root,
                                               std::size_t bytes, std::size_t segment_bytes,
                                               const std::vector<SentMessage>& messages);

/// The same for several trees; each of `roots` is a root in its own tree only.
std::vector<std::string> check_tree_bytes(const topology::Hierarchy& hierarchy, const std::vector<int>& roots,
                                          std::size_t bytes, std::size_t segment_bytes,
                                          const std::vector<SentMessage>& messages);

/// Recursive doubling among the core: one rank per child of the topmost group (its lowest member with
/// `rank_order`, else its leader) and the ranks that stop in that group. `places`: these ranks in the
/// order of their places; empty: by the lowest rank of each child. Each sends and receives one message per
/// round in which its place takes part. No other rank sends beyond its child of the topmost
/// group; within the child, the messages are those of an allreduce whose root is the core rank, in one
/// message.
std::vector<std::string> check_exchange_bytes(const topology::Hierarchy& hierarchy, bool rank_order,
                                              std::size_t bytes, const std::vector<SentMessage>& messages,
                                              const std::vector<int>& places = {});

}  // namespace strata::testing
