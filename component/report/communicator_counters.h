#pragma once
#include <array>
#include <atomic>
#include <cstdint>

#include "component/openmpi/ompi_compat.h"
#include "component/report/counters.h"

namespace strata::component {

/// A number that one thread at a time adds to, and others may read meanwhile.
class Tally {
public:
    void add(std::uint64_t amount = 1) {
        value_.store(value_.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
    }
    std::uint64_t get() const { return value_.load(std::memory_order_relaxed); }

private:
    std::atomic<std::uint64_t> value_{0};
};

/// What this process did on one communicator, for MPI_T.
struct CommunicatorCounters {
    Tally tree, levels, ring, rails;                            ///< calls, by who served them
    std::array<Tally, forward_reason_count> forwarded_because;  ///< calls that others served
    Tally handed_back;                                          ///< collectives whose slot was given back
    std::array<Tally, topology::level_kind_count> messages;     ///< sent by this process, by level
    std::array<Tally, topology::level_kind_count> bytes;
    Tally setup_us;              ///< spent on agreement, hierarchy, plans and sub-communicators
    bool is_setting_up = false;  ///< while somebody measures that
};

}  // namespace strata::component
