#include <string>

#include "algorithms/base/collective.h"
#include "algorithms/base/level_tasks.h"
#include "algorithms/base/plan.h"
#include "algorithms/config/overrides.h"

namespace strata::algorithms {
namespace {

bool by_levels(const LevelMethod& method, Collective collective) {
    if (method.algorithm == Algorithm::component || method.algorithm == Algorithm::automatic) return true;
    const CollectiveTasks& tasks = traits_of(collective).tasks;
    const LevelTasks known = info(method.algorithm).tasks;
    return known.meets(tasks.topmost) || known.meets(tasks.below);
}

bool by_tree(const LevelMethod& method, const CollectiveTraits& traits) {
    const AlgorithmInfo& known = info(method.algorithm);
    return method.algorithm == Algorithm::automatic || method.algorithm == Algorithm::skip ||
           (known.tree_shape && (!known.double_tree || supports_double_trees(traits))) ||
           exchanges_by(method.algorithm, traits);
}

/// Returns true if a level becomes strata's own ring; otherwise the method is Open MPI's ring.
bool by_ring(const LevelMethod& method, const Overrides& overrides) {
    return overrides.engine == Engine::ring && method.algorithm == Algorithm::ring;
}

bool has_engine(const CollectiveTraits& traits, Engine engine) {
    switch (engine) {
        case Engine::ring: return traits.by_ring;
        case Engine::rails: return traits.by_rails;
        case Engine::node: return traits.by_node();
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

template <class Suits>
std::string known_methods(Suits&& suits) {
    std::string names;
    for (const AlgorithmInfo& entry : all_algorithms()) {
        if (!suits(LevelMethod{entry.id, 0, {}})) continue;
        if (!names.empty()) names += ", ";
        names += entry.name;
    }
    return names;
}

/// Returns the rule as the user wrote it, without a radix.
std::string text_of(const LevelMethodRule& rule) {
    std::string level;
    if (rule.level) {
        level = topology::name_of(rule.level->kind);
        if (rule.level->height) level += std::to_string(*rule.level->height);
        level += "=";
    }
    const bool component = rule.method.algorithm == Algorithm::component;
    return "'" + level + (component ? rule.method.component : std::string(info(rule.method.algorithm).name)) +
           "'";
}

}  // namespace

std::string engines_of(Collective collective) { return known_engines(traits_of(collective)); }

std::string methods_of(Collective collective) {
    const CollectiveTraits traits = traits_of(collective);
    return known_methods(
               [&](const LevelMethod& m) { return by_levels(m, collective) || by_tree(m, traits); }) +
           ", or a component";
}

std::string check(const Overrides& overrides, Collective collective) {
    const CollectiveTraits traits = traits_of(collective);
    const std::string name(name_of(collective));
    if (!has_engine(traits, overrides.engine)) {
        return name + " has no engine '" + std::string(name_of(overrides.engine)) +
               "'; known: " + engines_of(collective);
    }
    const auto levels = [&](const LevelMethod& method) { return by_levels(method, collective); };
    const auto tree = [&](const LevelMethod& method) { return by_tree(method, traits); };
    bool all_by_levels = overrides.engine == Engine::levels;
    for (const LevelMethodRule& rule : overrides.methods) {
        if (!levels(rule.method) && !tree(rule.method)) {
            return text_of(rule) + ": no engine of " + name +
                   " can use that; known: " + methods_of(collective);
        }
        const bool skips = rule.method.algorithm == Algorithm::skip;
        if (skips && (overrides.engine == Engine::rails || overrides.engine == Engine::levels)) {
            return text_of(rule) + " needs the engine 'tree' or 'ring' (or 'auto'): the engine '" +
                   std::string(name_of(overrides.engine)) + "' uses all levels";
        }
        if (overrides.engine == Engine::rails && info(rule.method.algorithm).double_tree) {
            return text_of(rule) +
                   " needs the engine 'tree' (or 'auto'): it has two trees, and the engine "
                   "'rails' has one per NIC";
        }
        if (tree(rule.method) || by_ring(rule.method, overrides)) continue;
        if (overrides.engine != Engine::automatic && overrides.engine != Engine::levels &&
            overrides.engine != Engine::forward) {
            return text_of(rule) + " needs the engine 'levels' (or 'auto'): the engine '" +
                   std::string(name_of(overrides.engine)) + "' takes tree shapes " +
                   (overrides.engine == Engine::ring ? "and 'ring' only" : "only");
        }
        all_by_levels = all_by_levels || overrides.engine == Engine::automatic;
    }
    for (const LevelMethodRule& rule : overrides.methods) {
        if (all_by_levels && !levels(rule.method)) {
            return text_of(rule) + ": the engine 'levels' of " + name +
                   " has no such algorithm; known: " + known_methods(levels) + ", or a component";
        }
    }
    return {};
}

}  // namespace strata::algorithms
