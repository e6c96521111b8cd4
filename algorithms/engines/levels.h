#pragma once
#include <cstddef>

#include "algorithms/base/arena.h"
#include "algorithms/base/task.h"
#include "algorithms/patterns/level_stages.h"

namespace strata::algorithms {

/// Whole-level delegation: collectives of other components carry out one rank's part on its levels. A
/// stage has at most one unfinished segment. Codes are those of Transport: after `under_way` a function is
/// called again with the same arguments.
class LevelWork {
public:
    virtual ~LevelWork() = default;
    virtual bool takes_part(const LevelStage& stage) const = 0;
    /// Starts the stage for [begin, end) of the data; a blocking algorithm completes it.
    virtual int start(const LevelStage& stage, std::size_t begin, std::size_t end) = 0;
    /// Finishes the segment that start() began on this stage.
    virtual int finish(const LevelStage& stage) = 0;
    /// Reports that [0, end) has reached this rank and is on its way to the levels below.
    virtual int received(std::size_t /*end*/) { return 0; }
};

/// Runs stages [first, last) as a pipeline: in step t stage s carries segment t - (s - first), so that up
/// to last - first segments are under way. `segment` (of `total`, any unit) 0: one segment. No deadlock:
/// all ranks take the (step, stage) pairs in the same order.
///
///   step      0   1   2   3
///   stage 0   s0  s1  s2
///   stage 1       s0  s1  s2
///
/// Outcome: 0 or the first error; the caller then gives up what is unfinished, as after an exception of
/// `work`.
/// Cost: (S - 1 + m) times the slowest stage's segment, for S stages and m segments.
/// Source: seed papers, multilevel broadcast (figure 5) with the pipeline that they leave open.
Task run_levels(LevelWork& work, LevelStages stages, int first, int last, std::size_t total,
                std::size_t segment, Arena& arena);

}  // namespace strata::algorithms
