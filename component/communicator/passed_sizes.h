#pragma once
#include <array>
#include <cstdint>

#include "algorithms/planning/planner.h"
#include "component/base/request.h"
#include "component/report/counters.h"

namespace strata::component {

/// The size classes of a collective that are known to pass through, one bit each, for the root of the last
/// noted call. Valid as long as the plans.
class PassedSizes {
public:
    bool has(const Request& request) const {
        const unsigned index = algorithms::size_class(request.operation.bytes).index;
        return request.operation.root == root_ && !request.ordered && request.fits_board &&
               (bits_[index / 64] >> index % 64 & 1) != 0;
    }
    ForwardReason reason() const { return reason_; }

    /// Not for ordered requests, nor for elements larger than a board: their plans may be others.
    void add(const Request& request, ForwardReason reason) {
        if (request.operation.root != root_ || reason != reason_) {
            *this = PassedSizes(request.operation.root, reason);
        }
        const unsigned index = algorithms::size_class(request.operation.bytes).index;
        bits_[index / 64] |= std::uint64_t{1} << index % 64;
    }

    PassedSizes() = default;

private:
    PassedSizes(int root, ForwardReason reason) : root_(root), reason_(reason) {}

    int root_ = no_root;
    ForwardReason reason_ = ForwardReason::model;
    std::array<std::uint64_t, 4> bits_{};
};

}  // namespace strata::component
