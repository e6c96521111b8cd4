#pragma once
#include <optional>
#include <span>
#include <vector>

#include "algorithms/base/link.h"
#include "algorithms/base/operation.h"
#include "algorithms/base/plan.h"
#include "algorithms/cost/link_range.h"
#include "algorithms/openmpi_cost/tuned.h"
#include "algorithms/planning/models.h"
#include "algorithms/planning/plan_search.h"
#include "topology/hierarchy.h"

namespace strata::algorithms {

/// Robust choice over link scenarios: compares plans with each other and with the underlying component under
/// all tables of possible_links() and takes the smallest geometric mean. A plan that is fastest only for
/// guessed links does not win.
class RobustChoice {
public:
    /// Arguments must outlive it. `window`: the user's; 0: open. `forward_us`: prediction for the underlying
    /// component with `links`, including a far root; `rounds`: of that prediction. `effort`: with
    /// closed_form the given links are the only scenario.
    RobustChoice(const topology::Hierarchy& hierarchy, const LinkTable& links, const Operation& operation,
                 int window, double forward_us, FlatRounds& rounds, Effort effort);

    /// Adds a plan; `nic_local` and `skipped` as in Plan. `us`: the model's prediction with the given links,
    /// if known.
    void add(const std::vector<LevelPlan>& levels, bool nic_local, std::vector<topology::LevelKey> skipped,
             std::optional<double> us);

    /// Returns the link tables of all scenarios; the first is the given one.
    const std::vector<LinkTable>& tables() const { return possible_.tables; }
    std::optional<std::size_t> wide() const { return possible_.wide; }

    struct Choice {
        std::optional<std::size_t> way;  ///< index in the order of add(); empty: the underlying component
        double us = 0;                   ///< predicted for the given links
    };
    /// Returns the best plan, or the underlying component if no plan is faster by more than the model's error
    /// (needed_gain). Of plans within that error of the best, returns the earliest.
    Choice choose(Models& models);

private:
    struct Way {
        std::vector<LevelPlan> levels;
        bool nic_local;
        std::vector<topology::LevelKey> skipped;
        std::vector<double> us;  ///< by table
    };

    void predict(Models& models);

    const topology::Hierarchy& hierarchy_;
    const Operation& operation_;
    PossibleLinks possible_;
    /// By table: the window as if the table were given. The plan's own window slows down long vectors on fast
    /// links with a long latency until that latency is given. Including this would lose, for these links
    /// only, what is gained on all others (Allgather of 64 MiB below one switch would be passed through).
    std::vector<Window> windows_;
    std::vector<double> forward_us_;  ///< by table
    std::vector<Way> ways_;
};

}  // namespace strata::algorithms
