#pragma once
#include <array>
#include <cstdint>

#include "algorithms/planning/planner.h"
#include "component/base/request.h"
#include "component/report/counters.h"

namespace strata::component {

/// Which calls of a collective are passed through by their size: for the root of the last one that was noted,
/// one bit for every class of sizes. What is noted never changes while the plans stay.
class PassedSizes {
public:
    bool has(const Request& request) const {
        const unsigned index = algorithms::size_class(request.operation.bytes).index;
        return request.operation.root == root_ && !request.ordered &&
               (bits_[index / 64] >> index % 64 & 1) != 0;
    }
    ForwardReason reason() const { return reason_; }

    /// Not for requests that are ordered.
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
