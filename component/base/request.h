#pragma once
#include "algorithms/base/operation.h"

namespace strata::component {

constexpr int no_root = -1;

/// What the ranks know alike about a call, and who may serve it.
struct Request {
    algorithms::Operation operation;  ///< root: no_root where the collective has none
    bool sized = true;                ///< operation.bytes is known: 0 means that there is nothing to do
    bool ordered = false;             ///< only for consecutive groups: the operator does not commute
    bool exact = false;               ///< a reduction that gives the same bits in any order
};

}  // namespace strata::component
