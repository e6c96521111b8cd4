#include "strata/algorithms/levels.h"

#include <algorithm>

#include "strata/algorithms/tree.h"

namespace strata::algorithms {

CollectiveTasks tasks_of(Collective collective) {
    using enum LevelTask;
    switch (collective) {
        case Collective::bcast: return {{bcast}, {bcast}};
        case Collective::reduce: return {{reduce}, {reduce}};
        case Collective::allreduce: return {{allreduce, reduce, bcast}, {reduce, bcast}};
        case Collective::allgather: return {{allgather, allgatherv, gather, bcast}, {gather, bcast}};
        case Collective::allgatherv: return {{allgatherv, gather, bcast}, {gather, bcast}};
        case Collective::gather:
        case Collective::gatherv: return {{gather}, {gather}};
        case Collective::scatter:
        case Collective::scatterv: return {{scatter}, {scatter}};
        case Collective::barrier: return {{barrier}, {barrier}};
        case Collective::count: break;
    }
    return {};
}

LevelStage LevelStages::operator[](int index) const {
    if (!up_) return {index, LevelRole::down};
    if (!down_) return {levels_ - 1 - index, LevelRole::up};
    if (index < levels_ - 1) return {levels_ - 1 - index, LevelRole::up};
    if (index == levels_ - 1) return {0, LevelRole::across};
    return {index - levels_ + 1, LevelRole::down};
}

namespace {

/// Walks the (step, stage) order for one rank.
class LevelPipeline {
public:
    LevelPipeline(LevelWork& work, const LevelStages& stages, int first, int last, std::size_t total,
                  std::size_t segment)
        : work_(work),
          stages_(stages),
          first_(first),
          last_(last),
          total_(total),
          segment_(segment == 0 ? total : std::min(segment, total)),
          segments_(static_cast<long>((total - 1) / segment_ + 1)) {
        // What comes down is received once, on the first of these stages; further down it is only passed on.
        while (received_ < last_ && !(stages_[received_].role == LevelRole::down && mine(received_))) {
            ++received_;
        }
    }

    int run() {
        int code = 0;
        for (long step = 0; step < segments_ + last_ - first_ && code == 0; ++step) {
            for (int stage = first_; stage < last_ && code == 0; ++stage) {
                if (mine(stage)) {
                    code = advance(stage, step - (stage - first_));
                }
            }
            const long arrived = step - 1 - (received_ - first_);
            if (code == 0 && received_ < last_ && exists(arrived)) {
                code = work_.received(end_of(arrived));
            }
        }
        return code;
    }

private:
    bool mine(int stage) const { return work_.takes_part(stages_[stage]); }
    bool exists(long segment) const { return segment >= 0 && segment < segments_; }
    std::size_t end_of(long segment) const {
        return segment + 1 == segments_ ? total_ : static_cast<std::size_t>(segment + 1) * segment_;
    }

    /// Ends the stage's segment of the last step and starts the next, which the stage before has just ended.
    int advance(int stage, long segment) {
        if (exists(segment - 1)) {
            if (const int code = work_.finish(stages_[stage]); code != 0) {
                return code;
            }
        }
        if (!exists(segment)) {
            return 0;
        }
        return work_.start(stages_[stage], static_cast<std::size_t>(segment) * segment_, end_of(segment));
    }

    LevelWork& work_;
    const LevelStages& stages_;
    int first_;
    int last_;
    int received_ = first_;
    std::size_t total_;
    std::size_t segment_;
    long segments_;
};

}  // namespace

int run_levels(LevelWork& work, const LevelStages& stages, int first, int last, std::size_t total,
               std::size_t segment) {
    if (total == 0) {
        return 0;
    }
    try {
        const int code = LevelPipeline(work, stages, first, last, total, segment).run();
        if (code != 0) {
            work.abandon();
        }
        return code;
    } catch (...) {
        work.abandon();  // no memory for a stage: others are under way
        throw;
    }
}

int level_group(const topology::Hierarchy& hierarchy, int level, int rank, int root,
                std::vector<int>& members, int& stand_in) {
    members.clear();
    int group = hierarchy.stop[static_cast<std::size_t>(rank)];
    if (hierarchy.groups[group].depth < level) {
        return -1;
    }
    while (hierarchy.groups[group].depth > level) {
        group = hierarchy.groups[group].parent;
    }
    members = participants(hierarchy, group, root);
    stand_in = members.front();
    std::sort(members.begin(), members.end());
    return std::find(members.begin(), members.end(), rank) == members.end() ? -1 : group;
}

namespace {

/// The child of `group` for which a participant stands, or -1: it stops in the group itself.
int child_of(const topology::Hierarchy& hierarchy, int group, int participant) {
    int below = hierarchy.stop[static_cast<std::size_t>(participant)];
    if (below == group) return -1;
    while (hierarchy.groups[below].parent != group) below = hierarchy.groups[below].parent;
    return below;
}

void append_ranks(const topology::Hierarchy& hierarchy, int group, int root, std::vector<int>& order) {
    std::vector<int> members = participants(hierarchy, group, root);
    std::sort(members.begin(), members.end());
    for (const int member : members) {
        const int child = child_of(hierarchy, group, member);
        if (child < 0) {
            order.push_back(member);
        } else {
            append_ranks(hierarchy, child, root, order);
        }
    }
}

}  // namespace

LevelBlocks level_blocks(const topology::Hierarchy& hierarchy, int root, int rank) {
    LevelBlocks blocks;
    blocks.order.reserve(hierarchy.stop.size());
    append_ranks(hierarchy, 0, root, blocks.order);
    std::vector<int> place(blocks.order.size());
    for (std::size_t i = 0; i < blocks.order.size(); ++i) {
        place[static_cast<std::size_t>(blocks.order[i])] = static_cast<int>(i);
    }
    const auto part_of = [&](int group, int member) -> LevelBlocks::Part {
        const int child = child_of(hierarchy, group, member);
        if (child < 0) return {place[static_cast<std::size_t>(member)], 1};
        const auto& ranks = hierarchy.groups[child].members;
        int first = place[static_cast<std::size_t>(ranks.front())];
        for (const int other : ranks) first = std::min(first, place[static_cast<std::size_t>(other)]);
        return {first, static_cast<int>(ranks.size())};
    };
    blocks.parts.resize(static_cast<std::size_t>(hierarchy.depth()));
    std::vector<int> members;
    for (int level = 0; level < hierarchy.depth(); ++level) {
        int stand_in = -1;
        const int group = level_group(hierarchy, level, rank, root, members, stand_in);
        if (group < 0) continue;
        for (const int member : members) {
            blocks.parts[static_cast<std::size_t>(level)].push_back(part_of(group, member));
        }
    }
    return blocks;
}

}  // namespace strata::algorithms
