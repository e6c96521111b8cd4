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

/// The level communicators of a communicator: one set for each assignment of components to levels and each
/// local_root_key() of a root.
class LevelSets {
public:
    /// Returns true if a set for this plan and root exists or may be made. The number of sets is limited,
    /// because each costs a split per level and a program may use every rank as root.
    bool may_serve(const topology::Hierarchy& hierarchy, const algorithms::Plan& plan, int root) const {
        return sets_.size() < most || find(hierarchy, plan, root) != nullptr;
    }
    /// Returns null if there is none.
    LevelCommunicators* find(const topology::Hierarchy& hierarchy, const algorithms::Plan& plan,
                             int root) const;
    /// A task of a set-up of `comm` (LevelCommunicators::make()). If one rank fails, `made` is null on all.
    algorithms::Task make(SetUp& set_up, ompi_communicator_t* comm, MinAllreduce& least,
                          const topology::Hierarchy& hierarchy, const algorithms::Plan& plan, int root,
                          LevelCommunicators*& made, LevelCommunicators::Outcome& outcome);

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
