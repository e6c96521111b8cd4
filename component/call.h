#pragma once
// The way of every call from Open MPI's slot to an engine or to the previous component.
#include <new>

#include "module.h"
#include "predicted_slots.h"

namespace strata::component {

/// Runs `body`; after the agreement there is no falling back: what goes wrong is an error of the call.
template <class Body>
int at_border(Body&& body) noexcept {
    try {
        return body();
    } catch (const std::bad_alloc&) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    } catch (...) {
        return OMPI_ERROR;
    }
}

/// Finds the plan that can really be carried out, and for the levels engine its communicators: making them
/// may fail, alike on every rank, and change the plan. Returns Open MPI's error code.
inline int settle(Module& module, const algorithms::Operation& operation, Planned*& planned,
                  LevelCommunicators*& communicators) {
    CommunicatorState& state = *module.state;
    planned = &state.plan(operation);
    if (planned->plan->engine != algorithms::Engine::levels) {
        return OMPI_SUCCESS;
    }
    if (!state.may_delegate(*planned->plan, operation.root)) {
        planned = &state.plan(operation, false);
        return OMPI_SUCCESS;
    }
    const int rc = state.level_communicators(operation, *planned->plan, communicators);
    if (rc == OMPI_SUCCESS && communicators == nullptr) {
        planned = &state.plan(operation);
    }
    return rc;
}

/// Of the previous component's error: true where memory has run out (its algorithms return OMPI_ERROR then).
/// They ask for it before their first message, so that this rank has to repeat the call, for which the others
/// wait; but for those of Allgather, of which Bruck's asks after its last one, and no other does. Any other
/// error, such as of a message that was too long, ends the call, here and for them.
inline bool others_wait(Collective op, int rc) {
    return op != Collective::allgather && (rc == OMPI_ERR_OUT_OF_RESOURCE || rc == OMPI_ERROR);
}

/// The calls that an engine of ours serves, among those of a collective or a communicator.
template <class Counts>
auto& served_by(algorithms::Engine engine, Counts& counts) {
    switch (engine) {
        case algorithms::Engine::levels: return counts.levels;
        case algorithms::Engine::ring: return counts.ring;
        case algorithms::Engine::lanes: return counts.lanes;
        default: return counts.tree;
    }
}

/// Counts a call that is left to the previous component.
inline void count_forward(Collective op, CommunicatorState& state, ForwardReason reason) {
    const auto why = static_cast<std::size_t>(reason);
    auto& of_collective = counters().of(op);
    of_collective.forward.add();
    of_collective.forwarded_because[why].add();
    state.own_counters().forward.add();
    state.own_counters().forwarded_because[why].add();
}

/// Serves one call, which `describe()` tells if somebody asks:  `run(planned, operation, communicators)` with
/// an engine (communicators: for the levels engine only) or with several collectives of the previous
/// component (Plan::composed), or the previous component with `arguments`. A collective that the previous
/// component makes of others, through the same table, stays with it and is counted once.
template <Collective op, class Describe, class Run, class... Arguments>
int serve(Module& module, Describe&& describe, Run&& run, Arguments... arguments) {
    CommunicatorState& state = *module.state;
    if (state.is_forwarding()) {
        SavedSlots& slots = state.forwards_to_predicted() ? predicted_slots(module) : module.saved;
        return forward<op>(module.comm, saved_slot<op>(slots), arguments...);
    }
    CallMeter meter(state.usage(), op);
    const auto hand_over = [&](ForwardReason reason) {
        meter.is_left(reason);
        count_forward(op, state, reason);
        const bool predicted = reason == ForwardReason::model || reason == ForwardReason::early;
        SavedSlots& slots = predicted ? predicted_slots(module) : module.saved;
        const CommunicatorState::Forwarding scope(state, predicted);
        return forward<op>(module.comm, saved_slot<op>(slots), arguments...);
    };
    if (!state.usable(op) && !(op == Collective::bcast && state.agreed())) {
        return hand_over(state.reason(op));
    }
    const Request request = describe();
    if (request.sized && request.operation.bytes == 0) {
        // MPI_Bcast itself returns for a count of 0 but not for elements of size 0: other ranks may not be
        // here. Without agreement they may be in a component that exchanges empty messages.
        return OMPI_SUCCESS;
    }
    meter.has(request.operation.bytes);
    if (state.unsettled()) {
        if (state.comes_early(request)) {
            const int rc = hand_over(ForwardReason::early);
            if (others_wait(op, rc)) {
                state.repeat_early();
            }
            return rc;
        }
        if (const int rc = state.settle(request); rc != OMPI_SUCCESS) {
            return rc;
        }
    }
    if (const auto reason = state.against(request)) {
        return hand_over(*reason);
    }
    const algorithms::Operation operation = state.operation_of(request);
    LevelCommunicators* communicators = nullptr;
    Planned* planned = nullptr;
    int rc = settle(module, operation, planned, communicators);
    if (rc != OMPI_SUCCESS) {
        return rc;
    }
    meter.goes_by(*planned->plan);
    if (planned->plan->composed) {
        meter.is_left(ForwardReason::crowded);
        count_forward(op, state, ForwardReason::crowded);
        const CommunicatorState::Forwarding scope(state, true);
        return run(*planned, operation, communicators);
    }
    if (planned->plan->engine == algorithms::Engine::forward) {
        const int left = hand_over(planned->plan->engine_source.origin == algorithms::Origin::model
                                       ? ForwardReason::model
                                       : ForwardReason::chosen);
        if (!others_wait(op, left)) {
            CommunicatorState::count_call(*planned);
        }
        return left;
    }
    served_by(planned->plan->engine, counters().of(op)).add();
    served_by(planned->plan->engine, state.own_counters()).add();
    CommunicatorState::Running running(state, *planned);
    rc = run(*planned, operation, communicators);
    return running.end(rc == OMPI_SUCCESS && communicators != nullptr ? communicators->noted_error() : rc);
}

}  // namespace strata::component
