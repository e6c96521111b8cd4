#pragma once
#include <cstddef>
#include <vector>

#include "algorithms/base/transport.h"
#include "algorithms/engines/levels.h"
#include "topology/hierarchy.h"

namespace strata::testing {

/// A broadcast by levels for tests: within each group the first participant sends to all others.
class LinearLevels : public algorithms::LevelWork {
public:
    enum class Call { start, finish };
    struct Entry {
        Call call = Call::start;
        int level = 0;
        std::size_t offset = 0;  ///< of the segment, from the start of the buffer
        auto operator<=>(const Entry&) const = default;
    };

    /// `blocking`: start() completes a level's broadcast, as a blocking algorithm does.
    LinearLevels(algorithms::Transport& transport, const topology::Hierarchy& hierarchy, int root, int rank,
                 algorithms::PackedBuffer& buffer, bool blocking);

    /// The whole broadcast, in segments of `segment_bytes` bytes; 0: one segment.
    int bcast(std::size_t segment_bytes);

    bool takes_part(const algorithms::LevelStage& stage) const override {
        return !groups_[stage.level].members.empty();
    }
    int start(const algorithms::LevelStage& stage, std::size_t begin, std::size_t end) override;
    int finish(const algorithms::LevelStage& stage) override;
    int received(std::size_t end) override { return rank_ == root_ ? 0 : buffer_.consume(end); }

    /// Every call in order.
    const std::vector<Entry>& log() const { return log_; }
    /// The highest number of broadcasts in progress at once on this rank.
    int most_unfinished() const { return most_unfinished_; }
    /// Calls that the contract forbids: a second start() before finish(), or finish() without start().
    int misuses() const { return misuses_; }

private:
    struct LevelGroup {
        std::vector<int> members;  ///< participants, the sender first; empty when this rank is not one
        int first_slot = 0;
        int pending = 0;
        bool open = false;
        std::size_t offset = 0;
    };
    int wait_for(int level);

    algorithms::Transport& transport_;
    algorithms::PackedBuffer& buffer_;
    bool blocking_;
    int root_;
    int rank_;
    std::size_t produced_ = 0;
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
