#include "linear_levels.h"

#include <algorithm>

#include "algorithms/base/arena.h"
#include "algorithms/patterns/level_stages.h"
#include "algorithms/patterns/tree.h"
#include "random_shapes.h"

namespace strata::testing {

LinearLevels::LinearLevels(algorithms::Transport& transport, const topology::Hierarchy& hierarchy, int root,
                           int rank, algorithms::PackedBuffer& buffer, bool blocking)
    : transport_(transport), buffer_(buffer), blocking_(blocking), root_(root), rank_(rank) {
    const std::vector<topology::LevelKey> levels = levels_of(hierarchy);
    groups_.resize(levels.size());
    for (std::size_t index = 0; index < hierarchy.groups.size(); ++index) {
        std::vector<int> members = algorithms::participants(hierarchy, static_cast<int>(index), root);
        if (std::find(members.begin(), members.end(), rank) == members.end()) {
            continue;
        }
        const auto level =
            std::find(levels.begin(), levels.end(), hierarchy.groups[index].level) - levels.begin();
        LevelGroup& group = groups_[static_cast<std::size_t>(level)];
        group.members = std::move(members);
        group.first_slot = slots_;
        slots_ += static_cast<int>(group.members.size());
        level_of_slot_.resize(static_cast<std::size_t>(slots_), static_cast<int>(level));
    }
}

int LinearLevels::bcast(std::size_t segment_bytes) {
    const algorithms::LevelStages stages(algorithms::traits_of(algorithms::Collective::bcast),
                                         static_cast<int>(groups_.size()));
    algorithms::Arena arena;
    return complete(transport_, algorithms::run_levels(*this, stages, 0, stages.count(), buffer_.bytes(),
                                                       segment_bytes, arena));
}

int LinearLevels::start(const algorithms::LevelStage& stage, std::size_t begin, std::size_t end) {
    const int level = stage.level;
    if (rank_ == root_ && end > produced_) {
        if (const int code = buffer_.produce(end); code != 0) {
            return code;
        }
        produced_ = end;
    }
    std::byte* const data = buffer_.data() + begin;
    const std::size_t bytes = end - begin;
    LevelGroup& group = groups_[level];
    group.offset = begin;
    log_.push_back({Call::start, level, group.offset});
    misuses_ += group.open ? 1 : 0;
    group.open = true;
    most_unfinished_ = std::max(most_unfinished_, ++unfinished_);
    if (!begun_) {
        begun_ = true;
        if (const int code = transport_.begin(slots_); code != 0) {
            return code;
        }
    }
    int code = 0;
    if (group.members.front() != rank_) {
        group.pending = 1;
        code = transport_.irecv(group.first_slot, data, bytes, group.members.front());
    } else {
        for (std::size_t peer = 1; peer < group.members.size() && code == 0; ++peer) {
            ++group.pending;
            code =
                transport_.isend(group.first_slot + static_cast<int>(peer), data, bytes, group.members[peer]);
        }
    }
    return code == 0 && blocking_ ? wait_for(level) : code;
}

int LinearLevels::finish(const algorithms::LevelStage& stage) {
    const int level = stage.level;
    LevelGroup& group = groups_[level];
    log_.push_back({Call::finish, level, group.offset});
    misuses_ += group.open ? 0 : 1;
    group.open = false;
    --unfinished_;
    return wait_for(level);
}

int LinearLevels::wait_for(int level) {
    std::vector<int> done(static_cast<std::size_t>(slots_));
    while (groups_[level].pending > 0) {
        int count = 0;
        if (const int code = transport_.wait_some(done, count); code != 0) {
            return code;
        }
        for (int i = 0; i < count; ++i) {
            --groups_[level_of_slot_[done[i]]].pending;
        }
    }
    return 0;
}

}  // namespace strata::testing
