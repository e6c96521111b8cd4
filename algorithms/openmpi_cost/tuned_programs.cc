// coll/tuned's messages, operation by operation (tuned.h).
#include "algorithms/openmpi_cost/tuned.h"

namespace strata::algorithms {
namespace {

using Programs = std::vector<FlatProgram>;

Programs reduce_programs(const Operation& operation, int ranks, int root) {
    const Algorithm algorithm = tuned_reduce_algorithm(ranks, operation.bytes, !operation.rank_order);
    return {reduce_program(algorithm, ranks, operation.bytes, root)};
}

Programs bcast_programs(int ranks, std::size_t bytes, int root) {
    return {bcast_program(tuned_bcast_algorithm(ranks, bytes), ranks, bytes, root)};
}

Programs both(Programs first, Programs second) {
    for (FlatProgram& program : second) first.push_back(std::move(program));
    return first;
}

Programs allreduce_programs(const Operation& operation, int ranks) {
    const std::size_t bytes = operation.bytes;
    const std::size_t block = block_bytes(bytes, ranks);
    const Algorithm algorithm = tuned_allreduce_algorithm(ranks, bytes, !operation.rank_order);
    switch (algorithm) {
        case Algorithm::ring:
            return {ring_program(ranks, block, ranks - 1, block), ring_program(ranks, block, ranks - 1, 0)};
        case Algorithm::linear:
            return {reduce_program(Algorithm::linear, ranks, bytes, 0),
                    bcast_program(Algorithm::linear, ranks, bytes, 0)};
        case Algorithm::nonoverlapping:
            return both(reduce_programs(operation, ranks, 0), bcast_programs(ranks, bytes, 0));
        default: return {allreduce_program(algorithm, ranks, bytes)};
    }
}

Programs allgather_programs(const Operation& operation, int ranks) {
    const std::size_t block = block_bytes(operation.bytes, ranks);
    const Algorithm algorithm = operation.collective == Collective::allgatherv
                                    ? tuned_allgatherv_algorithm(ranks, block)
                                    : tuned_allgather_algorithm(ranks, block);
    if (algorithm != Algorithm::linear) return {allgather_program(algorithm, ranks, block)};
    return both({gather_program(Algorithm::linear, ranks, block, 0)},
                bcast_programs(ranks, operation.bytes, 0));
}

}  // namespace

Programs previous_programs(const Operation& operation, int ranks) {
    const int root = operation.root;
    const std::size_t block = block_bytes(operation.bytes, ranks);
    if (ranks < 2) return {};
    switch (operation.collective) {
        case Collective::bcast: return bcast_programs(ranks, operation.bytes, root);
        case Collective::reduce: return reduce_programs(operation, ranks, root);
        case Collective::allreduce: return allreduce_programs(operation, ranks);
        case Collective::allgather:
        case Collective::allgatherv: return allgather_programs(operation, ranks);
        case Collective::gather:
            return {gather_program(tuned_gather_algorithm(ranks, block), ranks, block, root)};
        case Collective::scatter:
            return {scatter_program(tuned_scatter_algorithm(ranks, block), ranks, block, root)};
        case Collective::barrier: return {barrier_program(tuned_barrier_algorithm(ranks), ranks)};
        default: return {};
    }
}

}  // namespace strata::algorithms
