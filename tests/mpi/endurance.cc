// Tests long runs: memory, time per step and other resources of a process do not grow, and every result is
// right.
//
//   endurance --what communicators|orders|calls|threads|trees|kept [--count N] [--threads N] [--flat-time]
//             [--served PERCENT]
//
// A step: `communicators` creates one (in turns a copy of world, a half, world in another order), uses it
// and frees it; `orders` does the same with another rank order every time; `calls` makes one collective
// call of 8 B to 256 KiB, mostly short; `threads` makes one call in each of N threads on its own
// communicator; `trees` creates copies of copies, three of each, and frees them in several orders; `kept`
// creates one, uses it and never frees it: memory grows by the same amount with each. Rank 0 prints a line
// per tenth: microseconds per step on the slowest rank, and the holdings of the rank that has the most: see
// holdings.h. --flat-time: also checks time; for a quiet machine. --served: the percentage of calls that
// the plugin must serve. The watchdog limits a tenth.
#include <algorithm>
#include <functional>
#include <string_view>
#include <thread>
#include <vector>

#include "check.h"
#include "communicators.h"
#include "endurance_calls.h"
#include "endurance_run.h"

using namespace strata::testing;

namespace {

// Multiples of seven, because seven operations take turns. On one communicator a soak's tenth makes every
// one; the plans of three communicators at a time fit in the cache of freed communicators.
constexpr std::uint64_t many_calls = 7 * 4096;
constexpr std::uint64_t few_calls = 7 * 128;

using Step = std::function<std::uint64_t(std::uint64_t)>;  // of a number, returns how many calls it made

/// Calls on a single rank do not count: no component serves them.
std::uint64_t use(Calls& calls, MPI_Comm comm, std::uint64_t number) {
    constexpr std::uint64_t each = 3;
    calls.use(comm);
    for (std::uint64_t i = 0; i < each; ++i) calls.one(each * number + i);
    return calls.size() > 1 ? each : 0;
}

MPI_Comm make(const Session& session, std::uint64_t number) {
    MPI_Comm comm = MPI_COMM_NULL;
    // Halves of two ranks have one member and exchange no messages.
    const int parts = session.size() == 2 ? 1 : 2;
    switch (number % 3) {
        case 0: MPI_Comm_dup(MPI_COMM_WORLD, &comm); break;
        case 1: MPI_Comm_split(MPI_COMM_WORLD, session.rank() % parts, session.rank(), &comm); break;
        default: MPI_Comm_split(MPI_COMM_WORLD, 0, -session.rank(), &comm);
    }
    return comm;
}

std::uint64_t make_and_free(Session& session, Calls& calls, std::uint64_t number) {
    MPI_Comm comm = make(session, number);
    const std::uint64_t made = use(calls, comm, number);
    MPI_Comm_free(&comm);
    return made;
}

std::uint64_t in_another_order(Session& session, Calls& calls, std::uint64_t number) {
    const auto place = static_cast<int>(mix(session.seed(), number, session.rank()) >> 40U);
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, 0, place, &comm);
    const std::uint64_t made = use(calls, comm, number);
    MPI_Comm_free(&comm);
    return made;
}

/// Thirteen copies in three generations. Frees parents first, children first, or in random order, and uses
/// one copy after some are freed.
std::uint64_t grow_tree(Session& session, Calls& calls, std::uint64_t number) {
    constexpr std::size_t children = 3;
    constexpr std::size_t members = 1 + children + children * children;
    std::vector<MPI_Comm> copies(members, MPI_COMM_NULL);
    for (std::size_t i = 0; i < members; ++i) {
        MPI_Comm_dup(i == 0 ? MPI_COMM_WORLD : copies[(i - 1) / children], &copies[i]);
    }
    Random common(mix(session.seed(), number));  // the same on all ranks
    const auto any = [&](std::size_t from) {
        return copies[static_cast<std::size_t>(common.between(static_cast<std::int64_t>(from), members - 1))];
    };
    std::uint64_t made = use(calls, any(0), number);
    if (number % 3 == 1) std::reverse(copies.begin(), copies.end());
    if (number % 3 == 2) common.shuffle(copies);
    constexpr std::size_t gone = members / 2;
    for (std::size_t i = 0; i < gone; ++i) MPI_Comm_free(&copies[i]);
    made += use(calls, any(gone), number + 1);
    for (std::size_t i = gone; i < members; ++i) MPI_Comm_free(&copies[i]);
    return made;
}

/// One communicator per thread.
class Threads {
public:
    Threads(Session& session, int count) {
        for (int i = 0; i < count; ++i) {
            copies_.push_back(copy_of_world("of a thread"));
            calls_.emplace_back(session, copies_.back().comm, many_calls);
        }
    }
    std::uint64_t run(std::uint64_t first, std::uint64_t count) {
        // Threads interfere most while they start.
        constexpr std::uint64_t of_a_thread = 50;
        for (std::uint64_t done = 0; done < count; done += of_a_thread) {
            run_threads(first + done, std::min(of_a_thread, count - done));
        }
        return calls_.front().size() > 1 ? count * calls_.size() : 0;
    }

private:
    void run_threads(std::uint64_t first, std::uint64_t count) {
        std::vector<std::thread> all;
        for (Calls& mine : calls_) {
            all.emplace_back([&mine, first, count] {
                for (std::uint64_t i = first; i < first + count; ++i) mine.one(i);
            });
        }
        for (std::thread& one : all) one.join();
    }

    std::vector<NamedCommunicator> copies_;
    std::vector<Calls> calls_;
};

Step step_of(const std::string& what, Session& session, Calls& calls) {
    if (what == "communicators") return [&](std::uint64_t i) { return make_and_free(session, calls, i); };
    if (what == "orders") return [&](std::uint64_t i) { return in_another_order(session, calls, i); };
    if (what == "kept") return [&](std::uint64_t i) { return use(calls, make(session, i), i); };
    if (what == "trees") return [&](std::uint64_t i) { return grow_tree(session, calls, i); };
    return [&](std::uint64_t i) {
        calls.one(i);
        return static_cast<std::uint64_t>(calls.size() > 1 ? 1 : 0);
    };
}

void endure(Session& session, const std::string& what, std::int64_t count, int threads,
            const Wanted& wanted) {
    Run run(session, count, wanted);
    if (what == "threads") {
        Threads all(session, threads);
        run.measure([&](std::uint64_t first, std::uint64_t steps) { return all.run(first, steps); });
    } else {
        const NamedCommunicator copy = copy_of_world("for many calls");
        Calls calls(session, copy.comm, what == "calls" ? many_calls : few_calls);
        const Step step = step_of(what, session, calls);
        run.measure([&](std::uint64_t first, std::uint64_t steps) {
            std::uint64_t made = 0;
            for (std::uint64_t i = first; i < first + steps; ++i) made += step(i);
            return made;
        });
    }
    run.judge();
}

}  // namespace

int main(int argc, char** argv) {
    const bool several = std::find(argv, argv + argc, std::string_view("threads")) != argv + argc;
    Session session(argc, argv, several ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE);
    const std::string what = session.option("--what", "calls");
    const std::int64_t count = session.number("--count", 10'000);
    const auto threads = static_cast<int>(session.number("--threads", 8));
    const Wanted wanted{.flat_time = session.flag("--flat-time"),
                        .keeps = what == "kept",
                        .threads = what == "threads" ? threads : 1,
                        .served = session.number("--served", -1)};
    session.reject_other_arguments();
    endure(session, what, count, threads, wanted);
    return session.finish();
}
