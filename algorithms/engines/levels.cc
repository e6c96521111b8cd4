#include "algorithms/engines/levels.h"

#include <algorithm>

namespace strata::algorithms {

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

}  // namespace strata::algorithms
