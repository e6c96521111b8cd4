#include "algorithms/config/excluded_levels.h"

#include <algorithm>
#include <stdexcept>

#include "algorithms/base/level_tasks.h"

namespace strata::algorithms {
namespace {

using topology::Group;
using topology::Hierarchy;
using topology::LevelKey;

/// Returns the rule that decides on a level, or nullptr. Ignores exchanges (no tree shapes): they are for
/// the topmost level.
const LevelMethodRule* rule_for(const Overrides& overrides, LevelKey level) {
    const auto decides = [&](const LevelMethodRule& rule) {
        const Algorithm algorithm = rule.method.algorithm;
        const bool ring = overrides.engine == Engine::ring && algorithm == Algorithm::ring;
        return rule.holds_for(level) && (algorithm == Algorithm::automatic || algorithm == Algorithm::skip ||
                                         ring || info(algorithm).tree_shape);
    };
    const auto rule = std::find_if(overrides.methods.begin(), overrides.methods.end(), decides);
    return rule == overrides.methods.end() ? nullptr : &*rule;
}

/// Returns true if rules make all ranks take part alike on the topmost level: no level between nodes is
/// left below it.
bool among_all(const Hierarchy& hierarchy, const Overrides& overrides, const Operation& operation) {
    const auto skips = [](const LevelMethodRule& rule) { return rule.method.algorithm == Algorithm::skip; };
    const LevelKey top = hierarchy.groups.front().level;
    const auto on_top =
        std::find_if(overrides.methods.begin(), overrides.methods.end(),
                     [&](const LevelMethodRule& one) { return one.holds_for(top) && !skips(one); });
    if (on_top == overrides.methods.end() || !may_be_among_all(on_top->method.algorithm, operation))
        return false;
    return std::all_of(hierarchy.groups.begin() + 1, hierarchy.groups.end(), [&](const Group& group) {
        const LevelMethodRule* const rule = is_network(group) ? rule_for(overrides, group.level) : nullptr;
        return !is_network(group) || (rule != nullptr && skips(*rule));
    });
}

/// Returns why a level stays; empty: it can be excluded.
std::string why_it_stays(const Hierarchy& hierarchy, LevelKey level, const Overrides& overrides,
                         const Operation& operation) {
    if (level == hierarchy.groups.front().level)
        return "ignored for " + name_of(level) + ", the topmost level";
    if (separates_nodes(hierarchy, level) && !among_all(hierarchy, overrides, operation))
        return "ignored for " + name_of(level) + ", which separates nodes";
    return keeps_order(operation) ? "ignored: the reduction keeps an order" : "";
}

}  // namespace

bool keeps_order(const Operation& operation) {
    return traits_of(operation.collective).combines && (operation.rank_order || operation.reproducible);
}

bool separates_nodes(const Hierarchy& hierarchy, LevelKey level) {
    return std::any_of(hierarchy.groups.begin(), hierarchy.groups.end(), [&](const Group& group) {
        return group.level == level && !is_network(group) && group.parent >= 0 &&
               is_network(hierarchy.groups[group.parent]);
    });
}

bool can_all_take_part(const Hierarchy& hierarchy) {
    constexpr int most_ranks = 4096;  // planning would take too long
    return hierarchy.oversubscription <= 1 && hierarchy.ranks() <= most_ranks;
}

bool may_be_among_all(Algorithm algorithm, const Operation& operation) {
    const CollectiveTraits traits = traits_of(operation.collective);
    if (keeps_order(operation)) return false;
    if (algorithm == Algorithm::ring) return traits.by_ring;
    if (algorithm == Algorithm::pipeline) return traits.rooted && !traits.blocks && traits.sized;
    if (algorithm == Algorithm::double_binary) return supports_double_trees(traits);
    return algorithm == Algorithm::rabenseifner && traits.combines && exchanges_by(algorithm, traits);
}

ExcludedLevels find_excluded_levels(const Hierarchy& hierarchy, const Overrides& overrides,
                                    const Operation& operation) {
    ExcludedLevels excluded;
    const auto skips = [](const LevelMethodRule& rule) { return rule.method.algorithm == Algorithm::skip; };
    if (std::none_of(overrides.methods.begin(), overrides.methods.end(), skips)) return excluded;
    for (const LevelKey level : hierarchy.levels()) {
        const LevelMethodRule* rule = rule_for(overrides, level);
        if (rule == nullptr || !skips(*rule)) continue;
        const std::string stays = why_it_stays(hierarchy, level, overrides, operation);
        if (stays.empty()) {
            excluded.levels.push_back(level);
            excluded.sources.push_back(rule->source);
        } else if (excluded.ignored_rules.find(stays) == std::string::npos) {
            excluded.ignored_rules += "; skip " + stays;
        }
    }
    return excluded;
}

void set_skipped(Plan& plan, const Hierarchy& hierarchy, const std::vector<LevelKey>& skipped,
                 const ExcludedLevels& excluded) {
    if (std::find(skipped.begin(), skipped.end(), hierarchy.groups.front().level) != skipped.end()) {
        throw std::logic_error("a plan without the topmost level");  // its parts would not be connected
    }
    for (const LevelKey level : hierarchy.levels()) {
        if (std::find(skipped.begin(), skipped.end(), level) == skipped.end()) continue;
        const auto found = std::find(excluded.levels.begin(), excluded.levels.end(), level);
        const auto index = static_cast<std::size_t>(found - excluded.levels.begin());
        plan.skipped.push_back(level);
        plan.skipped_sources.push_back(index < excluded.levels.size() ? excluded.sources[index] : Source{});
    }
}

}  // namespace strata::algorithms
