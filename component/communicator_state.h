#pragma once
#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "counters.h"
#include "info_keys.h"
#include "level_communicators.h"
#include "ompi_compat.h"
#include "pml_transport.h"
#include "routes.h"
#include "settings.h"
#include "strata/algorithms/arena.h"
#include "strata/algorithms/plan_listing.h"
#include "strata/topology/card_lanes.h"

namespace strata::component {

/// What the component knows about one communicator. Everything in here follows from facts equal on all its
/// ranks; the first call of a collective fills it.
class CommunicatorState {
public:
    /// `own`: where the communicator has info keys for us; null without.
    CommunicatorState(ompi_communicator_t* comm, const Settings& job, std::unique_ptr<OwnSettings> own);

    /// True once the members agree and calls of `op` are served; else every one is forwarded, for
    /// `reason(op)`. The first call compares the records. Throws when this process cannot go on. While
    /// unsettled() true for every operation.
    bool usable(Collective op) {
        if (fresh_) {
            set_up();
        }
        return !forwarded_because_[static_cast<int>(op)].has_value();
    }
    ForwardReason reason(Collective op) const { return *forwarded_because_[static_cast<int>(op)]; }
    /// True when all members have this plugin and the same settings; known after usable().
    bool agreed() const { return agreed_; }
    /// True when the records agree but the info keys have not yet been compared. Known after usable(), alike
    /// on all members.
    bool unsettled() const { return unsettled_; }
    /// Compares the info keys. Collective over the communicator; the slots must hold the previous components
    /// meanwhile. Returns Open MPI's error code.
    int settle();
    bool reproducible() const { return settings_.reproducible; }
    /// True when every group is a run of ranks.
    bool consecutive_groups() const { return consecutive_groups_; }
    /// The root of the tree of a collective that has none of its own.
    int tree_root(bool rank_order) const { return rank_order ? 0 : hierarchy_.groups.front().leader; }

    /// The plan of an operation; kept per size class and part of the machine that holds the root.
    /// `delegate` false: never by levels.
    Planned& plan(const algorithms::Operation& operation, bool delegate = true);

    /// Notes that this rank takes part in a call by this plan. Not before its first message: a call that
    /// fails earlier, for lack of memory, is one for which the others still wait, and no rank of them counts
    /// it twice when this one repeats it.
    static void count_call(Planned& planned) { planned.calls += planned.delegation ? 1U : 0U; }

    // This rank's edges under a plan given out by plan().
    const Routes<algorithms::TreeLinks>& tree_routes(Planned& planned, int root);
    const Routes<algorithms::ReductionLinks>& reduction_routes(Planned& planned, int root, bool rank_order);
    const Routes<algorithms::ExchangeLinks>& exchange_routes(Planned& planned, int root, bool rank_order);
    const Routes<algorithms::ExchangeLinks>& ring_routes(Planned& planned, int root);
    const Routes<algorithms::BlockRoutes>& block_routes(Planned& planned, int root,
                                                        algorithms::BlockFlow flow);
    // By lane, for plans with several.
    const Routes<std::vector<algorithms::TreeLinks>>& lane_routes(Planned& planned, int root);
    const Routes<std::vector<algorithms::ReductionLinks>>& lane_reduction_routes(Planned& planned);

    /// True while communicators for the levels engine exist for this root or may still be made. Every set
    /// takes a split per level: programs whose root wanders over all ranks must not make one per call.
    bool may_delegate(const algorithms::Plan& plan, int root);
    /// Communicators for the levels engine in `found`; nullptr when some rank could not make them (then on
    /// every rank, and the plan has been replaced). Collective over the communicator when not yet made for
    /// this root; the slots must hold the previous components meanwhile. Returns Open MPI's error code.
    int level_communicators(const algorithms::Operation& operation, const algorithms::Plan& plan,
                            LevelCommunicators*& found);

    PmlTransport& transport() { return transport_; }
    /// Memory of the call that is being served.
    algorithms::Arena& arena() { return arena_; }

