#pragma once
#include <smpi/mpi.h>

#include <cstddef>
#include <span>
#include <vector>

#include "algorithms/openmpi_cost/message_schedule.h"

namespace strata::simulation {

/// The messages of the component that the plugin leaves calls to (algorithms::underlying_programs()), of one
/// call, shared by all ranks. What they carry means nothing.
class UnderlyingComponent {
public:
    UnderlyingComponent(const algorithms::Operation& operation, int ranks);

    /// One rank's part. `memory`: at least the longest message, twice: what is sent, and what is received.
    /// `combine` takes the time of combining so many bytes. Returns MPI's code.
    int perform(MPI_Comm comm, std::size_t eager_bytes, std::span<std::byte> memory,
                void (*combine)(std::size_t bytes)) const;

private:
    struct Program {
        algorithms::MessageSchedule messages;
        std::vector<std::vector<std::size_t>> received;  ///< bytes, by rank and step
    };
    std::vector<Program> programs_;
};

}  // namespace strata::simulation
