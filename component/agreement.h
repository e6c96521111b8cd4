#pragma once
#include <optional>
#include <vector>

#include "counters.h"
#include "ompi_compat.h"
#include "strata/topology/locality_record.h"

namespace strata::component {

/// Publishes this process's record. Call when the component opens, before the start-up fence.
/// A process that publishes nothing makes every communicator that contains it forward.
void publish_record(const topology::LocalityRecord& record);

/// What makes the records of large jobs cheap to get, nothing more: the first when the component is asked for
/// the first time, the second when MPI_COMM_WORLD is made, by every process that has published.
void tell_of_node();
void receive_records();

/// Compares the records of all members: why they cannot serve the communicator together; empty when they can.
/// Local: sends nothing and waits for nobody. Every member comes to the same outcome, because after the
/// start-up fence all see the same published data. What differs in the job is said once, by its lowest
/// process that has the plugin, naming the nodes. Ends the job, with a message, where this process cannot
/// even read what was published or has no memory for it: whether the others wait for it, it cannot know.
std::optional<ForwardReason> find_difference(ompi_communicator_t* comm) noexcept;

/// The number of the node of a member, where there is no difference. Needs no memory.
std::uint64_t known_node_of(ompi_communicator_t* comm, int rank);

/// The records of all members, by rank, where there is no difference. Throws std::bad_alloc.
std::vector<topology::LocalityRecord> records_of(ompi_communicator_t* comm);

}  // namespace strata::component
