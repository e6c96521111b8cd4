#pragma once
#include <array>
#include <atomic>
#include <cstdint>

#include "component/base/collectives.h"
#include "component/openmpi/ompi_compat.h"
#include "topology/level.h"

namespace strata::component {

/// Why a call was passed through to the underlying component.
enum class ForwardReason : int {
    missing,       ///< a process of the job lacks the plugin
    version,       ///< ... or has another version of it
    settings,      ///< ... or other settings, info keys among them
    several_jobs,  ///< the communicator joins processes of several jobs
    no_hierarchy,  ///< all processes are equally near to each other
    model,         ///< the underlying component is predicted to be as fast
    chosen,        ///< a parameter, a rule or an info key requests it
    order,         ///< the operator does not commute and the ranks of a group are not consecutive
    failure,       ///< a process of the communicator cannot serve it (Failure)
    plans,         ///< its processes have computed different plans
    early,         ///< a short call before the lazy set-up
    count
};
inline constexpr int forward_reason_count = static_cast<int>(ForwardReason::count);
/// Returns one word, as in the variables' names.
const char* name_of(ForwardReason reason);
/// Returns a sentence for users.
const char* explanation(ForwardReason reason);

/// A counter. Adds atomically only if Open MPI runs with threads, because an atomic addition costs about 10
/// ns.
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

/// This process's counters, for MPI_T.
struct Counters {
    struct PerCollective {
        Counter tree, levels, ring, rails, node;
        std::array<Counter, forward_reason_count> forwarded_because;
        Counter handed_back;  ///< communicators on which its slot was handed back
    };
    std::array<PerCollective, collective_count> collectives;
    std::array<Counter, topology::level_kind_count> messages;  ///< sent by this process, by level
    std::array<Counter, topology::level_kind_count> bytes;
    std::array<Counter, topology::level_kind_count> delegated;  ///< collectives of a level served by others
    Counter communicators;                                      ///< sub-communicators created
    Counter setup_us;            ///< spent on agreement, hierarchies, plans and sub-communicators
    Counter plans_made;          ///< by this process; the search of a class counts with its first plan
    Counter plans_shared;        ///< found among the process's plans by a communicator that needed one
    Counter plans_by_structure;  ///< of `plans_made`: only weighed (StructuralPlans)
    Counter plans_searched;      ///< replaced by a full search, on any communicator
    Counter planning_us;         ///< CPU time of making plans
    Counter init_ns;             ///< wall time of MPI_Init in the plugin
    Counter init_processor_ns;   ///< processor time of its thread in the same time

    PerCollective& of(Collective op) { return collectives[static_cast<int>(op)]; }
};
inline Counters& counters() {
    static constinit Counters all;
    return all;
}
/// Returns the number of calls that were passed through.
template <class Reasons>
std::uint64_t sum_of(const Reasons& forwarded_because) {
    std::uint64_t sum = 0;
    for (const auto& reason : forwarded_because) sum += reason.get();
    return sum;
}

/// Registers every counter as an MPI_T performance variable coll_strata_<name>.
void register_counters(const mca_base_component_t* component);

}  // namespace strata::component
