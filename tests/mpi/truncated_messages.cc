// Tests erroneous programs whose ranks disagree about lengths. A message or an own block that is too long
// gives MPI_ERR_TRUNCATE, returned and passed to the communicator's error handler; no memory outside the
// receive buffer is written, every rank returns, and the communicator still works afterwards.
//
//   truncated_messages [--everywhere | --long] [--threads] [--only TEXT]
//
// Default: between pairs of ranks, where coll/tuned returns on both (coll/basic does not). --everywhere:
// also where it does not, on all ranks together and with messages of several segments. --long: on all ranks
// with those only; for vectors shorter than the number of ranks a ring sends as many messages as they have
// elements. --threads: with MPI_THREAD_MULTIPLE. --only: cases whose names begin so.
// Needs btl_vader_single_copy_mechanism=none, 5.0 smsc=^cma: otherwise MPI_Recv of Open MPI 4.1.4 and 5.0.7
// itself writes past the buffer for more than 4 KiB (RDMA gets in pml/ob1 use the sender's length).
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

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

/// Lengths of the blocks of a call, in ints.
struct Lengths {
    int shorter;
    int longer;
};

/// One call on one rank.
class Disagreement {
public:
    Disagreement(Session& session, MPI_Comm comm, const Lengths& lengths)
        : session_(session), comm_(comm), shorter_(lengths.shorter), longer_(lengths.longer), out_(0) {
        MPI_Comm_rank(comm, &rank_);
        MPI_Comm_size(comm, &size_);
        in_.assign(static_cast<std::size_t>(longer_) * static_cast<std::size_t>(size_), rank_ + 1);
    }
    int rank() const { return rank_; }
    void expect_guards() { out_.expect_guards(session_); }

    // One rank receives less than the others send: rank 0, the root, or rank 1.
    int bcast() {
        const int count = length_of(1);
        std::copy_n(in_.begin(), count, receive(1, count));
        return MPI_Bcast(out_.data(), count, MPI_INT, 0, comm_);
    }
    int reduce() {
        const int count = length_of(0);
        return MPI_Reduce(in_.data(), receive(1, count), count, MPI_INT, MPI_SUM, 0, comm_);
    }
    int allreduce() {
        const int count = length_of(0);
        return MPI_Allreduce(in_.data(), receive(1, count), count, MPI_INT, MPI_SUM, comm_);
    }
    int gather() { return gather_blocks(length_of(0), shorter_); }
    int gatherv() {
        const int count = length_of(0);
        const std::vector<int> counts(static_cast<std::size_t>(size_), shorter_);
        const std::vector<int> places = places_of(shorter_);
        return MPI_Gatherv(in_.data(), count, MPI_INT, receive(size_, shorter_), counts.data(), places.data(),
                           MPI_INT, 0, comm_);
    }
    int scatter() { return scatter_blocks(longer_, length_of(1)); }
    int scatterv() {
        const int count = length_of(1);
        const std::vector<int> counts(static_cast<std::size_t>(size_), longer_);
        const std::vector<int> places = places_of(longer_);
        return MPI_Scatterv(in_.data(), counts.data(), places.data(), MPI_INT, receive(1, count), count,
                            MPI_INT, 0, comm_);
    }
    int allgather() { return allgather_blocks(length_of(0), length_of(0)); }
    int allgatherv() {
        const int count = length_of(0);
        const std::vector<int> counts(static_cast<std::size_t>(size_), count);
        const std::vector<int> places = places_of(count);
        return MPI_Allgatherv(in_.data(), count, MPI_INT, receive(size_, count), counts.data(), places.data(),
                              MPI_INT, comm_);
    }

    // All messages fit; rank 0's copy to itself does not.
    int gather_long_own() { return gather_blocks(rank_ == 0 ? longer_ : shorter_, shorter_); }
    int scatter_long_own() { return scatter_blocks(longer_, rank_ == 0 ? shorter_ : longer_); }
    int allgather_long_own() { return allgather_blocks(rank_ == 0 ? longer_ : shorter_, shorter_); }

    // The message is shorter than the block.
    int gather_short_own() {
        const int code = gather_blocks(rank_ == 0 ? shorter_ : longer_, longer_);
        expect_rest_untouched();
        return code;
    }
    int allgather_short_own() {
        const int code = allgather_blocks(rank_ == 0 ? shorter_ : longer_, longer_);
        if (rank_ == 0) {
            expect_rest_untouched();
        }
        return code;
    }
    int scatter_short_own() {
        const int code = scatter_blocks(shorter_, rank_ == 0 ? longer_ : shorter_);
        expect_rest_untouched();
        return code;
    }

private:
    int length_of(int short_rank) const { return rank_ == short_rank ? shorter_ : longer_; }

    std::vector<int> places_of(int block) const {
        std::vector<int> places;
        for (int rank = 0; rank < size_; ++rank) {
            places.push_back(rank * block);
        }
        return places;
    }

    /// Prepares a new receive buffer.
    int* receive(int blocks, int block) {
        out_ =
            GuardedBuffer(static_cast<std::size_t>(blocks) * static_cast<std::size_t>(block) * sizeof(int));
        return reinterpret_cast<int*>(out_.data());
    }

    int gather_blocks(int send, int block) {
        return MPI_Gather(in_.data(), send, MPI_INT, receive(size_, block), block, MPI_INT, 0, comm_);
    }
    int allgather_blocks(int send, int block) {
        return MPI_Allgather(in_.data(), send, MPI_INT, receive(size_, block), block, MPI_INT, comm_);
    }
    int scatter_blocks(int block, int mine) {
        return MPI_Scatter(in_.data(), block, MPI_INT, receive(1, mine), mine, MPI_INT, 0, comm_);
    }

