#pragma once
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "algorithms/engines/perform.h"
#include "component/base/scratch_pool.h"
#include "component/communicator/plans_in_use.h"
#include "component/communicator/pml_transport.h"
#include "component/levels/level_call.h"

namespace strata::component {

/// The pool of a communicator's transports: one per running call.
class Transports {
public:
    Transports(ompi_communicator_t* comm, CommunicatorCounters& counters)
        : comm_(comm), counters_(counters), first_(comm, counters) {}
    /// Throws std::bad_alloc.
    PmlTransport& lease() { return std::exchange(first_is_idle_, false) ? first_ : lease_other(); }
    void give_back(PmlTransport& transport) noexcept {
        if (&transport == &first_) {
            first_is_idle_ = true;
        } else {
            idle_.push_back(&transport);
        }
    }

private:
    PmlTransport& lease_other();

    ompi_communicator_t* comm_;
    CommunicatorCounters& counters_;
    PmlTransport first_;  ///< enough for most programs
    bool first_is_idle_ = true;
    std::vector<std::unique_ptr<PmlTransport>> others_;
    std::vector<PmlTransport*> idle_;  ///< of others_; capacity for all
};

/// Leases scratch memory for a call from the process's pool. Throws std::bad_alloc.
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

/// A call that an engine serves, with its own transport, scratch and level state. Its memory returns to the
/// pool at the end, unless an error left messages in flight that may still write to it.
class RunningCall {
public:
    /// All arguments must outlive the call; `levels`: for the levels engine; `boards`: for the node engine.
    /// Throws std::bad_alloc.
    RunningCall(Transports& transports, const algorithms::Routing& routing, PlanInUse& planned,
                const algorithms::Operation& operation, AimedLevels levels,
                algorithms::Boards* boards = nullptr);
    RunningCall(const RunningCall&) = delete;
    RunningCall& operator=(const RunningCall&) = delete;
    ~RunningCall();

    const algorithms::Operation& operation() const { return operation_; }
    const algorithms::Plan& plan() const { return *planned_->plan; }
    algorithms::Arena& arena() { return scratch_.arena; }
    int rank() const { return routing_.rank(); }
    /// Returns null if the levels engine does not serve the call.
    LevelCall* levels() { return by_levels_ ? &*levels_ : nullptr; }
    /// Returns the topmost level's segment size, for the levels engine.
    std::size_t segment_bytes() const { return plan().levels.front().segment_bytes; }
    algorithms::Performer performer() {
        return {transport_, arena(), routing_, plan(), planned_->routes, boards_};
    }
    /// Continues by another plan, without the levels engine.
    void change_to(PlanInUse& planned);

    /// Returns the error code of the call after its engine has returned `rc`.
    int end(int rc);

private:
    void use(PlanInUse& planned);

    /// Leases a transport.
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
    algorithms::Boards* boards_;
    Scratch scratch_;
    std::optional<LevelCall> levels_;
    bool by_levels_ = false;
    bool succeeded_ = false;
};

}  // namespace strata::component
