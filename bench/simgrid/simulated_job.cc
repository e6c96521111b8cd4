#include "simulated_job.h"

#include <simgrid/s4u.hpp>
#include <smpi/smpi.h>

#include <algorithm>
#include <bit>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "platform.h"
#include "simgrid_release.h"

namespace strata::simulation {
namespace {

namespace s4u = simgrid::s4u;

/// Makes transfers fluid: they share links with exactly the described bandwidths. Switches off SMPI's own
/// factors, which were fitted to one Ethernet cluster; Platform provides the latencies.
void configure_network() {
    s4u::Engine::set_config("network/model:SMPI");
    s4u::Engine::set_config("smpi/bw-factor:0:1");
    s4u::Engine::set_config("network/bandwidth-factor:1");
    s4u::Engine::set_config("network/weight-S:0");       // a link's speed does not change its weight
    s4u::Engine::set_config("network/TCP-gamma:1e15");   // no window limits a transfer
    s4u::Engine::set_config("network/crosstraffic:0");   // acknowledgements use no bandwidth
    s4u::Engine::set_config("maxmin/precision:1e-9");    // links differ by a factor of 1000 and more
    s4u::Engine::set_config("contexts/stack-size:512");  // KiB per rank
    s4u::Engine::set_config("contexts/guard-size:0");
}

/// Options that exist only after SMPI has declared them.
void configure_mpi(const Machine& machine, const std::string& selector) {
    std::ostringstream seconds;
    seconds << machine.overhead_us * 1e-6;
    const std::string overhead = release::overhead_per_message(seconds.str());
    const std::string eager = std::to_string(machine.eager_bytes);
    s4u::Engine::set_config("smpi/os:" + overhead);
    s4u::Engine::set_config("smpi/ois:" + overhead);
    s4u::Engine::set_config("smpi/or:" + overhead);
    s4u::Engine::set_config("smpi/async-small-thresh:" + eager);
    s4u::Engine::set_config("smpi/send-is-detached-thresh:" + eager);
    s4u::Engine::set_config("smpi/simulate-computation:no");  // keep this machine's clock out of the results
    s4u::Engine::set_config("smpi/cpu-threshold:0");
    s4u::Engine::set_config("smpi/host-speed:1e9f");
    s4u::Engine::set_config("smpi/test:0");
    s4u::Engine::set_config("smpi/iprobe:0");
    s4u::Engine::set_config("smpi/wtime:0");
    s4u::Engine::set_config("smpi/coll-selector:" + selector);
}

s4u::BarrierPtr all_ranks;

/// Describes the machine to SMPI, whose hosts are cores here.
enum class View { no_nodes, nodes, cores_as_nodes };

/// SMPI's copy of MPICH's Bcast sends to ranks of the next node where nodes do not hold a power of two.
bool hold_a_power_of_two(const std::vector<s4u::Host*>& places) {
    std::map<const s4u::Host*, unsigned> held;
    for (const s4u::Host* const core : places) ++held[Platform::first_of_node(*core)];
    return std::all_of(held.begin(), held.end(),
                       [](const auto& node) { return std::has_single_bit(node.second); });
}

View view_of(const std::string& selector, const std::vector<s4u::Host*>& places) {
    if (selector == "ompi") return View::no_nodes;
    return selector == "mpich" && !hold_a_power_of_two(places) ? View::cores_as_nodes : View::nodes;
}

/// Makes a communicator of all ranks. Outside smpirun SMPI leaves its variable MPI_COMM_WORLD unset, and
/// algorithms that look for ranks of one host then use communicators that do not exist; SMPI reads the
/// hosts when a communicator is made. The job's communicator is therefore made while all ranks are on the
/// first core of their node, and the variable gets another value, which may be any communicator that ranks
/// do not use. Open MPI's selector never looks for hosts, and a communicator for each of thousands of ranks
/// would fill the memory.
MPI_Comm communicator_of_job(int rank, View view) {
    const MPI_Comm unset = MPI_COMM_WORLD;
    if (view == View::no_nodes) return unset;
    all_ranks->wait();
    if (rank == 0) MPI_COMM_WORLD = MPI_COMM_SELF;
    s4u::Host* const core = s4u::this_actor::get_host();
    if (view == View::nodes) s4u::this_actor::set_host(Platform::first_of_node(*core));
    all_ranks->wait();
    MPI_Comm job = MPI_COMM_NULL;
    MPI_Comm_split(unset, 0, rank, &job);
    all_ranks->wait();
    s4u::this_actor::set_host(core);
    return job;
}

void start_ranks(const std::vector<s4u::Host*>& places, View view,
                 const std::function<void(int, MPI_Comm)>& body) {
    constexpr const char* job = "strata";
    all_ranks = s4u::Barrier::create(static_cast<unsigned>(places.size()));
    SMPI_app_instance_register(job, nullptr, static_cast<int>(places.size()));
    for (std::size_t rank = 0; rank < places.size(); ++rank) {
        const s4u::ActorPtr actor = s4u::Actor::init("rank " + std::to_string(rank), places[rank]);
        actor->set_property("instance_id", job);
        actor->set_property("rank", std::to_string(rank));
        actor->start([&body, view, rank] {
            MPI_Init(nullptr, nullptr);
            MPI_Comm own = communicator_of_job(static_cast<int>(rank), view);
            body(static_cast<int>(rank), own);
            if (view != View::no_nodes) MPI_Comm_free(&own);
            MPI_Finalize();
        });
    }
}

}  // namespace

void insist_on_selector(const std::string& selector) {
    constexpr std::string_view known[] = {"ompi", "mpich", "impi", "mvapich2"};
    if (std::find(std::begin(known), std::end(known), selector) == std::end(known)) {
        throw std::invalid_argument("selector '" + selector + "': known: ompi, mpich, impi, mvapich2");
    }
}

void run_job(const Machine& machine, const Ranks& ranks, const std::string& selector,
             const std::function<void()>& ready, const std::function<void(int, MPI_Comm)>& body) {
    std::string program = "simulation";
    std::string quiet = "--log=root.thres:critical";
    std::vector<char*> arguments{program.data(), quiet.data()};
    int count = static_cast<int>(arguments.size());
    s4u::Engine engine(&count, arguments.data());
    configure_network();
    // The order matters: SMPI_init() reads the selector, and hosts read their overheads when they are made.
    smpi_init_options();
    configure_mpi(machine, selector);
    SMPI_init();
    const Platform platform(machine);
    const std::vector<s4u::Host*> places = platform.places(ranks.records());
    ready();
    start_ranks(places, view_of(selector, places), body);
    bool stuck = false;
    s4u::Engine::on_deadlock_cb([&stuck] { stuck = true; });
    engine.run();
    if (stuck) throw std::runtime_error(machine.name + ": ranks wait for each other for ever");
    SMPI_finalize();
}

}  // namespace strata::simulation
