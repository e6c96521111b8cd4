// Tests the agreement on serving a communicator: every rank gets the same outcome, whichever rank differs
// or fails, and exactly one rank is the reporter. When a message of an agreement fails, no rank waits.
//
//   agrees
#include "component/agreement/agreement_rounds.h"  // Open MPI's own headers come before mpi.h

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <memory>

#include "check.h"
#include "no_proposal.h"

using namespace strata::testing;
using namespace strata::component;

namespace {

strata::algorithms::Task exchange_once(SetUp& set_up, MinAllreduce& all, std::span<std::uint64_t> words) {
    co_return co_await all.exchange(set_up, words);
}
int exchange_words(MinAllreduce& all, std::span<std::uint64_t> words) {
    SetUps all_set_ups;
    SetUp set_up(all_set_ups);
    return set_up.wait_for(exchange_once(set_up, all, words));
}

class Test {
public:
    Test(Session& session, MinAllreduce::NodeOf node_of, int limit_ranks, int limit_nodes)
        : session_(session) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
        all_ = std::make_unique<MinAllreduce>(comm_, node_of, limit_ranks, limit_nodes);
    }
    ~Test() { MPI_Comm_free(&comm_); }
    Test(const Test&) = delete;
    Test& operator=(const Test&) = delete;

    /// The minimum may come from any rank, in any word.
    void minima() {
        const int ranks = session_.size();
        for (int least = 0; least < ranks; ++least) {
            session_.at("rank %d has the minimum", least);
            std::array<std::uint64_t, MinAllreduce::most_words> words{};
            for (std::size_t i = 0; i < words.size(); ++i) {
                const auto away = static_cast<std::uint64_t>((session_.rank() - least + ranks) % ranks);
                words[i] = (away << 40) + i;
            }
            session_.expect(exchange_words(*all_, words) == MPI_SUCCESS, "an error");
            for (std::size_t i = 0; i < words.size(); ++i) {
                session_.expect(words[i] == i + (session_.sabotages("minimum") ? 1 : 0), "a wrong minimum");
            }
        }
    }

    /// All ranks agree; then one rank has another value or fails.
    void verdicts() {
        const auto together = agreed([](int) { return Proposal{7, 9, Failure::none, true}; });
        session_.expect(!together.against, "no rank differs");
        session_.expect(together.hands_back, "all may release slots");
        for (const std::uint64_t extreme : {std::uint64_t{0}, std::numeric_limits<std::uint64_t>::max()}) {
            session_.expect(!agreed([&](int) {
                                 return Proposal{extreme, extreme, Failure::none};
                             }).against,
                            "no rank differs");
        }
        for (int odd = 0; odd < session_.size(); ++odd) {
            session_.at("rank %d differs", odd);
            const auto is_odd = [odd](int rank) { return std::uint64_t{rank == odd}; };
            const auto keys = agreed([&](int rank) { return Proposal{7 - is_odd(rank), 9, Failure::none}; });
            session_.expect(keys.against == ForwardReason::settings, "different info keys are not detected");
            const auto facts = agreed([&](int rank) { return Proposal{7, 9 + is_odd(rank), Failure::none}; });
            session_.expect(facts.against == ForwardReason::plans, "different plans are not detected");
            const auto keeper = agreed([&](int rank) { return Proposal{7, 9, Failure::none, rank != odd}; });
            session_.expect(!keeper.against && !keeper.hands_back,
                            "a rank that keeps its slots is not detected");
            const auto failure = agreed([&](int rank) {
                return is_odd(rank) != 0 ? Proposal{1, 2, Failure::memory} : Proposal{7, 9, Failure::none};
            });
            session_.expect(failure.against == ForwardReason::failure, "a failure is not detected");
            session_.expect(failure.failed_rank == odd && failure.failure == Failure::memory,
                            "the outcome names the wrong failed rank");
            session_.expect(failure.reporter == (session_.rank() == (odd == 0 ? 1 : 0)),
                            "the reporter is not the lowest rank without a failure");
        }
    }

    /// Several ranks fail: the outcome names the lowest. If all fail, the lowest rank is itself the
    /// reporter.
    void many_failures() {
        const auto most = agreed([](int rank) {
            return Proposal{7, 9, rank == 1 ? Failure::none : Failure::other};
        });
        session_.expect(most.failed_rank == 0 && most.failure == Failure::other,
                        "the outcome does not name the lowest rank");
        session_.expect(most.reporter == (session_.rank() == 1), "a failed rank is the reporter");
        const auto all = agreed([](int) { return Proposal{7, 9, Failure::memory}; });
        session_.expect(all.against == ForwardReason::failure && all.failed_rank == 0,
                        "the outcome does not name the lowest rank");
        session_.expect(all.reporter == (session_.rank() == 0), "the reporter is not the lowest rank");
    }

private:
    Outcome agreed(const std::function<Proposal(int)>& proposal_of) {
        const Proposal proposal = proposal_of(session_.rank());
        Outcome outcome;
        SetUps all_set_ups;
        SetUp set_up(all_set_ups);
        const int rc = set_up.wait_for(agree(set_up, *all_, session_.rank(), proposal, outcome));
        session_.expect(rc == MPI_SUCCESS, "an error");
        const auto code = static_cast<std::int64_t>(outcome.against.value_or(ForwardReason::count));
        session_.expect(session_.agree(code) == code, "outcomes differ");
        return outcome;
    }

