#include "algorithms/engines/levels.h"

#include <algorithm>

namespace strata::algorithms {
namespace {

/// `co_await Started(...)`, `co_await Finished(...)`: start and end of a segment on a stage.
class Started : public Awaitable<Started> {
public:
    Started(LevelWork& work, LevelStage stage, std::size_t begin, std::size_t end)
        : work_(work), stage_(stage), begin_(begin), end_(end) {}
    int poll() { return work_.start(stage_, begin_, end_); }

private:
    LevelWork& work_;
    LevelStage stage_;
    std::size_t begin_;
    std::size_t end_;
};
class Finished : public Awaitable<Finished> {
public:
    Finished(LevelWork& work, LevelStage stage) : work_(work), stage_(stage) {}
    int poll() { return work_.finish(stage_); }

private:
    LevelWork& work_;
    LevelStage stage_;
};

/// The data, at least one unit, cut into segments.
class LevelSegments {
public:
    LevelSegments(std::size_t total, std::size_t segment)
        : total_(total),
          segment_(segment == 0 ? total : std::min(segment, total)),
          count_(static_cast<long>((total - 1) / segment_ + 1)) {}
    long count() const { return count_; }
    bool has(long segment) const { return segment >= 0 && segment < count_; }
    std::size_t begin_of(long segment) const { return static_cast<std::size_t>(segment) * segment_; }
    std::size_t end_of(long segment) const { return segment + 1 == count_ ? total_ : begin_of(segment + 1); }

private:
    std::size_t total_;
    std::size_t segment_;
    long count_;
};

/// Returns the first downward stage of this rank: it receives the data there, and only sends it on further
/// down.
int receiving_stage(const LevelWork& work, const LevelStages& stages, int first, int last) {
    int stage = first;
    while (stage < last && !(stages[stage].role == LevelRole::down && work.takes_part(stages[stage]))) {
        ++stage;
    }
    return stage;
}

Task run_stages(LevelWork& work, LevelStages stages, int first, int last, LevelSegments segments,
                Arena& /*arena*/) {
    const int receiving = receiving_stage(work, stages, first, last);
    int code = 0;
    for (long step = 0; step < segments.count() + last - first && code == 0; ++step) {
        for (int index = first; index < last && code == 0; ++index) {
            const LevelStage stage = stages[index];
            if (!work.takes_part(stage)) {
                continue;
            }
            // Finishes the segment of the last step and starts the next one, which the stage before has
            // just finished.
            const long segment = step - (index - first);
            if (segments.has(segment - 1)) {
                code = co_await Finished(work, stage);
            }
            if (code == 0 && segments.has(segment)) {
                code = co_await Started(work, stage, segments.begin_of(segment), segments.end_of(segment));
            }
        }
        const long arrived = step - 1 - (receiving - first);
        if (code == 0 && receiving < last && segments.has(arrived)) {
            code = work.received(segments.end_of(arrived));
        }
    }
    co_return code;
}

}  // namespace

Task run_levels(LevelWork& work, LevelStages stages, int first, int last, std::size_t total,
                std::size_t segment, Arena& arena) {
    return total == 0 ? Task(0) : run_stages(work, stages, first, last, LevelSegments(total, segment), arena);
}

}  // namespace strata::algorithms
