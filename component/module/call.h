#pragma once
// The path of every call from Open MPI's slot to an engine or to the underlying component:
// docs/design/call-path.md.
#include <cxxabi.h>

#include <new>
#include <utility>

#include "component/module/hand_back.h"
#include "component/module/module.h"
#include "component/module/predicted_slots.h"
#include "component/report/stall_report.h"

namespace strata::component {

/// Runs `body` and returns Open MPI's error code: after the agreement a failure is an error of the call, with
/// no fallback. Lets no exception pass except the forced unwinding of pthread_exit() and pthread_cancel().
template <class Body>
int translate_errors(Body&& body) {
    try {
        return body();
    } catch (const abi::__forced_unwind&) {
        throw;
    } catch (const std::bad_alloc&) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    } catch (...) {
        return OMPI_ERROR;
    }
}

/// Finds the plan to run, and for the levels engine its communicators, for the node engine its boards. If
/// creating these fails, it fails on every rank, and another plan is found. `planned` is null if the plans of
/// the ranks differ. Returns Open MPI's error code.
inline int find_plan(Module& module, algorithms::Operation& operation, PlanInUse*& planned,
                     AimedLevels& levels) {
    CommunicatorState& state = *module.state;
    int rc = state.agreed_plan(operation, true, planned);
    if (rc == OMPI_SUCCESS && planned != nullptr && planned->plan->engine == algorithms::Engine::node &&
        state.boards() == nullptr) {
        rc = state.make_boards();
        if (rc != OMPI_SUCCESS || state.boards() != nullptr) {
            return rc;
        }
        operation.on_boards = false;
        return find_plan(module, operation, planned, levels);
    }
    if (rc != OMPI_SUCCESS || planned == nullptr || planned->plan->engine != algorithms::Engine::levels) {
        return rc;
    }
    if (!state.may_delegate(*planned->plan, operation.root)) {
        return state.agreed_plan(operation, false, planned);
    }
    rc = state.level_communicators(operation, *planned->plan, levels);
    return rc == OMPI_SUCCESS && levels.communicators == nullptr ? state.agreed_plan(operation, true, planned)
                                                                 : rc;
}

/// Returns true if `rc` of the underlying component means that the other ranks still wait for this one, so
/// that the program must repeat the call here: out of memory (its algorithms return OMPI_ERROR then), which
/// they detect before their first message. Except in Allgather: Bruck's algorithm allocates after its last
/// message, the others not at all. Any other error, a truncated message for example, ends the call on all
/// ranks.
inline bool others_wait(Collective op, int rc) {
    return op != Collective::allgather && (rc == OMPI_ERR_OUT_OF_RESOURCE || rc == OMPI_ERROR);
}

/// Returns the counter of `engine`'s calls among the counters of a collective or a communicator.
template <class Counts>
auto& served_by(algorithms::Engine engine, Counts& counts) {
    switch (engine) {
        case algorithms::Engine::levels: return counts.levels;
        case algorithms::Engine::ring: return counts.ring;
        case algorithms::Engine::rails: return counts.rails;
        case algorithms::Engine::node: return counts.node;
        default: return counts.tree;
    }
}

/// Counts a call that is passed through.
inline void count_forward(Collective op, CommunicatorState& state, ForwardReason reason) {
    const auto why = static_cast<std::size_t>(reason);
    counters().of(op).forwarded_because[why].add();
    state.own_counters().forwarded_because[why].add();
}

/// Passes a call through to the underlying component, and counts it.
template <Collective op, class... Arguments>
[[gnu::always_inline]] inline int pass_through(Module& module, ForwardReason reason, Arguments... arguments) {
    CommunicatorState& state = *module.state;
    count_forward(op, state, reason);
    const bool predicted = reason == ForwardReason::model || reason == ForwardReason::early;
    SavedSlots& slots = predicted ? predicted_slots(module) : module.saved;
    const CommunicatorState::Forwarding scope(state, predicted);
    return forward<op>(module.comm, saved_slot<op>(slots), arguments...);
}

