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

/// Weighs ways to carry one operation against each other and against the underlying component, under all that
/// the links may be (possible_links): what takes least in the geometric mean is chosen. A prediction for
/// guessed links says who is faster there; this says who can be trusted where they are others.
class Weighing {
public:
    /// The arguments outlive it. `window`: the user's, 0 where that is open. `forward_us`: predicted for the
    /// underlying component with `links`, a far receiver included; `rounds`: of that prediction.
    Weighing(const topology::Hierarchy& hierarchy, const LinkTable& links, const Operation& operation,
             int window, double forward_us, FlatRounds& rounds);

    /// Enters a way of our own, nic_local and skipped as in Plan.
    void add(const std::vector<LevelPlan>& levels, bool nic_local, std::vector<topology::LevelKey> skipped);

    /// All that the links may be; those given first.
    const std::vector<LinkTable>& tables() const { return possible_.tables; }
    std::optional<std::size_t> wide() const { return possible_.wide; }

    struct Choice {
        std::optional<std::size_t> way;  ///< in the order of add(); empty: the underlying component
        double us = 0;                   ///< predicted for the links as given
    };
    /// The underlying component's where none is faster by more than the model's error (needed_gain); of
    /// several within that error the earliest one.
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
    /// By table: that which it would get if it were given. The plan's own window slows down long vectors over
    /// links that are far and wide until somebody tells their latency; to weigh that would give up, for these
    /// alone, what is gained on all others (Allgather of 64 MiB below one switch would be forwarded).
    std::vector<Window> windows_;
    std::vector<double> forward_us_;  ///< by table
    std::vector<Way> ways_;
};

}  // namespace strata::algorithms
