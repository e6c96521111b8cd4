#pragma once
// Parts that the reduction engines share.
#include <cstddef>
#include <span>

#include "algorithms/engines/reduce_tree.h"
#include "algorithms/engines/segments.h"
#include "algorithms/patterns/reduction_links.h"

namespace strata::algorithms {

/// Returns the segments of all edges of a rank, cut between elements. Throws std::invalid_argument if the
/// edges differ: their segments could not be combined.
Segments reduction_segments(const ReductionLinks& links, std::size_t bytes, std::size_t element_bytes);

/// Returns the children, widest level first, within a level against the order of combining: the order of a
/// broadcast down the same tree.
/// Takes memory from the arena unless the given order is this one.
std::span<const TreeLinks::Edge> widest_first(std::span<const TreeLinks::Edge> children, Arena& arena);

/// The operands of one rank's reduction, in the order of combining: the children's vectors and, after
/// `before` of those, this rank's. Each is combined into the next.
class OperandOrder {
public:
    explicit OperandOrder(const ReductionLinks& links)
        : own_(static_cast<std::size_t>(links.before)), count_(links.children.size() + 1) {}

    std::size_t count() const { return count_; }
    std::size_t own() const { return own_; }
    std::size_t last() const { return count_ - 1; }
    std::size_t of_child(std::size_t child) const { return child < own_ ? child : child + 1; }

    /// Returns where a whole operand can lie without memory of the arena, or nullptr. This rank's stays in
    /// its memory if it is only read (as the first) or may be written (`shared` with the result); the last
    /// one lies in `result`, unless that is nullptr or still holds this rank's data.
    template <class Byte>
    Byte* place(std::size_t operand, Byte* own_data, Byte* result, bool shared) const {
        if (operand == own_ && (own_ == 0 || shared)) {
            return own_data;
        }
        return operand == last() && !shared ? result : nullptr;
    }

private:
    std::size_t own_;
    std::size_t count_;
};

}  // namespace strata::algorithms
