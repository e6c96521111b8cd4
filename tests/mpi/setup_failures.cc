// Tests one rank that fails to set up a communicator, at every allocation: while the program creates the
// communicator, or in the first call of a collective on it. All ranks then pass it through to Open MPI
// together, or serve it together; results are right, no call fails, and no rank waits. Only an allocation
// of the call itself, after the agreement, may fail it, before its first message; the program then repeats
// it.
//
//   setup_failures [--collective NAME] [--items N] [--victim RANK] [--points N]
//                  [--how once|lasting|other] [--only making|first] [--early] [--shared] [--orders]
//
// Every communicator has an info key, so that it gets its own settings and plans; --shared: no key, copies
// find the plans of the first one. --orders: no key either, but another order of ranks every time, so that
// each makes plans that others could find.
// --points: most failures per step. --how: one allocation fails, or all from there to the end of the first
// call, or one fails with another exception than std::bad_alloc. --only: the step. --early: these calls
// come before the set-up, need no memory, and are not affected by any failure.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "check.h"
#include "communicators.h"
#include "failing_call.h"
#include "plugin_counters.h"

using namespace strata::testing;

namespace {

enum class Step { making, first };

struct Point {
    Step step;
    long allocation;
};

/// Outcomes of the failures, counted on every rank.
struct Tally {
    std::uint64_t left = 0;    ///< all calls passed through to Open MPI
    std::uint64_t served = 0;  ///< all calls served
    std::uint64_t errors = 0;  ///< the first call failed and was repeated
};

class Test {
public:
    Test(Session& session, const std::string& collective, int items, FailingMemory::How how, bool shared,
         bool orders)
        : session_(session),
          counters_(session),
          call_(session, collective, items),
          forwards_(collective + "_forward_failure"),
          how_(how),
          orders_(orders) {
        MPI_Info_create(&info_);
        if (!shared && !orders) {
            MPI_Info_set(info_, "strata_window", "auto");
        }
    }
    Test(const Test&) = delete;
    Test& operator=(const Test&) = delete;
    ~Test() { MPI_Info_free(&info_); }

    /// Creates a communicator and makes two calls on it. On this rank the allocation of `point`, if any,
    /// fails. Returns how many allocations `step` made here; 0 if unknown.
    long round(const Point* point, Step step) {
        restock();
        MPI_Comm comm = MPI_COMM_NULL;
        const std::uint64_t before = counters_.read(session_, forwards_);
        const bool lasting = how_ == FailingMemory::How::lasting;
        const NamedCommunicator all =
            orders_ ? shuffled_world(++rounds_) : NamedCommunicator("world", MPI_COMM_WORLD);
        prepare(point, Step::making);
        const auto make = [&] { return MPI_Comm_dup_with_info(all.comm, info_, &comm); };
        session_.expect(with_failures(make) == MPI_SUCCESS, "the communicator was not made");
        const long in_making = failing_memory().asked();
        bool failed = failing_memory().failed();
        MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
        const NamedCommunicator copy("copy", comm);
        const PluginCounters of_copy(session_, comm);
        // Exhausted memory stays exhausted.
        if (!(lasting && failed)) {
            prepare(point, Step::first);
        }
        bool error = false;
        if (call_.run(comm, 0) != MPI_SUCCESS) {
            session_.expect(failing_memory().failed(), "a call failed without a failed allocation");
            error = true;
        }
        const long in_first = failing_memory().asked();
        failed = failed || failing_memory().failed();
        failing_memory().set(-1, how_);
        if (error) {
            session_.expect(call_.run(comm, 0) == MPI_SUCCESS, "the repeated call failed");
        }
        call_.expect_result(0);
        session_.expect(call_.run(comm, 1) == MPI_SUCCESS, "the second call failed");
        call_.expect_result(1);
        const std::uint64_t forwarded = counters_.read(session_, forwards_) - before;
        session_.expect(
            of_copy.read(session_, "forward_failure") == forwarded + (session_.sabotages("own") ? 1 : 0),
            "the communicator's variable is not that of the process");
        judge(forwarded, failed, error);
        return step == Step::making ? in_making : in_first;
    }

