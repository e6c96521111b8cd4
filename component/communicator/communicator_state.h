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
#include "component/communicator/passed_calls.h"
#include "component/communicator/plans_in_use.h"
#include "component/communicator/running_call.h"
#include "component/report/call_usage.h"
#include "component/settings/lazy_setup.h"
#include "component/settings/info_keys.h"

namespace strata::component {

/// What the component knows about one communicator. Everything in here follows from facts equal on all its
/// ranks; the first call of a collective fills it.
class CommunicatorState {
public:
    /// `own`: where the communicator has info keys for us; null without.
    CommunicatorState(ompi_communicator_t* comm, const Settings& job,
                      std::unique_ptr<OwnSettings> own) noexcept;
    CommunicatorState(const CommunicatorState&) = delete;
    CommunicatorState& operator=(const CommunicatorState&) = delete;
    ~CommunicatorState();

    /// This process cannot serve the communicator; the others will know before the first message.
    void note_failure(Failure failure) { failure_ = failure_ == Failure::none ? failure : failure_; }
    /// Of predicted_mask(): part of what all must have alike.
    void note_predicted(std::uint64_t mask) { predicted_mask_ = mask; }

    /// True once the members agree and calls of `op` are served; else every one is forwarded, for
    /// `reason(op)`. The first call compares the records. While unsettled() true for every operation.
    bool usable(Collective op) noexcept {
        if (fresh_) {
            set_up();
        }
        return !passed_.because(op).has_value();
    }
    ForwardReason reason(Collective op) const { return *passed_.because(op); }
    /// True when all members have this plugin and the same settings; known after usable().
    bool agreed() const { return agreed_; }
    /// True when the records agree but the members have not agreed yet. Known after usable(), alike on all
    /// members.
    bool unsettled() const { return unsettled_; }
    /// Why every call of `op` is passed through from now on; `count` while that is open, and where each call
    /// is noted in usage().
    ForwardReason reason_for_good(Collective op) const { return passed_.for_good(op); }
    bool passes_for_good(Collective op) const { return reason_for_good(op) != ForwardReason::count; }
    /// The calls that are passed through by their size, as far as that is known.
    const PassedSizes& passed_sizes(Collective op) const { return passed_.sizes(op); }
    /// Notes there that a call like this one will always be.
    void note_passed(const Request& request, ForwardReason reason);
    /// True once, as soon as it is known which collectives are passed through for good, and where their slots
    /// may be handed back.
    bool takes_decision() { return passed_.takes_decision() && job_.hand_back; }
    /// Says which collectives' slots are handed back: bit by bit.
    void report_handed_back(std::uint32_t collectives) const noexcept;
    /// True where calls may come before the set-up.
    bool may_be_lazy() const { return job_.setup_after > 0; }
    /// True for a call that comes before the set-up. While unsettled().
    bool comes_early(const Request& request) noexcept;
    /// Such a call has failed here.
    void repeat_early() { lazy_setup_.give_back(); }
    /// Prepares everything up to the plan of the `first` call, and agrees: from then on all members serve the
    /// communicator, or none. Collective over the communicator. Returns Open MPI's error code; after an error
    /// this rank gets the same one from every call, whatever had been decided.
    /// `hands_back`: may_hand_back().
    int settle(const Request& first, bool hands_back);
    /// True where all ranks may hand slots back, and so do it alike. Once settled.
    bool hands_back_together() const { return hands_back_; }
    bool reproducible() const { return settings_.reproducible; }
    int ranks() const { return ompi_comm_size(comm_); }
    /// Why a call is left to the underlying component whatever the plan. Once settled.
    std::optional<ForwardReason> against(const Request& request) const;
    /// What is planned for a call: with the root of the tree where it has none itself. Once settled.
    algorithms::Operation operation_of(const Request& request) const;

    /// The plan of an operation in `found`; kept per size class and part of the machine that holds the root.
    /// `may_be_by_levels` false: not even where the user asks for it. Where plans are to be checked,
    /// collective over the communicator when the plan is new; null when some rank has come to another one:
    /// from then on every call is passed through, on every rank. Returns Open MPI's error code.
    int agreed_plan(const algorithms::Operation& operation, bool may_be_by_levels, PlanInUse*& found);

    // What a RunningCall needs.
    Transports& transports() { return transports_; }
    const algorithms::Routing& routing() const { return plans_.routing(); }

    /// LevelSets::may_serve().
    bool may_delegate(const algorithms::Plan& plan, int root) const {
        return levels_.may_serve(hierarchy(), plan, root);
    }
    /// Communicators for the levels engine in `found`; none when some rank could not make them (then on every
    /// rank, and the plan has been replaced). Collective over the communicator when not yet made for
    /// this root. Returns Open MPI's error code.
    int level_communicators(const algorithms::Operation& operation, const algorithms::Plan& plan,
                            AimedLevels& found);

    /// True where a late message may still arrive in this object's memory: it must stay for good.
    bool awaits_late_messages() const { return least_.failed(); }

    /// What was done on this communicator.
    CommunicatorCounters& own_counters() { return own_counters_; }
    const CommunicatorCounters& own_counters() const { return own_counters_; }
    /// Bytes kept for this communicator: hierarchy and plans (of all communicators that share them); without
    /// the edges of its trees, and what components keep on its levels. A tool's thread may ask during a call.
    std::size_t memory() const;

    /// Where what becomes of calls is noted; null where nobody will read it.
    CallUsage* usage() { return usage_.get(); }

    /// While it lives, what the underlying component makes of other collectives is its own. `predicted`: that
    /// is the one of predicted_slots().
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
    /// Says once that predicted_slots() differ from what was found.
    void report_predicted();
    bool is_forwarding() const { return forwarding_; }
    bool forwards_to_predicted() const { return forwards_to_predicted_; }

private:
    void set_up() noexcept;
    Proposal make_proposal(const Request& first) noexcept;
    void prepare();
    const topology::Hierarchy& hierarchy() const { return plans_.hierarchy(); }
    const algorithms::Planner& planner() const { return plans_.planner(); }
    std::uint64_t hash_facts(const Request& first);
    void announce() noexcept;
    void forward_all(ForwardReason reason);
    bool tells() const;
    void report_aside(ForwardReason reason) const;
    void report_left() const;
    void keep_decisions() noexcept;
    void decide(Collective op);
    bool is_open(Collective op) const;
    PlanInUse& plan(const algorithms::Operation& operation, bool may_be_by_levels = true);
    std::string outline(const algorithms::Operation& operation, const PlanInUse& planned) const;
    void forget_plans() noexcept;
    void give_up_levels(Collective op, const LevelCommunicators::Outcome& outcome, bool asked_for);
    algorithms::PlanListing choices() const;
    void explain(const algorithms::Operation& operation, const algorithms::Plan& plan) const noexcept;

    ompi_communicator_t* comm_;
    const Settings& job_;
    std::unique_ptr<OwnSettings> own_;
    const CommunicatorSettings& settings_;  // of the job, or own ones
    Failure failure_ = Failure::none;
    std::uint64_t predicted_mask_ = 0;
    bool fresh_ = true;
    bool agreed_ = false;  // known once no longer fresh
    bool unsettled_ = false;
    /// Others may have come to a verdict that this rank does not know: it has no part in them any more.
    int agreement_error_ = OMPI_SUCCESS;
    LazySetup lazy_setup_;
    MinAllreduce least_;
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
};

}  // namespace strata::component
