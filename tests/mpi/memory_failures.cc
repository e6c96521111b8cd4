// Tests allocation failures on one rank, wherever C++ allocates in a collective: the call returns an error
// before it has sent anything; when the program repeats it, all ranks go on together, through every change
// of plan. With --scarce all allocations fail for the rest of the call, including those of failure
// handlers.
//
//   memory_failures [--collective NAME] [--calls N] [--items N] [--victim RANK]
//   [--points N] [--each] [--late] [--scarce | --of-open-mpi [--once]] [--expect ENGINE]
//
// --late: a plan must change on the way, that is, a call after the second one must allocate. --items: ints
// per block. --calls: per communicator. --points: most allocations to fail per call. --each: fails all, and
// each must have failed. --of-open-mpi: fails allocations of Open MPI's algorithms in passed-through calls
// (with --collective allreduce those before the first message). --once: after the last message: the program
// goes on without the call's result. --expect: the engine that serves the calls.
#include <algorithm>
#include <cstdio>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "check.h"
#include "communicators.h"
#include "failing_call.h"
#include "plugin_counters.h"

using namespace strata::testing;

namespace {

FailingMemory::How how = FailingMemory::How::once;
bool repeats = true;

struct Point {
    int call;
    long allocation;
};

/// Returns some of the allocations of every call.
std::vector<Point> points_of(const std::vector<long>& allocations, long most) {
    std::vector<Point> points;
    for (std::size_t call = 0; call < allocations.size(); ++call) {
        for (const long allocation : sample_of(allocations[call], most)) {
            points.push_back({static_cast<int>(call), allocation});
        }
    }
    return points;
}

MPI_Comm copy_of_world() {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    return comm;
}

/// Returns how many allocations each call of a new communicator makes on this rank.
std::vector<long> count_allocations(Session& session, FailingCall& call, int calls) {
    const NamedCommunicator copy("copy", copy_of_world());
    std::vector<long> allocations;
    for (int number = 0; number < calls; ++number) {
        failing_memory().set(-1, how);
        session.expect(call.run(copy.comm, number) == MPI_SUCCESS,
                       "a call failed without a failed allocation");
        allocations.push_back(failing_memory().asked());
    }
    return allocations;
}

/// Makes all calls of a new communicator; on the victim an allocation of one call fails. Returns whether
/// the call made this allocation.
bool run_with_failure(Session& session, FailingCall& call, int calls, const Point* point) {
    const NamedCommunicator copy("copy", copy_of_world());
    bool hit = false;
    for (int number = 0; number < calls; ++number) {
        session.at("call %d; call %d fails at allocation %ld", number, point != nullptr ? point->call : -1,
                   point != nullptr ? point->allocation : -1);
        failing_memory().set(point != nullptr && point->call == number ? point->allocation : -1, how);
        int code = call.run(copy.comm, number);
        const bool failed = failing_memory().failed();
        hit = hit || failed;
        failing_memory().set(-1, how);
        if (code != MPI_SUCCESS) {
            session.expect(failed, "a call failed without a failed allocation");
            if (!repeats) {
                continue;
            }
            code = call.run(copy.comm, number);
            session.expect(code == MPI_SUCCESS, "the repeated call failed");
        }
        call.expect_result(number);
    }
    return hit;
}

}  // namespace

int main(int argc, char** argv) {
    Session session(argc, argv);
    const std::string collective = session.option("--collective", "allgather");
    const auto calls = static_cast<int>(session.number("--calls", 30));
    const auto victim = static_cast<int>(session.number("--victim", session.size() - 1));
    const bool each = session.flag("--each");
    const auto most = each ? std::numeric_limits<long>::max() : session.number("--points", 12);
    const auto items = static_cast<int>(session.number("--items", 16));
    const bool late = session.flag("--late");
    const std::string engine = session.option("--expect", "");
    if (session.flag("--of-open-mpi")) failing_memory().be_of_open_mpi();
    repeats = !session.flag("--once");
    how = session.flag("--scarce") ? FailingMemory::How::lasting : FailingMemory::How::once;
    session.reject_other_arguments();
    {
        FailingCall call(session, collective, items);
        const PluginCounters counters(session);
        count_allocations(session, call, calls);  // creates the per-process objects now
        const std::vector<long> allocations = count_allocations(session, call, calls);
        if (!engine.empty()) {
            if (counters.read(session, collective + "_" + engine) == 0) {
                session.fail("the calls are not served by %s", engine.c_str());
            }
        }
        if (late && session.rank() == victim) {
            session.expect(std::any_of(allocations.begin() + std::min(calls, 2), allocations.end(),
                                       [](long asked_there) { return asked_there > 0; }),
                           "no plan changes on the way");
        }
        std::vector<Point> points;
        if (session.rank() == victim) {
            points = points_of(allocations, most);
        }
        const std::uint64_t rounds = session.total(points.size());
        session.expect(rounds > 0, "the plugin allocates no memory");
        std::uint64_t hits = 0;
        for (std::size_t round = 0; round < rounds; ++round) {
            hits += run_with_failure(session, call, calls, round < points.size() ? &points[round] : nullptr);
        }
        if (session.rank() == victim) {
            const auto all = std::accumulate(allocations.begin(), allocations.end(), 0L);
            std::printf("%llu of %llu failures, of %ld allocations\n", static_cast<unsigned long long>(hits),
                        static_cast<unsigned long long>(rounds), all);
            hits -= session.sabotages("each") ? 1 : 0;
            session.expect(!each || hits == static_cast<std::uint64_t>(all),
                           "not every allocation has failed");
        }
        session.expect(session.total(hits) * 2 > rounds, "too few allocations failed");
    }
    return session.finish();
}
