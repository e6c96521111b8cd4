#pragma once
#include "algorithms/base/operation.h"

namespace strata::component {

constexpr int no_root = -1;

/// The facts about a call that are equal on all its ranks.
struct Request {
    algorithms::Operation operation;  ///< root: no_root if the collective has none
    bool sized = true;                ///< operation.bytes is known to all ranks; 0: no data to move
    bool ordered = false;             ///< the operator does not commute: needs groups of consecutive ranks
    bool exact = false;               ///< the reduction gives the same bits in any order
    bool fits_board = true;           ///< an element of the reduction fits into a board (algorithms/node)
};

}  // namespace strata::component
