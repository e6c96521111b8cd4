#include "component/levels/level_bcast.h"

#include <algorithm>

#include "component/levels/level_work.h"

namespace strata::component {
namespace {

using algorithms::LevelStage;

class BcastWork final : public GroupWork {
public:
    BcastWork(LevelCall& call, algorithms::PackedBuffer& buffer, bool is_root)
        : GroupWork(call), buffer_(buffer), is_root_(is_root) {}

    int start(const LevelStage& stage, std::size_t begin, std::size_t end) override {
        if (is_root_ && end > produced_) {
            if (const int rc = buffer_.produce(end); rc != OMPI_SUCCESS) {
                return rc;
            }
            produced_ = end;
        }
        GroupCall& group = call_.at(stage.level);
        return component::start<Collective::bcast>(
            group, group.down, static_cast<void*>(buffer_.data() + begin), static_cast<int>(end - begin),
            &ompi_mpi_byte.dt, group.root);
    }
    int received(std::size_t end) override { return is_root_ ? OMPI_SUCCESS : buffer_.consume(end); }

private:
    algorithms::PackedBuffer& buffer_;
    bool is_root_;
    std::size_t produced_ = 0;
};

algorithms::Task run(LevelCall& call, algorithms::PackedBuffer& buffer, bool is_root, std::size_t segment,
                     algorithms::Arena& arena) {
    BcastWork work(call, buffer, is_root);
    co_return co_await by_levels(work, call, Collective::bcast, buffer.bytes(), segment, arena);
}

}  // namespace

algorithms::Task bcast_by_levels(LevelCall& call, algorithms::PackedBuffer& buffer, bool is_root,
                                 std::size_t segment_bytes, algorithms::Arena& arena) {
    // Collectives of the levels count in int.
    constexpr std::size_t most = std::size_t{1} << 30;
    return run(call, buffer, is_root, segment_bytes == 0 ? most : std::min(segment_bytes, most), arena);
}

}  // namespace strata::component
