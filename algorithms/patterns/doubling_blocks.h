#pragma once
#include <vector>

#include "algorithms/patterns/reduction_links.h"

namespace strata::algorithms {

/// The blocks that the members of the core exchange by recursive doubling. In each round a place sends all
/// blocks that it has and receives as many; the distance is half the places in the first round, one in the
/// last. Neighbouring places are neighbours in the hierarchy (halving_places()): blocks travel far while
/// they are few, and a group of 2^n places receives each block from outside once. Four places with the
/// blocks a, b, c, d:
///
///   round 0:  0 <> 2, 1 <> 3: a | b | c | d     round 1:  0 <> 1, 2 <> 3: ac | bd
///
/// A member without a place first sends all blocks behind it to its partner, and receives the others from
/// it.
/// Cost: (log2 k) alpha + ((k-1)/k) n beta for k places and n bytes of all blocks.
class DoublingBlocks {
public:
    /// `behind`: by rank, the blocks that a member of the core represents, in the order of their arrival.
    DoublingBlocks(std::vector<HalvingPlace> places, std::vector<std::vector<int>> behind);

    bool has_place(int member) const { return places_[place_of(member)].rank == member; }

    /// The blocks that cross one edge, in the order in which the sender gets them.
    struct Exchange {
        int peer = -1;
        std::vector<int> in;
        std::vector<int> out;
    };
    /// Returns the exchanges of a member of the core: its rounds, then its partner.
    std::vector<Exchange> exchanges(int member) const;
    /// Returns all blocks that are not behind `member`, in the order in which it gets them.
    std::vector<int> outside(int member) const;

private:
    int place_of(int member) const;
    std::size_t peer_of(std::size_t place, int round) const {
        return place ^ (places_.size() >> static_cast<unsigned>(round + 1));
    }
    void add_held(std::size_t place, int rounds, std::vector<int>& blocks) const;
    void add_received(std::size_t place, int rounds, std::vector<int>& blocks) const;

    std::vector<HalvingPlace> places_;
    std::vector<std::vector<int>> behind_;  ///< by rank
    int rounds_;
};

}  // namespace strata::algorithms
