#include "cost_flat.h"

#include <algorithm>
#include <limits>
#include <queue>
#include <tuple>

#include "cost_links.h"

namespace strata::algorithms {

/// One message on its way through the connections between two ranks.
struct FlatModel::Passage {
    double at;  ///< when it entered the last connection, us
    double bytes;
    double narrowest = 0;  ///< us per byte

    void operator()(const Connection& connection, Resource& way) {
        at = std::max(at, way.free);
        way.free = at + std::max(connection.gap_us, bytes * connection.us_per_byte);
        narrowest = std::max(narrowest, connection.us_per_byte);
    }
};

FlatModel::FlatModel(const topology::Hierarchy& hierarchy, const LinkTable& links, double crowding)
    : hierarchy_(hierarchy),
      ranks_(hierarchy.stop.size()),
      groups_(hierarchy.groups.size()),
      least_eager_(std::numeric_limits<std::size_t>::max()),
      crowding_(crowding),
      fold_us_per_byte_(links.fold_us(1)) {
    for (std::size_t g = 0; g < groups_.size(); ++g) {
        const topology::Group& group = hierarchy.groups[g];
        groups_[g].link = links.at(link_level(group));
        groups_[g].network = is_network(group);
        const std::size_t eager = groups_[g].link.eager_bytes;
        if (eager != 0) least_eager_ = std::min(least_eager_, eager);
        if (group.parent >= 0) {
            const GroupState& parent = groups_[group.parent];
            groups_[g].connection.us_per_byte = connection_us_per_byte(parent.link);
            groups_[g].connection.gap_us = gap_us(parent.link, parent.network);
        }
        if (!groups_[g].network) continue;
        for (const int rank : group.direct) {
            ranks_[rank].card.us_per_byte = 1 / groups_[g].link.bytes_per_us;
            ranks_[rank].card.gap_us = groups_[g].link.overhead_us;
        }
    }
}

template <typename Self, typename Visit>
auto& FlatModel::walk(Self& self, int from, int to, Visit&& visit) {
    const auto& groups = self.hierarchy_.groups;
    int a = self.hierarchy_.stop[from];
    int b = self.hierarchy_.stop[to];
    auto& sender = self.ranks_[from].card;
    auto& receiver = self.ranks_[to].card;
    visit(sender, sender.out);
    while (a != b) {
        if (groups[a].depth >= groups[b].depth) {
            visit(self.groups_[a].connection, self.groups_[a].connection.out);
            a = groups[a].parent;
        } else {
            visit(self.groups_[b].connection, self.groups_[b].connection.in);
            b = groups[b].parent;
        }
    }
    visit(receiver, receiver.in);
    return self.groups_[a];
}

const FlatModel::GroupState& FlatModel::common(int from, int to) const {
    return walk(*this, from, to, [](const Connection&, const Resource&) {});
}

double FlatModel::transfer_us(const GroupState& common, std::size_t bytes, double narrowest) {
    const LinkParameters& link = common.link;
    const double bytes_us = static_cast<double>(bytes) * std::max(narrowest, 1 / link.bytes_per_us);
    return handshake_us(link, bytes) + 2 * link.overhead_us + bytes_us + link.latency_us;
}

double FlatModel::processor_us(const GroupState& common, std::size_t bytes) {
    const double copy = common.network ? 0 : static_cast<double>(bytes) / common.link.bytes_per_us;
    return common.link.overhead_us + copy;
}

double FlatModel::message_us(const GroupState& common, std::size_t bytes) {
    return processor_us(common, bytes) + common.link.overhead_us;
}

double FlatModel::transmit(int from, int to, std::size_t bytes, double ready) {
    RankState& sender = ranks_[from];
    const double begin = std::max(ready, sender.processor_free);
    Passage passage{begin, static_cast<double>(bytes)};
    const GroupState& common = walk(*this, from, to, passage);
    const double work = processor_us(common, bytes);
    sender.processor_free = begin + work;
    spend(message_us(common, bytes));
    return passage.at + transfer_us(common, bytes, passage.narrowest);
}

double FlatModel::send(int from, int to, std::size_t bytes, double ready) {
    const double received = transmit(from, to, bytes, ready) + turn_us();
    spend(wait_us());
    ranks_[to].processor_free = std::max(ranks_[to].processor_free, received);
    return received;
}

double FlatModel::work_us(int from, int to, std::size_t bytes) const {
    return processor_us(common(from, to), bytes);
}

bool FlatModel::waits_for_receiver(int from, int to, std::size_t bytes) const {
    return bytes >= least_eager_ && needs_handshake(common(from, to).link, bytes);
}

double FlatModel::hop_us(int from, int to, std::size_t bytes) const {
    double narrowest = 0;
    const GroupState& common = walk(*this, from, to, [&](const Connection& connection, const Resource&) {
        narrowest = std::max(narrowest, connection.us_per_byte);
    });
    return transfer_us(common, bytes, narrowest);
}

void FlatModel::add_load(int from, int to, std::size_t bytes, int messages) {
    const GroupState& common = walk(*this, from, to, [&](const Connection& connection, Resource& way) {
        way.load +=
            messages * std::max(connection.gap_us, static_cast<double>(bytes) * connection.us_per_byte);
    });
    spend(messages * message_us(common, bytes));
    ranks_[from].processor_load += messages * processor_us(common, bytes);
    ranks_[to].processor_load += messages * processor_us(common, bytes);
}

void FlatModel::spend_on_messages(int from, int to, std::size_t bytes, int messages) {
    if (crowded()) spend(messages * (message_us(common(from, to), bytes) + wait_us()));
}

double FlatModel::busiest_us() const {
    double most = 0;
    const auto see = [&](const Connection& connection) {
        most = std::max({most, connection.out.load, connection.in.load});
    };
    for (const GroupState& group : groups_) see(group.connection);
    for (const RankState& rank : ranks_) {
        see(rank.card);
        most = std::max(most, rank.processor_load);
    }
    return shared_us(most);
}

double FlatModel::shared_us(double path_us) const {
    return crowded() ? std::max(path_us, spent_us_ * crowding_ / ranks()) : path_us;
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
