#include "component/collectives/block_call.h"

namespace strata::component {
namespace {

using algorithms::Block;
using algorithms::ChunkDirection;

/// Sends all blocks and copies the root's own block.
int run_at_root(const BlockCall& call, const BlockArray& source, int ranks, const Elements& own, bool equal) {
    const auto blocks = source.place_all(ranks, call.arena());
    int rc = OMPI_SUCCESS;
    for (int i = 0; i < ranks && rc == OMPI_SUCCESS; ++i) {
        rc = source.fetch(i, blocks[static_cast<std::size_t>(i)]);
    }
    if (rc == OMPI_SUCCESS) {
        rc = move_blocks(call, ChunkDirection::from_root, blocks, equal);
    }
    const Block& mine = blocks[static_cast<std::size_t>(call.root())];
    if (rc != OMPI_SUCCESS || own.in_place()) {
        return rc;
    }
    rc = unpack(mine.data, mine.bytes, const_cast<void*>(own.data), static_cast<std::size_t>(own.count),
                own.datatype);
    return rc == OMPI_SUCCESS && mine.bytes > own.bytes() ? MPI_ERR_TRUNCATE : rc;
}

/// Receives the own block of blocks[rank].bytes bytes, and forwards the blocks of the ranks below.
int run_off_root(const BlockCall& call, std::span<Block> blocks, const Elements& own, bool equal) {
    const BlockArray array(own.data, own.count, own.datatype);
    Block& mine = blocks[static_cast<std::size_t>(call.rank())];
    const std::size_t arriving = mine.bytes;
    const bool fits = arriving <= array.bytes(0);
    mine = fits ? array.place(0, call.arena()) : Block{call.arena().take(arriving), arriving};
    mine.bytes = arriving;
    const int rc = move_blocks(call, ChunkDirection::from_root, blocks, equal);
    if (rc != OMPI_SUCCESS) {
        return rc;
    }
    return fits ? array.store(0, mine) : MPI_ERR_TRUNCATE;
}

int scatter(const void* send, compat::Count send_count, ompi_datatype_t* send_type, void* receive,
            compat::Count receive_count, ompi_datatype_t* receive_type, int root, ompi_communicator_t* comm,
            mca_coll_base_module_t* base) {
    return translate_errors([&] {
        auto& module = *reinterpret_cast<Module*>(base);
        CommunicatorState& state = *module.state;
        const int rank = ompi_comm_rank(comm);
        const int ranks = ompi_comm_size(comm);
        const Elements own{receive, receive_count, receive_type};
        const std::size_t block_bytes =
            rank == root ? packed_bytes(send_type, static_cast<std::size_t>(send_count))
                         : packed_bytes(receive_type, static_cast<std::size_t>(receive_count));
        const auto describe = [&] {
            return Request{{Collective::scatter, block_bytes * static_cast<std::size_t>(ranks), root}};
        };
        const auto run = [&](RunningCall& running) {
            const BlockCall call{state, running};
            if (rank == root) {
                return run_at_root(call, BlockArray(send, send_count, send_type), ranks, own, true);
            }
            return run_off_root(call, equal_blocks(ranks, block_bytes, call.arena()), own, true);
        };
        return serve<Collective::scatter>(module, describe, run, send, send_count, send_type, receive,
                                          receive_count, receive_type, root);
    });
}

int run_scatterv(const BlockCall& call, int ranks, const BlockArray& source, const Elements& own) {
    const auto sizes = call.arena().values<std::size_t>(static_cast<std::size_t>(ranks));
    for (int i = 0; i < ranks && call.at_root(); ++i) {
        sizes[static_cast<std::size_t>(i)] = source.bytes(i);
    }
    const int rc = share_sizes(call, ChunkDirection::from_root, sizes);
    if (rc != OMPI_SUCCESS) {
        return rc;
    }
    if (call.at_root()) {
        return run_at_root(call, source, ranks, own, false);
    }
    const auto blocks = equal_blocks(ranks, 0, call.arena());
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        blocks[i].bytes = sizes[i];
    }
    return run_off_root(call, blocks, own, false);
}

int scatterv(const void* send, compat::Counts send_counts, compat::Displacements displacements,
             ompi_datatype_t* send_type, void* receive, compat::Count receive_count,
             ompi_datatype_t* receive_type, int root, ompi_communicator_t* /*comm*/,
             mca_coll_base_module_t* base) {
    return translate_errors([&] {
        auto& module = *reinterpret_cast<Module*>(base);
        // Only the root knows all sizes: no decision may depend on them.
        const auto describe = [&] { return Request{{Collective::scatterv, 0, root}, false}; };
        const auto run = [&](RunningCall& running) {
            const BlockCall call{*module.state, running};
            return run_scatterv(call, ompi_comm_size(module.comm),
                                call.at_root() ? BlockArray(send, send_counts, displacements, send_type)
                                               : BlockArray(nullptr, 0, receive_type),
                                {receive, receive_count, receive_type});
        };
        return serve<Collective::scatterv>(module, describe, run, send, send_counts, displacements, send_type,
                                           receive, receive_count, receive_type, root);
    });
}

}  // namespace

const Slot<Collective::scatter>::Function scatter_entry = scatter;
const Slot<Collective::scatterv>::Function scatterv_entry = scatterv;

}  // namespace strata::component
