#include "algorithms/cost/link_range.h"

#include <algorithm>
#include <span>

namespace strata::algorithms {
namespace {

using topology::Hierarchy;
using topology::LevelKey;

// From link.cc's 10 Gbit/s of a network to Gigabit Ethernet, or to uplinks shared by as many nodes.
constexpr double narrower = 8;
// From 20 us between switches to the millisecond between sites.
constexpr double farther = 50;
// For shared or slow processors: message rates of one core differ as much between machines in use.
constexpr double busier = 4;

/// All levels, topmost first; those above the nodes before the others.
struct Levels {
    std::vector<LevelKey> all;
    std::size_t networks = 0;
    std::span<const LevelKey> topmost() const { return std::span(all).first(1); }
    std::span<const LevelKey> above_nodes() const { return std::span(all).first(networks); }
};

Levels levels_of(const Hierarchy& hierarchy) {
    Levels levels;
    for (const bool network : {true, false}) {
        for (const auto& group : hierarchy.groups) {
            const LevelKey level = link_level(group);
            const bool known = std::find(levels.all.begin(), levels.all.end(), level) != levels.all.end();
            if (is_network(group) == network && !known) levels.all.push_back(level);
        }
        if (network) levels.networks = levels.all.size();
    }
    return levels;
}

struct Change {
    double latency = 1;
    double bandwidth = 1;
    double overhead = 1;
};

/// Changes guessed values. Returns false without a change if all are known.
bool vary(LinkTable& links, std::span<const LevelKey> levels, Change change) {
    bool varied = false;
    for (const LevelKey level : levels) {
        const LinkSetting given = links.given(level);
        const LinkParameters guess = links.at(level);
        LinkSetting other;
        if (!given.latency_us && change.latency != 1) other.latency_us = guess.latency_us * change.latency;
        if (!given.bytes_per_us && change.bandwidth != 1)
            other.bytes_per_us = guess.bytes_per_us * change.bandwidth;
        if (!given.overhead_us && change.overhead != 1)
            other.overhead_us = guess.overhead_us * change.overhead;
        if (!other.latency_us && !other.bytes_per_us && !other.overhead_us) continue;
        links.set_some({level.kind, level.height}, other);
        varied = true;
    }
    return varied;
}

/// Makes uplinks that never slow down the nodes' data: full bandwidth for all of them together. Returns false
/// without a change if the values are known.
bool widen(LinkTable& links, const Levels& levels, int ranks) {
    const double full = links.at(levels.above_nodes().back()).bytes_per_us;
    bool widened = false;
    for (const LevelKey level : levels.above_nodes().first(levels.networks - 1)) {
        const LinkSetting given = links.given(level);
        if (given.bytes_per_us) continue;
        LinkSetting other{.bytes_per_us = full};
        if (!given.parallel) other.parallel = ranks;
        links.set_some({level.kind, level.height}, other);
        widened = true;
    }
    return widened;
}

}  // namespace

PossibleLinks possible_links(const Hierarchy& hierarchy, const LinkTable& links) {
    PossibleLinks possible{{links}, {}};
    std::vector<LinkTable>& all = possible.tables;
    const Levels levels = levels_of(hierarchy);
    if (levels.networks == 0) return possible;
    const auto add = [&](std::span<const LevelKey> which, Change change) {
        LinkTable other = links;
        if (vary(other, which, change)) all.push_back(std::move(other));
    };
    add(levels.above_nodes(), {.bandwidth = 1 / narrower});
    if (levels.networks > 1) add(levels.topmost(), {.bandwidth = 1 / narrower});
    LinkTable wide = links;
    if (levels.networks > 1 && widen(wide, levels, hierarchy.ranks())) {
        possible.wide = all.size();
        all.push_back(std::move(wide));
    }
    add(levels.topmost(), {.latency = farther});
    add(levels.all, {.overhead = busier});
    return possible;
}

}  // namespace strata::algorithms
