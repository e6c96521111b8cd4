#include "component/levels/level_bcast.h"
#include "component/module/call.h"
#include "component/openmpi/packed_datatype.h"

namespace strata::component {
namespace {

int bcast(void* data, compat::Count count, ompi_datatype_t* datatype, int root, ompi_communicator_t* comm,
          mca_coll_base_module_t* base) {
    return translate_errors([&] {
        auto& module = *reinterpret_cast<Module*>(base);
        const auto describe = [&] {
            return Request{
                {Collective::bcast, packed_bytes(datatype, static_cast<std::size_t>(count)), root}};
        };
        const auto run = [&](RunningCall& call) {
            const bool is_root = ompi_comm_rank(comm) == root;
            DatatypeBuffer buffer(data, static_cast<std::size_t>(count), datatype, is_root, call.arena());
            return call.levels() != nullptr
                       ? bcast_by_levels(*call.levels(), buffer, is_root, call.segment_bytes(), call.arena())
                             .run()
                       : algorithms::perform_bcast(call.performer(), root, buffer).run();
        };
        return serve<Collective::bcast>(module, describe, run, data, count, datatype, root);
    });
}

}  // namespace

const Slot<Collective::bcast>::Function bcast_entry = bcast;

}  // namespace strata::component
