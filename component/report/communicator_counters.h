#pragma once
#include <array>
#include <atomic>
#include <cstdint>

#include "component/openmpi/ompi_compat.h"
#include "component/report/counters.h"

namespace strata::component {

/// A counter with one writing thread at a time; other threads may read it.
class Tally {
public:
    void add(std::uint64_t amount = 1) {
        value_.store(value_.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
    }
    std::uint64_t get() const { return value_.load(std::memory_order_relaxed); }

private:
    std::atomic<std::uint64_t> value_{0};
};

/// This process's counters of one communicator, for MPI_T.
struct CommunicatorCounters {
    Tally tree, levels, ring, rails, node;                      ///< calls by engine
    std::array<Tally, forward_reason_count> forwarded_because;  ///< calls passed through
    Tally handed_back;                                          ///< collectives whose slot was handed back
    std::array<Tally, topology::level_kind_count> messages;     ///< sent by this process, by level
    std::array<Tally, topology::level_kind_count> bytes;
    Tally setup_us;              ///< spent on agreement, hierarchy, plans and sub-communicators
    bool is_setting_up = false;  ///< a SetupMeter is running

    /// Returns the calls that engines have served.
    std::uint64_t served() const {
        return tree.get() + levels.get() + ring.get() + rails.get() + node.get();
    }
};

}  // namespace strata::component
