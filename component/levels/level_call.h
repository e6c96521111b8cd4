#pragma once
#include <memory>
#include <span>

#include "algorithms/base/arena.h"
#include "algorithms/base/plan.h"
#include "component/levels/level_communicators.h"

namespace strata::component {

/// The level communicators that a call uses, and what depends on its root.
struct AimedLevels {
    LevelCommunicators* communicators = nullptr;
    std::shared_ptr<const LevelAim> aim;
};

/// The state of one call on the levels on which this rank has a group.
class LevelCall {
public:
    /// `plan` must outlive it. Takes memory from the arena.
    LevelCall(AimedLevels levels, const algorithms::Plan& plan, algorithms::Arena& arena);
    LevelCall(const LevelCall&) = delete;
    LevelCall& operator=(const LevelCall&) = delete;

    int levels() const { return static_cast<int>(groups_.size()); }
    /// Returns true if this rank takes part in a group of this level.
    bool member(int level) const { return at(level).group->comm != nullptr; }
    GroupCall& at(int level) { return groups_[static_cast<std::size_t>(level)]; }
    const GroupCall& at(int level) const { return groups_[static_cast<std::size_t>(level)]; }
    const algorithms::LevelBlocks& blocks() const { return levels_.aim->blocks; }

    /// Returns the error that did not end the call: MPI_ERR_TRUNCATE (GroupCall::truncated) or OMPI_SUCCESS.
    int noted_error() const;
    /// Gives up every unfinished collective after an error.
    void abandon() noexcept;
    /// Returns true if Open MPI may still read or write the memory of an abandoned collective.
    bool left_messages() const { return left_messages_; }

private:
    AimedLevels levels_;
    std::span<GroupCall> groups_;
    bool left_messages_ = false;
};

}  // namespace strata::component
