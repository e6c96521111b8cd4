#include "advice.h"

#include <mpi.h>

#include <atomic>
#include <cstdio>
#include <string>

namespace strata::introspection {

namespace {

std::string library() {
    char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    MPI_Get_library_version(text, &length);
    const std::string all(text);
    return all.substr(0, all.find_first_of(",\n\t"));
}

bool is_first_of_all() {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank == 0;
}

void print_once(std::atomic_flag& printed, const std::string& text) {
    if (!printed.test_and_set()) {
        std::fprintf(stderr, "MPI_Monitoring: %s\n", text.c_str());
    }
}

}  // namespace

void advise_to_enable(int counting) {
    static std::atomic_flag printed;
    if (!is_first_of_all()) {
        return;
    }
    const std::string name = library();
    int processes = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    if (name.find("Open MPI") == std::string::npos) {
        print_once(printed, "this MPI (" + name + ") does not count messages; Open MPI does");
    } else if (counting == 0) {
        print_once(printed,
                   "this job does not count messages. Start it with\n"
                   "    mpirun --mca pml_monitoring_enable 1 ...    or    strata-monitor mpirun ...\n"
                   "    (and if pml is set, with monitoring in its list: --mca pml ob1,monitoring)");
    } else {
        print_once(printed, "messages are counted on " + std::to_string(counting) + " of " +
                                std::to_string(processes) +
                                " processes only: pml_monitoring_enable has to reach all of them");
    }
}

void advise_same_mode() {
    static std::atomic_flag printed;
    if (is_first_of_all()) {
        print_once(printed, "pml_monitoring_enable has to be the same on all processes");
    }
}

void advise_collectives() {
    static std::atomic_flag printed;
    print_once(
        printed,
        "this job does not count collective calls, because coll/monitoring is left out (MPI_M_COLL_ONLY; "
        "with\n"
        "    pml_monitoring_enable 2 also MPI_M_ALL_COMM). If coll is set, add monitoring to its list:\n"
        "    --mca coll basic,libnbc,tuned,monitoring");
}

void advise_what_is_counted() {
    static std::atomic_flag printed;
    print_once(printed, "this MPI (" + library() +
                            ") does not provide all requested counts. Open MPI 4.1 withdraws those of\n"
                            "    point-to-point messages (MPI_M_P2P_ONLY, MPI_M_ALL_COMM); 5.0 has them all");
}

void advise_reset() {
    static std::atomic_flag printed;
    print_once(printed,
               "Open MPI's counters were reset during a session, and its counts are lost: a handle on\n"
               "    pml_monitoring_flush does that");
}

}  // namespace strata::introspection
