#include "algorithms/openmpi_cost/flat.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace strata::algorithms {

/// One message on its way through the connections between two ranks.
struct FlatModel::Passage {
    double at;  ///< when it entered the last connection, us
    double bytes;
    double narrowest = 0;  ///< us per byte
    double bus_free = 0;   ///< when the last bus has moved it and all before it, us

    void operator()(const Connection& connection, Resource& way) {
        at = std::max(at, way.free);
        way.free = at + std::max(connection.gap_us, bytes * connection.us_per_byte);
        narrowest = std::max(narrowest, connection.us_per_byte);
    }
    /// Memory serves all messages at once: a message starts at once and ends when the bus has moved all.
    void operator()(Bus& bus) {
        if (bus.us_per_byte == 0) return;
        bus.resource.free = std::max(bus.resource.free, at) + bytes * bus.us_per_byte;
        bus_free = std::max(bus_free, bus.resource.free);
    }
};

FlatModel::FlatModel(const topology::Hierarchy& hierarchy, const LinkTable& links)
    : hierarchy_(hierarchy),
      ranks_(hierarchy.stop.size()),
      groups_(hierarchy.groups.size()),
      least_eager_(std::numeric_limits<std::size_t>::max()),
      combine_us_per_byte_(links.combine_us(1)) {
    std::vector<topology::LevelKey> known;  // few levels, many groups
    const auto link_at = [&](topology::LevelKey level) {
        const auto found = std::ranges::find(known, level);
        if (found != known.end()) return static_cast<int>(found - known.begin());
        known.push_back(level);
        links_.push_back(links.at(level));
        return static_cast<int>(links_.size()) - 1;
    };
    for (std::size_t g = 0; g < groups_.size(); ++g) {
        const topology::Group& group = hierarchy.groups[g];
        groups_[g].link = link_at(link_level(group));
        groups_[g].network = is_network(group);
        const LinkParameters& link = link_of(groups_[g]);
        groups_[g].copy_us_per_byte = copy_us_per_byte(link, groups_[g].network);
        groups_[g].bus.us_per_byte = bus_us_per_byte(link);
        const std::size_t eager = link.eager_bytes;
        if (eager != 0) least_eager_ = std::min(least_eager_, eager);
        if (group.parent >= 0) {
            const GroupState& parent = groups_[group.parent];
            groups_[g].connection.us_per_byte = connection_us_per_byte(link_of(parent));
            groups_[g].connection.gap_us = gap_us(link_of(parent), parent.network);
        }
        if (groups_[g].copy_us_per_byte > 0) continue;
        for (const int rank : group.direct) {
            ranks_[rank].nic.us_per_byte = 1 / link.bytes_per_us;
            ranks_[rank].nic.gap_us = gap_us(link, groups_[g].network);
        }
    }
}

template <typename Self, typename Visit>
auto& FlatModel::walk(Self& self, int from, int to, Visit&& visit) {
    const auto& groups = self.hierarchy_.groups;
    int a = self.hierarchy_.stop[from];
    int b = self.hierarchy_.stop[to];
    auto& sender = self.ranks_[from].nic;
    auto& receiver = self.ranks_[to].nic;
    visit(sender, sender.out);
    while (a != b) {
        if (groups[a].depth >= groups[b].depth) {
            visit(self.groups_[a].bus);
            visit(self.groups_[a].connection, self.groups_[a].connection.out);
            a = groups[a].parent;
        } else {
            visit(self.groups_[b].bus);
            visit(self.groups_[b].connection, self.groups_[b].connection.in);
            b = groups[b].parent;
        }
    }
    visit(self.groups_[a].bus);
    visit(receiver, receiver.in);
    return self.groups_[a];
}

const FlatModel::GroupState& FlatModel::common(int from, int to) const {
    return walk(*this, from, to, [](const auto&...) {});
}

double FlatModel::transfer_us(const GroupState& common, std::size_t bytes, double narrowest,
                              double least) const {
    const LinkParameters& link = link_of(common);
    const double bytes_us = static_cast<double>(bytes) * std::max(narrowest, 1 / link.bytes_per_us);
    return handshake_us(link, bytes) + 2 * link.overhead_us + std::max(bytes_us, least) + link.latency_us;
}

double FlatModel::processor_us(const GroupState& common, std::size_t bytes) const {
    return link_of(common).overhead_us + static_cast<double>(bytes) * common.copy_us_per_byte;
}

double FlatModel::transmit(int from, int to, std::size_t bytes, double ready) {
    RankState& sender = ranks_[from];
    const double begin = std::max(ready, sender.processor_free);
    Passage passage{begin, static_cast<double>(bytes)};
    const GroupState& common = walk(*this, from, to, passage);
    sender.processor_free = begin + processor_us(common, bytes);
    // A sender that copies is busy as long as memory is.
    if (common.copy_us_per_byte > 0)
        sender.processor_free = std::max(sender.processor_free, passage.bus_free);
    return passage.at + transfer_us(common, bytes, passage.narrowest, passage.bus_free - passage.at);
}

double FlatModel::send(int from, int to, std::size_t bytes, double ready) {
    const double received = transmit(from, to, bytes, ready);
    ranks_[to].processor_free = std::max(ranks_[to].processor_free, received);
    return received;
}

double FlatModel::work_us(int from, int to, std::size_t bytes) const {
    return processor_us(common(from, to), bytes);
}

FlatModel::Path FlatModel::path(int one, int other) const {
    Path path;
    const auto see = [&](const auto& way, const auto&...) {
        path.narrowest = std::max(path.narrowest, way.us_per_byte);
    };
    path.common = &walk(*this, one, other, see);
    return path;
}

bool FlatModel::waits_for_receiver(const Path& path, std::size_t bytes) const {
    return bytes >= least_eager_ && needs_handshake(link_of(*path.common), bytes);
}

bool FlatModel::waits_for_receiver(int from, int to, std::size_t bytes) const {
    return bytes >= least_eager_ && needs_handshake(link_of(common(from, to)), bytes);
}

double FlatModel::hop_us(const Path& path, std::size_t bytes, double least) const {
    return transfer_us(*path.common, bytes, path.narrowest, least);
}

void FlatModel::add_load(int from, int to, std::size_t bytes, int messages) {
    struct Load {
        double bytes;
        int messages;
        void operator()(const Connection& connection, Resource& way) const {
            way.load += messages * std::max(connection.gap_us, bytes * connection.us_per_byte);
        }
        void operator()(Bus& bus) const { bus.resource.load += messages * bytes * bus.us_per_byte; }
    };
    const Load load{static_cast<double>(bytes), messages};
    const GroupState& common = walk(*this, from, to, load);
    ranks_[from].processor_load += messages * processor_us(common, bytes);
    ranks_[to].processor_load += messages * processor_us(common, bytes);
}

double FlatModel::busiest_us() const {
    double most = 0;
    const auto see = [&](const Connection& connection) {
        most = std::max({most, connection.out.load, connection.in.load});
    };
    for (const GroupState& group : groups_) {
        see(group.connection);
        most = std::max(most, group.bus.resource.load);
    }
    for (const RankState& rank : ranks_) {
        see(rank.nic);
        most = std::max(most, rank.processor_load);
    }
    return most;
}

void FlatModel::clear_loads() {
    const auto clear = [](Connection& connection) { connection.out.load = connection.in.load = 0; };
    for (GroupState& group : groups_) {
        clear(group.connection);
        group.bus.resource.load = 0;
    }
    for (RankState& rank : ranks_) {
        clear(rank.nic);
        rank.processor_load = 0;
    }
}

}  // namespace strata::algorithms
