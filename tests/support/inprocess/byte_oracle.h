#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "fabric.h"
#include "topology/hierarchy.h"

namespace strata::testing {

/// Compares the messages of a broadcast with what every group boundary must carry. Uses the members and
/// leaders of the groups and the root only, nothing of the planner: each group that does not hold the root
/// receives `bytes` once from outside, in messages of the segment size of the level on which its leader is
/// reached (0 = one message); a group that holds the root receives nothing; each rank but the root receives
/// `bytes` once. Returns what differs; empty when all agree.
std::vector<std::string> check_bcast_bytes(const topology::Hierarchy& hierarchy, int root, std::size_t bytes,
                                           const std::vector<std::size_t>& segment_bytes_of_group,
                                           const std::vector<SentMessage>& messages);

}  // namespace strata::testing
