// An example of a collective to copy: its algorithm, and the function in Open MPI's slot.
#include <cstring>

#include "algorithms/engines/awaitables.h"
#include "component/collectives/block_array.h"
#include "component/module/call.h"

namespace strata::component {
namespace {

using algorithms::Block;

/// Pairwise exchange, one after the other: in round i rank r exchanges blocks with rank i - r. Cost: (p -
/// 1)(alpha + b beta) for p ranks and blocks of b bytes.
algorithms::Task exchange_in_pairs(algorithms::Transport& transport, int rank, std::span<const Block> out,
                                   std::span<const Block> in, algorithms::Arena& /*arena*/) {
    const auto ranks = static_cast<int>(out.size());
    int code = transport.begin(1);
    for (int round = 0; round < ranks && code == 0; ++round) {
        const auto peer = static_cast<std::size_t>((round - rank + ranks) % ranks);
        if (static_cast<int>(peer) == rank) {
            std::memcpy(in[peer].data, out[peer].data, out[peer].bytes);
        } else {
            code = co_await algorithms::Exchanged(transport, static_cast<int>(peer),
                                                  {out[peer].data, out[peer].bytes},
                                                  {in[peer].data, in[peer].bytes});
        }
    }
    co_return code;
}

int run(RunningCall& call, int ranks, const Elements& own, const BlockArray& source,
        const BlockArray& result) {
    const auto in = result.place_all(ranks, call.arena());
    const auto out = source.place_all(ranks, call.arena());
    int rc = OMPI_SUCCESS;
    for (int i = 0; i < ranks && rc == OMPI_SUCCESS; ++i) {
        Block& block = out[static_cast<std::size_t>(i)];
        rc = source.fetch(i, block);
        if (own.in_place()) {  // received data must not overwrite it
            std::byte* const aside = call.arena().take(block.bytes);
            std::memcpy(aside, block.data, block.bytes);
            block.data = aside;
        }
    }
    if (rc == OMPI_SUCCESS) {
        algorithms::Transport& transport = call.performer().transport;
        transport.begin_call(Collective::alltoall, {});
        rc = exchange_in_pairs(transport, call.rank(), out, in, call.arena()).run();
    }
    for (int i = 0; i < ranks && rc == OMPI_SUCCESS; ++i) {
        rc = result.store(i, in[static_cast<std::size_t>(i)]);
    }
    return rc;
}

int alltoall(const void* send, compat::Count send_count, ompi_datatype_t* send_type, void* receive,
             compat::Count receive_count, ompi_datatype_t* receive_type, ompi_communicator_t* comm,
             mca_coll_base_module_t* base) {
    return translate_errors([&] {
        auto& module = *reinterpret_cast<Module*>(base);
        const int ranks = ompi_comm_size(comm);
        const Elements own{send, send_count, send_type};
        const BlockArray result(receive, receive_count, receive_type);
        const BlockArray source = own.in_place() ? result : BlockArray(send, send_count, send_type);
        const auto describe = [&] {
            return Request{
                {Collective::alltoall, result.bytes(0) * static_cast<std::size_t>(ranks), no_root}};
        };
        const auto serve_it = [&](RunningCall& call) { return run(call, ranks, own, source, result); };
        return serve<Collective::alltoall>(module, describe, serve_it, send, send_count, send_type, receive,
                                           receive_count, receive_type);
    });
}

}  // namespace

const Slot<Collective::alltoall>::Function alltoall_entry = alltoall;

}  // namespace strata::component
