// Tests one process that fails a step of the start, at any allocation of the plugin from MPI_Init to the
// end of the first collective call on MPI_COMM_WORLD. All ranks then pass all calls through to Open MPI, or
// serve them all; results are right. Only the first call may fail, and only on that rank; the program
// repeats it.
//
//   STRATA_FAIL=POINT:HOW start_failures [--collective NAME] [--items N]
//                                        [--late SECONDS]
//
// --late: a failed process enters the first call that much later.
// STRATA_FAIL, in the environment of the rank that must fail: the number of allocations that succeed
// before, and the kind of failure: once|lasting|other|object (failing_memory.h). POINT -1: none fails. Rank
// 0 prints "start: asked N, failed F, served S of T calls": N and F of ranks with STRATA_FAIL.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "check.h"
#include "failing_call.h"
#include "plugin_counters.h"

using namespace strata::testing;

namespace {

bool is_to_fail() { return std::getenv("STRATA_FAIL") != nullptr; }

void set_failure() {
    if (const char* wish = std::getenv("STRATA_FAIL"); wish != nullptr) {
        const char* how = std::strchr(wish, ':');
        failing_memory().wait_for_plugin();
        failing_memory().set(std::strtol(wish, nullptr, 10),
                             failure_from_name(how != nullptr ? how + 1 : ""));
    }
}

}  // namespace

extern "C" int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
    set_failure();
    return with_failures([&] { return PMPI_Init_thread(argc, argv, required, provided); });
}

int main(int argc, char** argv) {
    Session session(argc, argv);
    const std::string collective = session.option("--collective", "allreduce");
    const auto items = static_cast<int>(session.number("--items", 16));
    const auto late = static_cast<unsigned>(session.number("--late", 0));
    session.reject_other_arguments();
    constexpr int calls = 2;
    {
        const PluginCounters counters(session);
        FailingCall call(session, collective, items);
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        session.at("first call");
        sleep(failing_memory().failed() ? late : 0);
        const bool error = call.run(MPI_COMM_WORLD, 0) != MPI_SUCCESS;
        const auto asked = static_cast<std::uint64_t>(failing_memory().asked());
        const bool failed = failing_memory().failed();
        failing_memory().set(-1, FailingMemory::How::once);
        if (error) {
            session.expect(failed, "a call failed without a failed allocation");
            session.expect(call.run(MPI_COMM_WORLD, 0) == MPI_SUCCESS, "the repeated call failed");
        }
        call.expect_result(0);
        session.at("second call");
        session.expect(call.run(MPI_COMM_WORLD, 1) == MPI_SUCCESS, "the second call failed");
        call.expect_result(1);

        // An engine that failed before its first message has also counted the call.
        const std::uint64_t own =
            counters.served(session) - (error ? 1 : 0) + (session.sabotages("alike") ? 1 : 0);
        const std::uint64_t served = session.total(own);
        const std::uint64_t all = calls * static_cast<std::uint64_t>(session.size());
        session.expect(served == 0 || served == all, "some ranks passed calls through that others served");
        const std::uint64_t all_asked = session.total(is_to_fail() ? asked : 0);
        const std::uint64_t all_failed = session.total(is_to_fail() && failed ? 1 : 0);
        if (session.rank() == 0) {
            std::printf("start: asked %llu, failed %llu, served %llu of %llu calls\n",
                        static_cast<unsigned long long>(all_asked),
                        static_cast<unsigned long long>(all_failed), static_cast<unsigned long long>(served),
                        static_cast<unsigned long long>(all));
        }
    }
    return session.finish();
}
