#pragma once
#include <array>
#include <atomic>
#include <cstdint>

#include "component/base/collectives.h"
#include "component/openmpi/ompi_compat.h"
#include "topology/level.h"

namespace strata::component {

/// Why a call was handed to the underlying component.
enum class ForwardReason : int {
    missing,       ///< a process of the communicator lacks the plugin
    version,       ///< ... or has another version of it
    settings,      ///< ... or other settings, info keys among them
    several_jobs,  ///< the communicator joins processes of several jobs
    no_hierarchy,  ///< all processes are equally near to each other
    model,         ///< the underlying component is predicted to be as fast
    chosen,        ///< by parameter
    order,         ///< the operator does not commute and groups are no runs of ranks
    failure,       ///< a process of the communicator cannot serve it: out of memory, say
    plans,         ///< its processes have come to different plans
    early,         ///< one of the first calls, too short and too few to pay for a set-up
    count
};
inline constexpr int forward_reason_count = static_cast<int>(ForwardReason::count);
/// One word, as in the variables' names.
const char* name_of(ForwardReason reason);
/// The same for people.
const char* explanation(ForwardReason reason);

/// A counter that threads bump at the same time where Open MPI lets them call it so. An atomic addition costs
/// some ten nanoseconds, so only there.
class Counter {
public:
    void add(std::uint64_t amount = 1) {
        if (opal_using_threads()) {
            value_.fetch_add(amount, std::memory_order_relaxed);
        } else {
            value_.store(get() + amount, std::memory_order_relaxed);
        }
    }
    std::uint64_t get() const { return value_.load(std::memory_order_relaxed); }

private:
    std::atomic<std::uint64_t> value_{0};
};

/// What this process did, for MPI_T and for `verbose`.
struct Counters {
    struct PerCollective {
        Counter tree, levels, ring, rails;
        std::array<Counter, forward_reason_count> forwarded_because;
        Counter handed_back;  ///< communicators on which its slot was given back
    };
    std::array<PerCollective, collective_count> collectives;
    std::array<Counter, topology::level_kind_count> messages;  ///< sent by this process, by level
    std::array<Counter, topology::level_kind_count> bytes;
    std::array<Counter, topology::level_kind_count> delegated;  ///< level broadcasts handed to others
    Counter communicators;                                      ///< sub-communicators created
    Counter setup_us;           ///< time spent on agreement, hierarchies, plans and sub-communicators
    Counter init_ns;            ///< of MPI_Init, spent in the plugin
    Counter init_processor_ns;  ///< of its thread, in this time

    PerCollective& of(Collective op) { return collectives[static_cast<int>(op)]; }
};
inline Counters& counters() {
    static constinit Counters all;
    return all;
}
/// All calls that were passed through.
template <class Reasons>
std::uint64_t sum_of(const Reasons& forwarded_because) {
    std::uint64_t sum = 0;
    for (const auto& reason : forwarded_because) sum += reason.get();
    return sum;
}

/// Registers every counter as an MPI_T performance variable coll_strata_<name>.
void register_counters(const mca_base_component_t* component);

}  // namespace strata::component