    Session& session_;
    MPI_Comm comm_ = MPI_COMM_NULL;
    std::unique_ptr<MinAllreduce> all_;
};

/// `victim` receives from `sender` a message that is not a proposal: it gets an error in this agreement and
/// in the next one, and no rank waits. Ranks without an error know the minimum. Returns the number of ranks
/// with an error; 0 if the victim receives nothing from the sender.
std::uint64_t failing_message(Session& session, MinAllreduce::NodeOf node_of, int victim, int sender) {
    session.at("rank %d receives from rank %d no proposal", victim, sender);
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    auto all = std::make_unique<MinAllreduce>(comm, node_of);
    if (session.rank() == sender) {
        send_no_proposal(comm, victim);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    std::array<int, 2> results{};
    for (int& rc : results) {
        auto word = static_cast<std::uint64_t>(session.size() - session.rank());
        rc = exchange_words(*all, {&word, 1});
        session.expect(rc != MPI_SUCCESS || word == 1, "neither an error nor the least");
    }
    const bool failed = results.front() != MPI_SUCCESS;
    const bool here = session.rank() == victim;
    session.expect(!here || results.front() == results.back(), "the second agreement returns another code");
    const bool received = session.total(here && failed ? 1 : 0) > 0;
    const std::uint64_t errors = session.total(failed ? 1 : 0);
    session.expect(received || errors == 0, "an error without a cause");
    if (here && !received) {
        receive_no_proposal(comm, sender);
    }
    MPI_Comm_free(&comm);
    return errors;
}

/// Any message of an agreement may fail. Within one node all ranks see an error at the lowest rank, because
/// it sends last.
void failing_messages(Session& session, MinAllreduce::NodeOf node_of, bool one_node) {
    std::uint64_t failures = 0;
    for (int victim = 0; victim < session.size(); ++victim) {
        for (int sender = 0; sender < session.size(); ++sender) {
            if (victim == sender) {
                continue;
            }
            const std::uint64_t errors = failing_message(session, node_of, victim, sender);
            failures += errors > 0 ? 1 : 0;
            const bool all = errors == static_cast<std::uint64_t>(session.size());
            const bool some_know = errors > 0 && (!all || session.sabotages("marks"));
            session.expect(!(one_node && victim == 0 && some_know), "not all ranks see the error");
        }
    }
    session.expect(failures + 1 >= static_cast<std::uint64_t>(session.size()), "too few messages failed");
}

struct Nodes {
    const char* name;
    MinAllreduce::NodeOf node_of;
    int limit_ranks = MinAllreduce::most_grouped_ranks;
    int limit_nodes = MinAllreduce::most_nodes;
};
constexpr Nodes kinds_of_nodes[] = {
    {"one node", [](ompi_communicator_t*, int) { return std::uint64_t{5}; }},
    {"a rank per node", [](ompi_communicator_t*, int rank) { return static_cast<std::uint64_t>(rank); }},
    {"block order",
     [](ompi_communicator_t*, int rank) { return static_cast<std::uint64_t>(100 - rank / 3); }},
    {"round robin", [](ompi_communicator_t*, int rank) { return static_cast<std::uint64_t>(rank % 3); }},
    {"too many ranks", [](ompi_communicator_t*, int) { return std::uint64_t{5}; }, 1},
    {"too many nodes", [](ompi_communicator_t*, int rank) { return static_cast<std::uint64_t>(rank % 2); },
     MinAllreduce::most_grouped_ranks, 1},
    {"unequal nodes", [](ompi_communicator_t*, int rank) { return std::uint64_t{rank % 5 == 1}; }},
};

}  // namespace

int main(int argc, char** argv) {
    Session session(argc, argv);
    session.reject_other_arguments();
    for (const Nodes& nodes : kinds_of_nodes) {
        session.at("%s", nodes.name);
        Test test(session, nodes.node_of, nodes.limit_ranks, nodes.limit_nodes);
        test.minima();
        test.verdicts();
        test.many_failures();
        constexpr int enough_ranks = 8;
        if (nodes.limit_ranks > 1 && nodes.limit_nodes > 1 && session.size() <= enough_ranks) {
            failing_messages(session, nodes.node_of, &nodes == &kinds_of_nodes[0]);
        }
    }
    return session.finish();
}
