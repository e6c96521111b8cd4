#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "algorithms/engines/perform.h"
#include "component/base/scratch_pool.h"
#include "component/communicator/plans_in_use.h"
#include "component/communicator/pml_transport.h"
#include "component/levels/level_call.h"

namespace strata::component {

/// The transports of a communicator: one for each call that is under way.
class Transports {
public:
    Transports(ompi_communicator_t* comm, CommunicatorCounters& counters)
        : comm_(comm), counters_(counters), first_(comm, counters) {}
    /// Throws std::bad_alloc.
    PmlTransport& lease();
    void give_back(PmlTransport& transport) noexcept;

private:
    ompi_communicator_t* comm_;
    CommunicatorCounters& counters_;
    PmlTransport first_;  ///< enough for most programs
    bool first_is_idle_ = true;
    std::vector<std::unique_ptr<PmlTransport>> others_;
    std::vector<PmlTransport*> idle_;  ///< of the others; room for all
};

/// Memory for a call, from the pool of the process, for as long as it lives. Throws std::bad_alloc.
class Scratch {
public:
    Scratch() : arena(scratch_pool().lease()) {}
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    ~Scratch() {
        arena.reset();
        scratch_pool().give_back(arena);
    }
    algorithms::Arena& arena;
};

/// A call that an engine serves, and all that belongs to it alone. Its memory is free again at the end; where
/// an error left messages under way, which may still write to it, it is left alone.
class RunningCall {
public:
    /// What is given outlives the call; `levels`: for the levels engine. Throws std::bad_alloc.
    RunningCall(Transports& transports, const algorithms::Routing& routing, PlanInUse& planned,
                const algorithms::Operation& operation, AimedLevels levels);
    RunningCall(const RunningCall&) = delete;
    RunningCall& operator=(const RunningCall&) = delete;
    ~RunningCall();

    const algorithms::Operation& operation() const { return operation_; }
    const algorithms::Plan& plan() const { return *planned_->plan; }
    algorithms::Arena& arena() { return scratch_.arena; }
    int rank() const { return routing_.rank(); }
    /// Null where it does not go by levels.
    LevelCall* levels() { return by_levels_ ? &*levels_ : nullptr; }
    /// Of the levels engine: of the topmost level.
    std::size_t segment_bytes() const { return plan().levels.front().segment_bytes; }
    algorithms::Performer performer() { return {transport_, arena(), routing_, plan(), planned_->routes}; }
    /// Goes by another plan from here on, and not by levels.
    void change_to(PlanInUse& planned);

    /// The outcome of the call, where its engine has returned `rc`.
    int end(int rc);

private:
    /// A transport for as long as it lives.
    struct Lease {
        explicit Lease(Transports& pool) : all(pool), transport(pool.lease()) {}
        Lease(const Lease&) = delete;
        Lease& operator=(const Lease&) = delete;
        ~Lease() { all.give_back(transport); }
        Transports& all;
        PmlTransport& transport;
    };

    Lease lease_;
    PmlTransport& transport_;
    const algorithms::Routing& routing_;
    PlanInUse* planned_;
    const algorithms::Operation& operation_;
    Scratch scratch_;
    std::optional<LevelCall> levels_;
    bool by_levels_ = false;
    bool succeeded_ = false;
};

}  // namespace strata::component
