#pragma once
#include <cstddef>
#include <span>

#include "algorithms/base/collective.h"

namespace strata::algorithms {

/// What is to be done, as far as all ranks know it alike.
struct Operation {
    Collective collective = Collective::bcast;
    /// Packed bytes: of the vector (Bcast, Reduce, Allreduce), of all blocks together (the others), 0 where
    /// ranks do not know them alike (the v-variants with a root) and for Barrier.
    std::size_t bytes = 0;
    int root = 0;               ///< of the tree; for collectives without one: the top's leader
    bool rank_order = false;    ///< the operator does not commute
    bool reproducible = false;  ///< the order of a reduction must depend on neither size nor leaders
    int rails = 1;              ///< trees that the hierarchy has NICs for (topology::NicRails)
    /// Roots for which the same plan is to hold, of a collective that has one: the underlying component
    /// counts with the mean over them and `root`, since how often a flat pattern crosses a wide link depends
    /// on it.
    std::span<const int> other_roots{};
};

}  // namespace strata::algorithms
