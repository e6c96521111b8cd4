// What the plugin did on each communicator, by performance variables of MPI_T that are bound to it: every
// communicator's own calls, messages and bytes, which together are those of the process.
//
//   communicator_counters
#include <vector>

#include "check.h"
#include "communicators.h"
#include "plugin_counters.h"

using namespace strata::testing;

namespace {

constexpr int bytes = 4096;

void broadcast(MPI_Comm comm, int calls) {
    std::vector<char> data(bytes);
    for (int i = 0; i < calls; ++i) {
        MPI_Bcast(data.data(), bytes, MPI_CHAR, 0, comm);
    }
}

void test(Session& session, int calls) {
    const PluginCounters process(session);
    const auto before = process.read(session);
    const NamedCommunicator first = copy_of_world("first");
    const NamedCommunicator second = copy_of_world("second");
    const PluginCounters of_first(session, first.comm);
    const PluginCounters of_second(session, second.comm);
    session.expect(of_first.read(session, "tree") == 0, "calls on a new communicator");
    broadcast(first.comm, calls);
    broadcast(second.comm, calls + 1);
    const auto wanted = static_cast<std::uint64_t>(calls);
    session.expect(of_first.read(session, "tree") == wanted, "other calls than those of the communicator");
    session.expect(of_second.read(session, "tree") == wanted + 1 + (session.sabotages("calls") ? 1 : 0),
                   "other calls than those of the second communicator");
    session.expect(of_first.read(session, "forward") == 0, "calls left to Open MPI");
    const std::uint64_t sent = session.total(of_first.sum(session, "bytes_"));
    session.expect(sent == wanted * bytes * static_cast<std::uint64_t>(session.size() - 1),
                   "a broadcast sends its bytes once to every rank but the root");
    std::uint64_t of_process = 0;
    for (const auto& [name, value] : process.read(session)) {
        of_process += name.starts_with("coll_strata_bytes_") ? value - before.at(name) : 0;
    }
    session.expect(of_process == of_first.sum(session, "bytes_") + of_second.sum(session, "bytes_"),
                   "the communicators' bytes are not those of the process");
    session.expect(of_first.read(session, "memory") > 1000, "a communicator that is served takes memory");
    session.expect(of_first.read(session, "setup_us") <= process.read(session, "setup_us"),
                   "one communicator took longer to set up than all");
    const PluginCounters of_self(session, MPI_COMM_SELF);
    session.expect(of_self.sum(session, "") == 0, "something of a communicator that is not served");
}

}  // namespace

int main(int argc, char** argv) {
    Session session(argc, argv);
    const auto calls = static_cast<int>(session.number("--calls", 5));
    session.reject_other_arguments();
    test(session, calls);
    return session.finish();
}
