#pragma once
#include <cstddef>
#include <span>

#include "algorithms/base/collective.h"

namespace strata::algorithms {

/// One call, as far as all ranks have the same facts.
struct Operation {
    Collective collective = Collective::bcast;
    /// Packed bytes of the vector (Bcast, Reduce, Allreduce) or of all blocks together (the others); 0 for
    /// Barrier, and for the rooted v variants, whose ranks do not all know them.
    std::size_t bytes = 0;
    int root = 0;               ///< of the tree; for collectives without one: the topmost group's leader
    bool rank_order = false;    ///< must combine in rank order: does not commute, or is reproducible
    bool reproducible = false;  ///< the order of a reduction depends neither on size nor on leaders
    int rails = 1;              ///< number of trees for which the hierarchy has NICs (topology::NicRails)
    /// More roots for which the same plan must hold, for rooted collectives. The cost of the underlying
    /// component is the mean over them and `root`, since the root determines how often a flat pattern
    /// crosses a wide link.
    std::span<const int> other_roots{};
    bool on_boards = false;  ///< its ranks have boards (algorithms/node), and an element fits into one
};

}  // namespace strata::algorithms
