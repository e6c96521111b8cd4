// Tests the MPI_T variables for the time and processor time that MPI_Init spends in the plugin: more than
// zero, at most MPI_Init's own time, and constant after MPI_Init.
//
//   start_time
#include <cstdio>

#include "check.h"
#include "communicators.h"
#include "plugin_counters.h"

using namespace strata::testing;

int main(int argc, char** argv) {
    Session session(argc, argv);
    session.reject_other_arguments();
    {
        const PluginCounters counters(session);
        const std::uint64_t all = session.sabotages("all") ? 0 : session.init_ns();
        const std::uint64_t plugin = session.sabotages("nothing") ? 0 : counters.read(session, "init_ns");
        const std::uint64_t processor = counters.read(session, "init_processor_ns");
        session.at("after MPI_Init");
        session.expect(plugin > 0 && processor > 0, "MPI_Init took no time in the plugin");
        session.expect(plugin <= all, "MPI_Init spent more time in the plugin than it took");
        session.expect(processor <= all, "the plugin used more processor time than MPI_Init took");
        const NamedCommunicator copy = copy_of_world("copy");
        checked_bcast(session, copy.comm, 0, 70000, session.seed());
        session.at("after a communicator");
        session.expect(counters.read(session, "init_ns") == plugin + (session.sabotages("later") ? 1 : 0),
                       "later work counts for MPI_Init");
        if (session.rank() == 0) {
            std::printf("%.3f of %.3f ms, %.3f ms of processor time\n", static_cast<double>(plugin) / 1e6,
                        static_cast<double>(all) / 1e6, static_cast<double>(processor) / 1e6);
        }
    }
    return session.finish();
}
