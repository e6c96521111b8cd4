#include "level_search.h"

#include <algorithm>
#include <utility>

#include "sample_nodes.h"

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
        const bool divides_nodes =
            std::any_of(hierarchy.groups.begin(), hierarchy.groups.end(), [&](const Group& group) {
                return group.level == level &&
                       (group.parent < 0 || is_network(hierarchy.groups[group.parent]));
            });
        const bool in_use =
            std::any_of(hierarchy.groups.begin(), hierarchy.groups.end(), [&](const Group& group) {
                return group.level == level && group.children.size() + group.direct.size() > 1;
            });
        if (in_use && !divides_nodes) levels.push_back(level);
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

namespace {

/// One set of levels, and what the best plan without them takes.
struct Candidate {
    std::vector<LevelKey> skipped;
    double us;
};

/// Predictions of plans without some levels, on few nodes of the machine: what is gained inside one is gained
/// inside all.
class Trials {
public:
    Trials(const Hierarchy& hierarchy, const LinkTable& links, const Overrides& overrides,
           const Operation& operation, Rings rings)
        : sample_(sample_nodes(hierarchy, operation.root)),
          links_(links),
          overrides_(overrides),
          operation_(operation),
          rings_(rings) {
        operation_.root = sample_.root;
        const CollectiveTraits traits = traits_of(operation.collective);
        // To and from a root each node moves its own blocks, in an Allgather everybody's.
        if (traits.blocks && traits.rooted) {
            operation_.bytes = operation.bytes / hierarchy.stop.size() * sample_.hierarchy.stop.size();
        }
    }

    Candidate operator()(std::vector<LevelKey> skipped) const {
        const auto model = make_cost_model(sample_.hierarchy, links_, operation_, skipped);
        const bool one_segment = traits_of(operation_.collective).folds;
        const double us = PlanSearch(*model, overrides_, operation_, rings_).run(one_segment);
        return {std::move(skipped), us};
    }

private:
    Sample sample_;
    const LinkTable& links_;
    const Overrides& overrides_;
    Operation operation_;
    Rings rings_;
};

/// All sets of levels; of many levels those next to each other.
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

void skip_levels(Searched& searched, const Hierarchy& hierarchy, const LinkTable& links,
                 const Overrides& overrides, const Operation& operation, Rings rings) {
    const std::vector<LevelKey> levels = skippable_levels(hierarchy, overrides);
    if (levels.empty()) return;
    const Trials trial(hierarchy, links, overrides, operation, rings);
    std::vector<Candidate> candidates;
    for (auto& skipped : sets_of(levels)) candidates.push_back(trial(std::move(skipped)));
    const auto faster = [](const Candidate& x, const Candidate& y) { return x.us < y.us; };
    const Candidate& fastest = *std::min_element(candidates.begin(), candidates.end(), faster);
    // Of sets that the model cannot tell apart the one that leaves most levels in place.
    const Candidate* smallest = &fastest;
    for (const Candidate& candidate : candidates) {
        if (candidate.us * (1 - needed_gain) > fastest.us) continue;
        if (candidate.skipped.size() < smallest->skipped.size()) smallest = &candidate;
    }
    for (const Candidate* candidate : {smallest, &fastest}) {
        if (candidate->skipped.empty() || candidate->skipped == searched.skipped) continue;
        auto model = make_cost_model(hierarchy, links, operation, candidate->skipped);
        PlanSearch search(*model, overrides, operation, rings);
        const double us = search.run(traits_of(operation.collective).folds);
        if (us >= searched.us * (1 - needed_gain)) continue;
        searched = {std::move(model), std::move(search), us, candidate->skipped};
    }
}

}  // namespace strata::algorithms
