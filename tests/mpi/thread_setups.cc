// Tests threads that make the first collectives on their own communicators at the same time, in a different
// order on each rank: the plugin sets up the levels of all communicators at once. Meanwhile another thread
// copies a communicator again and again. Stacks are as small as those of language runtimes.
//
//   thread_setups [--rounds N] [--threads N] [--stack KIB]
#include <pthread.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

#include "check.h"
#include "communicators.h"
#include "plugin_counters.h"

using namespace strata::testing;

namespace {

/// Runs `body` on a stack of `bytes` bytes; the destructor joins it.
class SmallThread {
public:
    SmallThread(Session& session, std::size_t stack, std::function<void()> body) : body_(std::move(body)) {
        pthread_attr_t attributes;
        pthread_attr_init(&attributes);
        const bool fits = pthread_attr_setstacksize(&attributes, stack) == 0;
        running_ = fits && pthread_create(&thread_, &attributes, run, this) == 0;
        session.expect(running_, "a thread could not be started");
        pthread_attr_destroy(&attributes);
    }
    SmallThread(const SmallThread&) = delete;
    SmallThread& operator=(const SmallThread&) = delete;
    ~SmallThread() {
        if (running_) pthread_join(thread_, nullptr);
    }

private:
    static void* run(void* self) {
        static_cast<SmallThread*>(self)->body_();
        return nullptr;
    }
    std::function<void()> body_;
    pthread_t thread_{};
    bool running_ = false;
};

void add(void* in, void* inout, int* count, MPI_Datatype* /*type*/) {
    const auto* const from = static_cast<const int*>(in);
    std::transform(from, from + *count, static_cast<int*>(inout), static_cast<int*>(inout), std::plus<>());
}

struct Job {
    MPI_Comm comm;
    int number;
    MPI_Op op;
    std::vector<int> mine, all;
};

void call_all(Session& session, Job& job) {
    const int ranks = session.size();
    constexpr int lengths[] = {1, 3000, 75000};
    for (int turn = 0; turn < 3; ++turn) {
        const int count = lengths[(turn + job.number) % 3];
        const int root = job.number % ranks;
        std::fill_n(job.mine.begin(), count,
                    session.rank() + job.number + (session.sabotages("sum") ? 1 : 0));
        MPI_Allreduce(job.mine.data(), job.all.data(), count, MPI_INT, job.op, job.comm);
        session.expect(
            job.all[static_cast<std::size_t>(count - 1)] == ranks * (ranks - 1) / 2 + ranks * job.number,
            "a wrong sum");
        MPI_Bcast(job.mine.data(), count, MPI_INT, root, job.comm);
        session.expect(
            session.sabotage_is("sum") || job.mine[static_cast<std::size_t>(count / 2)] == root + job.number,
            "a wrong broadcast");
        MPI_Barrier(job.comm);
        MPI_Allgather(&job.number, 1, MPI_INT, job.all.data(), 1, MPI_INT, job.comm);
        session.expect(std::all_of(job.all.begin(), job.all.begin() + ranks,
                                   [&](int number) { return number == job.number; }),
                       "a wrong block");
    }
}

/// Runs all `jobs` at once, started in another order on every rank and in every round.
void run_round(Session& session, std::vector<Job>& jobs, std::size_t stack, int round) {
    const auto count = jobs.size();
    for (Job& job : jobs) MPI_Comm_dup(MPI_COMM_WORLD, &job.comm);
    MPI_Comm copied = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &copied);
    {
        std::vector<std::unique_ptr<SmallThread>> threads;
        const auto first = static_cast<std::size_t>(session.rank() + round);
        for (std::size_t i = 0; i < count; ++i) {
            Job& job = jobs[(first + i) % count];
            threads.push_back(std::make_unique<SmallThread>(session, stack, [&] { call_all(session, job); }));
        }
        for (int copies = 0; copies < 3; ++copies) {
            MPI_Comm copy = MPI_COMM_NULL;
            MPI_Comm_dup(copied, &copy);
            MPI_Comm_free(&copy);
        }
    }
    for (Job& job : jobs) MPI_Comm_free(&job.comm);
    MPI_Comm_free(&copied);
}

}  // namespace

int main(int argc, char** argv) {
    Session session(argc, argv, MPI_THREAD_MULTIPLE);
    const auto rounds = static_cast<int>(session.number("--rounds", 60));
    const auto threads = static_cast<int>(session.number("--threads", 4));
    const auto stack = static_cast<std::size_t>(session.number("--stack", 64)) * 1024;
    session.reject_other_arguments();
    MPI_Op own = MPI_OP_NULL;
    MPI_Op_create(add, 1, &own);
    std::vector<Job> jobs;
    for (int number = 0; number < threads; ++number) {
        const auto longest = static_cast<std::size_t>(75000 + session.size());
        jobs.push_back({MPI_COMM_NULL, number, number % 2 == 0 ? own : MPI_SUM, std::vector<int>(longest),
                        std::vector<int>(longest)});
    }
    {
        const PluginCounters counters(session);
        for (int round = 0; round < rounds; ++round) {
            session.at("round %d", round);
            run_round(session, jobs, stack, round);
        }
        const std::uint64_t made = session.total(counters.read(session, "communicators"));
        session.expect(made >= static_cast<std::uint64_t>(rounds * threads),
                       "the plugin made no communicators");
    }
    MPI_Op_free(&own);
    return session.finish();
}
