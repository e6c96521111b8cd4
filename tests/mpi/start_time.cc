// How long MPI_Init was in the plugin, and what of the processor that took, as variables of MPI_T: more than
// nothing, no more than MPI_Init itself, and no more once that is over.
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
        session.expect(plugin <= all, "MPI_Init was longer in the plugin than it took");
        session.expect(processor <= all, "the plugin took more of the processor than MPI_Init of time");
        const NamedCommunicator copy = copy_of_world("copy");
        checked_bcast(session, copy.comm, 0, 70000, session.seed());
        session.at("after a communicator");
        session.expect(counters.read(session, "init_ns") == plugin + (session.sabotages("later") ? 1 : 0),
                       "something later counts for MPI_Init");
        if (session.rank() == 0) {
            std::printf("%.3f of %.3f ms, %.3f of the processor\n", static_cast<double>(plugin) / 1e6,
                        static_cast<double>(all) / 1e6, static_cast<double>(processor) / 1e6);
        }
    }
    return session.finish();
}
