#include "component/communicator/communicator_state.h"

#include <algorithm>
#include <utility>

#include "algorithms/base/plan_hash.h"
#include "algorithms/planning/node_choice.h"
#include "component/agreement/agreement.h"
#include "component/agreement/election_settings.h"
#include "component/base/cancellation.h"
#include "component/communicator/plan_tables.h"
#include "component/openmpi/messages.h"
#include "component/report/dump.h"
#include "component/report/reports.h"
#include "component/report/setup_meter.h"
#include "topology/default_arithmetic.h"
#include "topology/fact_hash.h"

namespace strata::component {
CommunicatorState::CommunicatorState(ompi_communicator_t* comm, const Settings& job,
                                     std::unique_ptr<OwnSettings> own) noexcept
    : comm_(comm),
      job_(job),
      own_(std::move(own)),
      settings_(own_ != nullptr ? own_->settings : static_cast<const CommunicatorSettings&>(job)),
      lazy_setup_(job),
      least_(comm, known_node_of),
      transports_(comm, own_counters_) {
    // When a process dies, no rank revokes the levels' communicators, and their members would wait forever.
    levels_given_up_.fill(job_.survives_failures);
    boards_given_up_ = !job_.shares_memory;
    if (reports_usage(job_)) {
        try_to([this] { usage_ = std::make_unique<CallUsage>(settings_.rules_file); });
    }
}

CommunicatorState::~CommunicatorState() {
    if (usage_ != nullptr) {
        const topology::DefaultArithmetic arithmetic;
        try_to([this] { job_usage().add(usage_->summary(own_counters_, memory(), lower_bounds())); });
    }
}

/// Passes every call through from now on.
void CommunicatorState::forward_all(ForwardReason reason) {
    passed_.pass_all(reason);
    fresh_ = false;
    report_all_passed(reason);
    passed_.decide(usage_ != nullptr);
}

void CommunicatorState::note_passed(const Request& request, ForwardReason reason) {
    const algorithms::SizeClass sizes = algorithms::size_class(request.operation.bytes);
    if (usage_ == nullptr && !request.ordered && request.fits_board &&
        planner().is_whole(request.operation.collective, sizes)) {
        passed_.note(request, reason);
    }
}

void CommunicatorState::set_up() noexcept {
    const HoldCancellation hold;
    SetUp own(set_ups_);
    own.wait_with_pauses(set_up(own), comm_);
}

algorithms::Task CommunicatorState::set_up(SetUp& own) {
    if (!fresh_) {
        co_return OMPI_SUCCESS;
    }
    const SetupMeter meter(own_counters_);
    if (usage_ != nullptr) {
        try_to([this] { usage_->introduce(compat::name_of(comm_), ompi_comm_size(comm_)); });
    }
    std::optional<ForwardReason> difference;
    co_await find_difference(own, comm_, difference);
    if (difference) {
        forward_all(*difference);
        co_return OMPI_SUCCESS;
    }
    agreed_ = true;
    unsettled_ = true;
    fresh_ = false;
    co_return OMPI_SUCCESS;
}

bool CommunicatorState::precedes_setup(const Request& request) noexcept {
    if (!lazy_setup_.take(request)) {
        return false;
    }
    if (wants_dump(job_)) {
        // The user gets the picture even if no communicator is ever set up.
        try_to([this] {
            {
                const SetupMeter meter(own_counters_);
                const topology::DefaultArithmetic arithmetic;
                prepare();
            }
            dump_hierarchy(comm_, job_, hierarchy(), records_, [this] { return choices(); });
        });
    }
    return true;
}

int CommunicatorState::agree_with_members(const Request& first, bool hands_back) {
    return wait_for([&](SetUp& own) { return agree_with_members(own, first, hands_back); });
}

algorithms::Task CommunicatorState::agree_with_members(SetUp& set_up, const Request& first, bool hands_back) {
    if (agreement_error_ != OMPI_SUCCESS || !unsettled_) {
        co_return agreement_error_;
    }
    Proposal proposal;
    Outcome outcome;
    {
        const SetupMeter meter(own_counters_);
        proposal = make_proposal(first);
        // A rank that notes every call keeps all slots, so no rank may hand back.
        proposal.hands_back = hands_back && job_.hand_back && usage_ == nullptr;
        agreement_error_ = OMPI_ERROR;  // of a thread that is unwound meanwhile
        agreement_error_ = co_await agree(set_up, least_, ompi_comm_rank(comm_), proposal, outcome);
    }
    if (agreement_error_ != OMPI_SUCCESS) {
        passed_.pass_none();  // every call is to get the error
        co_return agreement_error_;
    }
    unsettled_ = false;
    hands_back_ = outcome.hands_back;
    if (node_memory_ != nullptr) {
        node_memory_->take(outcome.boards);
    }
    if (!outcome.against) {
        announce();
        co_return OMPI_SUCCESS;
    }
    agreed_ = false;
    records_ = {};
    node_memory_.reset();
    forget_plans();
    forward_all(*outcome.against);
    co_return co_await report_outcome(set_up, least_, comm_, own_.get(), proposal, outcome);
}

/// Never fails: a local failure becomes part of the proposal.
Proposal CommunicatorState::make_proposal(const Request& first) noexcept {
    const HoldCancellation hold;
    const topology::DefaultArithmetic arithmetic;
    Proposal proposal;
    proposal.keys = own_ != nullptr ? own_->hash : 0;
    if (failure_ == Failure::none) {
        try {
            prepare();
            for (int op = 0; op < collective_count; ++op) {
                decide(static_cast<Collective>(op));
            }
            if (wants_boards()) {
                node_memory_ = std::make_unique<NodeMemory>(comm_, polls_of_boards());
                proposal.boards = node_memory_->offer();
            }
            proposal.facts = hash_facts(first);
        } catch (const std::bad_alloc&) {
            failure_ = Failure::memory;
        } catch (...) {
            failure_ = Failure::other;
        }
    }
    proposal.failure = failure_;
    return proposal;
}

/// Builds hierarchy, rails and plan table from the records and the settings.
void CommunicatorState::prepare() {
    forget_plans();
    records_ = records_of(comm_);
    const topology::Election election = election_settings_of(comm_, job_, settings_);
    topology::Hierarchy built = topology::build_hierarchy(records_, {settings_.hierarchy, election});
    topology::NicRails nics;
    if (settings_.may_want(algorithms::Engine::rails, built.ranks())) {
        nics = topology::nic_rails(built, records_, election);
    }
    const int rails = std::max(1, nics.count());
    auto plan_table = own_ != nullptr ? make_plans(std::move(built), settings_, rails)
                                      : shared_plans(std::move(built), job_, rails);
    plans_.adopt(std::move(plan_table), std::move(nics), ompi_comm_rank(comm_));
}

/// Also makes the first plan and its edges, so that a rank without memory for them fails before the
/// agreement.
std::uint64_t CommunicatorState::hash_facts(const Request& first) {
    topology::FactHash hash;
    hash.add(topology::hash_of(hierarchy())).add(predicted_mask_);
    for (const topology::Hierarchy& rail : plans_.rails().trees) {
        hash.add(topology::hash_of(rail));
    }
    hash.add(plans_.rails().of_rank);
    passed_.add_to(hash);
    if (!against(first)) {
        const algorithms::Operation operation = operation_of(first);
        PlanInUse& planned = plan(operation);
        if (!job_.check_plans) {  // else agreed_plan() compares it and reports the difference
            hash.add(algorithms::hash_of(*planned.plan));  // without the size: a wrong call's may differ
        }
        if (planned.plan->engine != algorithms::Engine::levels &&
            planned.plan->engine != algorithms::Engine::forward) {
            RunningCall call(transports_, routing(), planned, operation, {});
            algorithms::prepare_call(call.performer(), operation);
            call.end(OMPI_SUCCESS);
        }
    }
    return hash.value();
}

/// Reports and dumps, after the agreement to serve the communicator.
void CommunicatorState::announce() noexcept {
    const HoldCancellation hold;
    report_nics(comm_, job_, records_);
    report_network_names(comm_, job_, records_);
    report_network(comm_, records_);
    report_links(comm_, settings_, hierarchy());
    if (job_.survives_failures && settings_.may_want_components(hierarchy().ranks())) {
        report_no_components(comm_);
    }
    try_to([this] { dump_hierarchy(comm_, job_, hierarchy(), records_, [this] { return choices(); }); });
    if (passed_.all_are_passed(ForwardReason::no_hierarchy)) {
        report_all_passed(ForwardReason::no_hierarchy);
    }
    records_ = {};
    passed_.decide(usage_ != nullptr);
    try_to([&] {
        report_passed_collectives();
        report_absent_levels();
        report_agreement();
    });
}

std::optional<ForwardReason> CommunicatorState::against(const Request& request) const {
    const auto& reason = passed_.because(request.operation.collective);
    if (!reason && request.ordered && !plans_.consecutive_groups()) {
        return ForwardReason::order;
    }
    return reason;
}

algorithms::Operation CommunicatorState::operation_of(const Request& request) const {
    algorithms::Operation operation = request.operation;
    if (operation.root == no_root) {
        operation.root = planner().tree_root(operation.rank_order);
    }
    operation.on_boards = request.fits_board && !boards_given_up_;
    return operation;
}

/// Returns true if the model decides everything about a collective.
bool CommunicatorState::is_open(Collective op) const {
    const bool keeps_order = settings_.reproducible && algorithms::traits_of(op).combines;
    return planner().is_open(op) && !keeps_order;
}

/// Returns true if the model may choose the node engine for a collective at some size.
bool CommunicatorState::may_choose_node(Collective op) const {
    return !boards_given_up_ && settings_.of(op).segments.empty() &&
           algorithms::served_by_node_from(hierarchy(), op);
}

/// Decides which collectives pass through for every call.
void CommunicatorState::decide(Collective op) {
    if (settings_.of(op).engine == algorithms::Engine::forward || !settings_.enabled(op)) {
        passed_.pass(op, ForwardReason::chosen);
    } else if (!is_open(op) || may_choose_node(op)) {
        return;
    } else if (hierarchy().groups.size() == 1) {
        passed_.pass(op, ForwardReason::no_hierarchy);
    } else {
        passed_.leave(op, planner().passed_at_every_size(op));
    }
}

std::size_t CommunicatorState::memory() const { return sizeof(*this) + plans_.memory(); }

/// Called on every rank when communicators for the levels could not be made or do not serve a collective.
/// From then on the planner chooses this collective's methods. The state changes before the report, which may
/// fail.
void CommunicatorState::give_up_levels(Collective op, const LevelCommunicators::Outcome& outcome,
                                       bool asked_for) {
    levels_given_up_[static_cast<std::size_t>(op)] = true;
    forget_plans();
    if (outcome.reporter && asked_for) {
        report_unusable_methods(comm_, outcome.why);
    }
}

/// Returns true if calls are likely to need boards, so that the agreement prepares them.
bool CommunicatorState::wants_boards() const {
    for (int op = 0; op < collective_count; ++op) {
        const auto collective = static_cast<Collective>(op);
        const bool asked = settings_.of(collective).engine == algorithms::Engine::node;
        const bool chosen = is_open(collective) && may_choose_node(collective);
        if (!passed_.because(collective) && (asked || chosen)) return true;
    }
    return false;
}

int CommunicatorState::polls_of_boards() const {
    return hierarchy().oversubscription > 1 ? 1 : algorithms::Boards::Waiting{}.polls;
}

int CommunicatorState::make_boards() {
    const SetupMeter meter(own_counters_);
    const int rc = wait_for([&](SetUp& own) -> algorithms::Task {
        return NodeMemory::make(own, comm_, least_, polls_of_boards(), node_memory_);
    });
    if (rc == OMPI_SUCCESS && node_memory_ == nullptr) {
        boards_given_up_ = true;
        forget_plans();
    }
    return rc;
}

int CommunicatorState::level_communicators(const algorithms::Operation& operation,
                                           const algorithms::Plan& plan, AimedLevels& found) {
    LevelCommunicators* const communicators = levels_.find(hierarchy(), plan, operation.root);
    if (communicators == nullptr || !communicators->admits(operation.collective)) {
        return wait_for([&](SetUp& own) { return level_communicators(own, operation, plan, found); });
    }
    found = {communicators, communicators->aim(hierarchy(), ompi_comm_rank(comm_), operation.root)};
    return found.aim != nullptr ? OMPI_SUCCESS : OMPI_ERR_OUT_OF_RESOURCE;
}

algorithms::Task CommunicatorState::level_communicators(SetUp& set_up, const algorithms::Operation& operation,
                                                        const algorithms::Plan& plan, AimedLevels& found) {
    const int root = operation.root;
    const bool asked_for = plan.engine_source.origin != algorithms::Origin::model ||
                           std::any_of(plan.sources.begin(), plan.sources.end(), [](const auto& level) {
                               return level.method.origin != algorithms::Origin::model;
                           });
    LevelCommunicators::Outcome outcome;
    LevelCommunicators* communicators = levels_.find(hierarchy(), plan, root);
    if (communicators == nullptr) {
        const SetupMeter meter(own_counters_);
        const int rc =
            co_await levels_.make(set_up, comm_, least_, hierarchy(), plan, root, communicators, outcome);
        if (rc != OMPI_SUCCESS) {
            co_return rc;
        }
        if (communicators == nullptr) {
            give_up_levels(operation.collective, outcome, asked_for);
            co_return OMPI_SUCCESS;
        }
    }
    const int rank = ompi_comm_rank(comm_);
    const auto aim = communicators->aim(hierarchy(), rank, root);
    outcome = {};
    const int rc =
        co_await communicators->admit(set_up, least_, rank, operation.collective, aim != nullptr, outcome);
    if (rc == OMPI_SUCCESS && !outcome.agreed) {
        give_up_levels(operation.collective, outcome, asked_for);
        co_return OMPI_SUCCESS;
    }
    found = {communicators, aim};
    if (rc == OMPI_SUCCESS && aim == nullptr) {
        co_return OMPI_ERR_OUT_OF_RESOURCE;
    }
    co_return rc;
}

}  // namespace strata::component
