#include "component/levels/level_reduction.h"
#include "component/module/call.h"
#include "component/openmpi/operator_reduction.h"
#include "component/openmpi/packed_datatype.h"

namespace strata::component {
namespace {

/// Returns true if the reduction must combine in rank order, by its operator or by coll_strata_reproducible.
bool in_rank_order(ompi_op_t* op, const CommunicatorState& state) {
    return !ompi_op_is_commute(op) || state.reproducible();
}

/// Returns true if every order of combination gives the same bits: MPI's own operators on integers, and sums
/// and products of two ranks' floating-point numbers, which round once. Not on complex numbers: a compiler
/// may round their products asymmetrically.
bool is_exact(ompi_op_t* op, ompi_datatype_t* datatype, int ranks) {
    const auto kind = datatype->super.flags & OMPI_DATATYPE_FLAG_DATA_TYPE;
    // A maximum with a NaN, or of both zeros, depends on the order of two operands.
    const bool swaps = op == &ompi_mpi_op_sum.op || op == &ompi_mpi_op_prod.op;
    const bool real = kind == OMPI_DATATYPE_FLAG_DATA_FLOAT && ranks == 2 && swaps;
    return ompi_op_is_intrinsic(op) && (kind == OMPI_DATATYPE_FLAG_DATA_INT || real);
}

template <class Engine>
int with_buffers(const Operands& operands, algorithms::Arena& arena, Engine&& engine) {
    const auto count = static_cast<std::size_t>(operands.count);
    const void* const own_data = operands.send == MPI_IN_PLACE ? operands.receive : operands.send;
    OperatorReduction reduction(operands.op, operands.datatype, arena);
    DatatypeBuffer own(own_data, count, operands.datatype, true, arena);
    if (!operands.result_due) {
        return engine(algorithms::ReduceBuffers{own, nullptr}, reduction);
    }
    DatatypeBuffer result(operands.receive, count, operands.datatype, false, arena);
    return engine(algorithms::ReduceBuffers{own, &result}, reduction);
}

Request request_of(Collective collective, const Operands& operands, int root,
                   const CommunicatorState& state) {
    const std::size_t bytes = packed_bytes(operands.datatype, static_cast<std::size_t>(operands.count));
    Request request{{collective, bytes, root}};
    request.operation.rank_order = in_rank_order(operands.op, state);
    request.operation.reproducible = state.reproducible();
    request.ordered = !ompi_op_is_commute(operands.op);
    request.fits_board = packed_bytes(operands.datatype, 1) <= algorithms::Board::most_bytes;
    request.exact = is_exact(operands.op, operands.datatype, state.ranks());
    return request;
}

int reduce(const void* send, void* receive, compat::Count count, ompi_datatype_t* datatype, ompi_op_t* op,
           int root, ompi_communicator_t* comm, mca_coll_base_module_t* base) {
    return translate_errors([&] {
        auto& module = *reinterpret_cast<Module*>(base);
        CommunicatorState& state = *module.state;
        const Operands operands{send, receive, ompi_comm_rank(comm) == root, count, datatype, op};
        const auto describe = [&] { return request_of(Collective::reduce, operands, root, state); };
        const auto run = [&](RunningCall& call) {
            if (call.levels() != nullptr) {
                return reduce_by_levels(*call.levels(), Collective::reduce, operands, call.segment_bytes(),
                                        call.arena())
                    .run();
            }
            return with_buffers(
                operands, call.arena(), [&](algorithms::ReduceBuffers buffers, auto& reduction) {
                    return algorithms::perform_reduce(call.performer(), call.operation(), buffers, reduction)
                        .run();
                });
        };
        return serve<Collective::reduce>(module, describe, run, send, receive, count, datatype, op, root);
    });
}

int allreduce(const void* send, void* receive, compat::Count count, ompi_datatype_t* datatype, ompi_op_t* op,
              ompi_communicator_t* comm, mca_coll_base_module_t* base) {
    static_cast<void>(comm);
    return translate_errors([&] {
        auto& module = *reinterpret_cast<Module*>(base);
        CommunicatorState& state = *module.state;
        const Operands operands{send, receive, true, count, datatype, op};
        const auto describe = [&] { return request_of(Collective::allreduce, operands, no_root, state); };
        const auto run = [&](RunningCall& call) {
            if (call.levels() != nullptr) {
                return reduce_by_levels(*call.levels(), Collective::allreduce, operands, call.segment_bytes(),
                                        call.arena())
                    .run();
            }
            return with_buffers(operands, call.arena(),
                                [&](algorithms::ReduceBuffers buffers, auto& reduction) {
                                    return algorithms::perform_allreduce(call.performer(), call.operation(),
                                                                         buffers, reduction)
                                        .run();
                                });
        };
        return serve<Collective::allreduce>(module, describe, run, send, receive, count, datatype, op);
    });
}

}  // namespace

const Slot<Collective::reduce>::Function reduce_entry = reduce;
const Slot<Collective::allreduce>::Function allreduce_entry = allreduce;

}  // namespace strata::component
