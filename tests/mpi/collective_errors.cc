// Wrong arguments and messages that are too long: the error classes that Open MPI gives without any plugin,
// returned and passed to the communicator's error handler; afterwards the communicator still works.
//
//   collective_errors [--both-ways]   too long messages also where every rank both sends and receives: there
//                                     coll/tuned returns on all ranks, coll/basic does not return on some
#include <algorithm>
#include <functional>

#include "check.h"
#include "collective_cases.h"
#include "communicators.h"

using namespace strata::testing;

namespace {

int handled = 0;
int handled_class = MPI_SUCCESS;

void on_error(MPI_Comm*, int* code, ...) {
    ++handled;
    MPI_Error_class(*code, &handled_class);
}

int class_of(int code) {
    int error_class = MPI_SUCCESS;
    if (code != MPI_SUCCESS) {
        MPI_Error_class(code, &error_class);
    }
    return error_class;
}

/// Arguments of every kind for calls that must be refused.
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

    // Every rank is root of its own: nothing is sent.
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

/// Two ranks, one message of two ints for a buffer of one on rank `short_rank`; the other rank may notice
/// nothing.
struct TooLong {
    const char* name;
    int short_rank;
    bool both_ways;
    std::function<int(MPI_Comm)> call;
};

std::vector<TooLong> too_long_messages(int rank, int* in, int* out) {
    static const int ones[2] = {1, 1};
    static const int twos[2] = {2, 2};
    static const int places[2] = {0, 2};
    const int first = rank == 0 ? 1 : 2;   // rank 0 has the short buffer
    const int second = rank == 0 ? 2 : 1;  // rank 1 has
    return {
        {"Bcast", 1, false, [=](MPI_Comm c) { return MPI_Bcast(in, second, MPI_INT, 0, c); }},
        {"Reduce", 0, false, [=](MPI_Comm c) { return MPI_Reduce(in, out, first, MPI_INT, MPI_SUM, 0, c); }},
        {"Gather", 0, false,
         [=](MPI_Comm c) { return MPI_Gather(in, first, MPI_INT, out, 1, MPI_INT, 0, c); }},
        {"Gatherv", 0, false,
         [=](MPI_Comm c) { return MPI_Gatherv(in, first, MPI_INT, out, ones, places, MPI_INT, 0, c); }},
        {"Scatter", 1, false,
         [=](MPI_Comm c) { return MPI_Scatter(in, 2, MPI_INT, out, second, MPI_INT, 0, c); }},
        {"Scatterv", 1, false,
         [=](MPI_Comm c) { return MPI_Scatterv(in, twos, places, MPI_INT, out, second, MPI_INT, 0, c); }},
        {"Allreduce", 0, true,
         [=](MPI_Comm c) { return MPI_Allreduce(in, out, first, MPI_INT, MPI_SUM, c); }},
        {"Allgather", 0, true,
         [=](MPI_Comm c) { return MPI_Allgather(in, first, MPI_INT, out, first, MPI_INT, c); }},
        {"Allgatherv", 0, true,
         [=](MPI_Comm c) {
             return MPI_Allgatherv(in, first, MPI_INT, out, rank == 0 ? ones : twos, places, MPI_INT, c);
         }},
    };
}

void truncated(Session& session, MPI_Comm pair, const Operators& operators, bool both_ways) {
    int rank = 0;
    MPI_Comm_rank(pair, &rank);
    int in[4] = {1, 2, 3, 4};
    int out[4] = {};
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    MPI_Comm_create_errhandler(on_error, &handler);
    for (const TooLong& message : too_long_messages(rank, in, out)) {
        if (message.both_ways && !both_ways) {
            continue;
        }
        MPI_Comm comm = MPI_COMM_NULL;
        MPI_Comm_dup(pair, &comm);
        MPI_Comm_set_errhandler(comm, handler);
        const NamedCommunicator owner("pair", comm);
        for (int round = 0; round < 2; ++round) {  // before and after the plugin's set-up
            session.at("%s of a message that is too long, round %d", message.name, round);
            handled = 0;
            handled_class = MPI_SUCCESS;
            const int returned = class_of(message.call(comm));
            if (rank == message.short_rank) {
                session.expect(returned == MPI_ERR_TRUNCATE, "returned something else than MPI_ERR_TRUNCATE");
                session.expect(handled == 1 && handled_class == MPI_ERR_TRUNCATE,
                               "the error handler was not called once with MPI_ERR_TRUNCATE");
            }
            session.at("Bcast after %s of a message that is too long", message.name);
            CollectiveCase what;
            what.items = 10 + round;
            what.key = mix(session.seed(), round);
            run_case(session, comm, what, operators);
        }
    }
    MPI_Errhandler_free(&handler);
}

}  // namespace

int main(int argc, char** argv) {
    Session session(argc, argv);
    const bool both_ways = session.flag("--both-ways");
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
        MPI_Comm pair = MPI_COMM_NULL;
        MPI_Comm_split(MPI_COMM_WORLD, session.rank() / 2, session.rank(), &pair);
        const NamedCommunicator owner("pair", pair);
        if (owner.size() == 2) {
            truncated(session, pair, operators, both_ways);
        }
    }
    return session.finish();
}
