#pragma once
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "fabric.h"
#include "topology/hierarchy.h"

namespace strata::testing {

/// The expectations that an allreduce_halving() run is checked against.
struct HalvingFacts {
    topology::Hierarchy hierarchy;            ///< without the skipped levels
    std::vector<std::pair<int, int>> places;  ///< the rank at each place, and the rank it serves as
                                              ///< a proxy (-1: none)
    std::size_t elements = 0;
    std::size_t element_bytes = 1;
};

/// Compares the messages of an allreduce by recursive halving and doubling with the expected messages of
/// every edge, in order and to the byte.
/// - With k places, part q of k/2 begins at element floor(2 q E / k).
/// - In round i place p exchanges with place p xor 2^i. In the last round both send the same part. In each
///   earlier round p sends the parts that agree with p in all rounds before and with its partner in this
///   round: part q agrees with p in round i when bit log2(k) - 2 - i of q is bit i of p. On the way back p
///   sends the parts that agree with p in this round and all before. No message is empty.
/// - A member without a place sends the vector to its proxy once and receives it once.
/// - The core (members with and without places) is the leaders of the topmost group's children and the
///   ranks that stop in that group. In each child: as in an allreduce whose root is that member, in one
///   message.
/// Returns the differences; empty when all agree.
std::vector<std::string> check_halving_bytes(const HalvingFacts& facts,
                                             const std::vector<SentMessage>& messages);

}  // namespace strata::testing
