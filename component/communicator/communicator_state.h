#pragma once
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/engines/perform.h"
#include "algorithms/report/plan_listing.h"
#include "component/agreement/agreement_rounds.h"
#include "component/base/request.h"
#include "component/communicator/level_sets.h"
#include "component/communicator/node_memory.h"
#include "component/communicator/passed_calls.h"
#include "component/communicator/plans_in_use.h"
#include "component/communicator/running_call.h"
#include "component/report/call_usage.h"
#include "component/settings/lazy_setup.h"
#include "component/settings/info_keys.h"

namespace strata::component {

/// The component's state of one communicator. All of it follows from facts that are equal on all its ranks.
/// The first call of a collective fills it in.
class CommunicatorState {
public:
    /// `own`: settings by info keys; null without keys.
    CommunicatorState(ompi_communicator_t* comm, const Settings& job,
                      std::unique_ptr<OwnSettings> own) noexcept;
    CommunicatorState(const CommunicatorState&) = delete;
    CommunicatorState& operator=(const CommunicatorState&) = delete;
    ~CommunicatorState();

    /// Notes that this process cannot serve the communicator; the agreement reports it to the others.
    void note_failure(Failure failure) { failure_ = failure_ == Failure::none ? failure : failure_; }
    /// Notes predicted_mask(), which must be equal on all ranks.
    void note_predicted(std::uint64_t mask) { predicted_mask_ = mask; }

    /// Returns true if calls of `op` may be served; else every call passes through, for `reason(op)`. The
    /// first call compares the records. True for every operation while unsettled().
    bool usable(Collective op) noexcept {
        if (fresh_) {
            set_up();
        }
        return !passed_.because(op).has_value();
    }
    ForwardReason reason(Collective op) const { return *passed_.because(op); }
    /// Returns true if all members have this plugin and the same settings. Valid after usable().
    bool agreed() const { return agreed_; }
    /// Returns true if the records agree and agree_with_members() has not run yet. Equal on all members,
    /// valid after usable().
    bool unsettled() const { return unsettled_; }
    /// Returns why every call of `op` passes through from now on; `count`: not decided, or every call is
    /// noted in usage().
    ForwardReason reason_for_good(Collective op) const { return passed_.for_good(op); }
    bool passes_for_good(Collective op) const { return reason_for_good(op) != ForwardReason::count; }
    /// Returns the sizes that are known to pass through.
    const PassedSizes& passed_sizes(Collective op) const { return passed_.sizes(op); }
    /// Adds the size of `request` to them.
    void note_passed(const Request& request, ForwardReason reason);
    /// Returns true once, when reason_for_good() has become valid and slots may be handed back.
    bool takes_decision() { return passed_.takes_decision() && job_.hand_back; }
    /// Logs the collectives whose slots were handed back, one bit each.
    void report_handed_back(std::uint32_t collectives) const noexcept;
    /// Returns true if calls may come before the set-up (lazy set-up).
    bool may_be_lazy() const { return job_.setup_after > 0; }
    /// Returns true for a call before the set-up. Only while unsettled().
    bool precedes_setup(const Request& request) noexcept;
    /// Notes that such a call has failed on this rank before its first message.
    void undo_early_call() { lazy_setup_.give_back(); }
    /// Prepares everything up to the plan of the `first` call, and agrees: from then on all members serve the
    /// communicator, or none. Collective over the communicator. Returns Open MPI's error code; after an error
    /// this rank gets the same one from every call, whatever had been decided.
    /// `hands_back`: may_hand_back().
    int agree_with_members(const Request& first, bool hands_back);
    algorithms::Task agree_with_members(SetUp& set_up, const Request& first, bool hands_back);
    /// Returns true if all ranks may hand slots back, and then do so together. Once settled.
    bool hands_back_together() const { return hands_back_; }
    bool reproducible() const { return settings_.reproducible; }
    int ranks() const { return ompi_comm_size(comm_); }
    /// Returns why a call passes through regardless of its plan; empty: the plan decides. After
    /// agree_with_members().
    std::optional<ForwardReason> against(const Request& request) const;
    /// Returns the operation to plan; for a collective without a root, with the tree's root. After
    /// agree_with_members().
    algorithms::Operation operation_of(const Request& request) const;

    /// Sets `found` to the plan of an operation; plans are cached per size class and root class.
    /// `may_be_by_levels` false excludes the levels engine even if the user requested it. With
    /// coll_strata_check_plans a new plan makes this collective over the communicator; if plans differ,
    /// `found` is null and every later call passes through, on every rank. Returns Open MPI's error code.
    int agreed_plan(const algorithms::Operation& operation, bool may_be_by_levels, PlanInUse*& found);
    /// The collective part of agreed_plan().
    algorithms::Task compare(SetUp& set_up, const algorithms::Operation& operation, PlanInUse*& found);

    // Arguments of RunningCall.
    Transports& transports() { return transports_; }
    const algorithms::Routing& routing() const { return plans_.routing(); }

