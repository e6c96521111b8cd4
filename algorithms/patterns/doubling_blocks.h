#pragma once
#include <vector>

#include "algorithms/patterns/reduction_links.h"

namespace strata::algorithms {

/// Which blocks go between the members of a core when they exchange by recursive doubling: in every round a
/// place sends all that it has and gets as much, first at the distance of half the places, last at that of
/// one. Places next to each other are next to each other in the hierarchy (halving_places()): what has far to
/// go goes while it is short, and a group of 2^n places gets each block from outside once. Of 4 places, by
/// what they stand for:
///
///   round 0:  0 <> 2, 1 <> 3: a | b | c | d     round 1:  0 <> 1, 2 <> 3: ac | bd
///
/// Whoever has no place sends its partner all that is behind it, before the rounds, and gets the rest.
class DoublingBlocks {
public:
    /// `behind`: by rank, the blocks for which a member of the core stands, in the order in which they come.
    DoublingBlocks(std::vector<HalvingPlace> places, std::vector<std::vector<int>> behind);

    bool has_place(int member) const { return places_[place_of(member)].rank == member; }

    /// What goes over one edge, in the order in which its sender gets it.
    struct Exchange {
        int peer = -1;
        std::vector<int> in;
        std::vector<int> out;
    };
    /// Of a member of the core: its rounds, then its partner.
    std::vector<Exchange> exchanges(int member) const;
    /// All blocks that are not behind a member of the core, in the order in which it gets them.
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
