#include "cases.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace strata::testing {
namespace {

using topology::HardwareObject;
using topology::LevelKind;
using topology::LocalityRecord;

std::size_t at(int index) { return static_cast<std::size_t>(index); }

LocalityRecord record_of(int node, int core, bool packages, bool switches) {
    const auto object = [](LevelKind kind, int index) {
        HardwareObject result;
        result.kinds = static_cast<std::uint16_t>(1U << static_cast<int>(kind));
        result.index = static_cast<std::uint16_t>(index);
        return result;
    };
    LocalityRecord record;
    record.node_id = 100 + static_cast<std::uint64_t>(node);
    if (switches) record.network_path = {1, static_cast<std::uint32_t>(10 + node % 2)};
    if (packages) record.hardware_path.push_back(object(LevelKind::package, core / 2));
    record.hardware_path.push_back(object(LevelKind::core, core));
    return record;
}

Placement placed(std::vector<LocalityRecord> records) {
    Placement placement;
    placement.hierarchy = topology::build_hierarchy(records);
    placement.records = std::move(records);
    return placement;
}

int below(std::mt19937& random, int count) {
    return static_cast<int>(random() % static_cast<unsigned>(count));
}

double table_cost(LevelKind kind, int height) {
    switch (kind) {
        case LevelKind::cluster: return 10;
        case LevelKind::switch_: return 8 * (height + 1);
        case LevelKind::node: return 2;
        case LevelKind::package: return 1.6;
        default: return 1;
    }
}

/// The cost of a byte between two processes: by the smallest group that lists both, and all groups inside
/// it.
double cost_between(const topology::Hierarchy& hierarchy, int a, int b) {
    const auto holds = [](const topology::Group& group, int rank) {
        return std::find(group.members.begin(), group.members.end(), rank) != group.members.end();
    };
    const topology::Group* smallest = nullptr;
    for (const topology::Group& group : hierarchy.groups) {
        if (!holds(group, a) || !holds(group, b)) continue;
        if (smallest == nullptr || group.members.size() < smallest->members.size()) smallest = &group;
    }
    double cost = 0;
    for (const topology::Group& group : hierarchy.groups) {
        const bool inside = std::all_of(group.members.begin(), group.members.end(),
                                        [&](int rank) { return holds(*smallest, rank); });
        if (inside) cost = std::max(cost, table_cost(group.level.kind, group.level.height));
    }
    return cost;
}

}  // namespace

Placement nodes_with(const std::vector<int>& ranks, Order order, bool packages, bool switches) {
    std::vector<LocalityRecord> records;
    const int most = *std::max_element(ranks.begin(), ranks.end());
    if (order == Order::block) {
        for (std::size_t node = 0; node < ranks.size(); ++node) {
            for (int core = 0; core < ranks[node]; ++core) {
                records.push_back(record_of(static_cast<int>(node), core, packages, switches));
            }
        }
    } else {
        for (int core = 0; core < most; ++core) {
            for (std::size_t node = 0; node < ranks.size(); ++node) {
                if (core < ranks[node]) {
                    records.push_back(record_of(static_cast<int>(node), core, packages, switches));
                }
            }
        }
    }
    return placed(std::move(records));
}

Placement random_placement(std::mt19937& random) {
    std::vector<int> ranks(at(1 + below(random, 9)));
    const bool equal = below(random, 3) == 0;
    for (int& count : ranks) count = equal && &count != ranks.data() ? ranks[0] : 1 + below(random, 9);
    const bool packages = below(random, 2) == 0;
    const bool switches = below(random, 2) == 0;
    Placement placement =
        nodes_with(ranks, below(random, 2) == 0 ? Order::block : Order::cyclic, packages, switches);
    if (below(random, 3) > 0) return placement;
    std::shuffle(placement.records.begin(), placement.records.end(), random);
    return placed(std::move(placement.records));
}

