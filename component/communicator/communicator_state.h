#pragma once
#include <array>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "algorithms/engines/perform.h"
#include "algorithms/planning/plan_book.h"
#include "algorithms/report/plan_listing.h"
#include "component/agreement/vote.h"
#include "component/base/request.h"
#include "component/base/scratch_pool.h"
#include "component/communicator/passed_sizes.h"
#include "component/communicator/pml_transport.h"
#include "component/levels/level_communicators.h"
#include "component/openmpi/ompi_compat.h"
#include "component/report/call_usage.h"
#include "component/report/communicator_counters.h"
#include "component/report/counters.h"
#include "component/settings/early_calls.h"
#include "component/settings/info_keys.h"
#include "component/settings/settings.h"
#include "topology/card_lanes.h"

namespace strata::component {

/// A plan in use on a communicator.
struct Planned {
    Planned(std::uint64_t own_key, const algorithms::PlanBook::Entry& entry)
        : key(own_key), plan(&entry.plan), delegation(entry.delegation ? &*entry.delegation : nullptr) {}

    /// Of all that the ranks must have alike.
    std::uint64_t hash() const;

    std::uint64_t key;                         ///< PlanClass::key
    const algorithms::Plan* plan;              ///< in the communicator's book
    const algorithms::Delegation* delegation;  ///< what would be faster, if it is used often; null without
    unsigned calls = 0;                        ///< in which this rank took part, while there is one
    bool compared = false;                     ///< all ranks have the same
    algorithms::PlanRoutes routes;
};

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
        return !forwarded_because_[static_cast<int>(op)].has_value();
    }
    ForwardReason reason(Collective op) const { return *forwarded_because_[static_cast<int>(op)]; }
    /// True when all members have this plugin and the same settings; known after usable().
    bool agreed() const { return agreed_; }
    /// True when the records agree but the members have not voted yet. Known after usable(), alike on all
    /// members.
    bool unsettled() const { return unsettled_; }
    /// Why every call of `op` is passed through from now on; `count` while that is open, and where each call
    /// is noted in usage().
    ForwardReason reason_for_good(Collective op) const { return for_good_[static_cast<int>(op)]; }
    bool passes_for_good(Collective op) const { return reason_for_good(op) != ForwardReason::count; }
    /// The calls that are passed through by their size, as far as that is known.
    const PassedSizes& passed_sizes(Collective op) const { return passed_sizes_[static_cast<int>(op)]; }
    /// Notes there that a call like this one will always be.
    void note_passed(const Request& request, ForwardReason reason);
    /// True once, as soon as it is known which collectives are passed through for good, and where their slots
    /// may be handed back.
    bool takes_decision() { return std::exchange(decided_, false) && job_.hand_back; }
    /// Says which collectives' slots are handed back: bit by bit.
    void tell_handed_back(std::uint32_t collectives) const noexcept;
    /// True where calls may come before the set-up.
    bool may_call_early() const { return job_.setup_after > 0; }
    /// True for a call that comes before the set-up. While unsettled().
    bool comes_early(const Request& request) noexcept;
    /// Such a call has failed here.
    void repeat_early() { early_.give_back(); }
    /// Prepares everything up to the plan of the `first` call, and votes: from then on all members serve the
    /// communicator, or none. Collective over the communicator. Returns Open MPI's error code; after an error
    /// this rank gets the same one from every call, whatever had been decided.
    /// `hands_back`: may_hand_back().
    int settle(const Request& first, bool hands_back);
    /// True where all ranks may hand slots back, and so do it alike. Once settled.
    bool hands_back_together() const { return hands_back_; }
    bool reproducible() const { return settings_.reproducible; }
    int ranks() const { return ompi_comm_size(comm_); }
    /// Why a call is left to the previous component whatever the plan. Once settled.
    std::optional<ForwardReason> against(const Request& request) const;
    /// What is planned for a call: with the root of the tree where it has none itself. Once settled.
    algorithms::Operation operation_of(const Request& request) const;

    /// The plan of an operation in `found`; kept per size class and part of the machine that holds the root.
    /// `may_be_by_levels` false: not even where the user asks for it. Where plans are to be checked,
    /// collective over the communicator when the plan is new; null when some rank has come to another one:
    /// from then on every call is passed through, on every rank. Returns Open MPI's error code.
    int agreed_plan(const algorithms::Operation& operation, bool may_be_by_levels, Planned*& found);

    /// Notes that this rank takes part in a call by this plan. Not before its first message: a call that
    /// fails earlier, for lack of memory, is one for which the others still wait, and no rank of them counts
    /// it twice when this one repeats it.
    static void count_call(Planned& planned) { planned.calls += planned.delegation != nullptr ? 1U : 0U; }

    /// What this rank carries out a plan given out by plan() with, unless components do.
    algorithms::Performer performer(Planned& planned) {
        return {transport_, *arena_, *routing_, *planned.plan, planned.routes};
    }

    /// True while communicators for the levels engine exist for this root or may still be made. Every set
    /// takes a split per level: programs whose root wanders over all ranks must not make one per call.
    bool may_delegate(const algorithms::Plan& plan, int root);
    /// Communicators for the levels engine in `found`; nullptr when some rank could not make them (then on
    /// every rank, and the plan has been replaced). Collective over the communicator when not yet made for
    /// this root. Returns Open MPI's error code.
    int level_communicators(const algorithms::Operation& operation, const algorithms::Plan& plan,
                            LevelCommunicators*& found);

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

    /// Memory of the call that is being served.
    algorithms::Arena& arena() { return *arena_; }

    /// While it lives, what the previous component makes of other collectives is its own. `predicted`: that
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
    void tell_predicted();
    bool is_forwarding() const { return forwarding_; }
    bool forwards_to_predicted() const { return forwards_to_predicted_; }

    /// Memory for a call, from the pool of the process, for as long as it lives. Throws std::bad_alloc.
    class Scratch {
    public:
        explicit Scratch(CommunicatorState& state)
            : state_(state), arena_(scratch_pool().lease()), outer_(std::exchange(state.arena_, &arena_)) {}
        Scratch(const Scratch&) = delete;
        Scratch& operator=(const Scratch&) = delete;
        ~Scratch() {
            state_.arena_ = outer_;
            arena_.reset();
            scratch_pool().give_back(arena_);
        }

    private:
        CommunicatorState& state_;
        algorithms::Arena& arena_;
        algorithms::Arena* outer_;
    };

    /// A call that an engine serves: its memory is free again at the end; where an error left messages under
    /// way, which may still write to it, it is left alone.
    class Running {
    public:
        Running(CommunicatorState& state, Planned& planned)
            : state_(state), planned_(planned), scratch_(state) {
            state_.transport_.start_call();
        }
        Running(const Running&) = delete;
        Running& operator=(const Running&) = delete;
        ~Running() {
            if (state_.transport_.has_begun()) {
                count_call(planned_);
            }
            if (!succeeded_) {
                state_.transport_.abandon();  // where an exception came in between
            }
            if (!succeeded_ && state_.left_messages()) {
                state_.arena_->abandon();
            }
        }
        /// The outcome of the call, where its engine has returned `rc`.
        int end(int rc) {
            rc = rc != OMPI_SUCCESS ? rc : state_.transport_.noted_error();
            succeeded_ = rc == OMPI_SUCCESS;
            return rc;
        }

    private:
        CommunicatorState& state_;
        Planned& planned_;
        Scratch scratch_;
        bool succeeded_ = false;
    };

