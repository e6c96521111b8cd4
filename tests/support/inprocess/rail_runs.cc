#include "rail_runs.h"

#include <algorithm>
#include <numeric>

#include "algorithms/patterns/rail_links.h"
#include "topology/leaders.h"

namespace strata::testing {
namespace {

using topology::LevelKind;
using topology::LocalityRecord;

constexpr std::uint8_t far_distance = 3;

/// Bound to NUMA domain `domain` of its node.
LocalityRecord record_of(int node, int domain, std::uint8_t distance, int nic) {
    LocalityRecord record;
    record.node_id = topology::stable_hash("n" + std::to_string(node));
    record.hardware_path.push_back({static_cast<std::uint16_t>(1U << static_cast<unsigned>(LevelKind::numa)),
                                    static_cast<std::uint16_t>(domain)});
    record.nics.fill({distance, static_cast<std::uint8_t>(nic)});
    return record;
}

}  // namespace

NicJob nic_job(const std::vector<std::vector<int>>& near, int far, Random* shuffle, bool switches) {
    NicJob job;
    for (int node = 0; node < static_cast<int>(near.size()); ++node) {
        const std::vector<int>& nics = near[static_cast<std::size_t>(node)];
        const auto count = static_cast<int>(nics.size());
        const std::size_t first = job.records.size();
        for (int nic = 0; nic < count; ++nic) {
            for (int i = 0; i < nics[static_cast<std::size_t>(nic)]; ++i) {
                job.records.push_back(record_of(node, nic, 0, nic));
            }
        }
        for (int i = 0; i < far; ++i) {
            job.records.push_back(record_of(node, count, far_distance, i % count));
        }
        for (std::size_t rank = first; switches && rank < job.records.size(); ++rank) {
            job.records[rank].network_path = {7, 8U + static_cast<unsigned>(node % 2)};
        }
    }
    for (std::size_t i = job.records.size(); shuffle != nullptr && i > 1; --i) {
        std::swap(job.records[i - 1], job.records[shuffle->below(i)]);
    }
    topology::HierarchySpec spec;
    if (shuffle != nullptr) {
        spec.election.spread = shuffle->percent(50);
        spec.election.seed = shuffle->below(1000000);
    }
    job.hierarchy = topology::build_hierarchy(job.records, spec);
    job.rails = topology::nic_rails(job.hierarchy, job.records, spec.election);
    return job;
}

NicJob random_nic_job(Random& random) {
    std::vector<std::vector<int>> near(static_cast<std::size_t>(random.between(2, 5)));
    for (std::vector<int>& nics : near) {
        nics.resize(static_cast<std::size_t>(random.between(1, 5)));
        for (int& processes : nics) {
            processes = random.between(0, 2);
        }
    }
    near.front() = {random.between(1, 2), random.between(1, 2)};
    return nic_job(near, random.between(1, 2), &random, random.percent(40));
}

topology::NicRails random_rails(Random& random, const topology::Hierarchy& hierarchy, int count) {
    const auto ranks = static_cast<std::size_t>(hierarchy.ranks());
    const std::vector<LocalityRecord> nowhere(ranks);
    topology::NicRails rails;
    for (int rail = 0; rail < count; ++rail) {
        std::vector<bool> first(ranks);
        for (std::size_t rank = 0; rank < ranks; ++rank) {
            first[rank] = random.percent(30);
        }
        topology::elect_leaders(rails.trees.emplace_back(hierarchy), nowhere, {}, first);
    }
    for (std::size_t rank = 0; rank < ranks; ++rank) {
        rails.of_rank.push_back(static_cast<int>(random.below(static_cast<std::size_t>(count))));
    }
    return rails;
}

RunReport run_rails(const BcastCase& bcast, const topology::NicRails& rails, const FabricOptions& options) {
    return run_engine(
        bcast, options, [&](int rank, algorithms::Transport& transport, algorithms::PackedBuffer& buffer) {
            std::vector<algorithms::TreeLinks> links;
            for (const topology::Hierarchy& tree : rails.trees) {
                links.push_back(algorithms::rail_links(tree, bcast.plan, bcast.root, rank));
            }
            algorithms::Arena arena;
            return algorithms::complete(
                transport, algorithms::bcast_rails(transport, links, buffer, arena, bcast.plan.window));
        });
}

ReduceRun run_rails(const ReduceCase& reduce, const topology::NicRails& rails, const FabricOptions& options,
                    Arenas* arenas) {
    return run_reduction(
        reduce, options, true,
        [&](int rank, auto& transport, auto buffers, auto& reduction, auto& arena) {
            std::vector<algorithms::ReductionLinks> links;
            for (const topology::Hierarchy& tree : rails.trees) {
                links.push_back(
                    algorithms::reduction_links(tree, reduce.plan, tree.groups.front().leader, rank, false));
            }
            return algorithms::complete(
                transport,
                algorithms::allreduce_rails(transport, links, buffers, reduction, arena, reduce.plan.window));
        },
        arenas);
}

RunReport run_rails(const BlockCase& run, const topology::NicRails& rails, const FabricOptions& options) {
    return run_blocks(run, options,
                      [&](int rank) { return algorithms::rail_block_routes(rails, run.plan, rank); });
}

}  // namespace strata::testing
