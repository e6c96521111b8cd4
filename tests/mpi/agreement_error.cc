// Tests that the agreement on a new communicator fails on one rank when another message takes the place of
// a proposal. That rank gets the error from this call and from later ones, and does not wait for other
// ranks.
//
//   agreement_error [--all | --send N]
//
// Default: the last rank fails, which sends before it receives; the others see no error and make no calls.
// --all: rank 0 fails, which receives before it sends; all ranks get an error from every call of every
// collective. --send: the last rank cannot send while its receive is already posted; it cancels this
// receive N times (0: where the point-to-point layer cannot cancel it).
#include "no_proposal.h"  // Open MPI's own headers come before mpi.h

#include <cstdint>

#include "check.h"
#include "plugin_counters.h"

using namespace strata::testing;

namespace {

/// Makes this rank's sends on a communicator fail, and counts the receives cancelled there.
class NoSending {
public:
    explicit NoSending(MPI_Comm comm) {
        broken = comm;
        send = mca_pml.pml_isend;
        receive = mca_pml.pml_irecv;
        mca_pml.pml_isend = fail;
        mca_pml.pml_irecv = note;
    }
    NoSending(const NoSending&) = delete;
    NoSending& operator=(const NoSending&) = delete;
    ~NoSending() {
        mca_pml.pml_isend = send;
        mca_pml.pml_irecv = receive;
    }
    static int cancelled() { return cancels; }

private:
    static int fail(const void* data, std::size_t count, ompi_datatype_t* type, int to, int tag,
                    mca_pml_base_send_mode_t mode, ompi_communicator_t* comm, ompi_request_t** request) {
        return comm == broken ? OMPI_ERROR : send(data, count, type, to, tag, mode, comm, request);
    }
    static int note(void* data, std::size_t count, ompi_datatype_t* type, int from, int tag,
                    ompi_communicator_t* comm, ompi_request_t** request) {
        const int rc = receive(data, count, type, from, tag, comm, request);
        if (comm == broken && rc == OMPI_SUCCESS) {
            cancel = (*request)->req_cancel;
            (*request)->req_cancel = count_cancel;
        }
        return rc;
    }
    static int count_cancel(ompi_request_t* request, int flag) {
        ++cancels;
        return cancel(request, flag);
    }
    inline static MPI_Comm broken = MPI_COMM_NULL;
    inline static mca_pml_base_module_isend_fn_t send = nullptr;
    inline static mca_pml_base_module_irecv_fn_t receive = nullptr;
    inline static ompi_request_cancel_fn_t cancel = nullptr;
    inline static int cancels = 0;
};

/// Counts the failing calls on this rank, out of two of each collective.
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
        send_no_proposal(comm, victim);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (all || session.rank() == victim) {
        const std::uint64_t before = counters.read(session, "allreduce_forward");
        expect_errors(session, comm);
        session.expect(counters.read(session, "allreduce_forward") == before,
                       "a call was passed through in spite of the error");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Comm_free(&comm);
}

/// Runs on the last rank only; the other ranks make no calls.
void test_sending(Session& session, int wanted) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    if (session.rank() == session.size() - 1) {
        const NoSending broken(comm);
        expect_errors(session, comm);
        if (NoSending::cancelled() != wanted) {
            session.fail("%d receives were cancelled, expected %d", NoSending::cancelled(), wanted);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

}  // namespace

int main(int argc, char** argv) {
    Session session(argc, argv);
    const bool all = session.flag("--all");
    const auto cancels = static_cast<int>(session.number("--send", -1));
    session.reject_other_arguments();
    if (cancels >= 0) {
        test_sending(session, cancels);
    } else {
        test(session, all);
    }
    return session.finish();
}