    /// The bytes missing from the root's own block stay unchanged.
    void expect_rest_untouched() {
        if (rank_ == 0) {
            const std::size_t first = static_cast<std::size_t>(shorter_) * sizeof(int);
            const std::size_t end = static_cast<std::size_t>(longer_) * sizeof(int);
            session_.expect_untouched(out_.data() + first, end - first, GuardedBuffer::guard_value);
        }
    }

    Session& session_;
    MPI_Comm comm_;
    int shorter_;
    int longer_;
    int rank_ = 0;
    int size_ = 1;
    std::vector<int> in_;
    GuardedBuffer out_;
};

struct Case {
    const char* name;
    int judged_rank;
    int expected;
    int (Disagreement::*call)();
    /// coll/tuned does not return on both: the root returns before it has sent anything (Scatter), or the
    /// ranks take different algorithms.
    bool stock_hangs = false;
};

constexpr Case cases[] = {
    {"Bcast of a message that is too long", 1, MPI_ERR_TRUNCATE, &Disagreement::bcast},
    {"Reduce of a message that is too long", 0, MPI_ERR_TRUNCATE, &Disagreement::reduce},
    {"Gather of a message that is too long", 0, MPI_ERR_TRUNCATE, &Disagreement::gather},
    {"Gatherv of a message that is too long", 0, MPI_ERR_TRUNCATE, &Disagreement::gatherv},
    {"Scatter of a message that is too long", 1, MPI_ERR_TRUNCATE, &Disagreement::scatter},
    {"Scatterv of a message that is too long", 1, MPI_ERR_TRUNCATE, &Disagreement::scatterv},
    {"Allreduce of a message that is too long", 0, MPI_ERR_TRUNCATE, &Disagreement::allreduce},
    {"Allgather of a message that is too long", 0, MPI_ERR_TRUNCATE, &Disagreement::allgather},
    {"Allgatherv of a message that is too long", 0, MPI_ERR_TRUNCATE, &Disagreement::allgatherv},
    {"Gather of a long own block", 0, MPI_ERR_TRUNCATE, &Disagreement::gather_long_own},
    {"Scatter of a long own block", 0, MPI_ERR_TRUNCATE, &Disagreement::scatter_long_own, true},
    {"Allgather of a long own block", 0, MPI_ERR_TRUNCATE, &Disagreement::allgather_long_own, true},
    {"Gather of a short own block", 0, MPI_SUCCESS, &Disagreement::gather_short_own},
    {"Scatter of a short own block", 0, MPI_SUCCESS, &Disagreement::scatter_short_own},
    {"Allgather of a short own block", 0, MPI_SUCCESS, &Disagreement::allgather_short_own, true},
};

void judge(Session& session, const Case& what, int returned) {
    returned += session.sabotages("result") ? 1 : 0;
    if (returned != what.expected) {
        session.fail("expected error class %d, got %d", what.expected, returned);
    }
    const bool error = what.expected != MPI_SUCCESS;
    session.expect(handled == (error ? 1 : 0) && handled_class == what.expected,
                   "the error handler was not called once for the error");
}

void run_all(Session& session, MPI_Comm parent, const Operators& operators, const Lengths& lengths,
             bool everywhere, const std::string& only) {
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    MPI_Comm_create_errhandler(on_error, &handler);
    for (const Case& what : cases) {
        if ((what.stock_hangs && !everywhere) || !std::string_view(what.name).starts_with(only)) {
            continue;
        }
        MPI_Comm comm = MPI_COMM_NULL;
        MPI_Comm_dup(parent, &comm);
        MPI_Comm_set_errhandler(comm, handler);
        const NamedCommunicator owner("copy", comm);
        for (int round = 0; round < 2; ++round) {  // before and after the plugin's set-up
            session.at("%s, %d and %d ints, %d ranks, round %d", what.name, lengths.shorter, lengths.longer,
                       owner.size(), round);
            handled = 0;
            handled_class = MPI_SUCCESS;
            Disagreement ranks(session, comm, lengths);
            const int returned = class_of((ranks.*what.call)());
            if (ranks.rank() == what.judged_rank) {
                judge(session, what, returned);
            }
            ranks.expect_guards();
            session.at("Bcast after %s", what.name);
            CollectiveCase good;
            good.items = 10 + round;
            good.key = mix(session.seed(), round);
            run_case(session, comm, good, operators);
        }
        // Runs through the plugin's set-up, which comes after some calls: all ranks have counted the same.
        for (int number = 0; number < 12; ++number) {
            session.at("call %d after %s", number, what.name);
            CollectiveCase good;
            good.items = 1;
            good.key = mix(session.seed(), number);
            run_case(session, comm, good, operators);
        }
    }
    MPI_Errhandler_free(&handler);
}

}  // namespace

int main(int argc, char** argv) {
    const bool threads = std::find(argv, argv + argc, std::string_view("--threads")) != argv + argc;
    Session session(argc, argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE);
    const bool everywhere = session.flag("--everywhere");
    const bool only_long = session.flag("--long");
    session.flag("--threads");
    const std::string only = session.option("--only", "");
    session.reject_other_arguments();
    {
        const Operators operators(session);
        MPI_Comm pair = MPI_COMM_NULL;
        MPI_Comm_split(MPI_COMM_WORLD, session.rank() / 2, session.rank(), &pair);
        const NamedCommunicator owner("pair", pair);
        if (owner.size() == 2 && !only_long) {
            run_all(session, pair, operators, {1, 2}, everywhere, only);
        }
        if (everywhere) {
            run_all(session, MPI_COMM_WORLD, operators, {1, 2}, true, only);
        }
        if (everywhere || only_long) {
            run_all(session, MPI_COMM_WORLD, operators, {40000, 40001}, true, only);
        }
    }
    return session.finish();
}
