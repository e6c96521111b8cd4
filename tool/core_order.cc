#include "core_order.h"

#include <algorithm>
#include <map>
#include <string>

namespace strata::tool {
namespace {

/// A core and the objects around it, outermost first.
struct Core {
    int index = 0;
    std::vector<topology::HardwareObject> path;
};

/// Returns the order of cores that share the first `depth` objects.
std::vector<int> scattered(const std::vector<Core>& cores, std::size_t depth) {
    if (cores.size() == 1) return {cores.front().index};
    std::vector<std::vector<Core>> parts;  // by the object at `depth`, in the order of the cores
    std::map<topology::HardwareObject, std::size_t> part_of;
    for (const Core& core : cores) {
        if (core.path.size() <= depth) {  // nothing smaller contains it: a part of its own
            parts.push_back({core});
            continue;
        }
        const auto [known, isnew] = part_of.try_emplace(core.path[depth], parts.size());
        if (isnew) parts.emplace_back();
        parts[known->second].push_back(core);
    }
    std::vector<std::vector<int>> orders;
    std::size_t longest = 0;
    for (const std::vector<Core>& part : parts) {
        orders.push_back(scattered(part, depth + 1));
        longest = std::max(longest, orders.back().size());
    }
    std::vector<int> result;
    for (std::size_t round = 0; round < longest; ++round) {
        for (const std::vector<int>& order : orders) {
            if (round < order.size()) result.push_back(order[round]);
        }
    }
    return result;
}

}  // namespace

std::vector<int> scattered_cores(const topology::Machine& machine) {
    std::vector<Core> cores;
    for (int core = 0; core < machine.cores(); ++core) {
        cores.push_back({core, machine.path_of(machine.bound_to_cores(std::to_string(core)))});
    }
    return scattered(cores, 0);
}

}  // namespace strata::tool