/// Decides whether an engine serves a call or the underlying component, and runs it.
template <Collective op, class Run, class... Arguments>
[[gnu::noinline]] int serve_or_pass(Module& module, const Request& request, Run& run,
                                    Arguments... arguments) {
    CommunicatorState& state = *module.state;
    CallMeter meter(state.usage(), op);
    const auto hand_over = [&](ForwardReason reason) {
        meter.is_passed(reason);
        return pass_through<op>(module, reason, arguments...);
    };
    const bool usable = state.usable(op);
    hand_back(module);
    if (!usable && !(op == Collective::bcast && state.agreed())) {
        return hand_over(state.reason(op));
    }
    if (request.sized && request.operation.bytes == 0) {
        // MPI_Bcast itself returns for a count of 0 but not for elements of size 0, so other ranks may not
        // get here. Without agreement they may be in a component that exchanges empty messages.
        return OMPI_SUCCESS;
    }
    meter.is(request.operation);
    if (state.unsettled()) {
        if (state.precedes_setup(request)) {
            const int rc = hand_over(ForwardReason::early);
            if (others_wait(op, rc)) {
                state.undo_early_call();
            }
            return rc;
        }
        const WatchedCall agreeing(module.comm, request.operation, "agreement", state.own_counters(),
                                   nullptr);
        if (const int rc = state.agree_with_members(request, may_hand_back(module)); rc != OMPI_SUCCESS) {
            return rc;
        }
        hand_back(module);
    }
    if (const auto reason = state.against(request)) {
        return hand_over(*reason);
    }
    algorithms::Operation operation = state.operation_of(request);
    AimedLevels levels;
    PlanInUse* planned = nullptr;
    {
        const WatchedCall preparing(module.comm, operation, "set-up", state.own_counters(), nullptr);
        if (const int rc = find_plan(module, operation, planned, levels); rc != OMPI_SUCCESS) {
            return rc;
        }
    }
    if (planned == nullptr) {
        hand_back(module);
        return hand_over(ForwardReason::plans);
    }
    meter.uses_plan(*planned->plan);
    if (planned->plan->engine == algorithms::Engine::forward) {
        const bool predicted = planned->plan->engine_source.origin == algorithms::Origin::model;
        const ForwardReason reason = predicted ? ForwardReason::model : ForwardReason::chosen;
        if (!planned->may_change()) {
            state.note_passed(request, reason);
        }
        planned->count_call();
        const int left = hand_over(reason);
        if (others_wait(op, left)) {
            planned->uncount_call();
        }
        return left;
    }
    const algorithms::Engine engine = planned->plan->engine;
    const WatchedCall watched(module.comm, operation, algorithms::name_of(engine), state.own_counters(),
                              engine == algorithms::Engine::node ? state.boards() : nullptr);
    served_by(engine, counters().of(op)).add();
    served_by(engine, state.own_counters()).add();
    RunningCall call(state.transports(), state.routing(), *planned, operation, std::move(levels),
                     state.boards());
    return call.end(run(call));
}

/// Serves one call, which `describe()` returns as a Request: an engine by `run(call)`, or the underlying
/// component with `arguments`. Collectives that the underlying component calls through the same table stay
/// with it, and the whole is counted once. Calls that are known to pass through take the shortest path.
template <Collective op, class Describe, class Run, class... Arguments>
int serve(Module& module, Describe&& describe, Run&& run, Arguments... arguments) {
    CommunicatorState& state = *module.state;
    if (state.is_forwarding()) {
        SavedSlots& slots = state.forwards_to_predicted() ? predicted_slots(module) : module.saved;
        return forward<op>(module.comm, saved_slot<op>(slots), arguments...);
    }
    // For other reasons than `model`, calls without data pass through, too, except Bcast: see
    // serve_or_pass().
    if (op != Collective::bcast && state.passes_for_good(op) &&
        state.reason_for_good(op) != ForwardReason::model) {
        return pass_through<op>(module, state.reason_for_good(op), arguments...);
    }
    const Request request = describe();
    if (state.passes_for_good(op) && (!request.sized || request.operation.bytes > 0 || !state.agreed())) {
        return pass_through<op>(module, state.reason_for_good(op), arguments...);
    }
    if (state.passed_sizes(op).has(request)) {
        return pass_through<op>(module, state.passed_sizes(op).reason(), arguments...);
    }
    return serve_or_pass<op>(module, request, run, arguments...);
}

}  // namespace strata::component
