#include "bound.h"

#include <algorithm>
#include <map>

namespace strata::simulation {
namespace {

using topology::Group;

struct Bytes {
    double in = 0;
    double out = 0;
};

/// Returns the bytes that some of the ranks must receive from the others, and send to them.
Bytes crossing(const Call& call, double members, double all, bool with_root) {
    const algorithms::CollectiveTraits& traits = algorithms::traits_of(call.collective);
    const bool from_root = traits.from_root();
    const bool receive = !traits.rooted || with_root != from_root;
    const bool send = !traits.rooted || with_root == from_root;
    const auto bytes = static_cast<double>(call.bytes);
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
    BusLoad(const Call& call)
        : both_(algorithms::traits_of(call.collective).combines &&
                algorithms::traits_of(call.collective).down) {}

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

/// All groups of a level that have a bus.
struct Buses {
    BusLoad load;
    double members = 0;
    double count = 0;
};

}  // namespace

/// Besides the bus of each group by itself: where groups hold all ranks, what goes from one to another
/// crosses the buses of both, and the most loaded one carries no less than the mean.
double least_us(const Machine& machine, const topology::Hierarchy& hierarchy, const Call& call) {
    const double all = hierarchy.ranks();
    if (all < 2) return 0;
    const auto bytes = static_cast<double>(call.bytes);
    double least = 0;
    std::map<const LinkClass*, Buses> levels;
    for (std::size_t index = 0; index < hierarchy.groups.size(); ++index) {
        const Group& group = hierarchy.groups[index];
        if (group.members.size() < 2) continue;
        const LinkClass& links = machine.at(group.level);
        BusLoad bus(call);
        const auto add_child = [&](double members, bool with_root) {
            const Bytes child = crossing(call, members, all, with_root);
            least = std::max(least, std::max(child.in, child.out) / links.mbytes_per_s);
            bus.add(child);
        };
        for (const int inner : group.children) {
            add_child(static_cast<double>(hierarchy.groups[static_cast<std::size_t>(inner)].members.size()),
                      hierarchy.contains(inner, call.root));
        }
        for (const int rank : group.direct) add_child(1, rank == call.root);
        if (links.bus_mbytes_per_s <= 0) continue;
        const auto members = static_cast<double>(group.members.size());
        // In a part of the machine what completes a result comes in, and the result goes out.
        const double completed = members < all ? 0 : bytes;
        least = std::max(least, bus.bytes(completed) / links.bus_mbytes_per_s);
        Buses& level = levels.try_emplace(&links, Buses{BusLoad(call)}).first->second;
        level.load.add(bus);
        level.load.add(crossing(call, members, all, hierarchy.contains(static_cast<int>(index), call.root)));
        level.members += members;
        level.count += 1;
    }
    for (const auto& [links, level] : levels) {
        if (level.count < 2 || level.members < all) continue;
        // One child, and one group.
        least = std::max(least, level.load.bytes(2 * bytes) / level.count / links->bus_mbytes_per_s);
    }
    if (algorithms::traits_of(call.collective).combines) {
        least = std::max(least, bytes * (all - 1) / all / machine.combine_mbytes_per_s);
    }
    return least;
}

}  // namespace strata::simulation
