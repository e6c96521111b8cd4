#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "fabric.h"
#include "topology/hierarchy.h"

namespace strata::testing {

/// What allreduce_ring() is checked against.
struct RingFacts {
    const topology::Hierarchy& hierarchy;
    std::size_t elements = 0;
    std::size_t element_bytes = 1;
    std::size_t segment_bytes = 0;  ///< as planned; 0 = whole messages
    int window = 1;
};

/// Compares the messages of an allreduce whose topmost level is a ring with what every edge must carry, to
/// the byte. Uses members and leaders of the groups only. The core is the leaders of the topmost group's
/// children and the ranks that stop in it; each of its members sends to one other, so that they are one ring,
/// in which places count from the topmost group's leader. Elements go round in rounds of k * window segments,
/// what is left in one more round of k * p parts that differ by one element at most, p as small as segments
/// allow; parts are consecutive, p of them for each place. Of each round the member at place i sends every
/// part twice, but those of place i + 1 (which it combines last) and of place i + 2 (which the next one does)
/// once. In each child of the topmost group: as in an allreduce whose root is the member of the core. Fewer
/// than two members: nothing goes round. Answers with what differs; empty when all agree.
std::vector<std::string> check_allreduce_ring_bytes(const RingFacts& facts,
                                                    const std::vector<SentMessage>& messages);

}  // namespace strata::testing
