#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "fabric.h"
#include "rail_runs.h"

namespace strata::testing {

std::vector<SentMessage> messages_of(int rail, const std::vector<SentMessage>& messages);

/// Returns how many bytes of a vector each rail carries: elements are divided as evenly as possible; the
/// first rails get one more.
std::vector<std::size_t> share_bytes(std::size_t bytes, std::size_t element_bytes, int rails);

// Checks every rail's messages against the oracle of one tree that carries the rail's share. Both return
// the differences; empty when all agree.
std::vector<std::string> check_rail_bytes(const BcastCase& bcast, const topology::NicRails& rails,
                                          const std::vector<SentMessage>& messages);
std::vector<std::string> check_rail_bytes(const ReduceCase& reduce, const topology::NicRails& rails,
                                          const std::vector<SentMessage>& messages);
std::vector<std::string> check_rail_bytes(const BlockCase& run, const topology::NicRails& rails,
                                          const std::vector<SentMessage>& messages);

/// Uses only the records, neither leaders nor trees. Every message between two nodes in rail i goes from a
/// process local to NIC i (modulo the NICs that have NIC-local processes) of its node to a process local to
/// NIC i of the other node. Each node receives entering[node][rail] bytes from outside; nodes are in the
/// order of their lowest ranks (empty: not checked).
std::vector<std::string> check_nics(std::span<const topology::LocalityRecord> records,
                                    const std::vector<std::vector<std::size_t>>& entering,
                                    const std::vector<SentMessage>& messages);
/// Returns the node of every rank, numbered in the order of their lowest ranks.
std::vector<int> nodes_of(std::span<const topology::LocalityRecord> records);

}  // namespace strata::testing