    const Tally& tally() const { return tally_; }

private:
    /// Lets the plugin allocate again after failures: with a new communicator it refills its reserve.
    static void restock() {
        MPI_Comm comm = MPI_COMM_NULL;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Comm_free(&comm);
    }

    void prepare(const Point* point, Step step) {
        session_.at("%s; allocation %ld fails", step == Step::making ? "making" : "first call",
                    point != nullptr && point->step == step ? point->allocation : -1);
        failing_memory().set(point != nullptr && point->step == step ? point->allocation : -1, how_);
    }

    /// `forwarded`: calls of this rank that a failure made the plugin pass through.
    void judge(std::uint64_t forwarded, bool failed, bool error) {
        if (session_.sabotages("alike")) {
            ++forwarded;
        }
        const bool any_failed = session_.total(failed ? 1 : 0) > 0;
        const bool any_error = session_.total(error ? 1 : 0) > 0;
        const std::uint64_t all = session_.total(forwarded);
        session_.expect(all == forwarded * static_cast<std::uint64_t>(session_.size()),
                        "some ranks passed calls through that others served");
        session_.expect(forwarded == 0 || forwarded == 2, "one call was passed through, one was not");
        session_.expect(forwarded == 0 || any_failed, "calls were passed through without a failure");
        session_.expect(!any_error || forwarded == 0, "a passed-through call failed");
        if (any_failed) {
            ++(any_error ? tally_.errors : forwarded > 0 ? tally_.left : tally_.served);
        }
    }

    Session& session_;
    PluginCounters counters_;
    FailingCall call_;
    std::string forwards_;
    FailingMemory::How how_;
    bool orders_;
    std::uint64_t rounds_ = 0;
    MPI_Info info_ = MPI_INFO_NULL;
    Tally tally_;
};

}  // namespace

int main(int argc, char** argv) {
    Session session(argc, argv);
    const std::string collective = session.option("--collective", "bcast");
    const auto victim = static_cast<int>(session.number("--victim", session.size() - 1));
    const auto most = session.number("--points", 1000);
    const auto items = static_cast<int>(session.number("--items", 16));
    const auto how = failure_from_name(session.option("--how", "once"));
    const std::string only = session.option("--only", "");
    const bool early = session.flag("--early");
    const bool shared = session.flag("--shared");
    const bool orders = session.flag("--orders");
    session.reject_other_arguments();
    {
        Test test(session, collective, items, how, shared, orders);
        test.round(nullptr, Step::making);  // creates the per-process objects now
        std::vector<Point> points;
        for (const Step step : {Step::making, Step::first}) {
            const long allocations = test.round(nullptr, step);
            session.expect(!early || step == Step::making || allocations == 0,
                           "an early call allocates memory");
            const bool wanted = only.empty() || (only == "making") == (step == Step::making);
            for (const long allocation : sample_of(wanted ? allocations : 0, most)) {
                points.push_back({step, allocation});
            }
        }
        if (session.rank() != victim) {
            points.clear();
        }
        const std::uint64_t rounds = session.total(points.size());
        session.expect(rounds > 0, "the plugin allocates no memory");
        for (std::size_t round = 0; round < rounds; ++round) {
            test.round(round < points.size() ? &points[round] : nullptr, Step::first);
        }
        const Tally& tally = test.tally();
        if (session.rank() == 0) {
            std::printf("%llu failures: %llu passed through, %llu served, %llu repeated\n",
                        static_cast<unsigned long long>(tally.left + tally.served + tally.errors),
                        static_cast<unsigned long long>(tally.left),
                        static_cast<unsigned long long>(tally.served),
                        static_cast<unsigned long long>(tally.errors));
        }
        session.expect((tally.left + tally.served + tally.errors) * 2 > rounds, "too few allocations failed");
        session.expect(early ? tally.left + tally.errors == 0 : tally.left > tally.errors,
                       early ? "a failure changed the outcome of an early call"
                             : "most failures hit the call, not its preparation");
    }
    return session.finish();
}
