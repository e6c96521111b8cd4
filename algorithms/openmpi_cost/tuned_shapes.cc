// The shapes of coll_base_topo.c, and the rounds that several operations of coll/tuned use (tuned.h).
#include <algorithm>
#include <bit>
#include <cstdint>

#include "algorithms/openmpi_cost/tuned.h"

namespace strata::algorithms {

FlatChildren linear_children(int size) {
    FlatChildren children(size);
    for (int v = 1; v < size; ++v) children[0].push_back(v);
    return children;
}

FlatChildren pipeline_children(int size) {
    FlatChildren children(size);
    for (int v = 1; v < size; ++v) children[v - 1].push_back(v);
    return children;
}

FlatChildren chain_children(int size, int fanout) {
    FlatChildren children(size);
    const int chains = std::min(fanout, size - 1);
    int next = 1;
    for (int c = 0; c < chains; ++c) {
        const int length = (size - 1) / chains + (c < (size - 1) % chains ? 1 : 0);
        children[0].push_back(next);
        for (int v = next; v + 1 < next + length; ++v) children[v].push_back(v + 1);
        next += length;
    }
    return children;
}

FlatChildren binary_children(int size) {
    FlatChildren children(size);
    for (int v = 0; v < size; ++v) {
        const int width = 1 << (std::bit_width(static_cast<unsigned>(v) + 1) - 1);
        for (const int child : {v + width, v + 2 * width}) {
            if (child < size) children[v].push_back(child);
        }
    }
    return children;
}

FlatChildren binomial_children(int size) {
    FlatChildren children(size);
    for (int v = 0; v < size; ++v) {
        const int first = v == 0 ? 1 : 1 << std::bit_width(static_cast<unsigned>(v));
        for (int step = first; v + step < size; step *= 2) children[v].push_back(v + step);
    }
    return children;
}

FlatChildren knomial_children(int size, int radix) {
    FlatChildren children(size);
    for (int v = 0; v < size; ++v) {
        std::int64_t step = 1;  // times a radix it may exceed an int
        while (step < size && v % (radix * step) == 0) step *= radix;
        for (step /= radix; step > 0; step /= radix) {
            for (std::int64_t child = v + step; child < std::min<std::int64_t>(size, v + radix * step);
                 child += step) {
                children[v].push_back(static_cast<int>(child));
            }
        }
    }
    return children;
}

MessageSchedule then(MessageSchedule first, const MessageSchedule& second) {
    for (std::size_t r = 0; r < first.steps.size(); ++r) {
        const std::size_t joint = first.steps[r].size();
        first.steps[r].insert(first.steps[r].end(), second.steps[r].begin(), second.steps[r].end());
        if (joint < first.steps[r].size()) first.steps[r][joint].early = false;
    }
    return first;
}

int whole_power(int ranks) { return static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks))); }

FlatChildren in_order_children(int size) {
    FlatChildren children(size);
    std::vector<std::pair<int, int>> open{{0, size}};  // first rank and size of a subtree
    while (!open.empty()) {
        const auto [first, count] = open.back();
        open.pop_back();
        if (count < 2) continue;
        const int parent = first + count - 1;
        const int right = count / 2;
        children[parent].push_back(parent - 1);
        open.emplace_back(first + right, count - right - 1);
        if (count == 2) continue;
        children[parent].push_back(first + right - 1);
        open.emplace_back(first, right);
    }
    return children;
}

}  // namespace strata::algorithms
