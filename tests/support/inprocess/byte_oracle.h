#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "fabric.h"
#include "topology/hierarchy.h"

namespace strata::testing {

/// Compares the messages of a broadcast with the expected bytes over every group boundary. Uses only
/// members and leaders of the groups and the root, not the planner. Each group without the root receives
/// `bytes` once from outside, in messages of the segment size of the level that reaches its leader (0 = one
/// message). A group with the root receives nothing. Each rank but the root receives `bytes` once. Returns
/// the differences; empty when all agree.
std::vector<std::string> check_bcast_bytes(const topology::Hierarchy& hierarchy, int root, std::size_t bytes,
                                           const std::vector<std::size_t>& segment_bytes_of_group,
                                           const std::vector<SentMessage>& messages);

}  // namespace strata::testing
