#pragma once
#include <string>
#include <vector>

#include "counters.h"
#include "ompi_compat.h"
#include "strata/topology/locality_record.h"

namespace strata::component {

/// The outcome of comparing what all processes of a communicator published at start-up.
struct Agreement {
    bool agreed = false;
    ForwardReason reason = ForwardReason::missing;  ///< when not agreed
    std::vector<topology::LocalityRecord> records;  ///< by rank, when agreed
};

/// Publishes this process's record. Call when the component opens, before the start-up fence.
/// A process that publishes nothing makes every communicator that contains it forward.
void publish_record(const topology::LocalityRecord& record);

/// What makes the records of large jobs cheap to get, nothing more: the first when the component is asked for
/// the first time, the second when MPI_COMM_WORLD is made, by every process that has published.
void tell_of_node();
void receive_records();

/// Compares the records of all members. Local: sends nothing and waits for nobody. Every member comes to the
/// same outcome, because after the start-up fence all see the same published data. What differs in the job is
/// said once, by its lowest process that has the plugin, naming the nodes. Throws std::runtime_error when the
/// published data cannot be read at all.
Agreement agree(ompi_communicator_t* comm);

}  // namespace strata::component
