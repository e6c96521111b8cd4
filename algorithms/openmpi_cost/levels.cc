// Predicts the levels engine: the message schedule of one call (levels.h), timed over the hierarchy's links.

#include "algorithms/openmpi_cost/levels.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "algorithms/openmpi_cost/level_methods.h"
#include "algorithms/openmpi_cost/tuned.h"
#include "algorithms/patterns/level_groups.h"
#include "algorithms/patterns/level_stages.h"
#include "algorithms/patterns/tree.h"

namespace strata::algorithms {
namespace {

using topology::Hierarchy;

// In a pipeline each further segment adds the time of the slowest stage. So these two numbers of segments are
// run, and the difference gives the pace of the others.
constexpr std::size_t few_segments = 4;
constexpr std::size_t some_segments = 8;

/// A group with at least two participants.
struct LevelGroupView {
    const LevelMethod* method;
    std::vector<int> members;        ///< ranks of its communicator, ascending
    int root;                        ///< its local root, as an index in `members`
    std::vector<std::size_t> parts;  ///< number of ranks that each member represents
    bool alike;                      ///< all parts are equal
};

class Composer {
public:
    Composer(const Hierarchy& hierarchy, const Plan& plan, const Operation& operation)
        : operation_(operation),
          traits_(traits_of(operation.collective)),
          levels_(hierarchy.depth()),
          block_(block_bytes(operation.bytes, hierarchy.ranks())),
          segment_(plan.levels.front().segment_bytes),
          groups_(static_cast<std::size_t>(levels_)),
          made_(hierarchy.ranks()) {
        for (int g = 0; g < static_cast<int>(hierarchy.groups.size()); ++g) add_group(hierarchy, plan, g);
    }

    std::optional<MessageSchedule> operator()(std::size_t most_segments) {
        const LevelStages stages(traits_, levels_);
        const std::size_t bytes = operation_.bytes;
        const bool both = traits_.up && traits_.down;
        bool known = true;
        if (!traits_.has_data()) {
            known = run(stages, 0, stages.count(), 0, 1);
        } else if (!traits_.blocks) {
            known = run(stages, 0, stages.count(), bytes, segments(most_segments));
        } else if (!both) {
            known = run(stages, 0, stages.count(), bytes, 1);
        } else {
            known = run(stages, 0, levels_, bytes, 1) &&
                    run(stages, levels_, stages.count(), bytes, segments(most_segments));
        }
        if (!known) return std::nullopt;
        return std::move(made_);
    }

private:
    using Calls = std::vector<GroupSchedule>;  ///< one after the other; waits for all but the last

    void add_group(const Hierarchy& hierarchy, const Plan& plan, int g) {
        const topology::Group& group = hierarchy.groups[g];
        LevelGroupView view{
            &plan.at(group.level).method, participants(hierarchy, g, operation_.root), 0, {}, true};
        if (view.members.size() < 2) return;
        const int local_root = view.members.front();
        std::sort(view.members.begin(), view.members.end());
        view.root = static_cast<int>(std::find(view.members.begin(), view.members.end(), local_root) -
                                     view.members.begin());
        for (const int member : view.members) {
            int below = hierarchy.stop[member];
            while (below != g && hierarchy.groups[below].parent != g) below = hierarchy.groups[below].parent;
            view.parts.push_back(below == g ? 1 : hierarchy.groups[below].members.size());
        }
        view.alike = std::ranges::count(view.parts, view.parts.front()) == std::ssize(view.parts);
        groups_[static_cast<std::size_t>(group.depth)].push_back(std::move(view));
    }

    std::size_t segments(std::size_t most) const {
        if (operation_.bytes == 0) return 1;
        const std::size_t segment = segment_ == 0 ? operation_.bytes : segment_;
        return std::min(most, (operation_.bytes + segment - 1) / segment);
    }

    /// Runs stages in run_levels()' order: each stage ends the last segment and starts the next.
    bool run(const LevelStages& stages, int first, int last, std::size_t bytes, std::size_t segments) {
        const auto count = static_cast<long>(segments);
        for (long step = 0; step < count + last - first; ++step) {
            for (int s = first; s < last; ++s) {
                const long segment = step - (s - first);
                const bool ends = segment > 0 && segment <= count;
                const bool starts = segment >= 0 && segment < count;
                if (ends && !end(stages[s], s, piece(segment - 1, count, bytes))) return false;
                if (starts && !start(stages[s], s, piece(segment, count, bytes))) return false;
            }
        }
        return true;
    }

    /// Returns the bytes of a segment.
    std::size_t piece(long segment, long count, std::size_t bytes) const {
        if (count == 1) return bytes;
        return std::min(segment_, bytes - static_cast<std::size_t>(segment) * segment_);
    }

    bool start(const LevelStage& stage, int index, std::size_t bytes) {
        for (const LevelGroupView& group : groups_[static_cast<std::size_t>(stage.level)]) {
            const Calls* calls = calls_of(stage, group, bytes);
            if (calls == nullptr) return false;
            for (const GroupSchedule& call : *calls) {
                append(group, call, index, Part::begin);
                if (&call != &calls->back()) append(group, call, index, Part::rest);
            }
        }
        return messages_ <= most_level_messages;
    }

    bool end(const LevelStage& stage, int index, std::size_t bytes) {
        for (const LevelGroupView& group : groups_[static_cast<std::size_t>(stage.level)]) {
            const Calls* calls = calls_of(stage, group, bytes);
            if (calls == nullptr) return false;
            append(group, calls->back(), index, Part::rest);
        }
        return messages_ <= most_level_messages;
    }

