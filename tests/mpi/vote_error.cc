// The vote on a new communicator fails on one rank: another rank's message, which is none of a vote, is in
// its way. That rank gets the error from this call and from later ones, and waits for nobody: what the others
// came to, it does not know, and it must send them nothing.
//
//   vote_error
#include "ompi_compat.h"  // Open MPI's own headers come before mpi.h

#include <array>
#include <cstdint>

#include "check.h"
#include "plugin_counters.h"

using namespace strata::testing;

namespace {

constexpr int words_of_no_vote = 9;

void send_no_vote(MPI_Comm comm, int to) {
    const std::array<std::uint64_t, words_of_no_vote> words{};
    MCA_PML_CALL(send(words.data(), sizeof words, &ompi_mpi_byte.dt, to, MCA_COLL_BASE_TAG_ALLREDUCE,
                      MCA_PML_BASE_SEND_STANDARD, comm));
}

void test(Session& session) {
    PluginCounters counters(session);
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    const int victim = session.size() - 1;
    if (session.rank() == 0) {
        send_no_vote(comm, victim);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (session.rank() == victim) {
        const std::uint64_t before = counters.read(session, "allreduce_forward");
        for (int call = 0; call < 3; ++call) {
            session.at("call %d", call);
            const double own = 1;
            double sum = 0;
            const int rc = MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
            session.expect((rc != MPI_SUCCESS) != session.sabotages("error"), "no error");
        }
        session.expect(counters.read(session, "allreduce_forward") == before,
                       "a call was left to Open MPI in spite of the error");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_free(&comm);
}

}  // namespace

int main(int argc, char** argv) {
    Session session(argc, argv);
    session.reject_other_arguments();
    test(session);
    return session.finish();
}
