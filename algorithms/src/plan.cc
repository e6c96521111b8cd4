#include "strata/algorithms/plan.h"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace strata::algorithms {
namespace {

struct EngineName {
    Engine id;
    std::string_view name;
};
constexpr std::array<EngineName, 4> engines{{
    {Engine::automatic, "auto"},
    {Engine::tree, "tree"},
    {Engine::levels, "levels"},
    {Engine::forward, "forward"},
}};

}  // namespace

std::string_view name_of(Engine engine) {
    const auto* found =
        std::find_if(engines.begin(), engines.end(), [&](const EngineName& e) { return e.id == engine; });
    return found == engines.end() ? "unknown" : found->name;
}

std::optional<Engine> engine_from_name(std::string_view name) {
    for (const EngineName& entry : engines) {
        if (entry.name == name) return entry.id;
    }
    return std::nullopt;
}

std::string known_engine_names() {
    std::string names;
    for (const EngineName& entry : engines) {
        if (!names.empty()) names += ", ";
        names += entry.name;
    }
    return names;
}

const LevelPlan& Plan::at(topology::LevelKey level) const {
    for (const LevelPlan& entry : levels) {
        if (entry.level == level) return entry;
    }
    throw std::out_of_range("the plan has no level '" + topology::name_of(level) + "'");
}

bool exchanges_on_top(const Plan& plan) {
    return !plan.levels.empty() && plan.levels.front().method.algorithm == Algorithm::recursive_doubling;
}

}  // namespace strata::algorithms
