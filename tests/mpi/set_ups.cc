// Set-ups are tasks: a rank may start one before the others do, set-ups of one communicator run one after the
// other, and each rank may start those of two communicators in its own order. No combination deadlocks.
//
//   set_ups
#include "component/levels/level_communicators.h"  // Open MPI's own headers come before mpi.h

#include "component/agreement/agreement_rounds.h"
#include "component/agreement/introduction.h"

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "check.h"
#include "plans.h"

using namespace strata::testing;
using namespace strata::component;
using strata::algorithms::Task;

namespace {

/// A communicator over nodes of two ranks, and the level communicators that its set-ups make.
struct Parent {
    explicit Parent(Session& session)
        : hierarchy(make_hierarchy(leaf_switch, {{node_level, blocks(session.size(), 2)}}, session.size())),
          plan(uniform(hierarchy, strata::algorithms::Algorithm::binomial, 0)) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        all = std::make_unique<MinAllreduce>(
            comm, [](ompi_communicator_t*, int rank) { return static_cast<std::uint64_t>(rank / 2); });
    }
    Parent(const Parent&) = delete;
    Parent& operator=(const Parent&) = delete;
    ~Parent() {
        levels.clear();
        MPI_Comm_free(&comm);
    }

    MPI_Comm comm = MPI_COMM_NULL;
    strata::topology::Hierarchy hierarchy;
    strata::algorithms::Plan plan;
    std::unique_ptr<MinAllreduce> all;
    SetUps set_ups;
    std::vector<std::unique_ptr<LevelCommunicators>> levels;
};

/// Runs everything that the first call on a communicator may need.
Task set_up_all(SetUp& set_up, Session& session, Parent& parent, std::uint64_t facts) {
    Outcome agreement;
    int rc = co_await agree(set_up, *parent.all, session.rank(), {1, facts, Failure::none}, agreement);
    session.expect(rc == MPI_SUCCESS && !agreement.against, "an agreement failed");
    bool equal = false;
    rc = co_await compare_plan(set_up, *parent.all, facts + 1, equal);
    session.expect(rc == MPI_SUCCESS && equal, "a plan is not equal");
    rc = co_await report_plan_change(set_up, *parent.all, parent.comm, facts, "a plan");
    session.expect(rc == MPI_SUCCESS, "a plan change is not reported");
    std::unique_ptr<LevelCommunicators> made;
    LevelCommunicators::Outcome outcome;
    rc = co_await LevelCommunicators::make(set_up, parent.comm, *parent.all, parent.hierarchy, parent.plan, 0,
                                           true, made, outcome);
    session.expect(rc == MPI_SUCCESS && outcome.agreed, "no communicators");
    rc = co_await made->admit(set_up, *parent.all, session.rank(), Collective::bcast, true, outcome);
    session.expect(rc == MPI_SUCCESS && outcome.agreed, "a collective is not served");
    parent.levels.push_back(std::move(made));
    session.expect(set_up.frames().held() == 0, "tasks allocate memory");
    co_return rc;
}

/// Checks that the communicators are complete: each runs a Barrier.
void use(const Parent& parent) {
    for (const auto& made : parent.levels) {
        for (int level = 0; level < made->levels(); ++level) {
            if (made->at(level).comm != nullptr) MPI_Barrier(made->at(level).comm);
        }
    }
}

struct Job {
    Parent* parent;
    std::uint64_t facts;
};

/// Starts the set-ups of jobs in this order, then progresses all, the last one first, until they are done.
void run(Session& session, const std::vector<Job>& jobs) {
    std::vector<std::unique_ptr<SetUp>> set_ups;
    for (const Job& job : jobs) {
        SetUp& set_up = *set_ups.emplace_back(std::make_unique<SetUp>(job.parent->set_ups));
        set_up.start(set_up_all(set_up, session, *job.parent, job.facts));
    }
    while (!set_ups.empty()) {
        opal_progress();
        for (auto set_up = set_ups.rbegin(); set_up != set_ups.rend(); ++set_up) (*set_up)->progress();
        std::erase_if(set_ups, [](const auto& set_up) { return set_up->done(); });
    }
}

/// Rank 0 starts a set-up before the others.
void start_alone(Session& session) {
    session.at("starting alone");
    Parent parent(session);
    SetUp set_up(parent.set_ups);
    const auto begin = [&] { set_up.start(set_up_all(set_up, session, parent, 3)); };
    if (session.rank() == 0) begin();
    session.expect(session.rank() != 0 || !set_up.done(), "a set-up ended alone");
    session.agree(0);
    if (session.rank() != 0) begin();
    while (!set_up.done()) {
        opal_progress();
        set_up.progress();
    }
    use(parent);
}

void two_of_one(Session& session) {
    session.at("two set-ups of one communicator");
    Parent parent(session);
    const std::uint64_t second = session.sabotages("order") ? 5 : 7;
    run(session, {{&parent, 5}, {&parent, second}, {&parent, 9}});
    session.expect(parent.levels.size() == 3, "not all have been made");
    use(parent);
}

/// A rank waits for its second set-up; nothing else lets the first one progress.
void wait_behind_another(Session& session) {
    session.at("waiting for a second set-up");
    Parent parent(session);
    SetUp first(parent.set_ups);
    first.start(set_up_all(first, session, parent, 5));
    SetUp second(parent.set_ups);
    second.wait_for(set_up_all(second, session, parent, 7));
    session.expect(first.done() && parent.levels.size() == 2, "the first one has not ended before");
    use(parent);
}

void two_communicators(Session& session) {
    session.at("set-ups of two communicators");
    Parent first(session);
    Parent second(session);
    std::vector<Job> jobs{{&first, 5}, {&second, 7}};
    if (session.rank() % 2 == 1) std::swap(jobs.front(), jobs.back());
    run(session, jobs);
    use(first);
    use(second);
}

/// Repeats the comparison of records that MPI_Init has made.
void introduce(Session& session) {
    session.at("comparing records");
    constexpr const char* key = "coll.strata.record";
    std::vector<std::byte> own;
    session.expect(compat::lookup(compat::own_name(), key, own) == compat::Lookup::found, "no record");
    SetUps all;
    SetUp set_up(all);
    Introduction introduction(set_up, MPI_COMM_WORLD, key, own);
    PeerTable table;
    std::mutex mutex;
    std::optional<ForwardReason> difference;
    set_up.wait_with_pauses(introduction.run(table, mutex, difference), MPI_COMM_WORLD);
    session.expect(!difference, "the records differ");
    session.expect(table.has(compat::own_name().vpid), "the own record is missing");
    session.expect(set_up.frames().held() == 0, "the comparison's tasks allocate memory");
}

}  // namespace

int main(int argc, char** argv) {
    Session session(argc, argv);
    session.reject_other_arguments();
    introduce(session);
    start_alone(session);
    two_of_one(session);
    wait_behind_another(session);
    two_communicators(session);
    return session.finish();
}
