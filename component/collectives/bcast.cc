#include "algorithms/engines/bcast_levels.h"
#include "algorithms/engines/levels.h"
#include "component/module/call.h"
#include "component/openmpi/packed_datatype.h"

namespace strata::component {
namespace {

int run_levels(LevelCommunicators& communicators, const algorithms::Plan& plan, DatatypeBuffer& buffer,
               bool is_root) {
    // Delegated collectives count in int.
    constexpr std::size_t most = std::size_t{1} << 30;
    std::size_t segment = plan.levels.front().segment_bytes;
    segment = segment == 0 || segment > most ? most : segment;
    return algorithms::bcast_levels(communicators, buffer, is_root, segment);
}

int bcast(void* data, compat::Count count, ompi_datatype_t* datatype, int root, ompi_communicator_t* comm,
          mca_coll_base_module_t* base) {
    return at_border([&] {
        auto& module = *reinterpret_cast<Module*>(base);
        CommunicatorState& state = *module.state;
        const auto describe = [&] {
            return Request{
                {Collective::bcast, packed_bytes(datatype, static_cast<std::size_t>(count)), root}};
        };
        const auto run = [&](PlanInUse& planned, const algorithms::Operation&,
                             LevelCommunicators* communicators) {
            const bool is_root = ompi_comm_rank(comm) == root;
            DatatypeBuffer buffer(data, static_cast<std::size_t>(count), datatype, is_root, state.arena());
            return communicators != nullptr
                       ? run_levels(*communicators, *planned.plan, buffer, is_root)
                       : algorithms::perform_bcast(state.performer(planned), root, buffer);
        };
        return serve<Collective::bcast>(module, describe, run, data, count, datatype, root);
    });
}

}  // namespace

const Slot<Collective::bcast>::Function bcast_entry = bcast;

}  // namespace strata::component
