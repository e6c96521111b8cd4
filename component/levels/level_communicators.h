#pragma once
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "algorithms/base/plan.h"
#include "algorithms/patterns/level_groups.h"
#include "component/agreement/min_allreduce.h"
#include "component/levels/level_group.h"
#include "topology/hierarchy.h"

namespace strata::component {

/// The values that depend on the root of a call.
struct LevelAim {
    std::vector<int> roots;          ///< local root of each level, as a rank of the group's communicator
    algorithms::LevelBlocks blocks;  ///< places of the ranks' blocks
};

/// One communicator per group in which this rank takes part, with the components that a plan names for the
/// levels. Serves every collective, and every plan with the same components. Creation and destruction are
/// collective over the parent communicator.
class LevelCommunicators {
public:
    /// The result of a step that all ranks take together.
    struct Outcome {
        bool agreed = false;    ///< every rank succeeded; equal on every rank
        bool reporter = false;  ///< not agreed, and this rank is the lowest that failed
        std::string why;        ///< cause on this rank
    };
    // Tasks of a set-up of the parent, collective over it; `all` is the parent's. They return Open MPI's
    // error code of the exchange that compares success. Arguments must outlive them.

    /// Makes the communicators. A rank that fails, or is not `able` to start, still takes part to the end, so
    /// that all ranks know. A started task must run to its end. Cost: two min-allreduces, and one
    /// communicator creation per level.
    static algorithms::Task make(SetUp& set_up, ompi_communicator_t* parent, MinAllreduce& all,
                                 const topology::Hierarchy& hierarchy, const algorithms::Plan& plan, int root,
                                 bool able, std::unique_ptr<LevelCommunicators>& made, Outcome& outcome);
    /// Finds out whether the components of all groups offer `op` or a part of it, and all ranks are `able` to
    /// continue. Once per collective.
    algorithms::Task admit(SetUp& set_up, MinAllreduce& all, int rank, Collective op, bool able,
                           Outcome& outcome);
    /// Returns true if admit() succeeded on all ranks.
    bool admits(Collective op) const { return admitted_[static_cast<std::size_t>(op)]; }

    LevelCommunicators(const LevelCommunicators&) = delete;
    LevelCommunicators& operator=(const LevelCommunicators&) = delete;
    ~LevelCommunicators();

    /// Returns what depends on the root, which must have the local_root_key() of these communicators. Null if
    /// there is no memory for it.
    std::shared_ptr<const LevelAim> aim(const topology::Hierarchy& hierarchy, int rank, int root) noexcept;

    const LevelGroup& at(int level) const { return levels_[static_cast<std::size_t>(level)]; }
    int levels() const { return static_cast<int>(levels_.size()); }

private:
    explicit LevelCommunicators(int levels) : levels_(static_cast<std::size_t>(levels)) {}
    struct Release {
        void operator()(ompi_communicator_t* comm) const noexcept { OBJ_RELEASE(comm); }
    };
    using Bare = std::unique_ptr<ompi_communicator_t, Release>;
    Bare bare_for(int depth, ompi_communicator_t* parent, const topology::Hierarchy& hierarchy,
                  const algorithms::Plan& plan, int root);
    bool adopt(int rc, ompi_communicator_t* comm, ompi_communicator_t* parent, int depth,
               std::string& why) noexcept;
    bool serves(Collective op, std::string& why) const;
    void equip(LevelGroup& level);

    std::vector<LevelGroup> levels_;
    std::unordered_map<int, std::shared_ptr<const LevelAim>> aims_;  ///< by root
    std::array<bool, collective_count> admitted_{};
};

/// Returns a key of the local roots for a root: roots with equal keys share their communicators. -1 if the
/// leader is the local root in every group below the top.
int local_root_key(const topology::Hierarchy& hierarchy, int root);

}  // namespace strata::component
