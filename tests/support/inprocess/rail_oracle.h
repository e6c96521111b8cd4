#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "fabric.h"
#include "rail_runs.h"

namespace strata::testing {

std::vector<SentMessage> messages_of(int rail, const std::vector<SentMessage>& messages);

/// How many bytes of a vector each rail carries: its elements dealt out as evenly as possible, the first
/// rails get one more.
std::vector<std::size_t> share_bytes(std::size_t bytes, std::size_t element_bytes, int rails);

// Every rail's messages by themselves against the oracle of one tree for what the rail carries. Each answers
// with what differs; empty when all agree.
std::vector<std::string> check_rail_bytes(const BcastCase& bcast, const topology::NicRails& rails,
                                          const std::vector<SentMessage>& messages);
std::vector<std::string> check_rail_bytes(const ReduceCase& reduce, const topology::NicRails& rails,
                                          const std::vector<SentMessage>& messages);
std::vector<std::string> check_rail_bytes(const BlockCase& run, const topology::NicRails& rails,
                                          const std::vector<SentMessage>& messages);

/// Uses the records only, neither leaders nor trees. Every message between two nodes in rail i goes from a
/// process near NIC i (modulo the NICs that have a process near them) of its node to one near NIC i of the
/// other node; each node gets entering[node][rail] bytes from outside, nodes in the order of their lowest
/// ranks (empty: not looked at).
std::vector<std::string> check_nics(std::span<const topology::LocalityRecord> records,
                                    const std::vector<std::vector<std::size_t>>& entering,
                                    const std::vector<SentMessage>& messages);
/// The node of every rank, numbered in the order of their lowest ranks.
std::vector<int> nodes_of(std::span<const topology::LocalityRecord> records);

}  // namespace strata::testing
