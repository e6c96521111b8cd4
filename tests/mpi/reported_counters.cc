// Makes calls on several communicators, each with another set of calls. Before a communicator is freed
// (MPI_COMM_WORLD: before MPI_Finalize) rank 0 prints its MPI_T variables, for scripts that compare them
// with the job's dump:
//
//   counter NAME: VARIABLE VALUE
//
//   reported_counters [--communicators N]
#include <cstdio>
#include <string>
#include <vector>

#include "check.h"
#include "communicators.h"
#include "plugin_counters.h"

using namespace strata::testing;

namespace {

void print_counters(Session& session, const std::string& name, const PluginCounters& counters) {
    std::string text;
    for (const auto& [variable, value] : counters.read(session)) {
        text += "counter " + name + ": " + variable + " " + std::to_string(value) + "\n";
    }
    if (session.rank() == 0) {
        std::fputs(text.c_str(), stdout);
        std::fflush(stdout);
    }
}

/// Every third communicator skips the sum, every second one skips a Gatherv, which no parameter requests.
void call(const Session& session, MPI_Comm comm, int number) {
    const auto ranks = static_cast<std::size_t>(session.size());
    std::vector<int> data(5000 + 100 * static_cast<std::size_t>(number), 1);
    std::vector<int> result(data.size());
    for (int i = 0; i <= number % 3; ++i) {
        MPI_Bcast(data.data(), static_cast<int>(data.size()), MPI_INT, 0, comm);
    }
    if (number % 3 != 0) {
        MPI_Allreduce(data.data(), result.data(), static_cast<int>(data.size()), MPI_INT, MPI_SUM, comm);
    }
    if (number % 2 != 0) {
        std::vector<int> counts(ranks, 1);
        std::vector<int> places(ranks, 0);
        MPI_Gatherv(data.data(), 1, MPI_INT, result.data(), counts.data(), places.data(), MPI_INT, 0, comm);
    }
}

}  // namespace

int main(int argc, char** argv) {
    Session session(argc, argv);
    const auto communicators = static_cast<int>(session.number("--communicators", 3));
    session.reject_other_arguments();
    {
        const PluginCounters of_world(session, MPI_COMM_WORLD);
        call(session, MPI_COMM_WORLD, communicators);
        for (int number = 0; number < communicators; ++number) {
            const std::string name = "number " + std::to_string(number);
            session.at("%s", name.c_str());
            const NamedCommunicator copy = copy_of_world(name.c_str());
            MPI_Comm_set_name(copy.comm, name.c_str());
            const PluginCounters counters(session, copy.comm);
            call(session, copy.comm, number);
            print_counters(session, name, counters);
        }
        print_counters(session, "MPI_COMM_WORLD", of_world);
    }
    return session.finish();
}
