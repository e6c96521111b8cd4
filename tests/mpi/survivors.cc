// Tests that the others go on when processes die (ULFM, Open MPI 5.0 under --with-ft ulfm). Once per
// collective: during calls on a communicator one process ends itself; a rank that gets an error revokes the
// communicator, and all live ranks create another one without the dead process. Every call there must
// succeed. Every call that succeeds, before and after, must have delivered the right data.
//
//   survivors [--collectives NAME,...|all] [--bytes N] [--calls N] [--after US] [--engine NAME] [--threads]
//
// --after: microseconds that a victim lives from the middle of the calls on, by a timer, so that it dies
// within a call. --engine: the engine that must serve the calls after each death, by the plugin's counters.
// --threads: with MPI_THREAD_MULTIPLE. Each collective leaves one process fewer, and at least three must
// remain. Exit status 77 if this MPI does not support it.
#include <mpi.h>
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif
#include <signal.h>
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "check.h"
#include "exchange.h"
#include "plugin_counters.h"

using namespace strata::testing;

#ifndef OMPI_HAVE_MPI_EXT_FTMPI

int main(int argc, char** argv) {
    Session session(argc, argv);
    return session.skip("this MPI ends all processes of a job when one of them dies");
}

#else

namespace {

constexpr int fewest = 3;

int size_of(MPI_Comm comm) {
    int size = 0;
    MPI_Comm_size(comm, &size);
    return size;
}

int rank_in(MPI_Comm comm) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    return rank;
}

class Survivors {
public:
    explicit Survivors(Session& session)
        : session_(session),
          bytes_(static_cast<std::size_t>(session.number("--bytes", 65536))),
          calls_(static_cast<int>(session.number("--calls", 12))),
          after_us_(session.number("--after", 0)),
          engine_(session.option("--engine", "")) {
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
        MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
    }

    void lose_one(Collective collective) {
        const int before = size_of(comm_);
        const bool died = interrupt(collective);
        session_.at("%s, waiting for the end of one of %d", name_of(collective), before);
        while (left() == before) go_on_without_the_dead();  // no rank may have noticed yet
        session_.expect(left() == before - 1, "the number of processes did not drop by one");
        session_.expect(died || after_us_ > 0 || !needs_all(collective),
                        "all calls succeed without a process that they need");
        use(collective);
    }
    int left() const { return size_of(comm_); }
    /// Failures of all ranks.
    int agreed_failures() {
        int none = session_.failures() == 0 ? 1 : 0;
        MPIX_Comm_agree(comm_, &none);
        return none == 1 ? 0 : 1;
    }

private:
    /// Calls that succeed on any rank only when all took part.
    static bool needs_all(Collective collective) {
        return collective == Collective::barrier || collective == Collective::allreduce ||
               collective == Collective::allgather || collective == Collective::allgatherv;
    }

    /// Makes calls; from the middle on with one process fewer. Returns whether some call failed somewhere.
    bool interrupt(Collective collective) {
        const int size = size_of(comm_);
        const int victim = 1 + static_cast<int>(collective) * 5 % (size - 1);  // rank 0 signals the end
        Exchange exchange(collective, bytes_, 2, comm_);
        int all_went = 1;
        for (int call = 0; call < calls_ && all_went == 1; ++call) {
            session_.at("%s, call %d of %d ranks", name_of(collective), call, size);
            if (call == calls_ / 2 && rank_in(comm_) == victim) die_soon();
            exchange.prepare(call);
            const int code = exchange.call();
            all_went = code == MPI_SUCCESS ? 1 : 0;
            if (code == MPI_SUCCESS) {
                expect_right(exchange);
            } else {
                expect_told(code);
            }
        }
        if (rank_in(comm_) == victim) raise(SIGKILL);
        if (all_went == 0) MPIX_Comm_revoke(comm_);
        session_.at("%s, agreeing on the end of %d ranks", name_of(collective), size);
        MPIX_Comm_agree(comm_, &all_went);
        return all_went == 0;
    }

