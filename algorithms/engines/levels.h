#pragma once
#include <cstddef>

#include "algorithms/base/arena.h"
#include "algorithms/base/task.h"
#include "algorithms/patterns/level_stages.h"

namespace strata::algorithms {

/// Whole-level delegation: what one rank does on the levels in whose groups it takes part, by collectives of
/// other components. At most one unfinished segment per stage. Codes as in Transport: a function that returns
/// `under_way` is called again with the same arguments.
class LevelWork {
public:
    virtual ~LevelWork() = default;
    virtual bool takes_part(const LevelStage& stage) const = 0;
    /// Starts the stage for [begin, end) of the data; may complete it (a blocking algorithm).
    virtual int start(const LevelStage& stage, std::size_t begin, std::size_t end) = 0;
    /// Finishes what start() began on this stage.
    virtual int finish(const LevelStage& stage) = 0;
    /// [0, end) has come down to this rank, and is on its way to the levels below.
    virtual int received(std::size_t /*end*/) { return 0; }
};

/// Runs stages [first, last), pipelined: in step t stage s carries segment t - (s - first), so that up to
/// last - first segments are under way. `segment` (of `total`, any unit) 0: one segment. All ranks go through
/// the (step, stage) pairs in the same order, which excludes circular waits. Outcome: 0 or the first error;
/// then the caller gives up what is unfinished, as after an exception of `work`. Source: seed papers,
/// multilevel broadcast (figure 5) with the pipeline that they leave open.
Task run_levels(LevelWork& work, LevelStages stages, int first, int last, std::size_t total,
                std::size_t segment, Arena& arena);

}  // namespace strata::algorithms
