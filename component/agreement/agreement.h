#pragma once
#include <optional>
#include <vector>

#include "component/openmpi/set_up.h"
#include "component/report/counters.h"
#include "topology/locality_record.h"

namespace strata::component {

/// Publishes this process's record. Call it when the component opens, before the start-up fence. If one
/// process of the job publishes nothing, every communicator of the job passes its calls through; in a program
/// that only uses sessions, every communicator that contains the process.
void publish_record(const topology::LocalityRecord& record);

/// Exchanges the records of the job (introduction.h). Call it when MPI_COMM_WORLD is made. Collective over
/// the processes that have published a record.
void introduce_job();

/// Sets `difference` to the reason why the members cannot serve the communicator together, or leaves it
/// empty: then their records are known. Equal on all members. Local after introduce_job(). In programs that
/// only use sessions, collective over the members that have published, once per communicator.
algorithms::Task find_difference(SetUp& set_up, ompi_communicator_t* comm,
                                 std::optional<ForwardReason>& difference);

/// Returns the node number of a member. Requires that find_difference() found none. Allocates no memory.
std::uint64_t known_node_of(ompi_communicator_t* comm, int rank);

/// Returns the records of all members, by rank. Requires that find_difference() found none. Throws
/// std::bad_alloc.
std::vector<topology::LocalityRecord> records_of(ompi_communicator_t* comm);

}  // namespace strata::component
