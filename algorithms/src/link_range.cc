#include "link_range.h"

#include <algorithm>

namespace strata::algorithms {
namespace {

using topology::Hierarchy;
using topology::LevelKey;

// From the 10 Gbit/s that link.cc takes a network for to Gigabit Ethernet, or uplinks that as many nodes
// share.
constexpr double narrower = 8;
// From 20 us between switches to the millisecond between sites.
constexpr double farther = 50;

/// Levels above the nodes, topmost first.
std::vector<LevelKey> network_levels(const Hierarchy& hierarchy) {
    std::vector<LevelKey> found;
    for (const auto& group : hierarchy.groups) {
        const LevelKey level = link_level(group);
        const bool known = std::find(found.begin(), found.end(), level) != found.end();
        if (is_network(group) && !known) found.push_back(level);
    }
    return found;
}

struct Change {
    double latency = 1;
    double bandwidth = 1;
};

/// False, with nothing done, where the values are known.
bool vary(LinkTable& links, std::span<const LevelKey> levels, Change change) {
    bool varied = false;
    for (const LevelKey level : levels) {
        const LinkSetting given = links.given(level);
        const LinkParameters guess = links.at(level);
        LinkSetting other;
        if (!given.latency_us && change.latency != 1) other.latency_us = guess.latency_us * change.latency;
        if (!given.bytes_per_us && change.bandwidth != 1)
            other.bytes_per_us = guess.bytes_per_us * change.bandwidth;
        if (!other.latency_us && !other.bytes_per_us) continue;
        links.set_some({level.kind, level.height}, other);
        varied = true;
    }
    return varied;
}

}  // namespace

std::vector<LinkTable> possible_links(const Hierarchy& hierarchy, const LinkTable& links) {
    std::vector<LinkTable> all{links};
    const std::vector<LevelKey> levels = network_levels(hierarchy);
    if (levels.empty()) return all;
    const auto add = [&](std::span<const LevelKey> which, Change change) {
        LinkTable other = links;
        if (vary(other, which, change)) all.push_back(std::move(other));
    };
    const std::span topmost(levels.data(), 1);
    add(levels, {.bandwidth = 1 / narrower});
    if (levels.size() > 1) add(topmost, {.bandwidth = 1 / narrower});
    add(topmost, {.latency = farther});
    return all;
}

std::vector<double> regrets(std::span<const std::vector<double>> us) {
    std::vector<double> worst(us.size(), 1);
    if (us.empty()) return worst;
    for (std::size_t c = 0; c < us.front().size(); ++c) {
        double best = us.front()[c];
        for (const auto& way : us) best = std::min(best, way[c]);
        for (std::size_t w = 0; w < us.size(); ++w) {
            if (best > 0) worst[w] = std::max(worst[w], us[w][c] / best);
        }
    }
    return worst;
}

}  // namespace strata::algorithms
