#include "block_call.h"
#include "packed_datatype.h"

namespace strata::component {
namespace {

struct Contribution {
    const void* data;  ///< or MPI_IN_PLACE
    int count;
    ompi_datatype_t* datatype;
};

int run(Module& module, Planned& planned, const algorithms::Operation& operation, const Contribution& own,
        const BlockArray& result) {
    CommunicatorState& state = *module.state;
    const int rank = ompi_comm_rank(module.comm);
    const int ranks = ompi_comm_size(module.comm);
    const bool in_place = own.data == MPI_IN_PLACE;
    const auto blocks = result.place_all(ranks, state.arena());
    const algorithms::Block& mine = blocks[static_cast<std::size_t>(rank)];
    int rc = in_place
                 ? result.fetch(rank, mine)
                 : pack(own.data, static_cast<std::size_t>(own.count), own.datatype, mine.data, mine.bytes);
    if (rc == OMPI_SUCCESS) {
        rc = move_blocks(state, planned, operation, algorithms::BlockFlow::all, rank, blocks);
    }
    for (int i = 0; i < ranks && rc == OMPI_SUCCESS; ++i) {
        if (i != rank || !in_place) {
            rc = result.store(i, blocks[static_cast<std::size_t>(i)]);
        }
    }
    return rc;
}

template <Collective op, class... Arguments>
int serve_allgather(Module& module, const Contribution& own, const BlockArray& result,
                    Arguments... arguments) {
    const Request request{{op, result.total_bytes(ompi_comm_size(module.comm)), no_root}};
    return serve<op>(
        module, request,
        [&](Planned& planned, const algorithms::Operation& operation, LevelCommunicators*) {
            return run(module, planned, operation, own, result);
        },
        arguments...);
}

int allgather(const void* send, int send_count, ompi_datatype_t* send_type, void* receive, int receive_count,
              ompi_datatype_t* receive_type, ompi_communicator_t* /*comm*/,
              mca_coll_base_module_t* base) noexcept {
    return at_border([&] {
        return serve_allgather<Collective::allgather>(
            *reinterpret_cast<Module*>(base), {send, send_count, send_type},
            BlockArray(receive, receive_count, receive_type), send, send_count, send_type, receive,
            receive_count, receive_type);
    });
}

int allgatherv(const void* send, int send_count, ompi_datatype_t* send_type, void* receive,
               const int* receive_counts, const int* displacements, ompi_datatype_t* receive_type,
               ompi_communicator_t* /*comm*/, mca_coll_base_module_t* base) noexcept {
    return at_border([&] {
        return serve_allgather<Collective::allgatherv>(
            *reinterpret_cast<Module*>(base), {send, send_count, send_type},
            BlockArray(receive, receive_counts, displacements, receive_type), send, send_count, send_type,
            receive, receive_counts, displacements, receive_type);
    });
}

}  // namespace

const Slot<Collective::allgather>::Function allgather_entry = allgather;
const Slot<Collective::allgatherv>::Function allgatherv_entry = allgatherv;

}  // namespace strata::component
