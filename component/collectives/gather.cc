#include "component/collectives/block_call.h"

namespace strata::component {
namespace {

using algorithms::Block;
using algorithms::ChunkDirection;

/// Returns the own block in place, or packed into memory of the arena.
int packed_contribution(const Elements& own, algorithms::Arena& arena, Block& block) {
    const BlockArray array(own.data, own.count, own.datatype);
    block = array.place(0, arena);
    return array.fetch(0, block);
}

/// Copies the root's own block to its place in the result, receives the others, and unpacks them.
int run_at_root(const BlockCall& call, const Elements& own, const BlockArray& result, std::span<Block> blocks,
                bool equal) {
    const int root = call.root();
    const Block& mine = blocks[static_cast<std::size_t>(root)];
    int rc = result.contribute(root, own, mine);
    if (rc == OMPI_SUCCESS) {
        rc = move_blocks(call, ChunkDirection::to_root, blocks, equal);
    }
    for (int i = 0; i < static_cast<int>(blocks.size()) && rc == OMPI_SUCCESS; ++i) {
        if (i != root || !own.in_place()) {
            rc = result.store(i, blocks[static_cast<std::size_t>(i)]);
        }
    }
    return rc == OMPI_SUCCESS && !own.in_place() && own.bytes() > mine.bytes ? MPI_ERR_TRUNCATE : rc;
}

int gather(const void* send, compat::Count send_count, ompi_datatype_t* send_type, void* receive,
           compat::Count receive_count, ompi_datatype_t* receive_type, int root, ompi_communicator_t* comm,
           mca_coll_base_module_t* base) {
    return translate_errors([&] {
        auto& module = *reinterpret_cast<Module*>(base);
        CommunicatorState& state = *module.state;
        const int rank = ompi_comm_rank(comm);
        const int ranks = ompi_comm_size(comm);
        const Elements own{send, send_count, send_type};
        const std::size_t block_bytes =
            rank == root ? packed_bytes(receive_type, static_cast<std::size_t>(receive_count))
                         : packed_bytes(send_type, static_cast<std::size_t>(send_count));
        const auto describe = [&] {
            return Request{{Collective::gather, block_bytes * static_cast<std::size_t>(ranks), root}};
        };
        const auto run = [&](RunningCall& running) {
            const BlockCall call{state, running};
            if (rank == root) {
                const BlockArray result(receive, receive_count, receive_type);
                return run_at_root(call, own, result, result.place_all(ranks, call.arena()), true);
            }
            const auto blocks = equal_blocks(ranks, block_bytes, call.arena());
            const int rc = packed_contribution(own, call.arena(), blocks[static_cast<std::size_t>(rank)]);
            return rc != OMPI_SUCCESS ? rc : move_blocks(call, ChunkDirection::to_root, blocks, true);
        };
        return serve<Collective::gather>(module, describe, run, send, send_count, send_type, receive,
                                         receive_count, receive_type, root);
    });
}

/// Returns the root's blocks: in the result if they fit, else in the arena. `too_long`: some do not fit.
std::span<Block> place_received(const BlockArray& result, std::span<const std::size_t> sizes,
                                algorithms::Arena& arena, bool& too_long) {
    const auto blocks = equal_blocks(static_cast<int>(sizes.size()), 0, arena);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        if (sizes[i] > result.bytes(static_cast<int>(i))) {
            too_long = true;
            blocks[i] = {arena.take(sizes[i]), sizes[i]};
        } else {
            blocks[i] = result.place(static_cast<int>(i), arena);
            blocks[i].bytes = sizes[i];
        }
    }
    return blocks;
}

int run_gatherv(const BlockCall& call, int ranks, const Elements& own, const BlockArray& result) {
    const auto mine = static_cast<std::size_t>(call.rank());
    const auto sizes = call.arena().values<std::size_t>(static_cast<std::size_t>(ranks));
    sizes[mine] = call.at_root() ? result.bytes(call.rank()) : own.bytes();
    int rc = share_sizes(call, ChunkDirection::to_root, sizes);
    if (rc != OMPI_SUCCESS) {
        return rc;
    }
    if (call.at_root()) {
        bool too_long = false;
        const auto blocks = place_received(result, sizes, call.arena(), too_long);
        if (!too_long) {
            return run_at_root(call, own, result, blocks, false);
        }
        rc = move_blocks(call, ChunkDirection::to_root, blocks, false);
        return rc != OMPI_SUCCESS ? rc : MPI_ERR_TRUNCATE;
    }
    const auto blocks = equal_blocks(ranks, 0, call.arena());
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        blocks[i].bytes = sizes[i];
    }
    rc = packed_contribution(own, call.arena(), blocks[mine]);
    return rc != OMPI_SUCCESS ? rc : move_blocks(call, ChunkDirection::to_root, blocks, false);
}

int gatherv(const void* send, compat::Count send_count, ompi_datatype_t* send_type, void* receive,
            compat::Counts receive_counts, compat::Displacements displacements, ompi_datatype_t* receive_type,
            int root, ompi_communicator_t* /*comm*/, mca_coll_base_module_t* base) {
    return translate_errors([&] {
        auto& module = *reinterpret_cast<Module*>(base);
        // Only the root knows all sizes: no decision may depend on them.
        const auto describe = [&] { return Request{{Collective::gatherv, 0, root}, false}; };
        const auto run = [&](RunningCall& running) {
            const BlockCall call{*module.state, running};
            return run_gatherv(call, ompi_comm_size(module.comm), {send, send_count, send_type},
                               call.at_root()
                                   ? BlockArray(receive, receive_counts, displacements, receive_type)
                                   : BlockArray(nullptr, 0, send_type));
        };
        return serve<Collective::gatherv>(module, describe, run, send, send_count, send_type, receive,
                                          receive_counts, displacements, receive_type, root);
    });
}

}  // namespace

const Slot<Collective::gather>::Function gather_entry = gather;
const Slot<Collective::gatherv>::Function gatherv_entry = gatherv;

}  // namespace strata::component
