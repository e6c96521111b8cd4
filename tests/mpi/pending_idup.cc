// Tests collectives on a communicator while MPI_Comm_idup copies it: the program starts the copy before
// them and completes it after them. The communicators that the plugin creates meanwhile must not interfere.
//
//   pending_idup [--rounds N] [--calls N]
//
// A round creates communicators and calls collectives; in one of the calls the plugin has to create
// communicators for the levels. The program starts a copy before some call; in some rounds every rank then
// sleeps or makes progress for a random time. In a third of the rounds some ranks complete the copy before
// the call and others after all calls; in another third it copies another communicator, and some ranks
// start it only after the call. At the end the program uses all communicators.
#include <chrono>
#include <thread>
#include <vector>

#include "check.h"
#include "communicators.h"
#include "plugin_counters.h"

using namespace strata::testing;

namespace {

/// Waits up to 400 us, in half of the cases with Open MPI's progress.
void pass_time(Random& own) {
    const std::chrono::microseconds length(own.between(0, 400));
    if (own.between(0, 1) == 0) {
        std::this_thread::sleep_for(length);
        return;
    }
    const auto end = std::chrono::steady_clock::now() + length;
    while (std::chrono::steady_clock::now() < end) {
        int found = 0;
        MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_SELF, &found, MPI_STATUS_IGNORE);
    }
}

void expect_works(Session& session, MPI_Comm comm) {
    const int mine = session.rank() + (session.sabotages("sum") ? 1 : 0);
    int sum = 0;
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm);
    session.expect(sum == session.size() * (session.size() - 1) / 2, "a wrong sum");
}

void gather_all(Session& session, MPI_Comm comm) {
    constexpr std::size_t block = 16;
    const std::vector<int> own(block, session.rank());
    std::vector<int> all(block * static_cast<std::size_t>(session.size()), -1);
    MPI_Allgather(own.data(), block, MPI_INT, all.data(), block, MPI_INT, comm);
    for (int rank = 0; rank < session.size(); ++rank) {
        session.expect(all[block * static_cast<std::size_t>(rank)] == rank, "a wrong block");
    }
}

/// Each rank decides alone, in turns, what to copy, whether the copy is complete before the call, and
/// whether it starts before it.
struct Order {
    bool of_another;  ///< copies another communicator than that of the calls
    bool waits;       ///< completes the copy before the call
    bool later;       ///< starts after the call; copies another communicator
};

Order order_of(std::uint64_t round, Random& own) {
    const auto kind = round / 2 % 3;
    const bool aside = own.between(0, 1) == 0;
    return {kind == 2, kind == 1 && aside, kind == 2 && aside};
}

void run_round(Session& session, std::uint64_t round, int calls) {
    Random own(mix(session.seed(), round, session.rank()));
    const auto moment = static_cast<int>(mix(session.seed(), round) % static_cast<std::uint64_t>(calls));
    const Order order = order_of(round, own);
    const NamedCommunicator other = copy_of_world("another");
    const NamedCommunicator parent = copy_of_world("copied");
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Request request = MPI_REQUEST_NULL;
    const auto begin = [&] { MPI_Comm_idup(order.of_another ? other.comm : parent.comm, &copy, &request); };
    for (int call = 0; call < calls; ++call) {
        if (call == moment && !order.later) begin();
        if (call == moment && order.waits) MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (call == moment && round % 4 < 2) pass_time(own);
        if (round % 2 == 0) {
            MPI_Barrier(parent.comm);
        } else {
            gather_all(session, parent.comm);
        }
        if (call == moment && order.later) begin();
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    expect_works(session, copy);
    expect_works(session, parent.comm);
    MPI_Comm_free(&copy);
}

}  // namespace

int main(int argc, char** argv) {
    Session session(argc, argv);
    const auto rounds = session.number("--rounds", 1000);
    const auto calls = static_cast<int>(session.number("--calls", 1));
    session.reject_other_arguments();
    {
        const PluginCounters counters(session);
        for (std::int64_t round = 0; round < rounds; ++round) {
            session.at("round %lld", static_cast<long long>(round));
            run_round(session, static_cast<std::uint64_t>(round), calls);
        }
        const std::uint64_t made = session.total(counters.read(session, "communicators"));
        session.expect(made >= static_cast<std::uint64_t>(rounds), "the plugin made no communicators");
    }
    return session.finish();
}
