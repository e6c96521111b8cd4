#include "algorithms/cost/bound.h"

#include <algorithm>
#include <map>
#include <utility>

#include "algorithms/cost/links.h"

namespace strata::algorithms {
namespace {

using topology::Group;
using topology::LevelKey;

struct Bytes {
    double in = 0;
    double out = 0;
};

/// Returns the bytes that some of the ranks must receive from the others, and send to them.
Bytes crossing(const Operation& operation, double members, double all, bool with_root) {
    const CollectiveTraits& traits = traits_of(operation.collective);
    const bool from_root = traits.from_root();
    const bool receive = !traits.rooted || with_root != from_root;
    const bool send = !traits.rooted || with_root == from_root;
    const auto bytes = static_cast<double>(operation.bytes);
    if (traits.vectors) return {receive ? bytes : 0, send ? bytes : 0};
    if (!traits.blocks) return {};
    const double own = bytes * members / all;
    const double others = bytes - own;
    return {receive ? from_root ? own : others : 0, send ? from_root ? others : own : 0};
}

/// What the bus of a group carries at least. What one child sends to another crosses it once. For a reduction
/// whose result all get, two kinds of messages are distinguished, those without and those with the whole
/// result: of every byte each child sends one of the first kind and gets one of the second, but for the one
/// that completes it.
class BusLoad {
public:
    BusLoad(const Operation& operation)
        : both_(traits_of(operation.collective).combines && traits_of(operation.collective).down) {}

    void add(const Bytes& part) { sum_ = {sum_.in + part.in, sum_.out + part.out}; }
    void add(const BusLoad& part) { add(part.sum_); }
    /// `completed`: bytes of which one of the parts completes the result.
    double bytes(double completed) const {
        return both_ ? std::max(0.0, sum_.in + sum_.out - 2 * completed) : std::max(sum_.in, sum_.out);
    }

private:
    bool both_;
    Bytes sum_;
};

/// The links of a level, and all its groups that have a bus.
struct Level {
    double us_per_byte = 0;  ///< of a child's connection; 0: not given
    double bus_us_per_byte = 0;
    BusLoad load;
    double members = 0;
    double buses = 0;
};

Level level_of(const LinkTable& links, LevelKey key, const Operation& operation) {
    const LinkParameters link = links.at(key);
    const bool given = links.given(key).bytes_per_us.has_value();
    return {given ? connection_us_per_byte(link) : 0, bus_us_per_byte(link), BusLoad(operation)};
}

class Bound {
public:
    Bound(const topology::Hierarchy& hierarchy, const LinkTable& links, const Operation& operation)
        : hierarchy_(hierarchy), links_(links), operation_(operation), all_(hierarchy.ranks()) {}

    double us() {
        for (int group = 0; group < static_cast<int>(hierarchy_.groups.size()); ++group) add(group);
        // Besides the bus of each group by itself: where groups hold all ranks, what goes from one to another
        // crosses the buses of both, and the most loaded one carries no less than the mean.
        for (const auto& [keys, level] : levels_) {
            if (level.buses < 2 || level.members < all_) continue;
            // One child, and one group.
            at_least(level.load.bytes(2 * bytes_) / level.buses * level.bus_us_per_byte);
        }
        if (links_.combine_is_given() && traits_of(operation_.collective).combines)
            at_least(links_.combine_us(bytes_ * (all_ - 1) / all_));
        return least_;
    }

private:
    void at_least(double us) { least_ = std::max(least_, us); }
    bool has_root(int group) const {
        return traits_of(operation_.collective).rooted && hierarchy_.contains(group, operation_.root);
    }

    void add(int index) {
        const Group& group = hierarchy_.groups[static_cast<std::size_t>(index)];
        if (group.members.size() < 2) return;
        const std::pair keys(group.level, link_level(group));
        auto place = levels_.find(keys);
        if (place == levels_.end())
            place = levels_.emplace(keys, level_of(links_, keys.second, operation_)).first;
        Level& level = place->second;
        BusLoad bus(operation_);
        const auto add_child = [&](double members, bool with_root) {
            const Bytes child = crossing(operation_, members, all_, with_root);
            at_least(std::max(child.in, child.out) * level.us_per_byte);
            bus.add(child);
        };
        for (const int inner : group.children) {
            add_child(static_cast<double>(hierarchy_.groups[static_cast<std::size_t>(inner)].members.size()),
                      has_root(inner));
        }
        for (const int rank : group.direct) add_child(1, rank == operation_.root);
        if (level.bus_us_per_byte <= 0) return;
        const auto members = static_cast<double>(group.members.size());
        // In a part of the machine what completes a result comes in, and the result goes out.
        at_least(bus.bytes(members < all_ ? 0 : bytes_) * level.bus_us_per_byte);
        level.load.add(bus);
        level.load.add(crossing(operation_, members, all_, has_root(index)));
        level.members += members;
        level.buses += 1;
    }

    const topology::Hierarchy& hierarchy_;
    const LinkTable& links_;
    const Operation& operation_;
    double all_;
    double bytes_ = static_cast<double>(operation_.bytes);
    double least_ = 0;
    std::map<std::pair<LevelKey, LevelKey>, Level> levels_;
};

}  // namespace

double least_us(const topology::Hierarchy& hierarchy, const LinkTable& links, const Operation& operation) {
    return hierarchy.ranks() < 2 ? 0 : Bound(hierarchy, links, operation).us();
}

}  // namespace strata::algorithms
