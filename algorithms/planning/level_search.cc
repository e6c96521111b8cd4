#include "algorithms/planning/level_search.h"

#include <algorithm>
#include <utility>

namespace strata::algorithms {
namespace {

using topology::Group;
using topology::Hierarchy;
using topology::LevelKey;

constexpr std::size_t most_levels_in_all_sets = 4;  // 16 sets

bool named_by_a_rule(const Overrides& overrides, LevelKey level) {
    return std::any_of(overrides.methods.begin(), overrides.methods.end(),
                       [&](const LevelMethodRule& rule) {
                           return rule.level && rule.level->matches(level) &&
                                  rule.method.algorithm != Algorithm::automatic;
                       }) ||
           std::any_of(overrides.segments.begin(), overrides.segments.end(),
                       [&](const LevelSizeRule& rule) { return rule.level && rule.level->matches(level); });
}

}  // namespace

std::vector<LevelKey> skippable_levels(const Hierarchy& hierarchy, const Overrides& overrides) {
    std::vector<LevelKey> levels;
    if (overrides.keep_levels) return levels;
    for (const LevelKey level : hierarchy.levels()) {
        if (level.kind == topology::LevelKind::custom || named_by_a_rule(overrides, level)) continue;
        const bool separates_nodes =
            std::any_of(hierarchy.groups.begin(), hierarchy.groups.end(), [&](const Group& group) {
                return group.level == level &&
                       (group.parent < 0 || is_network(hierarchy.groups[group.parent]));
            });
        const bool in_use =
            std::any_of(hierarchy.groups.begin(), hierarchy.groups.end(), [&](const Group& group) {
                return group.level == level && group.children.size() + group.direct.size() > 1;
            });
        if (in_use && !separates_nodes) levels.push_back(level);
    }
    return levels;
}

std::vector<LevelKey> skippable_network(const Hierarchy& hierarchy, const Overrides& overrides) {
    std::vector<LevelKey> levels;
    if (overrides.keep_levels) return levels;
    for (const Group& group : hierarchy.groups) {
        const bool below = group.parent >= 0 && is_network(hierarchy.groups[group.parent]);
        const bool known = std::find(levels.begin(), levels.end(), group.level) != levels.end();
        if (!below || !is_network(group) || known) continue;
        const bool custom = group.level.kind == topology::LevelKind::custom;
        if (custom || named_by_a_rule(overrides, group.level)) return {};
        levels.push_back(group.level);
    }
    return levels;
}

std::vector<LevelKey> all_below_the_top(const Hierarchy& hierarchy, const Overrides& overrides) {
    if (overrides.keep_levels) return {};
    const LevelKey top = hierarchy.groups.front().level;
    // Two levels may have the same name (hwloc's Groups); both stay or both go.
    const bool once = std::none_of(hierarchy.groups.begin() + 1, hierarchy.groups.end(),
                                   [&](const Group& group) { return group.level == top; });
    if (!once) return {};
    std::vector<LevelKey> levels = hierarchy.levels();
    levels.erase(std::find(levels.begin(), levels.end(), top));
    const bool stays = std::any_of(levels.begin(), levels.end(), [&](LevelKey level) {
        return level.kind == topology::LevelKind::custom || named_by_a_rule(overrides, level);
    });
    return stays ? std::vector<LevelKey>{} : levels;
}

namespace {

/// Returns all sets of levels; of many levels the contiguous ones.
std::vector<std::vector<LevelKey>> sets_of(const std::vector<LevelKey>& levels) {
    std::vector<std::vector<LevelKey>> sets;
    if (levels.size() <= most_levels_in_all_sets) {
        for (unsigned chosen = 0; chosen < 1U << levels.size(); ++chosen) {
            auto& set = sets.emplace_back();
            for (std::size_t l = 0; l < levels.size(); ++l) {
                if ((chosen >> l & 1U) != 0) set.push_back(levels[l]);
            }
        }
        return sets;
    }
    sets.emplace_back();
    for (auto first = levels.begin(); first != levels.end(); ++first) {
        for (auto last = first + 1; last <= levels.end(); ++last) sets.emplace_back(first, last);
    }
    return sets;
}

}  // namespace

/// Few nodes suffice: a gain inside one node is a gain inside all.
LevelSearch::LevelSearch(const Hierarchy& hierarchy, const Overrides& overrides, const Operation& operation,
                         Models& models, Effort effort)
    : overrides_(overrides),
      operation_(operation),
      models_(models),
      effort_(effort),
      on_few_nodes_(operation) {
    const std::vector<LevelKey> levels = skippable_levels(hierarchy, overrides);
    if (levels.empty()) return;
    if (effort == Effort::closed_form) {
        sets_ = {levels};
        return;
    }
    sets_ = sets_of(levels);
    few_nodes_ = reduce_to_few_nodes(hierarchy, operation.root);
    on_few_nodes_.root = few_nodes_.root;
    const CollectiveTraits traits = traits_of(operation.collective);
    // A node's share of a rooted collective is its own blocks; of an Allgather it is everything.
    if (traits.blocks && traits.rooted) {
        on_few_nodes_.bytes = operation.bytes / hierarchy.stop.size() * few_nodes_.hierarchy.stop.size();
    }
    facts_of_few_nodes_.emplace(few_nodes_.hierarchy);
    models_of_few_nodes_.emplace(few_nodes_.hierarchy, on_few_nodes_, facts_of_few_nodes_->machines);
}

LevelSearch::Trial LevelSearch::tried(const std::vector<LevelKey>& skipped, const LinkTable& links,
                                      Rings rings) {
    PlanSearch search(models_of_few_nodes_->at(links, skipped), overrides_, on_few_nodes_, rings, effort_);
    return {&skipped, search.run(traits_of(operation_.collective).combines)};
}

void LevelSearch::skip_levels(Searched& searched, const LinkTable& links, Rings rings) {
    if (sets_.empty()) return;
    if (effort_ == Effort::closed_form) {
        auto skipped = sets_.front();
        skipped.insert(skipped.end(), searched.skipped.begin(), searched.skipped.end());
        PlanSearch search(models_.at(links, skipped), overrides_, operation_, rings, effort_);
        const double us = search.run(traits_of(operation_.collective).combines);
        if (us < searched.us * (1 - needed_gain)) searched = {std::move(search), us, skipped};
        return;
    }
    auto sets = sets_;
    for (auto& skipped : sets)
        skipped.insert(skipped.end(), searched.skipped.begin(), searched.skipped.end());
    std::vector<Trial> trials;
    for (const auto& skipped : sets) trials.push_back(tried(skipped, links, rings));
    const auto faster = [](const Trial& x, const Trial& y) { return x.us < y.us; };
    const Trial& fastest = *std::min_element(trials.begin(), trials.end(), faster);
    // Among sets within the model's error, the smallest one keeps most levels.
    const Trial* smallest = &fastest;
    for (const Trial& trial : trials) {
        if (trial.us * (1 - needed_gain) > fastest.us) continue;
        if (trial.skipped->size() < smallest->skipped->size()) smallest = &trial;
    }
    for (const Trial* trial : {smallest, &fastest}) {
        const std::vector<LevelKey>& skipped = *trial->skipped;
        if (skipped == searched.skipped) continue;
        PlanSearch search(models_.at(links, skipped), overrides_, operation_, rings, effort_);
        const double us = search.run(traits_of(operation_.collective).combines);
        if (us < searched.us * (1 - needed_gain)) searched = {std::move(search), us, skipped};
        if (smallest == &fastest) return;
    }
}

}  // namespace strata::algorithms
