// What a plan costs: processor time of make_plan() by operation, size and machine. Needs no MPI.
// Usage: plan_cost [--choices] [--repetitions N] [--ranks MOST]
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "strata/algorithms/selector.h"
#include "strata/topology/hierarchy.h"

namespace {

using namespace strata;
using algorithms::Collective;
using topology::LevelKind;

/// Nodes below leaf switches below one top switch, and the processors of a node.
struct Machine {
    int switches;
    int nodes;  ///< of each switch
    int packages;
    int ranks;  ///< of each package
    int all_nodes() const { return switches * nodes; }
    int all() const { return all_nodes() * packages * ranks; }
};

constexpr Machine machines[] = {{2, 2, 1, 4}, {2, 8, 2, 4}, {4, 16, 2, 8}, {16, 40, 2, 8}};
constexpr Collective operations[] = {Collective::bcast,     Collective::reduce, Collective::allreduce,
                                     Collective::allgather, Collective::gather, Collective::scatter,
                                     Collective::barrier};
constexpr std::size_t sizes[] = {8, 8192, 262144, 4194304};

topology::Hierarchy hierarchy_of(const Machine& machine, bool cyclic) {
    std::vector<topology::LocalityRecord> records(static_cast<std::size_t>(machine.all()));
    const int per_node = machine.packages * machine.ranks;
    for (int rank = 0; rank < machine.all(); ++rank) {
        const int node = cyclic ? rank % machine.all_nodes() : rank / per_node;
        const int place = cyclic ? rank / machine.all_nodes() : rank % per_node;
        topology::LocalityRecord& record = records[static_cast<std::size_t>(rank)];
        record.node_id = static_cast<std::uint64_t>(node) + 1;
        record.network_path = {1, static_cast<std::uint32_t>(2 + node / machine.nodes)};
        const auto add = [&](LevelKind kind, int index) {
            record.hardware_path.push_back({static_cast<std::uint16_t>(1U << static_cast<unsigned>(kind)),
                                            static_cast<std::uint16_t>(index)});
        };
        if (machine.packages > 1) add(LevelKind::package, place / machine.ranks);
        add(LevelKind::core, place);
    }
    return topology::build_hierarchy(records);
}

double processor_us() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const auto us = [](const timeval& time) { return 1e6 * static_cast<double>(time.tv_sec) + time.tv_usec; };
    return us(usage.ru_utime) + us(usage.ru_stime);
}

/// Microseconds of the processor for one plan: the median of some batches.
double plan_us(const topology::Hierarchy& hierarchy, const algorithms::Operation& operation, int batches) {
    const auto batch_us = [&](int plans) {
        const double begin = processor_us();
        for (int i = 0; i < plans; ++i) algorithms::make_plan(hierarchy, {}, {}, operation);
        return processor_us() - begin;
    };
    int plans = 1;  // in a batch: enough to be told from nothing
    while (plans < 1000 && batch_us(plans) < 2000) plans *= 2;
    std::vector<double> times;
    for (int i = 0; i < batches; ++i) times.push_back(batch_us(plans) / plans);
    std::nth_element(times.begin(), times.begin() + batches / 2, times.end());
    return times[static_cast<std::size_t>(batches / 2)];
}

void print_choice(const algorithms::Plan& plan) {
    std::printf("  %s", std::string(name_of(plan.engine)).c_str());
    for (const auto& level : plan.levels) {
        std::printf(" %s=%s/%zu", topology::name_of(level.level).c_str(), name_of(level.method).c_str(),
                    level.segment_bytes);
    }
    std::printf(" %.6g us, forward %.6g us\n", plan.predicted_us, plan.forward_us);
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app{"Processor time of a plan"};
    bool choices = false;
    int batches = 5;
    int most = 1 << 20;
    app.add_flag("--choices", choices, "what is planned instead of the time that it takes");
    app.add_option("--repetitions", batches, "batches of plans, whose median is printed");
    app.add_option("--ranks", most, "largest machine");
    CLI11_PARSE(app, argc, argv);
    for (const Machine& machine : machines) {
        if (machine.all() > most) continue;
        for (const bool cyclic : {false, true}) {
            const topology::Hierarchy hierarchy = hierarchy_of(machine, cyclic);
            std::printf("%d ranks, %dx%d, %s: us by bytes", machine.all(), machine.all_nodes(),
                        machine.packages * machine.ranks, cyclic ? "cyclic" : "block");
            for (const std::size_t bytes : sizes) std::printf(" %zu", bytes);
            std::printf("\n");
            for (const Collective collective : operations) {
                std::printf("%-10s", std::string(name_of(collective)).c_str());
                if (choices) std::printf("\n");
                for (const std::size_t bytes : sizes) {
                    if (collective == Collective::barrier && bytes != sizes[0]) continue;
                    algorithms::Operation operation{collective, bytes, 0};
                    // Of an Allgather, Gather or Scatter that many bytes are a block.
                    if (traits_of(collective).blocks) operation.bytes *= hierarchy.stop.size();
                    if (choices) {
                        print_choice(algorithms::make_plan(hierarchy, {}, {}, operation));
                    } else {
                        std::printf(" %10.1f", plan_us(hierarchy, operation, batches));
                        std::fflush(stdout);
                    }
                }
                if (!choices) std::printf("\n");
            }
        }
    }
}