    /// While it lives, what the previous component makes of other collectives is its own.
    class Forwarding {
    public:
        explicit Forwarding(CommunicatorState& state) : state_(state) { state_.forwarding_ = true; }
        Forwarding(const Forwarding&) = delete;
        Forwarding& operator=(const Forwarding&) = delete;
        ~Forwarding() { state_.forwarding_ = false; }

    private:
        CommunicatorState& state_;
    };
    bool is_forwarding() const { return forwarding_; }

    /// A call that an engine serves: its memory is free again at the end; where an error left messages under
    /// way, which may still write to it, it is left alone.
    class Running {
    public:
        Running(CommunicatorState& state, Planned& planned) : state_(state), planned_(planned) {
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
                state_.arena_.abandon();
            } else {
                state_.arena_.reset();
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
        bool succeeded_ = false;
    };

private:
    struct LevelSet {
        std::vector<std::string> components;  // by level; empty for a named algorithm
        int key = -1;
        std::unique_ptr<LevelCommunicators> communicators;
    };

    bool left_messages() const;
    void set_up();
    void prepare();
    void forward_all(ForwardReason reason);
    void tell_aside(ForwardReason reason) const;
    void classify_roots();
    void decide(Collective op);
    bool may_want(algorithms::Engine engine) const;
    bool is_open(Collective op) const;
    bool may_compose(Collective op) const;
    algorithms::Overrides wishes(const algorithms::Operation& operation, bool delegate,
                                 std::vector<std::string>& passed_over) const;
    template <class Links, class Make>
    const Routes<Links>& routes(Planned& planned, int root, Make&& make);
    void delegate_if_it_pays(Planned& planned, const algorithms::Operation& operation);
    void give_up_levels(Collective op, const LevelCommunicators::Outcome& outcome, bool asked_for);
    LevelSet* level_set(const algorithms::Plan& plan, int root);
    LevelSet* make_level_set(const algorithms::Plan& plan, int root, LevelCommunicators::Outcome& outcome);
    algorithms::Plan make_plan(algorithms::Operation operation, bool delegate) const;
    std::optional<algorithms::Delegation> weigh_delegation(algorithms::Operation operation,
                                                           const algorithms::Plan& plan) const;
    algorithms::PlanListing choices() const;
    void explain(const algorithms::Operation& operation, const algorithms::Plan& plan) const;
    int root_class(Collective op, int root) const {
        const auto& classes = algorithms::traits_of(op).up ? receiving_class_ : root_class_;
        return classes[static_cast<std::size_t>(root)];
    }

    ompi_communicator_t* comm_;
    const Settings& job_;
    std::unique_ptr<OwnSettings> own_;
    const CommunicatorSettings& settings_;  // of the job, or own ones
    const bool may_have_info_;
    bool fresh_ = true;
    bool agreed_ = false;  // known once no longer fresh
    bool unsettled_ = false;
    std::optional<bool> alike_;                      // the info keys; empty: not compared
    std::vector<topology::LocalityRecord> records_;  // until the hierarchy is made of them
    bool forwarding_ = false;
    bool consecutive_groups_ = false;
    std::array<std::optional<ForwardReason>, collective_count> forwarded_because_;  // empty: served
    topology::Hierarchy hierarchy_;
    topology::CardLanes lanes_;         // made only where a parameter asks for the lanes engine
    std::vector<int> root_class_;       // rank -> the rank whose plan serves it
    std::vector<int> receiving_class_;  // the same; those with a receiver apart
    std::array<std::vector<algorithms::Rule>, collective_count> rules_;   // those for so many ranks
    std::array<std::vector<std::size_t>, collective_count> byte_bounds_;  // of the rules
    std::array<bool, collective_count> levels_given_up_{};
    // By collective, root class, size class and the bounds between which a size lies.
    std::unordered_map<std::uint64_t, Planned> plans_;
    std::deque<LevelSet> level_sets_;
    PmlTransport transport_;
    algorithms::Arena arena_;
};

}  // namespace strata::component