private:
    using Plans = std::unordered_map<std::uint64_t, Planned>;  // by PlanClass::key

    struct LevelSet {
        std::vector<std::string> components;  // by level; empty for a named algorithm
        int key = -1;
        std::unique_ptr<LevelCommunicators> communicators;
    };

    bool left_messages() const;
    void set_up() noexcept;
    Ballot make_ballot(const Request& first) noexcept;
    void prepare();
    const topology::Hierarchy& hierarchy() const { return book_->hierarchy(); }
    const algorithms::Planner& planner() const { return book_->planner(); }
    std::uint64_t hash_facts(const Request& first);
    void announce() noexcept;
    void forward_all(ForwardReason reason);
    bool tells() const;
    void tell_aside(ForwardReason reason) const;
    void tell_left() const;
    void keep_decisions() noexcept;
    void decide(Collective op);
    bool is_open(Collective op) const;
    Planned& plan(const algorithms::Operation& operation, bool may_be_by_levels = true);
    std::string outline(const algorithms::Operation& operation, const Planned& planned) const;
    Plans::iterator keep_plan(Planned planned);
    void forget_plans() noexcept;
    void delegate_if_it_pays(Planned& planned, const algorithms::Operation& operation);
    void give_up_levels(Collective op, const LevelCommunicators::Outcome& outcome, bool asked_for);
    LevelSet* level_set(const algorithms::Plan& plan, int root);
    LevelSet* make_level_set(const algorithms::Plan& plan, int root, LevelCommunicators::Outcome& outcome);
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
    int vote_error_ = OMPI_SUCCESS;
    EarlyCalls early_;
    LeastOfAll least_;
    std::vector<topology::LocalityRecord> records_;  // until the vote
    bool forwarding_ = false;
    bool forwards_to_predicted_ = false;
    bool told_predicted_ = false;
    bool consecutive_groups_ = false;
    std::array<std::optional<ForwardReason>, collective_count> forwarded_because_;  // empty: served
    std::array<const char*, collective_count> left_whatever_size_{};  ///< Planner's; null: planned
    std::array<ForwardReason, collective_count> for_good_;
    std::array<PassedSizes, collective_count> passed_sizes_;
    bool decided_ = false;
    bool hands_back_ = false;
    // Of what memory() counts: whoever changes it, or asks from elsewhere.
    mutable std::mutex counted_;
    topology::CardLanes lanes_;  // made only where a parameter asks for the lanes engine
    std::shared_ptr<algorithms::PlanBook> book_;
    std::array<bool, collective_count> levels_given_up_{};
    std::optional<algorithms::Routing> routing_;  // of the book's hierarchy, and the lanes
    Plans plans_;
    std::list<LevelSet> level_sets_;
    CommunicatorCounters own_counters_;
    std::unique_ptr<CallUsage> usage_;
    PmlTransport transport_;
    algorithms::Arena* arena_ = nullptr;  ///< leased by the call that is being served
};

}  // namespace strata::component
