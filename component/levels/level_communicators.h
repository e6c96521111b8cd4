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

/// What follows from a root of a call by levels.
struct LevelAim {
    std::vector<int> roots;          ///< local roots by level, in the communicators of the groups
    algorithms::LevelBlocks blocks;  ///< places of the ranks' blocks
};

/// One communicator per group in which this rank takes part, with the components that a plan gives to the
/// levels. Serves every collective and every plan with the same components. Collective over the parent
/// communicator to create and to destroy.
class LevelCommunicators {
public:
    /// Of a step that all ranks take together.
    struct Outcome {
        bool agreed = false;    ///< every rank succeeded; equal on every rank
        bool reporter = false;  ///< not agreed, and this rank is the lowest that failed
        std::string why;        ///< what this rank missed
    };
    // Tasks of a set-up of the parent, whose `all` is; collective over it. Their outcome is Open MPI's error
    // code of the exchange about success. What is given outlives them.

    /// A rank that fails on the way, or is not `able` to begin with, takes part to the end, so that all come
    /// to know. Once begun not to be given up.
    static algorithms::Task make(SetUp& set_up, ompi_communicator_t* parent, MinAllreduce& all,
                                 const topology::Hierarchy& hierarchy, const algorithms::Plan& plan, int root,
                                 bool able, std::unique_ptr<LevelCommunicators>& made, Outcome& outcome);
    /// Finds out whether every component serves `op` on every group, or a part of it, and every rank is
    /// `able` to go on; once per collective.
    algorithms::Task admit(SetUp& set_up, MinAllreduce& all, int rank, Collective op, bool able,
                           Outcome& outcome);
    /// True where all have found so.
    bool admits(Collective op) const { return admitted_[static_cast<std::size_t>(op)]; }

    LevelCommunicators(const LevelCommunicators&) = delete;
    LevelCommunicators& operator=(const LevelCommunicators&) = delete;
    ~LevelCommunicators();

    /// What follows from a root, with the local_root_key() that these communicators were made for. Null where
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

/// Names the sets of local roots that different roots lead to: roots with equal keys share their
/// communicators. -1 when every group below the top has its leader stand for it.
int local_root_key(const topology::Hierarchy& hierarchy, int root);

}  // namespace strata::component
