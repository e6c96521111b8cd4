// Tests when ranks of one node have boards (coll_strata_allreduce_algorithm node), and that the results are
// right when they have none.
//
//   boards --what unopenable|elements|many|refused|stopped|killed|late
//
// unopenable: the last rank has no file descriptor left when the boards are made.
// elements:   elements that fit into a board and others that do not, of equal bytes, take turns.
// many:       more communicators than have boards.
// refused:    the last rank alone gives info keys, so that a communicator is not served, while others are in
// use. stopped:    the last rank is stopped for a second, and its child process ends, in the middle of calls.
// late:       the last rank enters the first and the fourth call 1.6 seconds later than the others.
// killed:     the last rank is killed in the middle of calls. The others go on until mpirun ends the job.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include <cstdint>
#include <string>
#include <vector>

#include "check.h"
#include "communicators.h"
#include "plugin_counters.h"

using namespace strata::testing;

namespace {

constexpr int calls = 20;
constexpr int large = 16384;  // doubles of one element: 128 KiB

class Test {
public:
    explicit Test(Session& session) : session_(session), counters_(session) {
        MPI_Type_contiguous(large, MPI_DOUBLE, &large_type_);
        MPI_Type_commit(&large_type_);
        const auto add = [](void* in, void* inout, int* count, MPI_Datatype*) {
            for (int i = 0; i < *count * large; ++i)
                static_cast<double*>(inout)[i] += static_cast<double*>(in)[i];
        };
        MPI_Op_create(add, 1, &add_large_);
    }
    Test(const Test&) = delete;
    Test& operator=(const Test&) = delete;
    ~Test() {
        MPI_Op_free(&add_large_);
        MPI_Type_free(&large_type_);
    }

    void unopenable() {
        const NamedCommunicator one = copy_of_world("a copy of world");
        rlimit before{};
        getrlimit(RLIMIT_NOFILE, &before);
        if (session_.rank() == session_.size() - 1 && !session_.sabotage_is("descriptors")) {
            const int lowest = dup(0);
            close(lowest);
            const rlimit none{static_cast<rlim_t>(lowest), before.rlim_max};
            setrlimit(RLIMIT_NOFILE, &none);
        }
        for (int i = 0; i < calls; ++i) sum(one.comm);
        setrlimit(RLIMIT_NOFILE, &before);
        session_.expect(served() == 0, "the node engine served calls");
    }

    void elements() {
        const NamedCommunicator one = copy_of_world("a copy of world");
        for (int i = 0; i < calls; ++i) {
            sum(one.comm, large_type_, add_large_, 1);
            sum(one.comm, MPI_DOUBLE, MPI_SUM, large);
        }
        session_.expect(served() == calls, "not exactly the calls with small elements had boards");
    }

    /// At most 256 MiB of boards, 132 KiB each.
    void many() {
        const std::uint64_t most = (256U << 20) / (132U << 10) / static_cast<std::uint64_t>(session_.size());
        std::vector<NamedCommunicator> all;
        for (std::uint64_t i = 0; i < most + 10; ++i) {
            session_.at("communicator %llu", static_cast<unsigned long long>(i));
            all.push_back(copy_of_world("a copy of world"));
            sum(all.back().comm);
        }
        session_.at("%llu communicators had boards", static_cast<unsigned long long>(served()));
        session_.expect(served() == most, "the bound of memory was not kept");
        all.clear();
        const NamedCommunicator later = copy_of_world("a copy of world");
        sum(later.comm);
        session_.expect(served() == most + 1, "memory of freed communicators is not used again");
    }

