#include "algorithms/engines/bcast_levels.h"

#include "algorithms/engines/levels.h"
#include "algorithms/patterns/level_stages.h"

namespace strata::algorithms {
namespace {

class BcastWork final : public LevelWork {
public:
    BcastWork(LevelGroups& groups, PackedBuffer& buffer, bool is_root)
        : groups_(groups), buffer_(buffer), is_root_(is_root) {}

    bool takes_part(const LevelStage& stage) const override { return groups_.member(stage.level); }
    int start(const LevelStage& stage, std::size_t begin, std::size_t end) override {
        if (is_root_ && end > produced_) {
            if (const int code = buffer_.produce(end); code != 0) {
                return code;
            }
            produced_ = end;
        }
        return groups_.start(stage.level, buffer_.data() + begin, end - begin);
    }
    int finish(const LevelStage& stage) override { return groups_.finish(stage.level); }
    int received(std::size_t end) override { return is_root_ ? 0 : buffer_.consume(end); }
    void abandon() noexcept override { groups_.abandon(); }

private:
    LevelGroups& groups_;
    PackedBuffer& buffer_;
    bool is_root_;
    std::size_t produced_ = 0;
};

}  // namespace

int bcast_levels(LevelGroups& groups, PackedBuffer& buffer, bool is_root, std::size_t segment_bytes) {
    BcastWork work(groups, buffer, is_root);
    const LevelStages stages(traits_of(Collective::bcast), groups.levels());
    return run_levels(work, stages, 0, stages.count(), buffer.bytes(), segment_bytes);
}

}  // namespace strata::algorithms
