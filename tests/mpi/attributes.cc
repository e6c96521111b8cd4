// A program's attributes of a communicator, with functions that copy and delete them, on a communicator of
// which the plugin makes others for itself: neither function is called for those.
//
//   attributes
#include <vector>

#include "check.h"
#include "communicators.h"
#include "plugin_counters.h"

using namespace strata::testing;

namespace {

struct Called {
    int copies = 0;
    int deletions = 0;
};

/// As MPI_COMM_DUP_FN, and uses the communicator, as a library may that copies its own one.
int copy(MPI_Comm original, int /*key*/, void* /*state*/, void* value, void* copied, int* flag) {
    ++static_cast<Called*>(value)->copies;
    MPI_Barrier(original);
    *static_cast<void**>(copied) = value;
    *flag = 1;
    return MPI_SUCCESS;
}

int remove(MPI_Comm /*comm*/, int /*key*/, void* value, void* /*state*/) {
    ++static_cast<Called*>(value)->deletions;
    return MPI_SUCCESS;
}

void expect(Session& session, const Called& called, int copies, int deletions, const char* when) {
    if (called.copies != copies || called.deletions != deletions) {
        session.fail("%s: copied %d times, expected %d; deleted %d times, expected %d", when, called.copies,
                     copies, called.deletions, deletions);
    }
}

}  // namespace

int main(int argc, char** argv) {
    Session session(argc, argv);
    session.reject_other_arguments();
    {
        const PluginCounters counters(session);
        const std::uint64_t before = counters.read(session, "communicators");
        int key = MPI_KEYVAL_INVALID;
        MPI_Comm_create_keyval(copy, remove, &key, nullptr);
        Called called;
        MPI_Comm comm = MPI_COMM_NULL;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Comm_set_attr(comm, key, &called);
        const std::vector<int> own(2000, 1);
        std::vector<int> sum(own.size());
        for (int call = 0; call < 3; ++call) {
            MPI_Allreduce(own.data(), sum.data(), static_cast<int>(own.size()), MPI_INT, MPI_SUM, comm);
            MPI_Barrier(comm);
        }
        session.expect(sum.back() == session.size(), "a wrong sum");
        session.expect(counters.read(session, "communicators") > before, "the plugin made no communicators");
        expect(session, called, 0, 0, "after collectives");
        MPI_Comm copied = MPI_COMM_NULL;
        if (session.sabotage_is("copy")) MPI_Comm_dup(comm, &copied);
        MPI_Comm_free(&comm);
        if (copied != MPI_COMM_NULL) MPI_Comm_free(&copied);
        expect(session, called, 0, 1, "at the end");
        MPI_Comm_free_keyval(&key);
    }
    return session.finish();
}
