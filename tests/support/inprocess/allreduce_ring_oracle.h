#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "fabric.h"
#include "topology/hierarchy.h"

namespace strata::testing {

/// The expectations that an allreduce_ring() run is checked against.
struct RingFacts {
    const topology::Hierarchy& hierarchy;
    std::size_t elements = 0;
    std::size_t element_bytes = 1;
    std::size_t segment_bytes = 0;  ///< as planned; 0 = whole messages
    int window = 1;
};

/// Compares the messages of an allreduce whose topmost level is a ring with the expected messages of every
/// edge, to the byte. Uses only members and leaders of the groups.
/// - The core is the leaders of the topmost group's children and the ranks that stop in that group. Each
///   core member sends to one other, so that they form one ring; places count from the topmost group's
///   leader.
/// - Elements pass the ring in rounds of k * window segments. The remainder takes one more round of k * p
///   parts, p parts per place, whose sizes differ by one element at most; p is as small as segments allow.
/// - In each round the member at place i sends every part twice, except the parts of place i + 1 (which i
///   combines last) and of place i + 2 (which i + 1 combines last): it sends those once.
/// - In each child of the topmost group: as in an allreduce whose root is the member of the core.
/// With fewer than two members the ring carries nothing. Returns the differences; empty when all agree.
std::vector<std::string> check_allreduce_ring_bytes(const RingFacts& facts,
                                                    const std::vector<SentMessage>& messages);

}  // namespace strata::testing