mapping::TrafficMatrix random_traffic(std::mt19937& random, int ranks) {
    std::vector<mapping::Flow> flows;
    const int magnitude = 1 + below(random, 40);
    const auto send = [&](int from, int to) {
        const std::uint64_t bytes = random() % (std::uint64_t{1} << magnitude);
        flows.push_back({from, to, bytes, random() % 3});
    };
    switch (below(random, 5)) {
        case 0: break;
        case 1:
            for (int i = 0; i < 3 * ranks; ++i) send(below(random, ranks), below(random, ranks));
            break;
        case 2: {
            const int size = 1 + below(random, ranks);
            for (int i = 0; i < ranks; ++i)
                send(i, i / size * size + below(random, size) % (ranks - i / size * size));
            break;
        }
        case 3:
            for (int i = 0; i < ranks; ++i) send(i, (i + 1) % ranks);
            break;
        default:
            for (int i = 0; i < ranks * ranks; ++i) send(i / ranks, i % ranks);
    }
    return mapping::TrafficMatrix(ranks, std::move(flows));
}

mapping::TrafficMatrix group_traffic(int ranks, int size, std::uint64_t bytes) {
    std::vector<mapping::Flow> flows;
    for (int from = 0; from < ranks; ++from) {
        for (int to = from / size * size; to < std::min(ranks, (from / size + 1) * size); ++to) {
            if (to != from) flows.push_back({from, to, bytes, 1});
        }
    }
    return mapping::TrafficMatrix(ranks, std::move(flows));
}

std::string complaint_about_permutation(Permutation permutation, int ranks) {
    if (permutation.size() != at(ranks)) return std::to_string(permutation.size()) + " numbers";
    std::vector<int> times(at(ranks), 0);
    for (const int rank : permutation) {
        if (rank < 0 || rank >= ranks) return "no rank: " + std::to_string(rank);
        if (++times[at(rank)] > 1) return "twice: " + std::to_string(rank);
    }
    return {};
}

std::string complaint_about_estimate(const mapping::Estimate& estimate, const mapping::TrafficMatrix& traffic,
                                     const Placement& placement, Permutation permutation) {
    std::uint64_t network = 0, all = 0, messages = 0;
    double distance = 0;
    const int ranks = traffic.ranks();
    for (int p = 0; p < ranks; ++p) {
        for (int q = 0; q < ranks; ++q) {
            if (p == q) continue;
            // Process p does the work of rank k[p]: figure 1.
            const int from = permutation.empty() ? p : permutation[at(p)];
            const int to = permutation.empty() ? q : permutation[at(q)];
            for (const mapping::Flow& flow : traffic.row(from)) {
                if (flow.to != to) continue;
                const auto& a = placement.records[at(p)];
                const auto& b = placement.records[at(q)];
                all += flow.bytes;
                messages += flow.messages;
                if (a.node_id != b.node_id) network += flow.bytes;
                distance += (static_cast<double>(flow.bytes) + 4096.0 * static_cast<double>(flow.messages)) *
                            cost_between(placement.hierarchy, p, q);
            }
        }
    }
    std::uint64_t told = 0, reported_messages = 0;
    for (const auto& level : estimate.levels) {
        told += level.bytes;
        reported_messages += level.messages;
    }
    if (told != all) return std::to_string(told) + " bytes, not " + std::to_string(all);
    if (reported_messages != messages) return std::to_string(reported_messages) + " messages";
    if (estimate.network_bytes() != network) {
        return std::to_string(estimate.network_bytes()) + " bytes between nodes, not " +
               std::to_string(network);
    }
    if (std::abs(estimate.distance - distance) > 1e-9 * distance) {
        return "distance " + std::to_string(estimate.distance) + ", not " + std::to_string(distance);
    }
    return {};
}

std::string complaint_about_reordering(const mapping::Reordering& reordering,
                                       const mapping::TrafficMatrix& traffic, const Placement& placement,
                                       double margin) {
    std::string complaint = complaint_about_permutation(reordering.permutation, traffic.ranks());
    if (!complaint.empty()) return complaint;
    std::vector<int> identity(reordering.permutation.size());
    std::iota(identity.begin(), identity.end(), 0);
    if (!reordering.applied && reordering.permutation != identity) return "not applied, but not the identity";
    complaint = complaint_about_estimate(reordering.before, traffic, placement, {});
    if (!complaint.empty()) return "before: " + complaint;
    if (!reordering.applied) return {};
    complaint = complaint_about_estimate(reordering.after, traffic, placement, reordering.permutation);
    if (!complaint.empty()) return "after: " + complaint;
    if (reordering.after.distance > reordering.before.distance) return "farther than before";
    if (reordering.after.seconds > (1 - margin) * reordering.before.seconds * (1 + 1e-12))
        return "does not pay";
    return {};
}

}  // namespace strata::testing
