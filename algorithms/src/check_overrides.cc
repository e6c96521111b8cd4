#include <string>

#include "plan_search.h"
#include "strata/algorithms/selector.h"

namespace strata::algorithms {
namespace {

/// True when some engine of the collective can carry a level by this algorithm.
bool suits(const CollectiveTraits& traits, Algorithm algorithm) {
    if (algorithm == Algorithm::recursive_doubling) return traits.exchanges;
    return algorithm == Algorithm::automatic || info(algorithm).tree_shape || traits.by_levels;
}

bool has_engine(const CollectiveTraits& traits, Engine engine) {
    switch (engine) {
        case Engine::levels: return traits.by_levels;
        case Engine::ring: return traits.by_ring;
        case Engine::lanes: return traits.by_lanes;
        default: return true;
    }
}

std::string known_engines(const CollectiveTraits& traits) {
    std::string names;
    for (const Engine engine : all_engines()) {
        if (!has_engine(traits, engine)) continue;
        if (!names.empty()) names += ", ";
        names += name_of(engine);
    }
    return names;
}

std::string known_methods(const CollectiveTraits& traits) {
    std::string names;
    for (const AlgorithmInfo& entry : all_algorithms()) {
        if (!suits(traits, entry.id)) continue;
        if (!names.empty()) names += ", ";
        names += entry.name;
    }
    return traits.by_levels ? names + ", or a component" : names;
}

/// The rule as the user wrote it, but for a radix.
std::string text_of(const LevelMethodRule& rule) {
    std::string level(topology::name_of(rule.level.kind));
    if (rule.level.height) level += std::to_string(*rule.level.height);
    const bool component = rule.method.algorithm == Algorithm::component;
    return "'" + level + "=" +
           (component ? rule.method.component : std::string(info(rule.method.algorithm).name)) + "'";
}

}  // namespace

std::string check(const Overrides& overrides, Collective collective) {
    const CollectiveTraits traits = traits_of(collective);
    const std::string name(name_of(collective));
    if (!has_engine(traits, overrides.engine)) {
        return name + " has no engine '" + std::string(name_of(overrides.engine)) +
               "'; known: " + known_engines(traits);
    }
    for (const LevelMethodRule& rule : overrides.methods) {
        if (!suits(traits, rule.method.algorithm)) {
            return text_of(rule) + ": no engine of " + name +
                   " can use that; known: " + known_methods(traits);
        }
        if (overrides.engine == Engine::tree && delegates(rule.method)) {
            return text_of(rule) +
                   " needs the engine 'levels' (or 'auto'): the engine 'tree' takes tree shapes only";
        }
    }
    return {};
}

}  // namespace strata::algorithms
