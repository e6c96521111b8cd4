// Tests a thread that ends inside a collective. With exit, pthread_exit in the program's operator ends it,
// and other communicators, the main thread and the end of the job work as usual. With cancel, it is
// cancelled while it waits for other ranks, and the program continues. (Open MPI's own waits do not survive
// that, so that the job then ends itself with MPI_Abort.)
//
//   unwinding --by exit|cancel [--first] [--items N]
//
// --first: in the first call on the communicator, which sets the plugin up.
#include <pthread.h>
#include <unistd.h>

#include <cstdio>
#include <vector>

#include "check.h"
#include "communicators.h"

using namespace strata::testing;

namespace {

int items = 0;
bool leaves = false;  // the operator
int unwound = 0;

/// Records that the thread was unwound, not just stopped.
struct SignalProbe {
    ~SignalProbe() { ++unwound; }
};

void add_or_leave(void* in, void* inout, int* count, MPI_Datatype* /*type*/) {
    if (leaves) pthread_exit(&leaves);
    for (int i = 0; i < *count; ++i) static_cast<int*>(inout)[i] += static_cast<int*>(in)[i];
}

struct Job {
    MPI_Comm comm;
    MPI_Op op;
    std::vector<int> mine, all;
};

/// Body of rank 0's thread: all others send to it, and none waits for it.
void* reduce(void* pointer) {
    const SignalProbe witness;
    Job& job = *static_cast<Job*>(pointer);
    MPI_Reduce(job.mine.data(), job.all.data(), items, MPI_INT, job.op, 0, job.comm);
    return nullptr;
}

void* wait_for_others(void* pointer) {
    const SignalProbe witness;
    Job& job = *static_cast<Job*>(pointer);
    // Open MPI's waits that make progress contain no cancellation point.
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, nullptr);
    MPI_Reduce(job.mine.data(), job.all.data(), items, MPI_INT, MPI_SUM, 0, job.comm);
    return nullptr;
}

void end_a_thread(Session& session, Job& job, bool by_exit) {
    leaves = by_exit;
    pthread_t thread{};
    session.expect(pthread_create(&thread, nullptr, by_exit ? reduce : wait_for_others, &job) == 0,
                   "no thread");
    if (!by_exit) {
        usleep(300000);
        pthread_cancel(thread);
    }
    void* result = nullptr;
    pthread_join(thread, &result);
    leaves = false;
    const void* const wanted = by_exit ? static_cast<void*>(&leaves) : PTHREAD_CANCELED;
    session.expect(result == wanted, "the thread did not end as expected");
    session.expect(unwound == (session.sabotage_is("unwound") ? 0 : 1), "the thread was not unwound");
}

}  // namespace

int main(int argc, char** argv) {
    Session session(argc, argv, MPI_THREAD_MULTIPLE);
    const bool by_exit = session.option("--by", "exit") == "exit";
    const bool first = session.flag("--first");
    items = static_cast<int>(session.number("--items", 2000));
    session.reject_other_arguments();
    const auto length = static_cast<std::size_t>(items);
    Job job{MPI_COMM_NULL, MPI_OP_NULL, std::vector<int>(length, 1), std::vector<int>(length)};
    MPI_Op_create(add_or_leave, 1, &job.op);
    MPI_Comm_dup(MPI_COMM_WORLD, &job.comm);
    if (!first) {
        MPI_Reduce(job.mine.data(), job.all.data(), items, MPI_INT, job.op, 0, job.comm);
        session.expect(session.rank() != 0 || job.all[length - 1] == session.size(), "a wrong sum");
    }
    if (session.rank() == 0) {
        end_a_thread(session, job, by_exit);
        if (!by_exit && session.failures() == 0) {
            std::puts("a thread was cancelled, and unwound");
            std::fflush(stdout);
            MPI_Abort(MPI_COMM_WORLD, exit_failed);
        }
    } else if (by_exit) {
        reduce(&job);
    }
    session.at("the others");
    int one = 1;
    int ranks = 0;
    NamedCommunicator other = copy_of_world("another");
    for (int i = 0; i < 3; ++i) MPI_Allreduce(&one, &ranks, 1, MPI_INT, MPI_SUM, other.comm);
    session.expect(ranks == session.size(), "a wrong sum afterwards");
    other.free();
    MPI_Op_free(&job.op);
    return session.finish();
}
