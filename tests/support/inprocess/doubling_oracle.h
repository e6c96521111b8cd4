#pragma once
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "fabric.h"
#include "topology/hierarchy.h"

namespace strata::testing {

/// The expectations that an Allgather by recursive doubling on the topmost level is checked against.
struct DoublingFacts {
    topology::Hierarchy hierarchy;            ///< without the skipped levels
    std::vector<std::pair<int, int>> places;  ///< the rank at each place, and the rank it serves as
                                              ///< a proxy (-1: none)
    std::vector<std::size_t> bytes;           ///< size of every rank's block
    std::size_t segment_bytes = 0;            ///< segment size on the topmost level; 0: one message
};

/// Compares the messages with the expected sets of blocks that the places hold. The core is the leaders of
/// the topmost group's children and the ranks that stop in that group; each core member has a place or uses
/// another member's place as its proxy. With k places, place p exchanges all that it holds with place p xor
/// k/2, then p xor k/4, and so on to p xor 1. At the start it holds the blocks behind itself and behind the
/// member it serves as proxy; at the end it sends that member the blocks which the member lacks. Messages
/// are segments, the last one of each edge shorter; no message is empty. Ranks outside the core exchange
/// messages only within their child of the topmost group. Every rank and every group receives each block it
/// lacks once. Returns the differences; empty when all agree.
std::vector<std::string> check_doubling_bytes(const DoublingFacts& facts,
                                              const std::vector<SentMessage>& messages);

}  // namespace strata::testing
