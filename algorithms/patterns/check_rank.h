#pragma once
#include <stdexcept>
#include <string>

#include "topology/hierarchy.h"

namespace strata::algorithms {

/// Throws std::invalid_argument, with `what` in its text, if the hierarchy has no such rank.
inline void check_rank(const topology::Hierarchy& hierarchy, int rank, const char* what) {
    if (rank < 0 || rank >= hierarchy.ranks()) {
        throw std::invalid_argument(std::string(what) + " " + std::to_string(rank) + " is outside 0.." +
                                    std::to_string(hierarchy.ranks() - 1));
    }
}

}  // namespace strata::algorithms
