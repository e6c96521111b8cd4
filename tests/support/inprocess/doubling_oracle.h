#pragma once
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "fabric.h"
#include "topology/hierarchy.h"

namespace strata::testing {

/// What an Allgather by recursive doubling on the topmost level is checked against.
struct DoublingFacts {
    topology::Hierarchy hierarchy;            ///< without the levels that are skipped
    std::vector<std::pair<int, int>> places;  ///< the rank at each place, and who sends to it instead of
                                              ///< taking part (-1: nobody)
    std::vector<std::size_t> bytes;           ///< of every rank's block
    std::size_t segment_bytes = 0;            ///< of the topmost level; 0: one message
};

/// Compares the messages with what must be sent, by sets of blocks that the places hold. The leaders of the
/// topmost group's children and the ranks that stop in it have places, or somebody else's. In the first round
/// place p exchanges all that it holds with place p xor k/2, then with p xor k/4, at last with p xor 1, for k
/// places. At the start it holds what is behind itself and behind whoever has none of his own; to that one it
/// sends in the end what he has not. All in segments, the last one of each edge shorter, no empty messages.
/// Nobody else talks to anybody in another child of the topmost group, and every rank, and every group,
/// receives what it lacks and no more. Answers with what differs; empty when all agree.
std::vector<std::string> check_doubling_bytes(const DoublingFacts& facts,
                                              const std::vector<SentMessage>& messages);

}  // namespace strata::testing
