// Makes calls of the plugin on communicators of random shapes and settings: the messages and bytes from
// each rank to each other must equal those of the same engines over the in-process transport.
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "algorithms/base/level_tasks.h"
#include "algorithms/planning/make_plan.h"
#include "algorithms/planning/planner.h"
#include "monitoring.h"
#include "random_settings.h"
#include "traced_call.h"

namespace {

using namespace strata;
using namespace strata::testing;
using algorithms::Collective;

constexpr Collective collectives[] = {Collective::bcast,  Collective::reduce,  Collective::allreduce,
                                      Collective::gather, Collective::scatter, Collective::allgather,
                                      Collective::barrier};
constexpr unsigned watchdog_s = 150;
constexpr int most_told = 5;  // differences

bool by_ring(const RandomSettings& settings, Collective collective) {
    return settings.ring && (collective == Collective::allgather || collective == Collective::allreduce);
}

const std::string& methods_of(const RandomSettings& settings, Collective collective) {
    return supports_double_trees(algorithms::traits_of(collective)) ? settings.double_trees
                                                                    : settings.methods;
}

/// Sizes of the messages from a rank of a communicator to another, ascending: two rails have no order.
using Sizes = std::map<std::pair<int, int>, std::vector<std::size_t>>;

MPI_Comm make_communicator(const RandomSettings& settings) {
    MPI_Group world = MPI_GROUP_NULL;
    MPI_Group group = MPI_GROUP_NULL;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, static_cast<int>(settings.ranks.size()), settings.ranks.data(), &group);
    MPI_Comm plain = MPI_COMM_NULL;
    MPI_Comm_create(MPI_COMM_WORLD, group, &plain);
    MPI_Group_free(&group);
    MPI_Group_free(&world);
    if (plain == MPI_COMM_NULL) return plain;
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    const auto say = [&](const std::string& key, const std::string& value) {
        if (value.size() >= MPI_MAX_INFO_VAL) throw std::runtime_error(key + " is too long");
        MPI_Info_set(info, key.c_str(), value.c_str());
    };
    MPI_Info_set(info, "ompi_comm_coll_preference", "strata");
    say("strata_hierarchy", settings.hierarchy);
    for (const Collective collective : collectives) {
        const std::string op = "strata_" + std::string(name_of(collective));
        say(op + "_algorithm", by_ring(settings, collective) ? "ring" : "tree");
        if (!by_ring(settings, collective)) say(op + "_level_algorithms", methods_of(settings, collective));
        if (algorithms::traits_of(collective).sized) say(op + "_segsize", settings.segments);
    }
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_dup_with_info(plain, info, &comm);
    MPI_Info_free(&info);
    MPI_Comm_free(&plain);
    return comm;
}

void call(MPI_Comm comm, Collective collective, const RandomSettings& settings) {
    const auto count = static_cast<int>(settings.elements);
    std::vector<double> one(settings.elements), result(settings.elements);
    std::vector<double> all(settings.elements * settings.ranks.size());
    const int root = settings.root;
    switch (collective) {
        case Collective::bcast: MPI_Bcast(one.data(), count, MPI_DOUBLE, root, comm); break;
        case Collective::reduce:
            MPI_Reduce(one.data(), result.data(), count, MPI_DOUBLE, MPI_SUM, root, comm);
            break;
        case Collective::allreduce:
            MPI_Allreduce(one.data(), result.data(), count, MPI_DOUBLE, MPI_SUM, comm);
            break;
        case Collective::gather:
            MPI_Gather(one.data(), count, MPI_DOUBLE, all.data(), count, MPI_DOUBLE, root, comm);
            break;
        case Collective::scatter:
            MPI_Scatter(all.data(), count, MPI_DOUBLE, one.data(), count, MPI_DOUBLE, root, comm);
            break;
        case Collective::allgather:
            MPI_Allgather(one.data(), count, MPI_DOUBLE, all.data(), count, MPI_DOUBLE, comm);
            break;
        default: MPI_Barrier(comm); break;
    }
}

/// On rank 0 of the communicator: the messages of all its ranks during a call.
Sizes monitored(MPI_Comm comm, Collective collective, const RandomSettings& settings) {
    call(comm, collective, settings);  // the first call includes the agreement
    Monitoring::start();
    call(comm, collective, settings);
    std::vector<long long> mine;
    for (const auto& [world, bytes] : Monitoring::stop()) {
        const auto at = std::find(settings.ranks.begin(), settings.ranks.end(), world);
        mine.push_back(at - settings.ranks.begin());
        mine.push_back(static_cast<long long>(bytes));
    }
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    constexpr int tag = 7;
    Sizes sizes;
    if (rank != 0) {
        MPI_Send(mine.data(), static_cast<int>(mine.size()), MPI_LONG_LONG, 0, tag, comm);
        return sizes;
    }
    for (int from = 0; from < static_cast<int>(settings.ranks.size()); ++from) {
        if (from > 0) {
            MPI_Status status;
            int count = 0;
            MPI_Probe(from, tag, comm, &status);
            MPI_Get_count(&status, MPI_LONG_LONG, &count);
            mine.resize(static_cast<std::size_t>(count));
            MPI_Recv(mine.data(), count, MPI_LONG_LONG, from, tag, comm, MPI_STATUS_IGNORE);
        }
        for (std::size_t i = 0; i < mine.size(); i += 2) {
            sizes[{from, static_cast<int>(mine[i])}].push_back(static_cast<std::size_t>(mine[i + 1]));
        }
    }
    for (auto& [pair, all] : sizes) std::sort(all.begin(), all.end());
    return sizes;
}

