// Measures the CPU time of make_plan() by operation, size and machine. Needs no MPI.
// Usage: plan_cost [--closed-form] [--choices | --roots BYTES] [--repetitions N] [--ranks MOST]
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <random>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "algorithms/base/collective.h"
#include "algorithms/base/operation.h"
#include "algorithms/base/plan.h"
#include "algorithms/planning/make_plan.h"
#include "algorithms/planning/plan_table.h"
#include "algorithms/planning/planning_facts.h"
#include "many_ranks.h"
#include "topology/hierarchy.h"

namespace {

using namespace strata;
using algorithms::Collective;

constexpr bench::ManyRanks machines[] = {{2, 2, 1, 4}, {2, 8, 2, 4}, {4, 16, 2, 8}, {16, 16, 2, 32}};
constexpr const char* orders[] = {"block", "cyclic", "shuffled"};
constexpr bench::ManyRanks swept_machines[] = {{1, 64, 2, 8}, {4, 16, 2, 8}, {1, 256, 2, 32}};  // for --roots
constexpr Collective operations[] = {Collective::bcast,     Collective::reduce, Collective::allreduce,
                                     Collective::allgather, Collective::gather, Collective::scatter,
                                     Collective::barrier};
constexpr std::size_t sizes[] = {8, 8192, 262144, 4194304};

algorithms::Effort effort = algorithms::Effort::full;

double processor_us() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const auto us = [](const timeval& time) { return 1e6 * static_cast<double>(time.tv_sec) + time.tv_usec; };
    return us(usage.ru_utime) + us(usage.ru_stime);
}

/// Returns the CPU time of one plan in microseconds: the median over several batches. What the plans of a
/// hierarchy share has been made by an earlier plan.
double plan_us(const topology::Hierarchy& hierarchy, const algorithms::Operation& operation, int batches,
               algorithms::PlanningFacts& facts) {
    const auto batch_us = [&](int plans) {
        const double begin = processor_us();
        for (int i = 0; i < plans; ++i) algorithms::make_plan(hierarchy, {}, {}, operation, effort, &facts);
        return processor_us() - begin;
    };
    int plans = 1;  // plans per batch, enough for a measurable time
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

/// Prints the plans that a program needs in which every rank is the root of a call in turn, and their CPU
/// time.
void sweep_roots(const topology::Hierarchy& hierarchy, std::size_t bytes) {
    const algorithms::PlanSettings settings;
    for (const Collective collective : operations) {
        if (!algorithms::traits_of(collective).rooted) continue;
        std::set<std::uint64_t> keys;
        const double begin = processor_us();
        algorithms::PlanTable plans(hierarchy, settings, false, 1);
        for (int root = 0; root < hierarchy.ranks(); ++root) {
            const auto found = plans.planner().class_of({collective, bytes, root});
            plans.at(found, algorithms::ByLevels::maybe);
            keys.insert(found.key);
        }
        std::printf("%-10s %4zu plans %10.1f us\n", std::string(name_of(collective)).c_str(), keys.size(),
                    processor_us() - begin);
    }
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app{"Measures the CPU time of plans"};
    bool choices = false;
    int batches = 5;
    std::size_t sweep = 0;
    int most = 1 << 20;
    app.add_flag_callback(
        "--closed-form", [] { effort = algorithms::Effort::closed_form; },
        "measure the choice by formulas that the first calls use");
    app.add_flag("--choices", choices, "print the plans instead of their times");
    app.add_option("--roots", sweep, "count the plans of a sweep over all roots with this number of bytes");
    app.add_option("--repetitions", batches, "number of batches; the median is printed");
    app.add_option("--ranks", most, "largest machine");
    CLI11_PARSE(app, argc, argv);
    for (const bench::ManyRanks& machine : sweep > 0 ? std::span<const bench::ManyRanks>(swept_machines)
                                                     : std::span<const bench::ManyRanks>(machines)) {
        if (machine.all() > most) continue;
        for (const std::string order : orders) {
            std::vector<topology::LocalityRecord> records = bench::records_of(machine, order == "cyclic");
            if (order == "shuffled") std::shuffle(records.begin(), records.end(), std::mt19937(1));
            const topology::Hierarchy hierarchy = topology::build_hierarchy(records);
            std::printf("%d ranks, %dx%d, %s:", machine.all(), machine.all_nodes(), machine.per_node(),
                        order.c_str());
            if (sweep > 0) {
                std::printf(" all roots, %zu bytes\n", sweep);
                sweep_roots(hierarchy, sweep);
                continue;
            }
            algorithms::PlanningFacts facts(hierarchy);
            std::printf(" us by bytes");
            for (const std::size_t bytes : sizes) std::printf(" %zu", bytes);
            std::printf("\n");
            for (const Collective collective : operations) {
                std::printf("%-10s", std::string(name_of(collective)).c_str());
                if (choices) std::printf("\n");
                for (const std::size_t bytes : sizes) {
                    if (collective == Collective::barrier && bytes != sizes[0]) continue;
                    algorithms::Operation operation{collective, bytes, 0};
                    // For Allgather, Gather and Scatter these are the bytes of a chunk.
                    if (traits_of(collective).blocks) operation.bytes *= hierarchy.stop.size();
                    if (choices) {
                        print_choice(algorithms::make_plan(hierarchy, {}, {}, operation, effort));
                    } else {
                        std::printf(" %10.1f", plan_us(hierarchy, operation, batches, facts));
                        std::fflush(stdout);
                    }
                }
                if (!choices) std::printf("\n");
            }
        }
    }
}
