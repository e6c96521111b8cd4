// The vote on a new communicator fails on one rank: another rank's message, which is none of a vote, is in
// its way. That rank gets the error from this call and from later ones, and waits for nobody.
//
//   vote_error [--all]
//
// The last rank fails, which speaks before it hears: the others know nothing of it, and make no calls. --all:
// the first one, which hears before it speaks: all get an error from every call of every collective.
#include "no_vote.h"  // Open MPI's own headers come before mpi.h

#include <cstdint>

#include "check.h"
#include "plugin_counters.h"

using namespace strata::testing;

namespace {

/// Calls that fail on this rank, of two of each collective.
void expect_errors(Session& session, MPI_Comm comm) {
    double own = 1;
    double sum = 0;
    for (int call = 0; call < 2; ++call) {
        session.at("call %d", call);
        for (const int rc : {MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, comm),
                             MPI_Reduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, comm),
                             MPI_Bcast(&own, 1, MPI_DOUBLE, 0, comm), MPI_Barrier(comm)}) {
            session.expect((rc != MPI_SUCCESS) != session.sabotages("error"), "no error");
        }
    }
}

void test(Session& session, bool all) {
    PluginCounters counters(session);
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    const int victim = all ? 0 : session.size() - 1;
    if (session.rank() != victim) {
        send_no_vote(comm, victim);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (all || session.rank() == victim) {
        const std::uint64_t before = counters.read(session, "allreduce_forward");
        expect_errors(session, comm);
        session.expect(counters.read(session, "allreduce_forward") == before,
                       "a call was left to Open MPI in spite of the error");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_free(&comm);
}

}  // namespace

int main(int argc, char** argv) {
    Session session(argc, argv);
    const bool all = session.flag("--all");
    session.reject_other_arguments();
    test(session, all);
    return session.finish();
}
