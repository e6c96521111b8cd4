#pragma once
#include <optional>
#include <vector>

#include "component/openmpi/set_up.h"
#include "component/report/counters.h"
#include "topology/locality_record.h"

namespace strata::component {

/// Publishes this process's record. Call when the component opens, before the start-up fence.
/// A process that publishes nothing makes every communicator that contains it forward.
void publish_record(const topology::LocalityRecord& record);

/// Lets all processes of the job know of each other (introduction.h): when MPI_COMM_WORLD is made, by every
/// process that has published. Collective over these.
void introduce_job();

/// Why the members cannot serve the communicator together; empty when they can, and then their records are
/// known. Alike on all members. Local after introduce_job(); in programs that only use sessions a task that
/// is collective over the members that have published, once for each communicator.
algorithms::Task find_difference(SetUp& set_up, ompi_communicator_t* comm,
                                 std::optional<ForwardReason>& difference);

/// The number of the node of a member, where there is no difference. Needs no memory.
std::uint64_t known_node_of(ompi_communicator_t* comm, int rank);

/// The records of all members, by rank, where there is no difference. Throws std::bad_alloc.
std::vector<topology::LocalityRecord> records_of(ompi_communicator_t* comm);

}  // namespace strata::component