    void die_soon() const {
        if (after_us_ == 0) raise(SIGKILL);
        sigevent kill{};
        kill.sigev_notify = SIGEV_SIGNAL;
        kill.sigev_signo = SIGKILL;
        timer_t timer{};
        const itimerspec once{{}, {after_us_ / 1'000'000, after_us_ % 1'000'000 * 1000}};
        if (timer_create(CLOCK_MONOTONIC, &kill, &timer) != 0 ||
            timer_settime(timer, 0, &once, nullptr) != 0) {
            raise(SIGKILL);
        }
    }

    void go_on_without_the_dead() {
        MPI_Comm alive = MPI_COMM_NULL;
        const int code = MPIX_Comm_shrink(comm_, &alive);
        if (code != MPI_SUCCESS) {
            session_.fail("MPIX_Comm_shrink returns %d", code);
            MPI_Abort(MPI_COMM_WORLD, exit_failed);
        }
        MPI_Comm_free(&comm_);
        comm_ = alive;
        MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
    }

    /// Makes calls that all have to succeed.
    void use(Collective collective) {
        const PluginCounters counters(session_, comm_);
        Exchange exchange(collective, bytes_, 1, comm_);
        for (int call = 0; call < calls_; ++call) {
            session_.at("%s, call %d of the %d left", name_of(collective), call, left());
            exchange.prepare(calls_ + call);
            const int code = exchange.call();
            session_.expect(code == MPI_SUCCESS, "an error without a death");
            expect_right(exchange);
        }
        expect_served(counters);
        int all = 1;
        MPIX_Comm_agree(comm_, &all);  // or the next victim dies while others are still in this step
    }

    void expect_right(const Exchange& exchange) {
        const int place = exchange.first_difference();
        if (place >= 0 || session_.sabotages("data")) session_.fail("WRONG: data at word %d", place);
    }

    void expect_told(int code) {
        int told = MPI_SUCCESS;
        MPI_Error_class(code, &told);
        if ((told != MPIX_ERR_PROC_FAILED && told != MPIX_ERR_REVOKED) || session_.sabotages("class")) {
            session_.fail("the error is of class %d", told);
        }
    }

    void expect_served(const PluginCounters& counters) {
        if (engine_.empty()) return;
        const std::uint64_t served = counters.read(session_, engine_);
        if (served != static_cast<std::uint64_t>(calls_)) {
            session_.fail("%llu of %d calls are served by %s", static_cast<unsigned long long>(served),
                          calls_, engine_.c_str());
        }
    }

    Session& session_;
    std::size_t bytes_;
    int calls_;
    std::int64_t after_us_;
    std::string engine_;
    MPI_Comm comm_ = MPI_COMM_NULL;
};

bool wants_threads(int argc, char** argv) {
    return std::any_of(argv, argv + argc,
                       [](const char* word) { return std::strcmp(word, "--threads") == 0; });
}

}  // namespace

int main(int argc, char** argv) {
    Session session(argc, argv, wants_threads(argc, argv) ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE);
    session.flag("--threads");
    // In 5.0.7 a write of btl/tcp to a process that has just died ends the writing process.
    signal(SIGPIPE, SIG_IGN);
    Survivors all(session);
    const auto collectives = parse_collectives(session.option("--collectives", "all"));
    session.reject_other_arguments();
    if (session.size() < static_cast<int>(collectives.size()) + fewest) {
        session.fail("%zu processes are to die, of %d", collectives.size(), session.size());
        return session.finish();
    }
    for (const Collective collective : collectives) all.lose_one(collective);
    const int failures = all.agreed_failures();
    if (session.rank() == 0 && failures == 0) std::printf("survivors: passed, %d are left\n", all.left());
    std::fflush(nullptr);
    // After deaths, MPI_Finalize of 5.0.7 does not return in a third of all jobs, with any component.
    std::_Exit(failures == 0 ? exit_passed : exit_failed);
}

#endif
