#include <algorithm>
#include <bit>
#include <cstddef>
#include <map>

#include "algorithms/patterns/reduction_links.h"

namespace strata::algorithms {
namespace {

using topology::Hierarchy;

constexpr int top = 0;

/// Members of the core that meet in one group without another group in between; some form pairs.
struct Block {
    std::vector<int> singles;
    std::vector<HalvingPlace> pairs;

    /// Pairs the first singles: at most `wanted` and `pairs_left` pairs.
    void pair_up(std::size_t wanted, std::size_t& pairs_left) {
        const std::size_t count = std::min({wanted, singles.size() / 2, pairs_left});
        for (std::size_t i = 0; i < count; ++i) pairs.push_back({singles[2 * i], singles[2 * i + 1]});
        singles.erase(singles.begin(), singles.begin() + static_cast<std::ptrdiff_t>(2 * count));
        pairs_left -= count;
    }
};

/// By group: the topmost one and the skipped ones directly below it.
using Blocks = std::map<int, Block>;

Blocks blocks_of(const Hierarchy& hierarchy, const Plan& plan) {
    Blocks blocks;
    for (const int member : participants(hierarchy, top, hierarchy.groups[top].leader, plan.skipped)) {
        int group = hierarchy.stop[static_cast<std::size_t>(member)];
        while (used_group(hierarchy, group, plan.skipped) != top) group = hierarchy.groups[group].parent;
        blocks[group].singles.push_back(member);
    }
    return blocks;
}

/// Forms pairs until the singles and pairs are a power of two.
void pair_up(Blocks& blocks) {
    std::size_t members = 0;
    std::vector<Block*> largest_first;
    for (auto& [group, block] : blocks) {
        members += block.singles.size();
        largest_first.push_back(&block);
    }
    std::stable_sort(largest_first.begin(), largest_first.end(),
                     [](const Block* a, const Block* b) { return a->singles.size() > b->singles.size(); });
    std::size_t left = members - std::bit_floor(members);
    for (Block* block : largest_first) {
        block->pair_up(block->singles.size() - std::bit_floor(block->singles.size()), left);
    }
    for (Block* block : largest_first) block->pair_up(block->singles.size(), left);
    // Pairs one member of each block with one of another: these are far apart.
    Block* first = nullptr;
    for (Block* block : largest_first) {
        if (left == 0 || block->singles.empty()) continue;
        if (first == nullptr) {
            first = block;
            continue;
        }
        first->pairs.push_back({first->singles.front(), block->singles.front()});
        first->singles.clear();
        block->singles.clear();
        first = nullptr;
        --left;
    }
}

}  // namespace

std::vector<HalvingPlace> halving_places(const Hierarchy& hierarchy, const Plan& plan) {
    Blocks blocks = blocks_of(hierarchy, plan);
    pair_up(blocks);
    // Innermost groups first, larger parts first: this aligns every part that is a power of two.
    std::map<int, std::vector<std::vector<HalvingPlace>>> parts;  // by group
    for (const auto& [group, block] : blocks) parts[group];
    while (true) {
        const int group = parts.rbegin()->first;
        auto largest_first = std::move(parts.rbegin()->second);
        std::stable_sort(largest_first.begin(), largest_first.end(),
                         [](const auto& a, const auto& b) { return a.size() > b.size(); });
        std::vector<HalvingPlace> all;
        for (const auto& part : largest_first) all.insert(all.end(), part.begin(), part.end());
        const auto& [singles, pairs] = blocks[group];
        all.insert(all.end(), pairs.begin(), pairs.end());
        for (const int single : singles) all.push_back({single, -1});
        if (group == top) return all;
        parts.erase(group);
        auto& around = parts[hierarchy.groups[group].parent];
        around.insert(around.begin(), std::move(all));
    }
}

ExchangeLinks halving_links(const Hierarchy& hierarchy, const Plan& plan, int rank) {
    ExchangeLinks links = exchange_links(hierarchy, plan, rank, false);
    if (links.core.empty()) {
        return links;
    }
    links.core.clear();
    links.position = -1;
    for (const HalvingPlace& place : halving_places(hierarchy, plan)) {
        if (place.partner == rank) {
            return {links.below, {}, -1, links.segment_bytes, place.rank};
        }
        if (place.rank == rank) {
            links.position = static_cast<int>(links.core.size());
            links.partner = place.partner;
        }
        links.core.push_back(place.rank);
    }
    return links;
}

}  // namespace strata::algorithms
