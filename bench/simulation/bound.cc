#include "bound.h"

#include <algorithm>

namespace strata::simulation {
namespace {

using algorithms::Collective;
using topology::Group;

struct Bytes {
    double in = 0;
    double out = 0;
};

/// What some ranks must get from the others, and send to them.
Bytes crossing(const Call& call, double members, double all, bool with_root) {
    const auto bytes = static_cast<double>(call.bytes);
    const double share = bytes * members / all;
    switch (call.collective) {
        case Collective::bcast: return with_root ? Bytes{0, bytes} : Bytes{bytes, 0};
        case Collective::reduce: return with_root ? Bytes{bytes, 0} : Bytes{0, bytes};
        case Collective::allreduce: return {bytes, bytes};
        case Collective::allgather: return {bytes - share, share};
        case Collective::gather: return with_root ? Bytes{bytes - share, 0} : Bytes{0, share};
        case Collective::scatter: return with_root ? Bytes{0, bytes - share} : Bytes{share, 0};
        default: return {};
    }
}

}  // namespace

double least_us(const Machine& machine, const topology::Hierarchy& hierarchy, const Call& call) {
    const double all = hierarchy.ranks();
    if (all < 2) return 0;
    double least = 0;
    for (std::size_t index = 0; index < hierarchy.groups.size(); ++index) {
        const Group& group = hierarchy.groups[index];
        if (group.members.size() < 2) continue;
        const LinkClass& links = machine.at(group.level);
        Bytes bus;
        const auto add_child = [&](double members, bool with_root) {
            const Bytes child = crossing(call, members, all, with_root);
            least = std::max(least, std::max(child.in, child.out) / links.mbytes_per_s);
            bus = {bus.in + child.in, bus.out + child.out};
        };
        for (const int inner : group.children) {
            add_child(static_cast<double>(hierarchy.groups[static_cast<std::size_t>(inner)].members.size()),
                      hierarchy.contains(inner, call.root));
        }
        for (const int rank : group.direct) add_child(1, rank == call.root);
        // What one child sends to another crosses the bus once.
        if (links.bus_mbytes_per_s > 0)
            least = std::max(least, std::max(bus.in, bus.out) / links.bus_mbytes_per_s);
    }
    if (algorithms::traits_of(call.collective).folds) {
        least =
            std::max(least, static_cast<double>(call.bytes) * (all - 1) / all / machine.fold_mbytes_per_s);
    }
    return least;
}

}  // namespace strata::simulation
