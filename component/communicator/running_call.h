#pragma once
#include <utility>

#include "component/base/scratch_pool.h"
#include "component/communicator/level_sets.h"
#include "component/communicator/plans_in_use.h"
#include "component/communicator/pml_transport.h"

namespace strata::component {

/// What the calls on a communicator move data with, one call at a time.
struct CallContext {
    CallContext(ompi_communicator_t* comm, CommunicatorCounters& counters) : transport(comm, counters) {}

    /// Carries out a plan, unless components do.
    algorithms::Performer performer(const algorithms::Routing& routing, PlanInUse& planned) {
        return {transport, *arena, routing, *planned.plan, planned.routes};
    }

    PmlTransport transport;
    algorithms::Arena* arena = nullptr;  ///< leased by the call that is being served
    LevelSets levels;
};

/// Memory for a call, from the pool of the process, for as long as it lives. Throws std::bad_alloc.
class Scratch {
public:
    explicit Scratch(CallContext& context)
        : context_(context), arena_(scratch_pool().lease()), outer_(std::exchange(context.arena, &arena_)) {}
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    ~Scratch() {
        context_.arena = outer_;
        arena_.reset();
        scratch_pool().give_back(arena_);
    }

private:
    CallContext& context_;
    algorithms::Arena& arena_;
    algorithms::Arena* outer_;
};

/// A call that an engine serves: its memory is free again at the end; where an error left messages under way,
/// which may still write to it, it is left alone.
class RunningCall {
public:
    RunningCall(CallContext& context, PlanInUse& planned)
        : context_(context), planned_(planned), scratch_(context) {
        context_.transport.start_call();
    }
    RunningCall(const RunningCall&) = delete;
    RunningCall& operator=(const RunningCall&) = delete;
    ~RunningCall() {
        if (context_.transport.has_begun()) {
            planned_.count_call();
        }
        if (!succeeded_) {
            context_.transport.abandon();  // where an exception came in between
        }
        if (!succeeded_ && (context_.transport.left_messages() || context_.levels.left_messages())) {
            context_.arena->abandon();
        }
    }
    /// The outcome of the call, where its engine has returned `rc`.
    int end(int rc) {
        rc = rc != OMPI_SUCCESS ? rc : context_.transport.noted_error();
        succeeded_ = rc == OMPI_SUCCESS;
        return rc;
    }

private:
    CallContext& context_;
    PlanInUse& planned_;
    Scratch scratch_;
    bool succeeded_ = false;
};

}  // namespace strata::component
