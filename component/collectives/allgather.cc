#include "component/collectives/block_call.h"

namespace strata::component {
namespace {

int run(const BlockCall& call, int ranks, const Elements& own, const BlockArray& result) {
    const int rank = call.rank();
    const auto blocks = result.place_all(ranks, call.arena());
    const algorithms::Block& mine = blocks[static_cast<std::size_t>(rank)];
    int rc = result.contribute(rank, own, mine);
    if (rc == OMPI_SUCCESS) {
        rc = move_blocks(call, algorithms::ChunkDirection::all, blocks,
                         call.running.operation().collective == Collective::allgather);
    }
    for (int i = 0; i < ranks && rc == OMPI_SUCCESS; ++i) {
        if (i != rank || !own.in_place()) {
            rc = result.store(i, blocks[static_cast<std::size_t>(i)]);
        }
    }
    return rc == OMPI_SUCCESS && !own.in_place() && own.bytes() > mine.bytes ? MPI_ERR_TRUNCATE : rc;
}

/// `result()` returns the array of the blocks, which have `elements` elements together.
template <Collective op, class Result, class... Arguments>
int serve_allgather(Module& module, std::size_t elements, ompi_datatype_t* type, const Elements& own,
                    Result&& result, Arguments... arguments) {
    const auto describe = [&] { return Request{{op, packed_bytes(type, elements), no_root}}; };
    return serve<op>(
        module, describe,
        [&](RunningCall& running) {
            return run({*module.state, running}, ompi_comm_size(module.comm), own, result());
        },
        arguments...);
}

std::size_t sum_of_counts(compat::Counts counts, int ranks) {
    std::size_t sum = 0;
    for (int rank = 0; rank < ranks; ++rank) {
        sum += compat::count_at(counts, static_cast<std::size_t>(rank));
    }
    return sum;
}

int allgather(const void* send, compat::Count send_count, ompi_datatype_t* send_type, void* receive,
              compat::Count receive_count, ompi_datatype_t* receive_type, ompi_communicator_t* comm,
              mca_coll_base_module_t* base) {
    return translate_errors([&] {
        return serve_allgather<Collective::allgather>(
            *reinterpret_cast<Module*>(base),
            static_cast<std::size_t>(receive_count) * static_cast<std::size_t>(ompi_comm_size(comm)),
            receive_type, {send, send_count, send_type},
            [&] { return BlockArray(receive, receive_count, receive_type); }, send, send_count, send_type,
            receive, receive_count, receive_type);
    });
}

int allgatherv(const void* send, compat::Count send_count, ompi_datatype_t* send_type, void* receive,
               compat::Counts receive_counts, compat::Displacements displacements,
               ompi_datatype_t* receive_type, ompi_communicator_t* comm, mca_coll_base_module_t* base) {
    return translate_errors([&] {
        return serve_allgather<Collective::allgatherv>(
            *reinterpret_cast<Module*>(base), sum_of_counts(receive_counts, ompi_comm_size(comm)),
            receive_type, {send, send_count, send_type},
            [&] { return BlockArray(receive, receive_counts, displacements, receive_type); }, send,
            send_count, send_type, receive, receive_counts, displacements, receive_type);
    });
}

}  // namespace

const Slot<Collective::allgather>::Function allgather_entry = allgather;
const Slot<Collective::allgatherv>::Function allgatherv_entry = allgatherv;

}  // namespace strata::component