topology::Hierarchy hierarchy_of(const RandomSettings& settings) {
    topology::HierarchySpec spec;
    spec.hint = topology::parse_hierarchy_hint(settings.hierarchy);
    spec.election.nic_local = false;
    topology::LocalityRecord here;  // all on one node, bound nowhere
    here.node_id = 1;
    return topology::build_hierarchy(std::vector<topology::LocalityRecord>(settings.ranks.size(), here),
                                     spec);
}

algorithms::Overrides overrides_of(const RandomSettings& settings, Collective collective) {
    algorithms::Overrides overrides;
    overrides.engine = by_ring(settings, collective) ? algorithms::Engine::ring : algorithms::Engine::tree;
    if (!by_ring(settings, collective))
        overrides.methods = algorithms::parse_level_methods(methods_of(settings, collective));
    if (algorithms::traits_of(collective).sized)
        overrides.segments = algorithms::parse_level_sizes(settings.segments);
    return overrides;
}

/// The same over the in-process transport, by the production code from the settings on.
Sizes in_process(Collective collective, const RandomSettings& settings, std::string& problem) {
    TracedCall one;
    one.hierarchy = hierarchy_of(settings);
    algorithms::PlanSettings plans;
    plans.overrides[static_cast<std::size_t>(collective)] = overrides_of(settings, collective);
    const algorithms::Planner planner(one.hierarchy, plans, true);
    const algorithms::CollectiveTraits traits = algorithms::traits_of(collective);
    const std::size_t ranks = settings.ranks.size();
    one.bytes = traits.sized ? settings.elements * sizeof(double) : 0;
    one.operation.collective = collective;
    one.operation.bytes = one.bytes * (traits.blocks ? ranks : 1);
    one.operation.root = traits.rooted ? settings.root : planner.tree_root(false);
    one.plan = planner.make_plan(planner.class_of(one.operation).representative);
    Sizes sizes;
    for (const auto& [way, sent] : in_process_streams(one, 1, problem)) {
        const auto& [from, to, rail] = way;
        auto& all = sizes[{from, to}];
        all.insert(all.end(), sent.begin(), sent.end());
    }
    for (auto& [pair, all] : sizes) std::sort(all.begin(), all.end());
    return sizes;
}

std::string text_of(const std::vector<std::size_t>& sizes) {
    std::string text = std::to_string(sizes.size()) + " messages (";
    for (const std::size_t size : sizes) text += std::to_string(size) + " ";
    return text + ")";
}

/// Describes the first difference of two.
std::string difference(Sizes seen, Sizes expected) {
    for (const auto& [pair, sizes] : expected) seen[pair];
    for (const auto& [pair, sizes] : seen) {
        if (sizes == expected[pair]) continue;
        return "rank " + std::to_string(pair.first) + " sent rank " + std::to_string(pair.second) + " " +
               text_of(sizes) + ", in process " + text_of(expected[pair]);
    }
    return "";
}

struct Tally {
    unsigned long messages = 0;
    int failures = 0;
};

/// One shape, on the ranks of its communicator.
void compare(int shape, RandomSettings settings, bool sabotage, Tally& tally) {
    MPI_Comm comm = make_communicator(settings);
    if (comm == MPI_COMM_NULL) return;
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    for (const Collective collective : collectives) {
        const Sizes seen = monitored(comm, collective, settings);
        if (rank != 0) continue;
        RandomSettings expected = settings;
        if (sabotage) expected.root = (settings.root + 1) % static_cast<int>(settings.ranks.size());
        std::string problem;
        const Sizes model = in_process(collective, expected, problem);
        if (problem.empty()) problem = difference(seen, model);
        for (const auto& [pair, sizes] : seen) tally.messages += sizes.size();
        if (problem.empty()) continue;
        if (++tally.failures > most_told) continue;
        std::printf("shape %d, %s: %s (%zu ranks, root %d, %s, %s in %s)\n", shape,
                    std::string(name_of(collective)).c_str(), problem.c_str(), settings.ranks.size(),
                    settings.root, settings.hierarchy.c_str(),
                    by_ring(settings, collective) ? "ring" : settings.methods.c_str(),
                    settings.segments.c_str());
    }
    MPI_Comm_free(&comm);
}

struct Options {
    int shapes = 50;
    bool sabotage = false;
};

Options options_of(int argc, char** argv) {
    Options options;
    for (int i = 1; i < argc; ++i) {
        if (std::strcmp(argv[i], "--sabotage") == 0) {
            options.sabotage = true;
        } else if (std::strcmp(argv[i], "--shapes") == 0 && i + 1 < argc) {
            options.shapes = std::atoi(argv[++i]);
        } else {
            throw std::runtime_error(std::string("unknown argument '") + argv[i] +
                                     "'; known: --shapes N, --sabotage");
        }
    }
    return options;
}

/// Returns the exit status.
int run(const Options& options) {
    int world = 0;
    int rank = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &world);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    Tally tally;
    for (int shape = 0; shape < options.shapes; ++shape) {
        Random random(static_cast<std::uint64_t>(shape));
        compare(shape, random_settings(random, world), options.sabotage, tally);
    }
    if (world > 1 && !Monitoring::is_there())
        throw std::runtime_error("no monitoring: --mca pml_monitoring_enable 1");
    unsigned long sums[2] = {tally.messages, static_cast<unsigned long>(tally.failures)};
    MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_UNSIGNED_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) {
        std::printf("%d shapes, %zu operations each, %lu messages: %lu differ\n", options.shapes,
                    std::size(collectives), sums[0], sums[1]);
    }
    return sums[1] == 0 && sums[0] > 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    alarm(watchdog_s);
    MPI_Init(&argc, &argv);
    int status = 1;
    try {
        status = run(options_of(argc, argv));
    } catch (const std::exception& error) {
        std::printf("plugin_traces: %s\n", error.what());
        std::fflush(stdout);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    MPI_Finalize();
    return status;
}
