#pragma once
#include <optional>
#include <vector>

#include "algorithms/base/link.h"
#include "algorithms/base/operation.h"
#include "algorithms/config/overrides.h"
#include "algorithms/cost/symmetry_reduction.h"
#include "algorithms/planning/models.h"
#include "algorithms/planning/plan_search.h"
#include "topology/hierarchy.h"

namespace strata::algorithms {

/// A finished search over the levels of its model.
struct Searched {
    PlanSearch search;
    double us = 0;  ///< predicted
    std::vector<topology::LevelKey> skipped;

    /// Returns the prediction of the search with the given links; with Effort::full it may be for others.
    std::optional<double> known_us(Effort effort) const {
        return effort == Effort::closed_form ? std::optional(us) : std::nullopt;
    }
};

/// Returns the levels inside nodes, below the topmost one, that a plan may skip: not the user's own groups,
/// nor levels with a method or segment by a rule. The robust choice (robust_choice.h) decides about levels
/// that separate nodes.
std::vector<topology::LevelKey> skippable_levels(const topology::Hierarchy& hierarchy,
                                                 const Overrides& overrides);

/// Returns all switches below the topmost level, or none if one of them must stay for a reason as above.
std::vector<topology::LevelKey> skippable_network(const topology::Hierarchy& hierarchy,
                                                  const Overrides& overrides);

/// Returns all levels below the topmost one; empty if one of them must stay.
std::vector<topology::LevelKey> all_below_the_top(const topology::Hierarchy& hierarchy,
                                                  const Overrides& overrides);

/// Searches for levels whose messages cost more than they save. Tries all sets of up to four levels, of more
/// levels the contiguous ones, each on a few nodes (reduce_to_few_nodes()). On the whole machine it tries the
/// fastest set, and before it the smallest set within the model's error of it. A set must gain more than that
/// error. Levels that are already skipped stay skipped.
class LevelSearch {
public:
    /// All arguments must outlive the search.
    LevelSearch(const topology::Hierarchy& hierarchy, const Overrides& overrides, const Operation& operation,
                Models& models, Effort effort);

    /// `rings`: as in `searched`. Cost: at most 16 searches over few nodes and two over all.
    void skip_levels(Searched& searched, const LinkTable& links, Rings rings);

private:
    struct Trial {
        const std::vector<topology::LevelKey>* skipped;
        double us;  ///< best plan on few nodes, predicted
    };

    Trial tried(const std::vector<topology::LevelKey>& skipped, const LinkTable& links, Rings rings);

    const Overrides& overrides_;
    const Operation& operation_;
    Models& models_;
    Effort effort_;
    std::vector<std::vector<topology::LevelKey>> sets_;  ///< empty: nothing to skip
    ReducedMachine few_nodes_;
    Operation on_few_nodes_;
    std::optional<PlanningFacts> facts_of_few_nodes_;
    std::optional<Models> models_of_few_nodes_;
};

}  // namespace strata::algorithms
