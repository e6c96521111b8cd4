#pragma once
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "algorithms/base/plan.h"
#include "algorithms/patterns/level_groups.h"
#include "component/agreement/least_of_all.h"
#include "component/levels/level_group.h"
#include "topology/hierarchy.h"

namespace strata::component {

/// One communicator per group in which this rank takes part, with the components that a plan gives to the
/// levels. Serves every collective and every plan with the same components. Collective over the parent
/// communicator to create and to destroy.
class LevelCommunicators {
public:
    /// Of a step that all ranks take together.
    struct Outcome {
        int rc = OMPI_SUCCESS;  ///< of the exchange about success
        bool agreed = false;    ///< every rank succeeded; equal on every rank
        bool speaker = false;   ///< not agreed, and this rank is the lowest that failed
        std::string why;        ///< what this rank missed
    };
    /// Collective over `parent`; a rank that fails on the way, or is not `able` to begin with, takes part to
    /// the end, so that all come to know. `all`: of the parent.
    static std::unique_ptr<LevelCommunicators> make(ompi_communicator_t* parent, LeastOfAll& all,
                                                    const topology::Hierarchy& hierarchy,
                                                    const algorithms::Plan& plan, int root, bool able,
                                                    Outcome& outcome);
    LevelCommunicators(const LevelCommunicators&) = delete;
    LevelCommunicators& operator=(const LevelCommunicators&) = delete;
    ~LevelCommunicators();

    /// Finds out whether every component serves `op` on every group, or a part of it, and every rank is
    /// `able` to go on; once per collective. Collective over the parent, whose `all` is.
    Outcome admit(LeastOfAll& all, int rank, Collective op, bool able);

    /// Makes `root` the root and `plan` the plan of what follows: with the stand_in_key() and the components
    /// that these communicators were made for. False where there is no memory for it.
    bool aim(const topology::Hierarchy& hierarchy, const algorithms::Plan& plan, int rank, int root) noexcept;

    /// What the call since aim() did not end for: MPI_ERR_TRUNCATE (LevelGroup::truncated) or OMPI_SUCCESS.
    int noted_error() const;

    LevelGroup& at(int level) { return levels_[static_cast<std::size_t>(level)]; }
    /// Places of the ranks' blocks, as last aimed.
    const algorithms::LevelBlocks& blocks() const { return aimed_->blocks; }

    int levels() const { return static_cast<int>(levels_.size()); }
    /// True where this rank takes part in a group of this level.
    bool member(int level) const { return levels_[static_cast<std::size_t>(level)].comm != nullptr; }
    /// Gives up every unfinished collective after an error.
    void abandon() noexcept;
    /// True from when a call was given up of which Open MPI still reads or writes the memory.
    bool left_messages() const { return left_messages_; }

private:
    /// What follows from a root.
    struct Aim {
        std::vector<int> roots;  ///< of the levels, in their communicators
        algorithms::LevelBlocks blocks;
    };
    explicit LevelCommunicators(int levels) : levels_(static_cast<std::size_t>(levels)) {}
    struct Release {
        void operator()(ompi_communicator_t* comm) const noexcept { OBJ_RELEASE(comm); }
    };
    using Bare = std::unique_ptr<ompi_communicator_t, Release>;
    Bare bare_for(int depth, ompi_communicator_t* parent, const topology::Hierarchy& hierarchy,
                  const algorithms::Plan& plan, int root);
    bool make_whole(Bare bare, ompi_communicator_t* parent, int depth, std::string& why) noexcept;
    bool serves(Collective op, std::string& why) const;
    void equip(LevelGroup& level);
    const Aim& aim_at(const topology::Hierarchy& hierarchy, int rank, int root);

    std::vector<LevelGroup> levels_;
    std::unordered_map<int, Aim> aims_;  ///< by root
    const Aim* aimed_ = nullptr;
    std::array<bool, collective_count> admitted_{};
    bool left_messages_ = false;
};

/// Names the sets of stand-ins that different roots lead to: roots with equal keys share their communicators.
/// -1 when every group below the top has its leader stand for it.
int stand_in_key(const topology::Hierarchy& hierarchy, int root);

}  // namespace strata::component
