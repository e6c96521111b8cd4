#pragma once
#include <smpi/mpi.h>

#include <cstddef>
#include <span>
#include <vector>

#include "algorithms/openmpi_cost/message_schedule.h"

namespace strata::simulation {

/// Messages of the underlying component (algorithms::underlying_schedules()) for one call, shared by all
/// ranks. Their contents are arbitrary.
class UnderlyingComponent {
public:
    UnderlyingComponent(const algorithms::Operation& operation, int ranks);

    /// Performs one rank's part. `memory` holds twice the longest message: a send and a receive buffer.
    /// `combine` takes the time of combining that many bytes. Returns MPI's code.
    int perform(MPI_Comm comm, std::size_t eager_bytes, std::span<std::byte> memory,
                void (*combine)(std::size_t bytes)) const;

private:
    struct Schedule {
        algorithms::MessageSchedule messages;
        std::vector<std::vector<std::size_t>> received;  ///< bytes, by rank and step
    };
    std::vector<Schedule> schedules_;
};

}  // namespace strata::simulation
