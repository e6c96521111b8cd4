#include "component/levels/level_work.h"
#include "component/module/call.h"

namespace strata::component {
namespace {

/// A Barrier in every group from the deepest level up, then again from the topmost level down: a rank that
/// leaves the second one knows that all ranks have arrived.
class BarrierWork final : public GroupWork {
public:
    using GroupWork::GroupWork;
    int start(const algorithms::LevelStage& stage, std::size_t, std::size_t) override {
        GroupCall& group = call_.at(stage.level);
        auto& pending = stage.role == algorithms::LevelRole::down ? group.down : group.up;
        return component::start<Collective::barrier>(group, pending);
    }
};

int barrier(ompi_communicator_t* comm, mca_coll_base_module_t* base) {
    static_cast<void>(comm);
    return translate_errors([&] {
        auto& module = *reinterpret_cast<Module*>(base);
        const auto describe = [] { return Request{{Collective::barrier, 0, no_root}, false}; };
        const auto run = [](RunningCall& call) {
            if (call.levels() == nullptr) {
                return algorithms::perform_barrier(call.performer(), call.operation().root).run();
            }
            BarrierWork work(*call.levels());
            return by_levels(work, *call.levels(), Collective::barrier, 1, 0, call.arena()).run();
        };
        return serve<Collective::barrier>(module, describe, run);
    });
}

}  // namespace

const Slot<Collective::barrier>::Function barrier_entry = barrier;

}  // namespace strata::component
