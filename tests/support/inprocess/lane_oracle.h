#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "fabric.h"
#include "lane_runs.h"

namespace strata::testing {

std::vector<SentMessage> messages_of(int lane, const std::vector<SentMessage>& messages);

/// How many bytes of a vector each lane carries: its elements dealt out as evenly as possible, the first
/// lanes get one more.
std::vector<std::size_t> share_bytes(std::size_t bytes, std::size_t element_bytes, int lanes);

// Every lane's messages by themselves against the oracle of one tree for what the lane carries. Each answers
// with what differs; empty when all agree.
std::vector<std::string> check_lane_bytes(const BcastCase& bcast, const topology::CardLanes& lanes,
                                          const std::vector<SentMessage>& messages);
std::vector<std::string> check_lane_bytes(const ReduceCase& reduce, const topology::CardLanes& lanes,
                                          const std::vector<SentMessage>& messages);
std::vector<std::string> check_lane_bytes(const BlockCase& run, const topology::CardLanes& lanes,
                                          const std::vector<SentMessage>& messages);

/// Uses the records only, neither leaders nor trees. Every message between two nodes in lane i goes from a
/// process near card i (modulo the cards that have a process near them) of its node to one near card i of the
/// other node; each node gets entering[node][lane] bytes from outside, nodes in the order of their lowest
/// ranks (empty: not looked at).
std::vector<std::string> check_cards(std::span<const topology::LocalityRecord> records,
                                     const std::vector<std::vector<std::size_t>>& entering,
                                     const std::vector<SentMessage>& messages);
/// The node of every rank, numbered in the order of their lowest ranks.
std::vector<int> nodes_of(std::span<const topology::LocalityRecord> records);

}  // namespace strata::testing
