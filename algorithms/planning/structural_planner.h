#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "algorithms/base/link.h"
#include "algorithms/base/operation.h"
#include "algorithms/config/overrides.h"
#include "algorithms/planning/planning_facts.h"
#include "algorithms/planning/structural_plans.h"
#include "topology/canonical_order.h"
#include "topology/hierarchy.h"

namespace strata::algorithms {

/// Makes the proposals of one hierarchy for canonical numbers of its ranks (topology::canonical_order()), and
/// finds those that others have made. Thread-safe.
class StructuralPlanner {
public:
    /// `hierarchy` and `links` must outlive this. `shared`: null if proposals are not shared.
    StructuralPlanner(const topology::Hierarchy& hierarchy, const LinkTable& links,
                      std::shared_ptr<StructuralPlans> shared)
        : hierarchy_(hierarchy), links_(links), shared_(std::move(shared)) {}

    struct Made {
        StructuralPlans::Known proposal;
        bool found;  ///< made for another plan, mostly of another hierarchy
    };
    /// Returns propose_by_formulas() for canonical numbers. `inputs`: hash of all but the machine and the
    /// root.
    Made propose(const Overrides& overrides, Operation operation, std::uint64_t inputs);
    /// Returns heap bytes.
    std::size_t memory() const;

private:
    struct Renumbered {
        explicit Renumbered(topology::Hierarchy own) : hierarchy(std::move(own)), facts(hierarchy) {}
        const topology::Hierarchy hierarchy;
        PlanningFacts facts;
    };
    /// The hierarchy as seen from a root.
    struct Machine {
        int root;
        topology::CanonicalOrder order;
        std::shared_ptr<Renumbered> renumbered;  ///< null until it is needed
    };
    static constexpr std::size_t most_machines = 4;

    Machine machine_of(int root);
    std::shared_ptr<Renumbered> renumber(const Machine& machine);

    const topology::Hierarchy& hierarchy_;
    const LinkTable& links_;
    std::shared_ptr<StructuralPlans> shared_;
    mutable std::mutex mutex_;
    std::vector<Machine> machines_;  ///< of the last new roots
};

}  // namespace strata::algorithms
