#pragma once
#include <cstddef>
#include <utility>
#include <vector>

namespace strata::testing {

/// Messages that this rank's point-to-point layer begins to send, including those of collectives: (rank of
/// MPI_COMM_WORLD, bytes). Needs Open MPI's monitoring (--mca pml_monitoring_enable 1), which reports every
/// message.
class Monitoring {
public:
    static void start();
    static std::vector<std::pair<int, std::size_t>> stop();
    /// Returns whether monitoring has reported any message since the start of the program.
    static bool is_there();
};

}  // namespace strata::testing
