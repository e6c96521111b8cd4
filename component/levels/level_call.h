#pragma once
#include <memory>
#include <span>

#include "algorithms/base/arena.h"
#include "algorithms/base/plan.h"
#include "component/levels/level_communicators.h"

namespace strata::component {

/// The communicators of the levels for a root: what a call by levels goes by.
struct AimedLevels {
    LevelCommunicators* communicators = nullptr;
    std::shared_ptr<const LevelAim> aim;
};

/// What one call does on the levels in whose groups this rank takes part.
class LevelCall {
public:
    /// `plan` outlives it. Memory from the arena.
    LevelCall(AimedLevels levels, const algorithms::Plan& plan, algorithms::Arena& arena);
    LevelCall(const LevelCall&) = delete;
    LevelCall& operator=(const LevelCall&) = delete;

    int levels() const { return static_cast<int>(groups_.size()); }
    /// True where this rank takes part in a group of this level.
    bool member(int level) const { return at(level).group->comm != nullptr; }
    GroupCall& at(int level) { return groups_[static_cast<std::size_t>(level)]; }
    const GroupCall& at(int level) const { return groups_[static_cast<std::size_t>(level)]; }
    const algorithms::LevelBlocks& blocks() const { return levels_.aim->blocks; }

    /// What the call did not end for: MPI_ERR_TRUNCATE (GroupCall::truncated) or OMPI_SUCCESS.
    int noted_error() const;
    /// Gives up every unfinished collective after an error.
    void abandon() noexcept;
    /// True where Open MPI still reads or writes the memory of what was given up.
    bool left_messages() const { return left_messages_; }

private:
    AimedLevels levels_;
    std::span<GroupCall> groups_;
    bool left_messages_ = false;
};

}  // namespace strata::component