    /// LevelSets::may_serve().
    bool may_delegate(const algorithms::Plan& plan, int root) const {
        return levels_.may_serve(hierarchy(), plan, root);
    }
    /// Sets `found` to the communicators of the levels engine; empty on every rank if a rank could not make
    /// them; then the next plan does not need them. Collective over the communicator the first time for a
    /// root. Returns Open MPI's error code.
    int level_communicators(const algorithms::Operation& operation, const algorithms::Plan& plan,
                            AimedLevels& found);
    algorithms::Task level_communicators(SetUp& set_up, const algorithms::Operation& operation,
                                         const algorithms::Plan& plan, AimedLevels& found);

    /// Returns the boards of the node engine; null: not made yet, or given up.
    algorithms::Boards* boards() { return node_memory_ != nullptr ? node_memory_->boards() : nullptr; }
    /// Makes them, or gives them up on all ranks: then operation_of() no longer has `on_boards`. Collective
    /// over the communicator. Returns Open MPI's error code.
    int make_boards();

    /// Returns true if a late message may still arrive in this object's memory, which must then never be
    /// freed.
    bool awaits_late_messages() const { return least_.failed(); }

    /// Returns the counters of this communicator.
    CommunicatorCounters& own_counters() { return own_counters_; }
    const CommunicatorCounters& own_counters() const { return own_counters_; }
    /// Returns the bytes kept for this communicator: hierarchy and plans, shared ones included; without the
    /// edges of its trees and without the memory of components on its levels. A tool's thread may call it at
    /// any time.
    std::size_t memory() const;

    /// Notes of calls for the dump; null without a dump.
    CallUsage* usage() { return usage_.get(); }

    /// During its lifetime, collectives that the underlying component calls stay with it. `predicted`: the
    /// call goes to predicted_slots().
    class Forwarding {
    public:
        explicit Forwarding(CommunicatorState& state, bool predicted) : state_(state) {
            state_.forwarding_ = true;
            state_.forwards_to_predicted_ = predicted;
        }
        Forwarding(const Forwarding&) = delete;
        Forwarding& operator=(const Forwarding&) = delete;
        ~Forwarding() { state_.forwarding_ = false; }

    private:
        CommunicatorState& state_;
    };
    /// Logs once that calls go to predicted_slots().
    void report_predicted();
    bool is_forwarding() const { return forwarding_; }
    bool forwards_to_predicted() const { return forwards_to_predicted_; }

private:
    void set_up() noexcept;
    algorithms::Task set_up(SetUp& own);
    /// Runs a task in a set-up of its own. Not inlined, because its stack frame is large.
    template <class MakeTask>
    [[gnu::noinline]] int wait_for(MakeTask&& make_task) {
        SetUp own(set_ups_);
        return own.wait_for(make_task(own));
    }
    Proposal make_proposal(const Request& first) noexcept;
    void prepare();
    const topology::Hierarchy& hierarchy() const { return plans_.hierarchy(); }
    const algorithms::Planner& planner() const { return plans_.planner(); }
    std::uint64_t hash_facts(const Request& first);
    void announce() noexcept;
    void forward_all(ForwardReason reason);
    bool writes_log(int verbosity) const;
    void log(const std::string& subject, const std::string& text) const;
    void report_all_passed(ForwardReason reason) const;
    void report_passed_collectives() const;
    void report_agreement() const;
    void report_absent_levels() const;
    void report_ignored_methods(const algorithms::Operation& operation, const algorithms::Plan& plan) const;
    std::string underlying(Collective op) const;
    void decide(Collective op);
    bool is_open(Collective op) const;
    bool may_choose_node(Collective op) const;
    bool wants_boards() const;
    int polls_of_boards() const;
    PlanInUse& plan(const algorithms::Operation& operation, bool may_be_by_levels = true);
    std::string outline(const algorithms::Operation& operation, const PlanInUse& planned) const;
    void forget_plans() noexcept;
    void give_up_levels(Collective op, const LevelCommunicators::Outcome& outcome, bool asked_for);
    algorithms::PlanListing choices() const;
    algorithms::BoundOf lower_bounds() const;
    std::string engine_times(const algorithms::Operation& operation) const;
    void explain(const algorithms::Operation& operation, const algorithms::Plan& plan) const noexcept;

    ompi_communicator_t* comm_;
    const Settings& job_;
    std::unique_ptr<OwnSettings> own_;
    const CommunicatorSettings& settings_;  // own_'s, or the job's
    Failure failure_ = Failure::none;
    std::uint64_t predicted_mask_ = 0;
    bool fresh_ = true;
    bool agreed_ = false;  // valid once fresh_ is false
    bool unsettled_ = false;
    /// After an error other ranks may have an outcome that this rank does not know.
    int agreement_error_ = OMPI_SUCCESS;
    LazySetup lazy_setup_;
    MinAllreduce least_;
    SetUps set_ups_;
    std::vector<topology::LocalityRecord> records_;  // until the agreement
    bool forwarding_ = false;
    bool forwards_to_predicted_ = false;
    bool predicted_is_reported_ = false;
    bool hands_back_ = false;
    PassedCalls passed_;
    PlansInUse plans_;
    std::array<bool, collective_count> levels_given_up_{};
    CommunicatorCounters own_counters_;
    std::unique_ptr<CallUsage> usage_;
    Transports transports_;
    LevelSets levels_;
    std::unique_ptr<NodeMemory> node_memory_;
    bool boards_given_up_ = false;
};

}  // namespace strata::component
