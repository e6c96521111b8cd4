// Tests wrong arguments: calls return the error classes that Open MPI returns without any plugin, and the
// communicator still works afterwards.
#include <algorithm>

#include "check.h"
#include "collective_cases.h"
#include "communicators.h"

using namespace strata::testing;

namespace {

int class_of(int code) {
    int error_class = MPI_SUCCESS;
    if (code != MPI_SUCCESS) {
        MPI_Error_class(code, &error_class);
    }
    return error_class;
}

/// Arguments for calls that must be rejected.
struct Arguments {
    explicit Arguments(int ranks)
        : size(ranks), counts(static_cast<std::size_t>(ranks), 1), displacements(counts), out(counts) {
        MPI_Type_vector(2, 1, 2, MPI_INT, &uncommitted);
    }
    ~Arguments() { MPI_Type_free(&uncommitted); }
    Arguments(const Arguments&) = delete;
    Arguments& operator=(const Arguments&) = delete;

    int size;
    int in[4] = {1, 2, 3, 4};
    std::vector<int> counts;
    std::vector<int> displacements;
    std::vector<int> out;
    MPI_Datatype uncommitted = MPI_DATATYPE_NULL;
};

class Errors {
public:
    explicit Errors(Session& session, const NamedCommunicator& c)
        : session_(session), c_(c), comm_(c.comm), a_(c.size()) {}

    void refused_calls() {
        reduce();
        allreduce();
        allgather();
        rooted_blocks();
        same_buffers();
        session_.expect(a_.in[0] == 1 && std::count(a_.out.begin(), a_.out.end(), 1) == a_.size,
                        "a refused call changed a buffer");
    }

private:
    void expect(const char* what, int code, int expected) {
        int got = class_of(code);
        got += session_.sabotages("result") ? 1 : 0;
        if (got != expected) {
            session_.fail("%s: %s: expected error class %d, got %d", c_.name.c_str(), what, expected, got);
        }
    }

    void reduce() {
        const auto call = [&](int count, MPI_Datatype type, MPI_Op op, int root) {
            return MPI_Reduce(a_.in, a_.out.data(), count, type, op, root, comm_);
        };
        expect("Reduce: root = size", call(1, MPI_INT, MPI_SUM, a_.size), MPI_ERR_ROOT);
        expect("Reduce: root = -1", call(1, MPI_INT, MPI_SUM, -1), MPI_ERR_ROOT);
        expect("Reduce: negative count", call(-1, MPI_INT, MPI_SUM, 0), MPI_ERR_COUNT);
        expect("Reduce: no operation", call(1, MPI_INT, MPI_OP_NULL, 0), MPI_ERR_OP);
        expect("Reduce: null datatype", call(1, MPI_DATATYPE_NULL, MPI_SUM, 0), MPI_ERR_OP);
        expect("Reduce: bits of doubles", call(1, MPI_DOUBLE, MPI_BAND, 0), MPI_ERR_OP);
    }

    void allreduce() {
        const auto call = [&](int count, MPI_Datatype type, MPI_Op op) {
            return MPI_Allreduce(a_.in, a_.out.data(), count, type, op, comm_);
        };
        expect("Allreduce: negative count", call(-1, MPI_INT, MPI_SUM), MPI_ERR_COUNT);
        expect("Allreduce: no operation", call(1, MPI_INT, MPI_OP_NULL), MPI_ERR_OP);
        expect("Allreduce: null datatype", call(1, MPI_DATATYPE_NULL, MPI_SUM), MPI_ERR_OP);
        expect("Allreduce: bits of doubles", call(1, MPI_DOUBLE, MPI_BAND), MPI_ERR_OP);
        expect("Allreduce: pairs of no pairs", call(1, MPI_INT, MPI_MINLOC), MPI_ERR_OP);
        expect("Allreduce: MPI_REPLACE", call(1, MPI_INT, MPI_REPLACE), MPI_ERR_OP);
    }

