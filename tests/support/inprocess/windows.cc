#include "windows.h"

#include <algorithm>

namespace strata::testing {
namespace {

using algorithms::LevelPlan;
using topology::Group;
using topology::LevelKind;

/// Returns the level on which two ranks exchange messages: that of the smallest common group that is not
/// skipped.
const LevelPlan& level_between(const topology::Hierarchy& hierarchy, const algorithms::Plan& plan, int from,
                               int to) {
    for (int group = hierarchy.lowest_common_group(from, to);; group = hierarchy.groups[group].parent) {
        const auto found = std::find_if(plan.levels.begin(), plan.levels.end(), [&](const LevelPlan& level) {
            return level.level == hierarchy.groups.at(static_cast<std::size_t>(group)).level;
        });
        if (found != plan.levels.end()) {
            return *found;
        }
    }
}

int most_of(const algorithms::Plan& plan, LevelKind kind, std::size_t segment) {
    const int everywhere = std::max(1, plan.window);
    if (kind != LevelKind::cluster && kind != LevelKind::switch_) {
        return everywhere;
    }
    int messages = 0;
    for (std::size_t held = 0; segment > 0 && messages < 256 && held < plan.network_window_bytes;
         held += segment) {
        ++messages;
    }
    return std::max(everywhere, messages);
}

}  // namespace

int most_in_flight(const topology::Hierarchy& hierarchy, const algorithms::Plan& plan, Cut cut, int from,
                   int to) {
    const LevelPlan& level = level_between(hierarchy, plan, from, to);
    return most_of(plan, level.level.kind,
                   cut == Cut::as_top ? plan.levels.front().segment_bytes : level.segment_bytes);
}

int most_on_top(const topology::Hierarchy& hierarchy, const algorithms::Plan& plan) {
    return most_of(plan, hierarchy.groups.front().level.kind, plan.levels.front().segment_bytes);
}

std::string window_text(const algorithms::Plan& plan) {
    return std::to_string(plan.window) + " (" + std::to_string(plan.network_window_bytes) +
           " bytes between nodes)";
}

std::string window_faults(const topology::Hierarchy& hierarchy, const algorithms::Plan& plan, Cut cut,
                          const RunReport& run) {
    std::string faults;
    for (const auto& [pair, most] : run.in_flight) {
        const int allowed = most_in_flight(hierarchy, plan, cut, pair.first, pair.second);
        if (most > allowed) {
            faults += std::to_string(most) + " unfinished sends from " + std::to_string(pair.first) + " to " +
                      std::to_string(pair.second) + ", " + std::to_string(allowed) + " are allowed\n";
        }
    }
    return faults;
}

}  // namespace strata::testing
