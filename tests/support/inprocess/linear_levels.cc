#include "linear_levels.h"

#include <algorithm>

#include "algorithms/patterns/tree.h"
#include "random_shapes.h"

namespace strata::testing {

LinearLevels::LinearLevels(algorithms::Transport& transport, const topology::Hierarchy& hierarchy, int root,
                           int rank, const std::byte* base, bool blocking)
    : transport_(transport), base_(base), blocking_(blocking), rank_(rank) {
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

int LinearLevels::start(int level, std::byte* data, std::size_t bytes) {
    LevelGroup& group = groups_[level];
    group.offset = static_cast<std::size_t>(data - base_);
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

int LinearLevels::finish(int level) {
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
