// Tests a program's attributes with copy and delete functions on a communicator from which the plugin
// derives others: MPI calls neither function for the derived ones.
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

/// Acts as MPI_COMM_DUP_FN and also uses the communicator, like a library that duplicates its own
/// communicator.
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
