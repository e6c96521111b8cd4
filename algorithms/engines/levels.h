#pragma once
#include <cstddef>

#include "algorithms/patterns/level_stages.h"

namespace strata::algorithms {

/// Whole-level delegation: what one rank does on the levels in whose groups it takes part, by somebody else's
/// collectives. At most one unfinished segment per stage. Codes as in Transport.
class LevelWork {
public:
    virtual ~LevelWork() = default;
    virtual bool takes_part(const LevelStage& stage) const = 0;
    /// Starts the stage for [begin, end) of the data; may complete it (a blocking algorithm).
    virtual int start(const LevelStage& stage, std::size_t begin, std::size_t end) = 0;
    /// Finishes what start() began on this stage.
    virtual int finish(const LevelStage& stage) = 0;
    /// [0, end) has come down to this rank, and whatever it allows has been started.
    virtual int received(std::size_t /*end*/) { return 0; }
    /// Gives up everything unfinished after an error.
    virtual void abandon() noexcept = 0;
};

/// Runs stages [first, last), pipelined: in step t stage s carries segment t - (s - first), so that up to
/// last - first segments are under way. `segment` (of `total`, any unit) 0: one segment. All ranks walk the
/// same (step, stage) order, which excludes circular waits. Returns 0 or the first error, after abandon(); so
/// does an exception of `work` pass through.
/// Source: seed papers, multilevel broadcast (figure 5) with the pipeline that they leave open.
int run_levels(LevelWork& work, const LevelStages& stages, int first, int last, std::size_t total,
               std::size_t segment);

}  // namespace strata::algorithms
