#pragma once
#include <list>
#include <memory>
#include <string>
#include <vector>

#include "algorithms/base/plan.h"
#include "component/agreement/min_allreduce.h"
#include "component/levels/level_communicators.h"
#include "topology/hierarchy.h"

namespace strata::component {

/// The communicators that the levels engine has made for a communicator: a set for each way to give levels to
/// components, and for each root that leads other groups.
class LevelSets {
public:
    /// True where there is a set for this plan and root, or one may still be made. Every set takes a split
    /// per level: programs whose root wanders over all ranks must not make one per call.
    bool may_serve(const topology::Hierarchy& hierarchy, const algorithms::Plan& plan, int root) const {
        return sets_.size() < most || find(hierarchy, plan, root) != nullptr;
    }
    /// Null where there is none.
    LevelCommunicators* find(const topology::Hierarchy& hierarchy, const algorithms::Plan& plan,
                             int root) const;
    /// Null where that failed on some rank, then on all. Collective over `comm`.
    LevelCommunicators* make(ompi_communicator_t* comm, MinAllreduce& least,
                             const topology::Hierarchy& hierarchy, const algorithms::Plan& plan, int root,
                             LevelCommunicators::Outcome& outcome);

private:
    static constexpr std::size_t most = 16;  // each holds one communicator per level
    struct Set {
        std::vector<std::string> components;  // by level; empty for a named algorithm
        int key = -1;
        std::unique_ptr<LevelCommunicators> communicators;
    };

    std::list<Set> sets_;
};

}  // namespace strata::component
