#pragma once
#include <cstddef>
#include <vector>

#include "algorithms/engines/bcast_levels.h"
#include "topology/hierarchy.h"

namespace strata::testing {

/// Whole-level delegation for tests: within each group the first participant sends to every other one.
class LinearLevels : public algorithms::LevelGroups {
public:
    enum class Call { start, finish };
    struct Entry {
        Call call = Call::start;
        int level = 0;
        std::size_t offset = 0;  ///< of the segment, from the start of the buffer
        auto operator<=>(const Entry&) const = default;
    };

    /// `blocking`: start() completes the broadcast, as a blocking algorithm does. `base`: start of the whole
    /// buffer.
    LinearLevels(algorithms::Transport& transport, const topology::Hierarchy& hierarchy, int root, int rank,
                 const std::byte* base, bool blocking);

    int levels() const override { return static_cast<int>(groups_.size()); }
    bool member(int level) const override { return !groups_[level].members.empty(); }
    int start(int level, std::byte* data, std::size_t bytes) override;
    int finish(int level) override;
    void abandon() noexcept override { transport_.abandon(); }

    /// Every call in order.
    const std::vector<Entry>& log() const { return log_; }
    /// Most broadcasts under way at once on this rank.
    int most_unfinished() const { return most_unfinished_; }
    /// Calls that the contract forbids: a second start() before finish(), or finish() without start().
    int misuses() const { return misuses_; }

private:
    struct LevelGroup {
        std::vector<int> members;  ///< participants, the sender first; empty when this rank is none
        int first_slot = 0;
        int pending = 0;
        bool open = false;
        std::size_t offset = 0;
    };
    int wait_for(int level);

    algorithms::Transport& transport_;
    const std::byte* base_;
    bool blocking_;
    int rank_;
    bool begun_ = false;
    int slots_ = 0;
    int unfinished_ = 0;
    int most_unfinished_ = 0;
    int misuses_ = 0;
    std::vector<LevelGroup> groups_;
    std::vector<int> level_of_slot_;
    std::vector<Entry> log_;
};

}  // namespace strata::testing
