#pragma once
#include "algorithms/engines/levels.h"
#include "algorithms/patterns/level_stages.h"
#include "component/levels/level_call.h"

namespace strata::component {

/// The common part of all collectives by levels. A stage is one of this rank's groups; each direction of a
/// group has one unfinished request.
class GroupWork : public algorithms::LevelWork {
public:
    explicit GroupWork(LevelCall& call) : call_(call) {}

    bool takes_part(const algorithms::LevelStage& stage) const override { return call_.member(stage.level); }
    int finish(const algorithms::LevelStage& stage) override {
        GroupCall& group = call_.at(stage.level);
        return component::finish(group, stage.role == algorithms::LevelRole::down ? group.down : group.up);
    }

protected:
    LevelCall& call_;
};

/// Runs all stages of a collective, in segments of `segment` of `total` units (0: one segment).
inline algorithms::Task by_levels(GroupWork& work, const LevelCall& call, Collective collective,
                                  std::size_t total, std::size_t segment, algorithms::Arena& arena) {
    const algorithms::LevelStages stages(algorithms::traits_of(collective), call.levels());
    return algorithms::run_levels(work, stages, 0, stages.count(), total, segment, arena);
}

}  // namespace strata::component
