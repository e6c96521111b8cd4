#include "simulated_job.h"

#include <simgrid/s4u.hpp>
#include <smpi/smpi.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "platform.h"

namespace strata::simulation {
namespace {

namespace s4u = simgrid::s4u;

/// Fluid transfers that share links, with exactly the latencies and bandwidths of the description. SMPI's own
/// factors, made for one Ethernet cluster, are switched off.
void configure_network() {
    s4u::Engine::set_config("network/model:SMPI");
    s4u::Engine::set_config("smpi/bw-factor:0:1");
    s4u::Engine::set_config("smpi/lat-factor:0:1");
    s4u::Engine::set_config("network/bandwidth-factor:1");
    s4u::Engine::set_config("network/latency-factor:1");
    // Shares go by the inverse of latency + S / bandwidth, summed over the links: with a large S not by the
    // round-trip time, as for TCP, which also would leave weights so small that some transfer gets no share.
    s4u::Engine::set_config("network/weight-S:1e9");
    s4u::Engine::set_config("network/TCP-gamma:1e15");   // no window limits anything
    s4u::Engine::set_config("network/crosstraffic:0");   // acknowledgements take no bandwidth
    s4u::Engine::set_config("maxmin/precision:1e-9");    // links differ by 1000 times and more
    s4u::Engine::set_config("contexts/stack-size:512");  // KiB per rank
    s4u::Engine::set_config("contexts/guard-size:0");
}

/// Options that are known only once SMPI has declared them.
void configure_mpi(const Machine& machine, const std::string& selector) {
    std::ostringstream overhead;
    overhead << "0:" << machine.overhead_us * 1e-6 << ":0";
    const std::string eager = std::to_string(machine.eager_bytes);
    s4u::Engine::set_config("smpi/os:" + overhead.str());
    s4u::Engine::set_config("smpi/ois:" + overhead.str());
    s4u::Engine::set_config("smpi/or:" + overhead.str());
    s4u::Engine::set_config("smpi/async-small-thresh:" + eager);
    s4u::Engine::set_config("smpi/send-is-detached-thresh:" + eager);
    s4u::Engine::set_config("smpi/simulate-computation:no");  // no clock of this machine in the results
    s4u::Engine::set_config("smpi/cpu-threshold:0");
    s4u::Engine::set_config("smpi/host-speed:1e9f");
    s4u::Engine::set_config("smpi/test:0");
    s4u::Engine::set_config("smpi/iprobe:0");
    s4u::Engine::set_config("smpi/wtime:0");
    s4u::Engine::set_config("smpi/coll-selector:" + selector);
}

MPI_Comm world_of_job = MPI_COMM_NULL;

void note_communicator(MPI_Comm* comm, int*, ...) { world_of_job = *comm; }

/// SMPI leaves its variable MPI_COMM_WORLD as it is but under smpirun; then algorithms that look for ranks of
/// one host (impi, mvapich2) use communicators that are not there. An error handler sees the one of the job.
void set_world() {
    MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
    MPI_Comm_create_errhandler(note_communicator, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_OTHER);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Errhandler_free(&handler);
    MPI_COMM_WORLD = world_of_job;
}

void start_ranks(const std::vector<s4u::Host*>& places, const std::function<void(int)>& body) {
    constexpr const char* job = "strata";
    SMPI_app_instance_register(job, nullptr, static_cast<int>(places.size()));
    for (std::size_t rank = 0; rank < places.size(); ++rank) {
        const s4u::ActorPtr actor = s4u::Actor::init("rank " + std::to_string(rank), places[rank]);
        actor->set_property("instance_id", job);
        actor->set_property("rank", std::to_string(rank));
        actor->start([&body, rank] {
            MPI_Init(nullptr, nullptr);
            set_world();
            body(static_cast<int>(rank));
            MPI_Finalize();
        });
    }
}

}  // namespace

void insist_on_selector(const std::string& selector) {
    constexpr std::string_view known[] = {"ompi", "mpich"};
    if (std::find(std::begin(known), std::end(known), selector) == std::end(known)) {
        throw std::invalid_argument("selector '" + selector + "': known: ompi, mpich");
    }
}

void run_job(const Machine& machine, const Ranks& ranks, const std::string& selector,
             const std::function<void()>& ready, const std::function<void(int)>& body) {
    std::string program = "simulation";
    std::string quiet = "--log=root.thres:critical";
    std::vector<char*> arguments{program.data(), quiet.data()};
    int count = static_cast<int>(arguments.size());
    s4u::Engine engine(&count, arguments.data());
    configure_network();
    // In this order: SMPI_init() looks for the selector, hosts for their overheads when they are made.
    smpi_init_options();
    configure_mpi(machine, selector);
    SMPI_init();
    const Platform platform(machine);
    const std::vector<s4u::Host*> places = platform.places(ranks.records());
    ready();
    start_ranks(places, body);
    engine.run();
    SMPI_finalize();
}

}  // namespace strata::simulation
