// coll/tuned's messages, operation by operation (tuned.h).
#include "algorithms/openmpi_cost/tuned.h"

#include <array>
#include <utility>

namespace strata::algorithms {
namespace {

using Programs = std::vector<MessageSchedule>;

Programs both(Programs first, Programs second) {
    for (MessageSchedule& program : second) first.push_back(std::move(program));
    return first;
}

Programs reduce_to(int root, const Operation& operation, int ranks) {
    const Algorithm algorithm = tuned_reduce_algorithm(ranks, operation.bytes, !operation.rank_order);
    return {reduce_program(algorithm, ranks, operation.bytes, root)};
}

Programs bcast_from(int root, int ranks, std::size_t bytes) {
    return {bcast_program(tuned_bcast_algorithm(ranks, bytes), ranks, bytes, root)};
}

Programs allgather_by(Algorithm algorithm, const Operation& operation, int ranks) {
    const std::size_t block = block_bytes(operation.bytes, ranks);
    if (algorithm != Algorithm::linear) return {allgather_program(algorithm, ranks, block)};
    return both({gather_program(Algorithm::linear, ranks, block, 0)}, bcast_from(0, ranks, operation.bytes));
}

constexpr std::array<TunedPrograms*, collective_count> programs = {
#define STRATA_COLLECTIVE(op, ...) tuned_##op##_programs,
#include "algorithms/base/collectives.def"
#undef STRATA_COLLECTIVE
};

}  // namespace

Programs tuned_bcast_programs(const Operation& operation, int ranks) {
    return bcast_from(operation.root, ranks, operation.bytes);
}

Programs tuned_reduce_programs(const Operation& operation, int ranks) {
    return reduce_to(operation.root, operation, ranks);
}

Programs tuned_allreduce_programs(const Operation& operation, int ranks) {
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
            return both(reduce_to(0, operation, ranks), bcast_from(0, ranks, bytes));
        default: return {allreduce_program(algorithm, ranks, bytes)};
    }
}

Programs tuned_allgather_programs(const Operation& operation, int ranks) {
    const std::size_t block = block_bytes(operation.bytes, ranks);
    return allgather_by(tuned_allgather_algorithm(ranks, block), operation, ranks);
}

Programs tuned_allgatherv_programs(const Operation& operation, int ranks) {
    const std::size_t block = block_bytes(operation.bytes, ranks);
    return allgather_by(tuned_allgatherv_algorithm(ranks, block), operation, ranks);
}

Programs tuned_gather_programs(const Operation& operation, int ranks) {
    const std::size_t block = block_bytes(operation.bytes, ranks);
    return {gather_program(tuned_gather_algorithm(ranks, block), ranks, block, operation.root)};
}

Programs tuned_scatter_programs(const Operation& operation, int ranks) {
    const std::size_t block = block_bytes(operation.bytes, ranks);
    return {scatter_program(tuned_scatter_algorithm(ranks, block), ranks, block, operation.root)};
}

Programs tuned_gatherv_programs(const Operation&, int) { return {}; }
Programs tuned_scatterv_programs(const Operation&, int) { return {}; }

Programs tuned_barrier_programs(const Operation&, int ranks) {
    return {barrier_program(tuned_barrier_algorithm(ranks), ranks)};
}

Programs underlying_programs(const Operation& operation, int ranks) {
    return ranks < 2 ? Programs{}
                     : programs[static_cast<std::size_t>(operation.collective)](operation, ranks);
}

}  // namespace strata::algorithms
