#include "cost_flat.h"

#include <algorithm>
#include <queue>
#include <tuple>

#include "cost_links.h"

namespace strata::algorithms {

/// One message on its way through the connections between two ranks.
struct FlatModel::Passage {
    double at;  ///< when it entered the last connection, us
    double bytes;
    double narrowest = 0;  ///< us per byte

    void through(double& free, double us_per_byte, double gap) {
        at = std::max(at, free);
        free = at + std::max(gap, bytes * us_per_byte);
        narrowest = std::max(narrowest, us_per_byte);
    }
};

FlatModel::FlatModel(const topology::Hierarchy& hierarchy, const LinkTable& links)
    : hierarchy_(hierarchy), ranks_(hierarchy.stop.size()), groups_(hierarchy.groups.size()) {
    for (std::size_t g = 0; g < groups_.size(); ++g) {
        const topology::Group& group = hierarchy.groups[g];
        groups_[g].link = links.at(link_level(group));
        groups_[g].network = is_network(group);
        if (group.parent >= 0) {
            const GroupState& parent = groups_[group.parent];
            groups_[g].us_per_byte = connection_us_per_byte(parent.link);
            groups_[g].gap_us = gap_us(parent.link, parent.network);
        }
        if (!groups_[g].network) continue;
        for (const int rank : group.direct) {
            ranks_[rank].card_us_per_byte = 1 / groups_[g].link.bytes_per_us;
            ranks_[rank].card_gap_us = groups_[g].link.overhead_us;
        }
    }
}

double FlatModel::send(int from, int to, std::size_t bytes, double ready) {
    const auto& groups = hierarchy_.groups;
    RankState& sender = ranks_[from];
    RankState& receiver = ranks_[to];
    int a = hierarchy_.stop[from];
    int b = hierarchy_.stop[to];
    const auto size = static_cast<double>(bytes);
    const double begin = std::max(ready, sender.processor_free);
    Passage passage{begin, size};
    passage.through(sender.card.out, sender.card_us_per_byte, sender.card_gap_us);
    while (a != b) {
        if (groups[a].depth >= groups[b].depth) {
            passage.through(groups_[a].free.out, groups_[a].us_per_byte, groups_[a].gap_us);
            a = groups[a].parent;
        } else {
            passage.through(groups_[b].free.in, groups_[b].us_per_byte, groups_[b].gap_us);
            b = groups[b].parent;
        }
    }
    passage.through(receiver.card.in, receiver.card_us_per_byte, receiver.card_gap_us);
    const GroupState& common = groups_[a];
    const LinkParameters& link = common.link;
    const double copy = common.network ? 0 : size / link.bytes_per_us;
    sender.processor_free = begin + link.overhead_us + copy;
    const double transfer = size * std::max(passage.narrowest, 1 / link.bytes_per_us);
    const double arrival =
        passage.at + handshake_us(link, bytes) + 2 * link.overhead_us + transfer + link.latency_us;
    receiver.processor_free = std::max(receiver.processor_free, arrival);
    return arrival;
}

std::vector<double> FlatModel::run_tree(const FlatTree& tree, int root) {
    using Turn = std::tuple<double, int, std::size_t>;  // when, virtual rank, its next child
    const int size = ranks();
    std::vector<double> arrival(size, 0);
    std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns;
    turns.emplace(0.0, 0, 0);
    while (!turns.empty()) {
        const auto [when, parent, next] = turns.top();
        turns.pop();
        const auto& children = tree.children[parent];
        if (next == children.size()) continue;
        const int child = children[next];
        const int from = (root + parent) % size;
        arrival[child] = send(from, (root + child) % size, tree.bytes[child], when);
        turns.emplace(arrival[child], child, 0);
        turns.emplace(free_at(from), parent, next + 1);
    }
    return arrival;
}

}  // namespace strata::algorithms
