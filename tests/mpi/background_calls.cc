// Calls that run in the background: several at once on a communicator, also of one collective, and on two
// communicators in a different order on every rank. Each has the result that it has alone.
//
//   background_calls [--rounds N]
#include "component/communicator/background_transport.h"  // Open MPI's own headers come before mpi.h

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "algorithms/engines/perform.h"
#include "check.h"
#include "plans.h"

using namespace strata::testing;
using namespace strata::algorithms;
using strata::component::BackgroundTransport;

namespace {

class Sum final : public Reduction {
public:
    Sum() : Reduction(sizeof(int)) {}
    int combine(const std::byte* left, std::byte* right, std::size_t bytes) override {
        const auto* const from = reinterpret_cast<const int*>(left);
        auto* const to = reinterpret_cast<int*>(right);
        std::transform(from, from + bytes / sizeof(int), to, to, std::plus<>());
        return 0;
    }
};

/// A Bcast or an Allreduce; its number alone determines its arguments.
class Call {
public:
    Call(Session& session, MPI_Comm comm, const Hierarchy& hierarchy, int number)
        : session_(session),
          number_(number),
          own_(elements_of(number), is_bcast() && session.rank() != root() ? -1 : value(session.rank())),
          result_(own_.size(), -1),
          plan_(uniform(hierarchy, shapes[static_cast<std::size_t>(number) / 3 % shapes.size()], 2048)),
          routing_(hierarchy, rails_, session.rank()),
          own_buffer_(reinterpret_cast<std::byte*>(own_.data()), own_.size() * sizeof(int)),
          result_buffer_(reinterpret_cast<std::byte*>(result_.data()), own_buffer_.bytes()),
          transport_(comm, counters_),
          task_(make_task()) {
        task_.start();
    }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

    bool progress() {
        task_.progress();
        return task_.done();
    }
    void expect_result() const {
        session_.expect(task_.outcome() == MPI_SUCCESS, "an error");
        int expected = value(root());
        for (int rank = 0; rank < session_.size() && !is_bcast(); ++rank) {
            expected += rank == root() ? 0 : value(rank);
        }
        expected += session_.sabotages("sum") ? 1 : 0;
        const auto& result = is_bcast() ? own_ : result_;
        session_.expect(std::ranges::count(result, expected) == std::ssize(result), "a wrong result");
    }

private:
    static constexpr std::array shapes{Algorithm::binomial, Algorithm::linear, Algorithm::chain};
    static std::size_t elements_of(int number) {
        return static_cast<std::size_t>(number % 3 == 0 ? 100 : 7000 * (number % 5) + 1);
    }
    bool is_bcast() const { return number_ / 2 % 2 == 0; }
    int root() const { return number_ % session_.size(); }
    int value(int rank) const { return 1000 * number_ + rank; }

    Task make_task() {
        plan_.engine = Engine::tree;
        const Performer performer{transport_, arena_, routing_, plan_, routes_};
        if (is_bcast()) return perform_bcast(performer, root(), own_buffer_);
        const Operation operation{Collective::allreduce, own_buffer_.bytes(), root()};
        return perform_allreduce(performer, operation, {own_buffer_, &result_buffer_}, sum_);
    }

    Session& session_;
    int number_;
    std::vector<int> own_;
    std::vector<int> result_;
    Plan plan_;
    RouteCache routes_;
    strata::topology::NicRails rails_;
    Routing routing_;
    PackedBuffer own_buffer_;
    PackedBuffer result_buffer_;
    Sum sum_;
    strata::component::CommunicatorCounters counters_;
    BackgroundTransport transport_;
    Arena arena_;
    Task task_;
};

/// Half of the calls run on each communicator, in a fixed order per communicator. Each rank merges the two
/// halves, and progresses the calls, in an order of its own.
void run_round(Session& session, const std::array<MPI_Comm, 2>& comms, const Hierarchy& hierarchy,
               int round) {
    constexpr int count = 6;  // per communicator
    Random random(mix(session.seed(), round, session.rank()));
    std::array<int, 2> begun{};
    std::vector<std::unique_ptr<Call>> calls;
    while (begun[0] + begun[1] < 2 * count) {
        const auto side =
            static_cast<std::size_t>(begun[0] == count || (begun[1] < count && random.one_in(2)));
        const int number = 20 * round + 2 * begun[side]++ + static_cast<int>(side);
        calls.push_back(std::make_unique<Call>(session, comms[side], hierarchy, number));
    }
    while (!calls.empty()) {
        opal_progress();
        random.shuffle(calls);
        std::erase_if(calls, [](const auto& call) {
            const bool done = call->progress();
            if (done) call->expect_result();
            return done;
        });
    }
}

}  // namespace

int main(int argc, char** argv) {
    Session session(argc, argv);
    const auto rounds = static_cast<int>(session.number("--rounds", 10));
    session.reject_other_arguments();
    const Hierarchy hierarchy =
        make_hierarchy(leaf_switch, {{node_level, blocks(session.size(), 3)}}, session.size());
    std::array<MPI_Comm, 2> comms{};
    for (MPI_Comm& comm : comms) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int round = 0; round < rounds; ++round) {
        session.at("round %d", round);
        run_round(session, comms, hierarchy, round);
    }
    for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
    return session.finish();
}