    void refused() {
        const NamedCommunicator before = copy_of_world("a copy of world");
        for (int i = 0; i < calls; ++i) sum(before.comm);
        MPI_Info keys = MPI_INFO_NULL;
        MPI_Info_create(&keys);
        if (session_.rank() == session_.size() - 1 && !session_.sabotage_is("keys"))
            MPI_Info_set(keys, "strata_disable", "bcast,reduce,allreduce,barrier");
        MPI_Comm refused = MPI_COMM_NULL;
        MPI_Comm_dup_with_info(MPI_COMM_WORLD, keys, &refused);
        MPI_Info_free(&keys);
        sum(refused);
        session_.expect(served() == calls, "a communicator with other keys on a rank is served");
        const NamedCommunicator after = copy_of_world("a copy of world");
        for (int i = 0; i < calls; ++i) {
            sum(after.comm);
            sum(before.comm);
        }
        MPI_Comm_free(&refused);
        for (int i = 0; i < calls; ++i) sum(before.comm);
        session_.expect(served() == 4 * calls, "the others are not served");
    }

    void stopped() {
        const NamedCommunicator one = copy_of_world("a copy of world");
        for (int i = 0; i < calls; ++i) sum(one.comm, MPI_DOUBLE, MPI_SUM, large);
        const bool is_last = session_.rank() == session_.size() - 1;
        const pid_t child = is_last ? fork() : 0;
        if (is_last && child == 0) {
            kill(getppid(), SIGSTOP);
            sleep(1);
            kill(getppid(), SIGCONT);
            _exit(0);
        }
        const double begin = MPI_Wtime();
        for (int more = 1; more != 0;) {
            more = MPI_Wtime() < begin + 1.5 ? 1 : 0;
            MPI_Allreduce(MPI_IN_PLACE, &more, 1, MPI_INT, MPI_MIN, one.comm);
            sum(one.comm, MPI_DOUBLE, MPI_SUM, large);
        }
        if (is_last) waitpid(child, nullptr, 0);
        session_.expect(served() > 2 * calls, "the node engine served no calls");
    }

    void late() {
        const NamedCommunicator one = copy_of_world("a copy of world");
        const bool is_last = session_.rank() == session_.size() - 1;
        for (int i = 0; i < 4; ++i) {
            if (is_last && i % 3 == 0) usleep(1'600'000);
            sum(one.comm);
        }
    }

    void killed() {
        const NamedCommunicator one = copy_of_world("a copy of world");
        for (int i = 0; i < calls; ++i) sum(one.comm, MPI_DOUBLE, MPI_SUM, large);
        if (served() != calls) return;
        if (session_.rank() == session_.size() - 1) raise(SIGKILL);
        for (;;) sum(one.comm, MPI_DOUBLE, MPI_SUM, large);
    }

private:
    std::uint64_t served() const { return counters_.read(session_, "allreduce_node"); }
    void sum(MPI_Comm comm, MPI_Datatype type = MPI_DOUBLE, MPI_Op op = MPI_SUM, int count = 1) {
        const std::vector<double> own(large, session_.rank() + 1);
        std::vector<double> all(large, 0);
        MPI_Allreduce(own.data(), all.data(), count, type, op, comm);
        const int ranks = session_.size();
        const int last = type == MPI_DOUBLE ? count - 1 : large - 1;
        session_.expect(all[static_cast<std::size_t>(last)] == ranks * (ranks + 1) / 2, "a wrong sum");
    }

    Session& session_;
    PluginCounters counters_;
    MPI_Datatype large_type_ = MPI_DATATYPE_NULL;
    MPI_Op add_large_ = MPI_OP_NULL;
};

}  // namespace

int main(int argc, char** argv) {
    Session session(argc, argv);
    const std::string what = session.option("--what", "");
    session.reject_other_arguments();
    {
        Test test(session);
        if (what == "unopenable") {
            test.unopenable();
        } else if (what == "elements") {
            test.elements();
        } else if (what == "many") {
            test.many();
        } else if (what == "refused") {
            test.refused();
        } else if (what == "stopped") {
            test.stopped();
        } else if (what == "late") {
            test.late();
        } else if (what == "killed") {
            test.killed();
        } else {
            session.fail("--what %s: known are unopenable, elements, many, refused, stopped, killed, late",
                         what.c_str());
        }
    }
    return session.finish();
}
