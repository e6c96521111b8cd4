// Measures the memory and time that a communicator of many ranks costs one process before its first
// message. Needs no MPI.
#include <malloc.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <bit>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "algorithms/engines/routes.h"
#include "algorithms/planning/make_plan.h"
#include "algorithms/planning/planner.h"
#include "component/base/peer_table.h"
#include "many_ranks.h"
#include "topology/fact_hash.h"

namespace {

using namespace strata;
using algorithms::Collective;

// The machine has 64 ranks per node and 16 nodes per leaf switch.
constexpr bench::ManyRanks machines[] = {{1, 1, 2, 32},    {1, 4, 2, 32},    {1, 16, 2, 32},
                                         {4, 16, 2, 32},   {16, 16, 2, 32},  {64, 16, 2, 32},
                                         {256, 16, 2, 32}, {1024, 16, 2, 32}};
constexpr Collective operations[] = {Collective::bcast, Collective::reduce, Collective::allreduce,
                                     Collective::allgather};
constexpr std::size_t bytes = 65536;

/// Returns the bytes of the heap in use.
double heap_mib() {
    const auto info = mallinfo2();
    return static_cast<double>(info.uordblks + info.hblkhd) / (1 << 20);
}

/// Measures time and memory since its construction.
class Meter {
public:
    double ms() const {
        return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin_).count();
    }
    double mib() const { return heap_mib() - before_mib_; }

private:
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
    double before_mib_ = heap_mib();
};

struct Cost {
    double ms = 0;
    double mib = 0;
    double search_ms = 0;
};

/// Measures the first call of an operation: its plan and this rank's edges; then the full search alone.
Cost first_call(const algorithms::Planner& planner, const topology::Hierarchy& hierarchy,
                Collective collective) {
    algorithms::Operation operation{collective, bytes, 0};
    if (traits_of(collective).blocks) operation.bytes = hierarchy.stop.size() * 8;
    const int middle = hierarchy.ranks() / 2;
    const topology::NicRails no_rails;
    const algorithms::Routing routing(hierarchy, no_rails, middle);
    algorithms::RouteCache kept;
    const Meter meter;
    const algorithms::Operation representative = planner.class_of(operation).representative;
    const algorithms::Plan plan = planner.first_plan(representative).plan;
    if (plan.engine == algorithms::Engine::tree) {
        switch (collective) {
            case Collective::bcast: routing.tree(plan, kept, 0); break;
            case Collective::reduce: routing.reduction(plan, kept, 0, false); break;
            case Collective::allgather: routing.blocks(plan, kept, 0, algorithms::ChunkDirection::all); break;
            default: routing.exchange(plan, kept, 0, false); break;
        }
    }
    Cost cost{meter.ms(), meter.mib()};
    const Meter of_search;
    planner.make_plan(representative);
    cost.search_ms = of_search.ms();
    return cost;
}

/// Measures a second communicator of the same processes: it builds its hierarchy and finds the first
/// one's plans.
double copy_ms(const std::vector<topology::LocalityRecord>& records, const topology::Hierarchy& known) {
    const Meter meter;
    const topology::Hierarchy same = topology::build_hierarchy(records);
    if (topology::hash_of(same) != topology::hash_of(known) || !(same == known)) std::abort();
    const topology::NicRails no_rails;
    const algorithms::Routing routing(same, no_rails, same.ranks() / 2);
    return meter.ms();
}

/// Predicts the time of the agreement (component/agreement/min_allreduce.h) over the default links: up
/// and down a binomial tree within the node, and rounds among the nodes in between. Beyond 1,024 ranks
/// or 256 nodes: rounds among all ranks, each of which counts as a message between nodes.
double agreement_us(const bench::ManyRanks& machine) {
    const auto hops = [](int count) { return std::bit_width(static_cast<unsigned>(count - 1)); };
    const algorithms::LinkTable links;
    const double node = links.at({topology::LevelKind::node, 0}).latency_us;
    const double network =
        links.at({topology::LevelKind::switch_, static_cast<std::uint8_t>(machine.switches > 1 ? 1 : 0)})
            .latency_us;
    if (machine.all() > 1024 || machine.all_nodes() > 256) return hops(machine.all()) * network;
    return 2 * hops(machine.per_node()) * node + hops(machine.all_nodes()) * network;
}

/// Measures the records of all processes, which a process keeps once for all communicators.
double kept_mib(const std::vector<topology::LocalityRecord>& records) {
    const Meter meter;
    component::PeerTable table;
    table.reserve(records.size());
    for (std::uint32_t process = 0; process < records.size(); ++process) {
        table.add(process, records[process]);
    }
    return meter.mib();
}

void show(const bench::ManyRanks& machine, bool cyclic) {
    std::printf("%9d %6s", machine.all(), cyclic ? "cyclic" : "block");
    std::size_t wire = 0;
    Meter of_records;
    auto records = std::make_unique<std::vector<topology::LocalityRecord>>(records_of(machine, cyclic));
    for (const auto& record : *records) wire += encode(record).size();
    std::printf(" %8.2f %8.2f", static_cast<double>(wire) / (1 << 20), of_records.mib());
    std::printf(" %8.2f", kept_mib(*records));
    const Meter of_hierarchy;
    const topology::Hierarchy hierarchy = topology::build_hierarchy(*records);
    std::printf(" %9.1f %8.2f", of_hierarchy.ms(), of_hierarchy.mib());
    std::printf(" %8.2f %8.1f", copy_ms(*records, hierarchy), agreement_us(machine));
    std::fflush(stdout);
    const algorithms::PlanSettings settings;
    const algorithms::Planner planner(hierarchy, settings, false);
    for (const Collective collective : operations) {
        const Cost cost = first_call(planner, hierarchy, collective);
        std::printf(" %9.2f %7.2f %9.1f", cost.ms, cost.mib, cost.search_ms);
        std::fflush(stdout);
    }
    std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app{
        "Time (ms) and memory (MiB) that one process spends before the first message on a communicator.\n"
        "Nodes have 64 ranks, leaf switches 16 nodes. Columns: the records of all ranks (on the wire, in\n"
        "memory until the agreement, and kept for all communicators), the hierarchy, a copy of the\n"
        "communicator, which finds the hierarchy and the plans, the predicted agreement (us), and then the\n"
        "first call of each operation, at 64 KiB (Allgather: 8 bytes per rank): its plan, mostly by formulas,\n"
        "with the edges of a rank in the middle; and the full search, which may follow."};
    int most = 1 << 20;
    app.add_option("--ranks", most, "largest number of ranks")->capture_default_str();
    CLI11_PARSE(app, argc, argv);
    std::printf("%9s %6s %8s %8s %8s %9s %8s %8s %8s", "ranks", "order", "wire MiB", "rec MiB", "kept MiB",
                "hier ms", "hier MiB", "copy ms", "agree us");
    for (const Collective collective : operations)
        std::printf(" %9s %7s %9s", (std::string(name_of(collective)) + " ms").substr(0, 9).c_str(), "MiB",
                    "search ms");
    std::printf("\n");
    for (const bench::ManyRanks& machine : machines) {
        if (machine.all() > most) continue;
        for (const bool cyclic : {false, true}) show(machine, cyclic);
    }
}
