#include "algorithms/patterns/shape.h"

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

/// Returns the number of positions in the k-nomial subtree of `position` (not the root).
long knomial_subtree(int position, int size, int radix) {
    long unit = 1;
    while ((position / unit) % radix == 0) {
        unit *= radix;
    }
    return std::min<long>(unit, size - position);
}

/// Positions are numbers to base `radix`. The parent of p is p with its lowest non-zero digit cleared; a
/// child sets one digit below that one.
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
    // A child c with weight u leads positions c .. c+u-1; the last child of the highest weight may lead
    // fewer.
    std::stable_sort(links.children.begin(), links.children.end(), [&](int a, int b) {
        return knomial_subtree(a, size, radix) > knomial_subtree(b, size, radix);
    });
    return links;
}

/// Every subtree is a run of positions: its root, then two parts.
ShapeLinks in_order_links(int position, int size) {
    ShapeLinks links;
    int root = 0;
    while (true) {
        const int left = size / 2;  // of size - 1, the larger half
        const int right = size - 1 - left;
        if (position == root) {
            if (left > 0) links.children.push_back(root + 1);
            if (right > 0) links.children.push_back(root + 1 + left);
            return links;
        }
        links.parent = root;
        const bool on_the_left = position <= root + left;
        root += on_the_left ? 1 : 1 + left;
        size = on_the_left ? left : right;
    }
}

/// The positions after the root alternate between two sides; the i-th positions of both sides are
/// partners. A half goes down its own side in heap order, and from each position to its partner. A
/// position without a partner gets the other half from the root. Source: Open MPI's split binary tree,
/// with sides that differ by one at most.
ShapeLinks split_binary_links(int position, int size, Half half) {
    const int own = half == Half::first ? 0 : 1;
    const int count[2] = {size / 2, (size - 1) / 2};
    const auto at = [](int side, int place) { return 1 + 2 * place + side; };
    const bool last_alone = own == 1 && count[0] > count[1];
    ShapeLinks links;
    if (position == 0) {
        if (count[own] > 0) links.children.push_back(at(own, 0));
        if (last_alone) links.children.push_back(at(0, count[0] - 1));
        return links;
    }
    const int side = (position - 1) % 2;
    const int place = (position - 1) / 2;
    if (side != own) {
        links.parent = place < count[own] ? at(own, place) : 0;
        return links;
    }
    links.parent = place == 0 ? 0 : at(own, (place - 1) / 2);
    for (int child = 2 * place + 1; child <= 2 * place + 2 && child < count[own]; ++child)
        links.children.push_back(at(own, child));
    if (place < count[1 - own]) links.children.push_back(at(1 - own, place));
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

ShapeLinks shape_links(const LevelMethod& method, int position, int size, Half half) {
    if (position < 0 || position >= size) {
        throw std::invalid_argument("position " + std::to_string(position) + " is outside a tree of " +
                                    std::to_string(size));
    }
    if (method.algorithm == Algorithm::ring && size <= 2) {
        return linear_links(position, size);
    }
    const bool whole = half == Half::whole;
    switch (method.algorithm) {
        case Algorithm::linear: return linear_links(position, size);
        case Algorithm::pipeline: return chain_links(position, size, 1);
        case Algorithm::chain: return chain_links(position, size, radix_of(method, 1));
        case Algorithm::binary: return binary_links(position, size);
        case Algorithm::in_order_binary: return in_order_links(position, size);
        case Algorithm::split_binary:
            return whole ? binary_links(position, size) : split_binary_links(position, size, half);
        case Algorithm::double_binary:
            if (whole) return binary_links(position, size);
            break;
        case Algorithm::binomial: return knomial_links(position, size, 2);
        case Algorithm::knomial: return knomial_links(position, size, radix_of(method, 2));
        default: break;
    }
    throw std::invalid_argument("an algorithm that is no tree shape was given to the tree engine (number " +
                                std::to_string(static_cast<int>(method.algorithm)) + ")");
}

}  // namespace strata::algorithms
