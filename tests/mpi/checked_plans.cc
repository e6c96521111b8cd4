// Tests the exact number of messages of coll_strata_check_plans: one exchange for every new plan, none for
// a known plan, none at all when the parameter is off. Results are right.
//
//   checked_plans [--messages N]    messages of one exchange over all ranks (0)
#include "component/agreement/agreement_rounds.h"  // Open MPI's own headers come before mpi.h

#include <cstdint>

#include "check.h"

using namespace strata::testing;

namespace {

/// Counts the messages that this rank sends to compare plans.
class Counting {
public:
    explicit Counting(MPI_Comm comm) {
        watched = comm;
        send = mca_pml.pml_isend;
        mca_pml.pml_isend = count;
    }
    Counting(const Counting&) = delete;
    Counting& operator=(const Counting&) = delete;
    ~Counting() { mca_pml.pml_isend = send; }
    static std::uint64_t take() { return std::exchange(messages, 0); }

private:
    static int count(const void* data, std::size_t bytes, ompi_datatype_t* type, int to, int tag,
                     mca_pml_base_send_mode_t mode, ompi_communicator_t* comm, ompi_request_t** request) {
        constexpr std::size_t words = 2;
        const bool compares = comm == watched && tag == MCA_COLL_BASE_TAG_ALLREDUCE &&
                              bytes == strata::component::MinAllreduce::message_bytes(words);
        messages += compares ? 1 : 0;
        return send(data, bytes, type, to, tag, mode, comm, request);
    }
    static inline MPI_Comm watched = MPI_COMM_NULL;
    static inline mca_pml_base_module_isend_fn_t send = nullptr;
    static inline std::uint64_t messages = 0;
};

class Test {
public:
    Test(Session& session, std::uint64_t exchange) : session_(session), exchange_(exchange) {
        MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
    }
    Test(const Test&) = delete;
    Test& operator=(const Test&) = delete;
    ~Test() { MPI_Comm_free(&comm_); }

    void run() {
        const Counting counting(comm_);
        bcast(8, 0, true);
        bcast(8, 0, false);
        bcast(9, 0, false);  // of the same class
        bcast(70'000, 0, true);
        bcast(70'000, 1, true);
        bcast(70'000, 0, false);
        for (const bool isnew : {true, false}) {
            session_.at("allreduce");
            int sum = 0;
            const int one = 1;
            MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm_);
            session_.expect(sum == session_.size(), "a wrong sum");
            expect(isnew, "allreduce");
        }
        for (const bool isnew : {true, false}) {
            session_.at("barrier");
            MPI_Barrier(comm_);
            expect(isnew, "barrier");
        }
    }

private:
    void bcast(std::size_t bytes, int root, bool isnew) {
        session_.at("bcast of %zu bytes from %d", bytes, root);
        checked_bcast(session_, comm_, root, bytes, mix(bytes, root));
        expect(isnew, "bcast");
    }
    void expect(bool isnew, const char* what) {
        const std::uint64_t messages = session_.total(Counting::take());
        const std::uint64_t expected = isnew ? exchange_ : 0;
        if (session_.rank() == 0 && messages != expected) {
            session_.fail("%s: %d messages compare plans, expected %d", what, static_cast<int>(messages),
                          static_cast<int>(expected));
        }
    }

    Session& session_;
    std::uint64_t exchange_;
    MPI_Comm comm_ = MPI_COMM_NULL;
};

}  // namespace

int main(int argc, char** argv) {
    Session session(argc, argv);
    const auto exchange = static_cast<std::uint64_t>(session.number("--messages", 0));
    session.reject_other_arguments();
    Test(session, exchange).run();
    return session.finish();
}
