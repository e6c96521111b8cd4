#pragma once
// The blocking algorithms that Open MPI exports to its components (coll/base).
#include "algorithms/base/algorithm.h"
#include "component/base/collectives.h"
#include "component/openmpi/ompi_compat.h"

namespace strata::component {

struct NamedAlgorithm {
    algorithms::Algorithm algorithm;
    int radix;  ///< 0: the algorithm's default
    ompi_communicator_t* comm;
    mca_coll_base_module_t* base;  ///< caches of the algorithms
};

template <Collective op>
struct OfCollective {};

/// Runs the named algorithm, and waits for it. If Open MPI has none of that name for the collective, runs the
/// usual one for messages of any length. A non-commutative reduction is always combined in rank order.
/// Arguments: as in Open MPI's slot. Returns Open MPI's error code.
int run_named(OfCollective<Collective::bcast>, const NamedAlgorithm& named, void* data, int count,
              ompi_datatype_t* datatype, int root);
int run_named(OfCollective<Collective::reduce>, const NamedAlgorithm& named, const void* send, void* receive,
              int count, ompi_datatype_t* datatype, ompi_op_t* op, int root);
int run_named(OfCollective<Collective::allreduce>, const NamedAlgorithm& named, const void* send,
              void* receive, int count, ompi_datatype_t* datatype, ompi_op_t* op);
int run_named(OfCollective<Collective::allgather>, const NamedAlgorithm& named, const void* send,
              int send_count, ompi_datatype_t* send_type, void* receive, int receive_count,
              ompi_datatype_t* receive_type);
int run_named(OfCollective<Collective::allgatherv>, const NamedAlgorithm& named, const void* send,
              int send_count, ompi_datatype_t* send_type, void* receive, compat::Counts receive_counts,
              compat::Displacements displacements, ompi_datatype_t* receive_type);
int run_named(OfCollective<Collective::gather>, const NamedAlgorithm& named, const void* send, int send_count,
              ompi_datatype_t* send_type, void* receive, int receive_count, ompi_datatype_t* receive_type,
              int root);
int run_named(OfCollective<Collective::scatter>, const NamedAlgorithm& named, const void* send,
              int send_count, ompi_datatype_t* send_type, void* receive, int receive_count,
              ompi_datatype_t* receive_type, int root);
int run_named(OfCollective<Collective::barrier>, const NamedAlgorithm& named);

/// Returns true for collectives whose algorithms Open MPI exports.
constexpr bool has_named(Collective op) { return algorithms::traits_of(op).sized; }

}  // namespace strata::component
