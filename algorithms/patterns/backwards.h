#pragma once
#include <span>

namespace strata::algorithms {

/// A sequence whose iteration goes from its last element to its first.
template <class T>
struct Backwards {
    std::span<T> items;
    auto begin() const { return items.rbegin(); }
    auto end() const { return items.rend(); }
};

/// A vector or span, from its last element to its first. Replaces std::views::reverse, which clang 14
/// cannot compile with the library of GCC 12.
template <class Sequence>
auto backwards(Sequence&& sequence) {
    std::span items(sequence);
    return Backwards<typename decltype(items)::element_type>{items};
}

}  // namespace strata::algorithms