    void allgather() {
        int* in = a_.in;
        int* out = a_.out.data();
        const int* counts = a_.counts.data();
        expect("Allgather: negative count", MPI_Allgather(in, -1, MPI_INT, out, 1, MPI_INT, comm_),
               MPI_ERR_COUNT);
        expect("Allgather: negative receive count", MPI_Allgather(in, 1, MPI_INT, out, -1, MPI_INT, comm_),
               MPI_ERR_COUNT);
        expect("Allgather: null datatype", MPI_Allgather(in, 1, MPI_DATATYPE_NULL, out, 1, MPI_INT, comm_),
               MPI_ERR_TYPE);
        expect("Allgather: uncommitted datatype",
               MPI_Allgather(in, 1, a_.uncommitted, out, 2, MPI_INT, comm_), MPI_ERR_TYPE);
        expect("Allgather: received in place", MPI_Allgather(in, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, comm_),
               MPI_ERR_ARG);
        expect("Allgatherv: negative count",
               MPI_Allgatherv(in, -1, MPI_INT, out, counts, counts, MPI_INT, comm_), MPI_ERR_COUNT);
        expect("Allgatherv: null datatype",
               MPI_Allgatherv(in, 1, MPI_INT, out, counts, counts, MPI_DATATYPE_NULL, comm_), MPI_ERR_TYPE);
        expect("Allgatherv: no displacements",
               MPI_Allgatherv(in, 1, MPI_INT, out, counts, nullptr, MPI_INT, comm_), MPI_ERR_BUFFER);
    }

    void rooted_blocks() {
        int* in = a_.in;
        int* out = a_.out.data();
        const int* counts = a_.counts.data();
        for (const int root : {a_.size, -3}) {
            expect("Gather: no root", MPI_Gather(in, 1, MPI_INT, out, 1, MPI_INT, root, comm_), MPI_ERR_ROOT);
            expect("Scatter: no root", MPI_Scatter(out, 1, MPI_INT, in, 1, MPI_INT, root, comm_),
                   MPI_ERR_ROOT);
            expect("Gatherv: no root", MPI_Gatherv(in, 1, MPI_INT, out, counts, counts, MPI_INT, root, comm_),
                   MPI_ERR_ROOT);
            expect("Scatterv: no root",
                   MPI_Scatterv(out, counts, counts, MPI_INT, in, 1, MPI_INT, root, comm_), MPI_ERR_ROOT);
        }
        const std::vector<int> negative(a_.counts.size(), -1);
        expect("Gather: negative counts", MPI_Gather(in, -1, MPI_INT, out, -1, MPI_INT, 0, comm_),
               MPI_ERR_COUNT);
        expect("Scatter: negative counts", MPI_Scatter(out, -1, MPI_INT, in, -1, MPI_INT, 0, comm_),
               MPI_ERR_COUNT);
        expect("Gatherv: negative counts",
               MPI_Gatherv(in, -1, MPI_INT, out, negative.data(), counts, MPI_INT, 0, comm_), MPI_ERR_COUNT);
        expect("Scatterv: negative counts",
               MPI_Scatterv(out, negative.data(), counts, MPI_INT, in, -1, MPI_INT, 0, comm_), MPI_ERR_COUNT);
        const MPI_Datatype none = MPI_DATATYPE_NULL;
        expect("Gather: null datatypes", MPI_Gather(in, 1, none, out, 1, none, 0, comm_), MPI_ERR_TYPE);
        expect("Scatter: null datatypes", MPI_Scatter(out, 1, none, in, 1, none, 0, comm_), MPI_ERR_TYPE);
    }

    // Every rank is its own root: nothing is sent.
    void same_buffers() {
        expect("Allreduce: received in place", MPI_Allreduce(a_.in, MPI_IN_PLACE, 1, MPI_INT, MPI_SUM, comm_),
               MPI_ERR_BUFFER);
        if (c_.size() > 1) {
            expect("Reduce: one buffer for both",
                   MPI_Reduce(a_.in, a_.in, 1, MPI_INT, MPI_SUM, c_.rank(), comm_), MPI_ERR_ARG);
        }
    }

    Session& session_;
    const NamedCommunicator& c_;
    MPI_Comm comm_;
    Arguments a_;
};

}  // namespace

int main(int argc, char** argv) {
    Session session(argc, argv);
    session.reject_other_arguments();
    {
        const Operators operators(session);
        for (NamedCommunicator& c : all_kinds_of_communicators(session.seed())) {
            if (!c.member()) {
                continue;
            }
            MPI_Comm_set_errhandler(c.comm, MPI_ERRORS_RETURN);
            for (int round = 0; round < 3; ++round) {
                session.at("%s, round %d: wrong arguments", c.name.c_str(), round);
                Errors(session, c).refused_calls();
                for (const Collective collective : all_collectives()) {
                    CollectiveCase what;
                    what.collective = collective;
                    what.items = 20;
                    what.root = round;
                    what.key = mix(session.seed(), round);
                    session.at("%s, round %d: %s", c.name.c_str(), round, name_of(collective));
                    run_case(session, c.comm, what, operators);
                }
            }
        }
    }
    return session.finish();
}
