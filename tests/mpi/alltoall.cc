// Tests MPI_Alltoall with contiguous and in-place data. Served by the plugin that includes the sources of
// tests/copy_me.
//
//   alltoall
#include <vector>

#include "check.h"
#include "plugin_counters.h"

using namespace strata::testing;

namespace {

/// The value that rank `from` sends to rank `to`.
int number(int from, int to, int i) { return 1000 * from + 10 * to + i; }

void exchange(Session& session, int count, bool in_place) {
    const auto blocks = static_cast<std::size_t>(session.size() * count);
    std::vector<int> own(blocks);
    std::vector<int> received(blocks);
    for (std::size_t i = 0; i < blocks; ++i) {
        own[i] = number(session.rank(), static_cast<int>(i) / count, static_cast<int>(i) % count);
    }
    if (in_place) received = own;
    MPI_Alltoall(in_place ? MPI_IN_PLACE : own.data(), count, MPI_INT, received.data(), count, MPI_INT,
                 MPI_COMM_WORLD);
    bool right = true;
    for (std::size_t i = 0; i < blocks; ++i) {
        right = right && received[i] ==
                             number(static_cast<int>(i) / count, session.rank(), static_cast<int>(i) % count);
    }
    session.expect(right, "wrong numbers");
}

}  // namespace

int main(int argc, char** argv) {
    Session session(argc, argv);
    {
        const PluginCounters counters(session);  // destroyed before MPI_Finalize
        for (const int count : {1, 3, 40000}) {
            for (const bool in_place : {false, true}) exchange(session, count, in_place);
        }
        session.expect(counters.read(session, "alltoall_tree") == 6, "the plugin has not served all calls");
    }
    return session.finish();
}
