#pragma once
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "fabric.h"
#include "topology/hierarchy.h"

namespace strata::testing {

/// What allreduce_halving() is checked against.
struct HalvingFacts {
    topology::Hierarchy hierarchy;            ///< without the levels that are skipped
    std::vector<std::pair<int, int>> places;  ///< the rank at each place, and who sends to it instead of
                                              ///< taking part (-1: nobody)
    std::size_t elements = 0;
    std::size_t element_bytes = 1;
};

/// Compares the messages of an allreduce by recursive halving and doubling with what every edge must carry,
/// in order and to the byte. Part q of k/2 is the elements from floor(2 q E / k) on, for k places. In round i
/// place p exchanges with place p xor 2^i. In the last round both send the same part. In each round before, p
/// sends the parts that agree with p in all rounds before and with the other one in this round, where part q
/// agrees with p in round i when bit log2(k) - 2 - i of q is bit i of p; on the way back it sends the parts
/// that agree with p in this round and all before. No empty messages. Whoever has no place sends the vector
/// once and receives it once. The places and those are the leaders of the topmost group's children and the
/// ranks that stop in it; in each child: as in an allreduce whose root is that member, in one message.
/// Answers with what differs; empty when all agree.
std::vector<std::string> check_halving_bytes(const HalvingFacts& facts,
                                             const std::vector<SentMessage>& messages);

}  // namespace strata::testing
