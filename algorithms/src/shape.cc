#include "strata/algorithms/shape.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace strata::algorithms {
namespace {

/// Heap order: the children of p are 2p+1 and 2p+2.
ShapeLinks binary_links(int position, int size) {
    ShapeLinks links;
    links.parent = position == 0 ? -1 : (position - 1) / 2;
    for (long child = 2L * position + 1; child <= 2L * position + 2 && child < size; ++child) {
        links.children.push_back(static_cast<int>(child));
    }
    return links;
}

/// Chain c holds the positions from 1 + floor(c (size-1) / chains) up to the start of the next one.
ShapeLinks chain_links(int position, int size, int radix) {
    ShapeLinks links;
    const long others = size - 1;
    const long chains = std::min<long>(radix, others);
    const auto first_of = [&](long chain) { return static_cast<int>(1 + chain * others / chains); };
    if (position == 0) {
        for (long chain = 0; chain < chains; ++chain) {
            links.children.push_back(first_of(chain));
        }
        return links;
    }
    const long own = (position * chains - 1) / others;  // the last chain that starts at or before `position`
    links.parent = first_of(own) == position ? 0 : position - 1;
    if (position + 1 < first_of(own + 1)) {
        links.children.push_back(position + 1);
    }
    return links;
}

/// Positions in the k-nomial subtree of `position` (not the root).
long knomial_subtree(int position, int size, int radix) {
    long unit = 1;
    while ((position / unit) % radix == 0) {
        unit *= radix;
    }
    return std::min<long>(unit, size - position);
}

/// Positions as numbers to base `radix`: the parent of p is p with its lowest non-zero digit cleared; a child
/// sets one digit below that one.
ShapeLinks knomial_links(int position, int size, int radix) {
    ShapeLinks links;
    long unit = 1;  // weight of the lowest non-zero digit; at the root the first power not below size
    while (unit < size && (position / unit) % radix == 0) {
        unit *= radix;
    }
    if (position != 0) {
        links.parent = static_cast<int>(position - (position / unit) % radix * unit);
    }
    for (unit /= radix; unit >= 1; unit /= radix) {
        for (long child = position + unit; child < size && child < position + radix * unit; child += unit) {
            links.children.push_back(static_cast<int>(child));
        }
    }
    // A child c with weight u leads the positions c .. c+u-1; the last of the highest weight may lead fewer.
    std::stable_sort(links.children.begin(), links.children.end(), [&](int a, int b) {
        return knomial_subtree(a, size, radix) > knomial_subtree(b, size, radix);
    });
    return links;
}

ShapeLinks linear_links(int position, int size) { return chain_links(position, size, std::max(1, size - 1)); }

int radix_of(const LevelMethod& method, int smallest) {
    const int radix = method.radix == 0 ? info(method.algorithm).default_radix : method.radix;
    if (radix < smallest) {
        throw std::invalid_argument("radix " + std::to_string(radix) + " of " +
                                    std::string(info(method.algorithm).name) + " is below " +
                                    std::to_string(smallest));
    }
    return radix;
}

}  // namespace

bool makes_ring(const LevelMethod& method, int size) {
    return method.algorithm == Algorithm::ring && size > 2;
}

ShapeLinks shape_links(const LevelMethod& method, int position, int size) {
    if (position < 0 || position >= size) {
        throw std::invalid_argument("position " + std::to_string(position) + " is outside a tree of " +
                                    std::to_string(size));
    }
    if (method.algorithm == Algorithm::ring && size <= 2) {
        return linear_links(position, size);
    }
    switch (method.algorithm) {
        case Algorithm::linear: return linear_links(position, size);
        case Algorithm::pipeline: return chain_links(position, size, 1);
        case Algorithm::chain: return chain_links(position, size, radix_of(method, 1));
        case Algorithm::binary: return binary_links(position, size);
        case Algorithm::binomial: return knomial_links(position, size, 2);
        case Algorithm::knomial: return knomial_links(position, size, radix_of(method, 2));
        default: break;
    }
    throw std::invalid_argument("an algorithm that is no tree shape was given to the tree engine (number " +
                                std::to_string(static_cast<int>(method.algorithm)) + ")");
}

}  // namespace strata::algorithms
