#include "component/openmpi/base_algorithms.h"

namespace strata::component {
namespace {

using algorithms::Algorithm;
using algorithms::LevelTask;

// linear_sync sends this part of each message at once; the value is coll/tuned's.
constexpr int first_segment_bytes = 1024;

// For segmented_ring; the value is coll/tuned's. Without segments Open MPI 4.1.4 takes the plain ring, unless
// ranks times elements exceed an int: then it divides by zero.
constexpr int ring_segment_bytes = 1 << 20;

/// Returns the named algorithm if Open MPI has it for this task and communicator, else the usual one.
Algorithm algorithm_for(LevelTask task, const NamedAlgorithm& named, Algorithm usual) {
    if (!algorithms::info(named.algorithm).tasks.has(task)) {
        return usual;
    }
    return named.algorithm == Algorithm::two_proc && ompi_comm_size(named.comm) != 2 ? usual
                                                                                     : named.algorithm;
}

int radix_of(const NamedAlgorithm& named) {
    return named.radix > 0 ? named.radix : algorithms::info(named.algorithm).default_radix;
}

int allgather_bruck(const void* send, compat::Count send_count, ompi_datatype_t* send_type, void* receive,
                    compat::Count count, ompi_datatype_t* type, ompi_communicator_t* comm,
                    mca_coll_base_module_t* module) {
#if OMPI_MAJOR_VERSION > 5
    constexpr int radix = 2;
    return ompi_coll_base_allgather_intra_k_bruck(send, send_count, send_type, receive, count, type, comm,
                                                  module, radix);
#else
    return ompi_coll_base_allgather_intra_bruck(send, send_count, send_type, receive, count, type, comm,
                                                module);
#endif
}

}  // namespace

int run_named(OfCollective<Collective::bcast>, const NamedAlgorithm& named, void* data, int count,
              ompi_datatype_t* type, int root) {
    auto* const comm = named.comm;
    auto* const base = named.base;
    switch (algorithm_for(LevelTask::bcast, named, Algorithm::binomial)) {
        case Algorithm::linear:
            return ompi_coll_base_bcast_intra_basic_linear(data, count, type, root, comm, base);
        case Algorithm::chain:
            return ompi_coll_base_bcast_intra_chain(data, count, type, root, comm, base, 0, radix_of(named));
        case Algorithm::pipeline:
            return ompi_coll_base_bcast_intra_pipeline(data, count, type, root, comm, base, 0);
        case Algorithm::split_binary:
            return ompi_coll_base_bcast_intra_split_bintree(data, count, type, root, comm, base, 0);
        case Algorithm::binary:
            return ompi_coll_base_bcast_intra_bintree(data, count, type, root, comm, base, 0);
        case Algorithm::knomial:
            return ompi_coll_base_bcast_intra_knomial(data, count, type, root, comm, base, 0,
                                                      radix_of(named));
        case Algorithm::scatter_allgather:
            return ompi_coll_base_bcast_intra_scatter_allgather(data, count, type, root, comm, base, 0);
        case Algorithm::scatter_allgather_ring:
            return ompi_coll_base_bcast_intra_scatter_allgather_ring(data, count, type, root, comm, base, 0);
        default: return ompi_coll_base_bcast_intra_binomial(data, count, type, root, comm, base, 0);
    }
}

int run_named(OfCollective<Collective::reduce>, const NamedAlgorithm& named, const void* send, void* receive,
              int count, ompi_datatype_t* type, ompi_op_t* op, int root) {
    auto* const comm = named.comm;
    auto* const base = named.base;
    Algorithm algorithm = algorithm_for(LevelTask::reduce, named, Algorithm::binomial);
    if (!ompi_op_is_commute(op) && algorithm != Algorithm::linear) {
        algorithm = Algorithm::in_order_binary;
    }
    switch (algorithm) {
        case Algorithm::linear:
            return ompi_coll_base_reduce_intra_basic_linear(send, receive, count, type, op, root, comm, base);
        case Algorithm::chain:
            return ompi_coll_base_reduce_intra_chain(send, receive, count, type, op, root, comm, base, 0,
                                                     radix_of(named), 0);
        case Algorithm::pipeline:
            return ompi_coll_base_reduce_intra_pipeline(send, receive, count, type, op, root, comm, base, 0,
                                                        0);
        case Algorithm::binary:
            return ompi_coll_base_reduce_intra_binary(send, receive, count, type, op, root, comm, base, 0, 0);
        case Algorithm::in_order_binary:
            return ompi_coll_base_reduce_intra_in_order_binary(send, receive, count, type, op, root, comm,
                                                               base, 0, 0);
        case Algorithm::rabenseifner:
            return ompi_coll_base_reduce_intra_redscat_gather(send, receive, count, type, op, root, comm,
                                                              base);
        default:
            return ompi_coll_base_reduce_intra_binomial(send, receive, count, type, op, root, comm, base, 0,
                                                        0);
    }
}

int run_named(OfCollective<Collective::allreduce>, const NamedAlgorithm& named, const void* send,
              void* receive, int count, ompi_datatype_t* type, ompi_op_t* op) {
    auto* const comm = named.comm;
    auto* const base = named.base;
    const Algorithm algorithm = algorithm_for(LevelTask::allreduce, named, Algorithm::recursive_doubling);
    const bool commutes = ompi_op_is_commute(op);
    switch (algorithm) {
        case Algorithm::linear:
            return ompi_coll_base_allreduce_intra_basic_linear(send, receive, count, type, op, comm, base);
        case Algorithm::nonoverlapping:
            return ompi_coll_base_allreduce_intra_nonoverlapping(send, receive, count, type, op, comm, base);
        case Algorithm::rabenseifner:  // linear if the operation does not commute
            return ompi_coll_base_allreduce_intra_redscat_allgather(send, receive, count, type, op, comm,
                                                                    base);
        case Algorithm::ring:
            if (commutes) {
                return ompi_coll_base_allreduce_intra_ring(send, receive, count, type, op, comm, base);
            }
            break;
        case Algorithm::segmented_ring:
            if (commutes) {
                return ompi_coll_base_allreduce_intra_ring_segmented(send, receive, count, type, op, comm,
                                                                     base, ring_segment_bytes);
            }
            break;
        default: break;
    }
    return ompi_coll_base_allreduce_intra_recursivedoubling(send, receive, count, type, op, comm, base);
}

int run_named(OfCollective<Collective::allgather>, const NamedAlgorithm& named, const void* send,
              int send_count, ompi_datatype_t* send_type, void* receive, int count, ompi_datatype_t* type) {
    const auto run = [&](auto* algorithm) {
        return algorithm(send, send_count, send_type, receive, count, type, named.comm, named.base);
    };
    switch (algorithm_for(LevelTask::allgather, named, Algorithm::ring)) {
        case Algorithm::linear: return run(ompi_coll_base_allgather_intra_basic_linear);
        case Algorithm::bruck: return run(allgather_bruck);
        case Algorithm::recursive_doubling: return run(ompi_coll_base_allgather_intra_recursivedoubling);
        case Algorithm::neighbor: return run(ompi_coll_base_allgather_intra_neighborexchange);
        case Algorithm::two_proc: return run(ompi_coll_base_allgather_intra_two_procs);
        default: return run(ompi_coll_base_allgather_intra_ring);
    }
}

int run_named(OfCollective<Collective::allgatherv>, const NamedAlgorithm& named, const void* send,
              int send_count, ompi_datatype_t* send_type, void* receive, compat::Counts counts,
              compat::Displacements displacements, ompi_datatype_t* type) {
    const auto run = [&](auto* algorithm) {
        return algorithm(send, send_count, send_type, receive, counts, displacements, type, named.comm,
                         named.base);
    };
    switch (algorithm_for(LevelTask::allgatherv, named, Algorithm::ring)) {
        case Algorithm::linear: return run(ompi_coll_base_allgatherv_intra_basic_default);
        case Algorithm::bruck: return run(ompi_coll_base_allgatherv_intra_bruck);
        case Algorithm::neighbor: return run(ompi_coll_base_allgatherv_intra_neighborexchange);
        case Algorithm::two_proc: return run(ompi_coll_base_allgatherv_intra_two_procs);
        default: return run(ompi_coll_base_allgatherv_intra_ring);
    }
}

int run_named(OfCollective<Collective::gather>, const NamedAlgorithm& named, const void* send, int send_count,
              ompi_datatype_t* send_type, void* receive, int count, ompi_datatype_t* type, int root) {
    auto* const comm = named.comm;
    auto* const base = named.base;
    switch (algorithm_for(LevelTask::gather, named, Algorithm::binomial)) {
        case Algorithm::linear:
            return ompi_coll_base_gather_intra_basic_linear(send, send_count, send_type, receive, count, type,
                                                            root, comm, base);
        case Algorithm::linear_sync:
            return ompi_coll_base_gather_intra_linear_sync(send, send_count, send_type, receive, count, type,
                                                           root, comm, base, first_segment_bytes);
        default:
            return ompi_coll_base_gather_intra_binomial(send, send_count, send_type, receive, count, type,
                                                        root, comm, base);
    }
}

int run_named(OfCollective<Collective::scatter>, const NamedAlgorithm& named, const void* send,
              int send_count, ompi_datatype_t* send_type, void* receive, int count, ompi_datatype_t* type,
              int root) {
    auto* const comm = named.comm;
    auto* const base = named.base;
    switch (algorithm_for(LevelTask::scatter, named, Algorithm::binomial)) {
        case Algorithm::linear:
            return ompi_coll_base_scatter_intra_basic_linear(send, send_count, send_type, receive, count,
                                                             type, root, comm, base);
        case Algorithm::linear_nb:
            return ompi_coll_base_scatter_intra_linear_nb(send, send_count, send_type, receive, count, type,
                                                          root, comm, base, 0);
        default:
            return ompi_coll_base_scatter_intra_binomial(send, send_count, send_type, receive, count, type,
                                                         root, comm, base);
    }
}

int run_named(OfCollective<Collective::barrier>, const NamedAlgorithm& named) {
    const auto run = [&](auto* algorithm) { return algorithm(named.comm, named.base); };
    switch (algorithm_for(LevelTask::barrier, named, Algorithm::recursive_doubling)) {
        case Algorithm::linear: return run(ompi_coll_base_barrier_intra_basic_linear);
        case Algorithm::double_ring: return run(ompi_coll_base_barrier_intra_doublering);
        case Algorithm::bruck: return run(ompi_coll_base_barrier_intra_bruck);
        case Algorithm::two_proc: return run(ompi_coll_base_barrier_intra_two_procs);
        case Algorithm::recursive_tree: return run(ompi_coll_base_barrier_intra_tree);
        default: return run(ompi_coll_base_barrier_intra_recursivedoubling);
    }
}

}  // namespace strata::component
