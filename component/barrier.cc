#include "call.h"
#include "strata/algorithms/reduce_tree.h"

namespace strata::component {
namespace {

int barrier(ompi_communicator_t* comm, mca_coll_base_module_t* base) noexcept {
    static_cast<void>(comm);
    return at_border([&] {
        auto& module = *reinterpret_cast<Module*>(base);
        CommunicatorState& state = *module.state;
        const auto describe = [] { return Request{{Collective::barrier, 0, no_root}, false}; };
        const auto run = [&](Planned& planned, const algorithms::Operation& operation, LevelCommunicators*) {
            const auto& routes = state.exchange_routes(planned, operation.root, false);
            state.transport().carry(Collective::barrier, routes.levels);
            return algorithms::barrier_exchange(state.transport(), routes.links);
        };
        return serve<Collective::barrier>(module, describe, run);
    });
}

}  // namespace

const Slot<Collective::barrier>::Function barrier_entry = barrier;

}  // namespace strata::component
