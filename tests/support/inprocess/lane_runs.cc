#include "lane_runs.h"

#include <algorithm>
#include <numeric>

#include "algorithms/patterns/lane_links.h"
#include "topology/leaders.h"

namespace strata::testing {
namespace {

using topology::LevelKind;
using topology::LocalityRecord;

constexpr std::uint8_t far_distance = 3;

/// Bound to NUMA domain `domain` of its node.
LocalityRecord record_of(int node, int domain, std::uint8_t distance, int card) {
    LocalityRecord record;
    record.node_id = topology::stable_hash("n" + std::to_string(node));
    record.hardware_path.push_back({static_cast<std::uint16_t>(1U << static_cast<unsigned>(LevelKind::numa)),
                                    static_cast<std::uint16_t>(domain)});
    record.cards.fill({distance, static_cast<std::uint8_t>(card)});
    return record;
}

}  // namespace

CardedJob carded_job(const std::vector<std::vector<int>>& near, int far, Random* shuffle, bool switches) {
    CardedJob job;
    for (int node = 0; node < static_cast<int>(near.size()); ++node) {
        const std::vector<int>& cards = near[static_cast<std::size_t>(node)];
        const auto count = static_cast<int>(cards.size());
        const std::size_t first = job.records.size();
        for (int card = 0; card < count; ++card) {
            for (int i = 0; i < cards[static_cast<std::size_t>(card)]; ++i) {
                job.records.push_back(record_of(node, card, 0, card));
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
    job.lanes = topology::card_lanes(job.hierarchy, job.records, spec.election);
    return job;
}

CardedJob random_carded_job(Random& random) {
    std::vector<std::vector<int>> near(static_cast<std::size_t>(random.between(2, 5)));
    for (std::vector<int>& cards : near) {
        cards.resize(static_cast<std::size_t>(random.between(1, 5)));
        for (int& processes : cards) {
            processes = random.between(0, 2);
        }
    }
    near.front() = {random.between(1, 2), random.between(1, 2)};
    return carded_job(near, random.between(1, 2), &random, random.percent(40));
}

topology::CardLanes random_lanes(Random& random, const topology::Hierarchy& hierarchy, int count) {
    const auto ranks = static_cast<std::size_t>(hierarchy.ranks());
    const std::vector<LocalityRecord> nowhere(ranks);
    topology::CardLanes lanes;
    for (int lane = 0; lane < count; ++lane) {
        std::vector<bool> first(ranks);
        for (std::size_t rank = 0; rank < ranks; ++rank) {
            first[rank] = random.percent(30);
        }
        topology::elect_leaders(lanes.trees.emplace_back(hierarchy), nowhere, {}, first);
    }
    for (std::size_t rank = 0; rank < ranks; ++rank) {
        lanes.of_rank.push_back(static_cast<int>(random.below(static_cast<std::size_t>(count))));
    }
    return lanes;
}

RunReport run_lanes(const BcastCase& bcast, const topology::CardLanes& lanes, const FabricOptions& options) {
    return run_engine(
        bcast, options, [&](int rank, algorithms::Transport& transport, algorithms::PackedBuffer& buffer) {
            std::vector<algorithms::TreeLinks> links;
            for (const topology::Hierarchy& tree : lanes.trees) {
                links.push_back(algorithms::lane_links(tree, bcast.plan, bcast.root, rank));
            }
            algorithms::Arena arena;
            return algorithms::complete(
                transport, algorithms::bcast_lanes(transport, links, buffer, arena, bcast.plan.window));
        });
}

ReduceRun run_lanes(const ReduceCase& reduce, const topology::CardLanes& lanes, const FabricOptions& options,
                    Arenas* arenas) {
    return run_reduction(
        reduce, options, true,
        [&](int rank, auto& transport, auto buffers, auto& reduction, auto& arena) {
            std::vector<algorithms::ReductionLinks> links;
            for (const topology::Hierarchy& tree : lanes.trees) {
                links.push_back(
                    algorithms::reduction_links(tree, reduce.plan, tree.groups.front().leader, rank, false));
            }
            return algorithms::complete(
                transport,
                algorithms::allreduce_lanes(transport, links, buffers, reduction, arena, reduce.plan.window));
        },
        arenas);
}

RunReport run_lanes(const BlockCase& run, const topology::CardLanes& lanes, const FabricOptions& options) {
    return run_blocks(run, options,
                      [&](int rank) { return algorithms::lane_block_routes(lanes, run.plan, rank); });
}

}  // namespace strata::testing
