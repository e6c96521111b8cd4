#include "component/levels/level_bcast.h"

#include "component/levels/level_work.h"

namespace strata::component {
namespace {

using algorithms::LevelStage;

class BcastWork final : public GroupWork {
public:
    BcastWork(LevelCommunicators& communicators, algorithms::PackedBuffer& buffer, bool is_root)
        : GroupWork(communicators), buffer_(buffer), is_root_(is_root) {}

    int start(const LevelStage& stage, std::size_t begin, std::size_t end) override {
        if (is_root_ && end > produced_) {
            if (const int rc = buffer_.produce(end); rc != OMPI_SUCCESS) {
                return rc;
            }
            produced_ = end;
        }
        LevelGroup& group = communicators_.at(stage.level);
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

}  // namespace

int bcast_by_levels(LevelCommunicators& communicators, algorithms::PackedBuffer& buffer, bool is_root,
                    std::size_t segment_bytes, algorithms::Arena& arena) {
    // Delegated collectives count in int.
    constexpr std::size_t most = std::size_t{1} << 30;
    const std::size_t segment = segment_bytes == 0 || segment_bytes > most ? most : segment_bytes;
    BcastWork work(communicators, buffer, is_root);
    return run_by_levels(work, Collective::bcast, buffer.bytes(), segment, arena);
}

}  // namespace strata::component