    enum class Part { begin, rest };

    void append(const LevelGroupView& group, const GroupSchedule& call, int channel, Part part) {
        for (std::size_t m = 0; m < group.members.size(); ++m) {
            const std::vector<ScheduleStep>& steps = call.messages.steps[m];
            std::size_t split = steps.size();
            if (call.nonblocking) {
                split = 0;
                while (split < steps.size() && steps[split].from < 0) ++split;
            }
            auto& own = made_.steps[group.members[m]];
            const std::size_t from = part == Part::begin ? 0 : split;
            const std::size_t to = part == Part::begin ? split : steps.size();
            for (std::size_t i = from; i < to; ++i) {
                ScheduleStep step = steps[i];
                if (step.to >= 0) step.to = group.members[step.to];
                if (step.from >= 0) step.from = group.members[step.from];
                step.waits = step.waits && !(call.nonblocking && part == Part::begin);
                step.early = step.early && i > from;
                step.channel = channel;
                own.push_back(step);
                ++messages_;
            }
        }
    }

    /// Returns the calls of a group in a stage; nullptr: not modelled.
    const Calls* calls_of(const LevelStage& stage, const LevelGroupView& group, std::size_t bytes) {
        const Key key{&group - groups_[static_cast<std::size_t>(stage.level)].data(), stage.level, stage.role,
                      bytes};
        const auto known = calls_.find(key);
        if (known != calls_.end()) return &known->second;
        Calls calls;
        for (const LevelTask task : tasks(stage, group)) {
            auto schedule = group_schedule(*group.method, asked(task, group, bytes));
            if (!schedule) return nullptr;
            calls.push_back(std::move(*schedule));
        }
        return &calls_.emplace(key, std::move(calls)).first->second;
    }

    /// As in level_reduction.cc, level_blocks.cc and barrier.cc.
    std::vector<LevelTask> tasks(const LevelStage& stage, const LevelGroupView& group) const {
        if (!traits_.has_data()) return {LevelTask::barrier};
        const LevelTask up = traits_.blocks ? LevelTask::gather : LevelTask::reduce;
        if (stage.role == LevelRole::up) return {up};
        if (stage.role == LevelRole::down) {
            return {traits_.blocks && !traits_.up ? LevelTask::scatter : LevelTask::bcast};
        }
        const bool equal = group.alike && !traits_.unequal;
        const LevelTask across = !traits_.blocks ? LevelTask::allreduce
                                 : equal         ? LevelTask::allgather
                                                 : LevelTask::allgatherv;
        if (exchanges(*group.method, across)) return {across};
        return {up, LevelTask::bcast};
    }

    GroupTask asked(LevelTask task, const LevelGroupView& group, std::size_t bytes) const {
        GroupTask asked{
            task,       static_cast<int>(group.members.size()), group.root, bytes, {}, operation_.rank_order,
            levels_ > 1};
        const bool vector = !traits_.blocks || task == LevelTask::bcast;
        if (vector) return asked;
        std::size_t ranks = 0;
        for (const std::size_t part : group.parts) ranks += part;
        asked.bytes = ranks * block_;
        if (group.alike && !traits_.unequal) return asked;
        for (const std::size_t part : group.parts) asked.parts.push_back(part * block_);
        return asked;
    }

    using Key = std::tuple<std::ptrdiff_t, int, LevelRole, std::size_t>;

    Operation operation_;
    CollectiveTraits traits_;
    int levels_;
    std::size_t block_;
    std::size_t segment_;
    std::vector<std::vector<LevelGroupView>> groups_;  ///< by depth
    std::map<Key, Calls> calls_;
    MessageSchedule made_;
    std::size_t messages_ = 0;
};

std::optional<double> timed(const Hierarchy& hierarchy, const LinkTable& links, const Plan& plan,
                            const Operation& operation, std::size_t segments) {
    const auto schedule = levels_schedule(hierarchy, plan, operation, segments);
    if (!schedule) return std::nullopt;
    FlatModel model(hierarchy, links);
    const double us = latest(run_schedule(model, *schedule));
    return std::isfinite(us) ? std::optional(us) : std::nullopt;
}

}  // namespace

std::optional<MessageSchedule> levels_schedule(const Hierarchy& hierarchy, const Plan& plan,
                                               const Operation& operation, std::size_t most_segments) {
    if (!traits_of(operation.collective).sized) return std::nullopt;
    for (const LevelPlan& level : plan.levels) {
        if (!is_modelled(level.method)) return std::nullopt;
    }
    return Composer(hierarchy, plan, operation)(most_segments);
}

std::optional<double> levels_cost_us(const Hierarchy& hierarchy, const LinkTable& links, const Plan& plan,
                                     const Operation& operation) {
    const CollectiveTraits traits = traits_of(operation.collective);
    const std::size_t segment = plan.levels.front().segment_bytes;
    const bool cut = traits.down || traits.combines;
    const std::size_t segments =
        !cut || segment == 0 || operation.bytes == 0 ? 1 : (operation.bytes + segment - 1) / segment;
    const auto some = timed(hierarchy, links, plan, operation, std::min(segments, some_segments));
    if (!some || segments <= some_segments) return some;
    const auto few = timed(hierarchy, links, plan, operation, few_segments);
    const double pace = (*some - *few) / static_cast<double>(some_segments - few_segments);
    return *some + pace * static_cast<double>(segments - some_segments);
}

}  // namespace strata::algorithms
