#include "algorithms/base/plan.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "topology/heap_bytes.h"

namespace strata::algorithms {
namespace {

constexpr std::array engines{Engine::automatic, Engine::tree, Engine::levels, Engine::ring,
                             Engine::rails,     Engine::node, Engine::forward};

}  // namespace

std::span<const Engine> all_engines() { return engines; }

std::string_view name_of(Engine engine) {
    switch (engine) {
        case Engine::automatic: return "auto";
        case Engine::tree: return "tree";
        case Engine::levels: return "levels";
        case Engine::ring: return "ring";
        case Engine::rails: return "rails";
        case Engine::node: return "node";
        case Engine::forward: return "forward";
    }
    return "unknown";
}

std::optional<Engine> engine_from_name(std::string_view name) {
    if (name == "lanes") name = name_of(Engine::rails);
    const auto* found =
        std::find_if(engines.begin(), engines.end(), [&](Engine engine) { return name_of(engine) == name; });
    return found == engines.end() ? std::nullopt : std::optional(*found);
}

std::string known_engine_names() {
    std::string names;
    for (const Engine engine : engines) {
        if (!names.empty()) names += ", ";
        names += name_of(engine);
    }
    return names;
}

const LevelPlan& Plan::at(topology::LevelKey level) const {
    for (const LevelPlan& entry : levels) {
        if (entry.level == level) return entry;
    }
    throw std::out_of_range("the plan has no level '" + topology::name_of(level) + "'");
}

std::size_t heap_bytes(const Plan& plan) {
    using topology::heap_bytes;
    std::size_t bytes = heap_bytes(plan.levels) + heap_bytes(plan.sources) + heap_bytes(plan.skipped) +
                        heap_bytes(plan.skipped_sources) + heap_bytes(plan.reason);
    for (const LevelPlan& level : plan.levels) bytes += heap_bytes(level.method.component);
    return bytes;
}

bool is_exchange(const LevelMethod& method) {
    return method.algorithm == Algorithm::recursive_doubling || method.algorithm == Algorithm::rabenseifner;
}

bool exchanges_on_top(const Plan& plan) {
    return !plan.levels.empty() && is_exchange(plan.levels.front().method);
}

bool halving_on_top(const Plan& plan) {
    return exchanges_on_top(plan) && plan.levels.front().method.algorithm == Algorithm::rabenseifner;
}

bool has_double_tree(const Plan& plan) {
    return plan.engine == Engine::tree && !exchanges_on_top(plan) &&
           std::any_of(plan.levels.begin(), plan.levels.end(),
                       [](const LevelPlan& level) { return info(level.method.algorithm).double_tree; });
}

}  // namespace strata::algorithms
