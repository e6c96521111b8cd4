#pragma once
#include "algorithms/engines/levels.h"
#include "algorithms/patterns/level_stages.h"
#include "component/levels/level_communicators.h"

namespace strata::component {

/// What every collective by levels has in common: stages are this rank's groups, one unfinished request for
/// each way through a group.
class GroupWork : public algorithms::LevelWork {
public:
    explicit GroupWork(LevelCommunicators& communicators) : communicators_(communicators) {}

    bool takes_part(const algorithms::LevelStage& stage) const override {
        return communicators_.member(stage.level);
    }
    int finish(const algorithms::LevelStage& stage) override {
        LevelGroup& group = communicators_.at(stage.level);
        return component::finish(group, stage.role == algorithms::LevelRole::down ? group.down : group.up);
    }
    void abandon() noexcept override { communicators_.abandon(); }

    LevelCommunicators& communicators() const { return communicators_; }

protected:
    LevelCommunicators& communicators_;
};

/// All stages of a collective, in segments of `segment` of `total` units (0: one segment).
inline int run_by_levels(GroupWork& work, Collective collective, std::size_t total, std::size_t segment,
                         algorithms::Arena& arena) {
    const algorithms::LevelStages stages(algorithms::traits_of(collective), work.communicators().levels());
    return complete(work, algorithms::run_levels(work, stages, 0, stages.count(), total, segment, arena));
}

}  // namespace strata::component
