#pragma once
#include <optional>
#include <vector>

#include "algorithms/base/link.h"
#include "algorithms/base/operation.h"
#include "algorithms/config/overrides.h"
#include "algorithms/cost/sample_nodes.h"
#include "algorithms/planning/models.h"
#include "algorithms/planning/plan_search.h"
#include "topology/hierarchy.h"

namespace strata::algorithms {

/// A search that is done, over the levels that its model uses.
struct Searched {
    PlanSearch search;
    double us = 0;  ///< predicted
    std::vector<topology::LevelKey> skipped;
};

/// The levels that a plan may leave out: inside nodes, below the topmost one, and neither of the user's own
/// groups nor given a method or a segment by a rule. Not those that divide nodes: who
/// gains by fewer of those is weighed under all that the links may be (weighing.h).
std::vector<topology::LevelKey> skippable_levels(const topology::Hierarchy& hierarchy,
                                                 const Overrides& overrides);

/// Switches below the topmost level of a hierarchy, all together; empty where one of them must stay, as
/// above.
std::vector<topology::LevelKey> skippable_network(const topology::Hierarchy& hierarchy,
                                                  const Overrides& overrides);

/// All levels below the topmost one; empty where one of them must stay.
std::vector<topology::LevelKey> all_below_the_top(const topology::Hierarchy& hierarchy,
                                                  const Overrides& overrides);

/// Looks for levels whose messages cost more than they save: all sets of up to four levels, of more those
/// that are next to each other. Each is searched on a few nodes (sample_nodes()). Tried on the whole machine
/// are the fastest of them, and of those predicted within the model's error of it the smallest one, which
/// goes first: a set replaces what is there where it gains more than that error. What is skipped already
/// stays skipped.
class LevelSearch {
public:
    /// All arguments outlive it.
    LevelSearch(const topology::Hierarchy& hierarchy, const Overrides& overrides, const Operation& operation,
                Models& models);

    /// `rings` as for `searched`. Cost: at most 16 searches over few nodes and two over all.
    void skip_levels(Searched& searched, const LinkTable& links, Rings rings);

private:
    struct Trial {
        const std::vector<topology::LevelKey>* skipped;
        double us;  ///< that the best plan without them takes on few nodes
    };

    Trial tried(const std::vector<topology::LevelKey>& skipped, const LinkTable& links, Rings rings);

    const Overrides& overrides_;
    const Operation& operation_;
    Models& models_;
    std::vector<std::vector<topology::LevelKey>> sets_;  ///< empty: there is nothing to skip
    Sample sample_;
    Operation on_sample_;
    std::optional<Models> sample_models_;
};

}  // namespace strata::algorithms
