#include "algorithms/cost/exchange.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "algorithms/cost/links.h"
#include "algorithms/patterns/backwards.h"
#include "algorithms/patterns/shape.h"

namespace strata::algorithms {

void ExchangeModel::Latest::add(int from, double at) {
    if (at <= first_) {
        second_ = std::max(second_, at);
        return;
    }
    second_ = first_;
    first_ = at;
    from_ = from;
}

void ExchangeModel::Arrivals::add(int from, double at, double busy, double bound) {
    messages_.emplace_back(at, busy);
    queued_ = false;
    latest_.add(from, at);
    bound_.add(from, bound);
}

/// Receives the last messages in the order of their arrival.
void ExchangeModel::Arrivals::queue() const {
    if (queued_) return;
    std::sort(messages_.begin(), messages_.end());
    queue_ = queue_without_latest_ = 0;
    for (const auto& [at, busy] : messages_) {
        queue_without_latest_ = queue_;
        queue_ = std::max(queue_ + busy, at);
    }
    queued_ = true;
}

double ExchangeModel::Arrivals::all() const {
    queue();
    return std::max(bound_.all(), queue_);
}

double ExchangeModel::Arrivals::without(int from, double busy) const {
    queue();
    const double others = latest_.without(from);
    const double queue = others == latest_.all() ? std::max(others, queue_ - busy) : queue_without_latest_;
    return std::max(bound_.without(from), queue);
}

ExchangeModel::ExchangeModel(const topology::Hierarchy& hierarchy, const LinkTable& links, int root,
                             const CollectiveTraits& traits, std::span<const topology::LevelKey> skipped,
                             const ReducedMachine* reduced)
    : CostModel(hierarchy, links, root, skipped, reduced),
      up_(traits.up),
      down_(traits.down),
      all_ranks_(static_cast<double>(hierarchy.stop.size())),
      ranks_(hierarchy.stop.size()),
      arrivals_(hierarchy.stop.size()),
      boundaries_(hierarchy.groups.size()),
      buses_(hierarchy.groups.size()) {
    if (reduced == nullptr) return;
    represented_.assign(reduced->represented.begin(), reduced->represented.end());
    all_ranks_ = std::accumulate(represented_.begin(), represented_.end(), 0.0);
}

void ExchangeModel::make_edges(std::span<const LevelPlan> plans) {
    edges_.clear();
    group_edges_.clear();
    for (const int g : busy_groups()) {
        const auto& members = groups_[g].participants;
        const LevelPlan& plan = plans[groups_[g].plan];
        const std::size_t first = edges_.size();
        if (exchange_ && g == 0) {
            group_edges_.push_back({g, first, 0, false});
            continue;
        }
        const auto add = [&](const Participant& from, const Participant& to) {
            const Meeting met = meeting(g, from, to);
            edges_.push_back({from.rank, to.rank, met.group, met.us_per_byte, plan.segment_bytes});
        };
        const bool ring = makes_ring(plan.method, static_cast<int>(members.size()));
        if (ring) {
            for (std::size_t i = 0; i < members.size(); ++i)
                add(members[i], members[(i + 1) % members.size()]);
        } else {
            const Shape& tree = shape(plan.method, members.size());
            for (const int position : tree.order)
                for (const int place : tree.children[position]) add(members[position], members[place]);
        }
        group_edges_.push_back({g, first, edges_.size() - first, ring});
    }
}

/// Counts the ranks behind each edge.
void ExchangeModel::count_ranks() {
    for (const GroupEdges& group : backwards(group_edges_)) {
        const std::span<Edge> edges = edges_of(group);
        if (!group.ring) {
            for (const Edge& edge : backwards(edges)) ranks_[edge.parent].below += ranks_[edge.child].below;
            continue;
        }
        for (Edge& edge : edges) edge.behind = ranks_[edge.parent].below;
        for (const Edge& edge : edges.subspan(1)) ranks_[edges.front().parent].below += edge.behind;
    }
}

ExchangeModel::Stream ExchangeModel::cut(Stream stream, std::size_t segment_bytes) const {
    const auto segment = static_cast<double>(segment_bytes);
    stream.message = segment == 0 ? stream.bytes : std::min(segment, stream.bytes);
    const bool one = stream.message == stream.bytes && stream.bytes > 0;
    stream.messages = one ? 1 : std::ceil(stream.bytes / stream.message);
    return stream;
}

void ExchangeModel::make_streams() {
    for (const GroupEdges& group : group_edges_) {
        if (group.ring) continue;
        for (Edge& edge : edges_of(group)) {
            const double share = ranks_[edge.child].below / all_ranks_;
            if (up_) edge.up = cut({edge.child, edge.parent, bytes_ * share}, edge.segment_bytes);
            if (!down_) continue;
            const double downwards = bytes_ * (up_ ? 1 - share : share);
            edge.down = cut({edge.parent, edge.child, downwards}, edge.segment_bytes);
        }
    }
}

/// Returns the processor time at either end for the bytes of a message.
double ExchangeModel::copy_us(const Edge& edge, double bytes) const {
    return bytes * copy_us_per_byte(groups_[edge.group].level);
}

double ExchangeModel::message_busy_us(const Edge& edge, const Stream& stream) const {
    return link_of(edge).overhead_us + copy_us(edge, stream.message);
}

void ExchangeModel::add_loads(const Edge& edge, const Stream& stream) {
    const double work = stream.messages * link_of(edge).overhead_us + copy_us(edge, stream.bytes);
    RankState& sender = ranks_[stream.from];
    RankState& receiver = ranks_[stream.to];
    sender.processor_load += work;
    receiver.processor_load += work;
    sender.nic.out += stream.bytes * nic_us_per_byte_[stream.from];
    receiver.nic.in += stream.bytes * nic_us_per_byte_[stream.to];
    const auto through = [&](int c) {
        return std::max(stream.messages * group_gap_us_[c], stream.bytes * group_us_per_byte_[c]);
    };
    each_boundary(stream.from, edge.group, [&](int c) { boundaries_[c].out += through(c); });
    each_boundary(stream.to, edge.group, [&](int c) { boundaries_[c].in += through(c); });
    each_bus(stream.from, stream.to, edge.group,
             [&](int c) { buses_[c] += stream.bytes * group_bus_us_per_byte_[c]; });
}

/// Returns the least time of a stream whose messages are acknowledged.
double ExchangeModel::acknowledged_us(std::size_t level, const Stream& stream, std::size_t segment_bytes,
                                      const Window& window) const {
    const LinkParameters& link = links_[level];
    const double handshake = handshake_us(link, static_cast<std::size_t>(stream.message));
    // As in TreeModel::edges_on().
    const int in_flight = window.of(network_[level], segment_bytes);
    const bool acknowledged = up_ && down_ && network_[level] && stream.messages > in_flight;
    if (handshake == 0 && !acknowledged) return 0;
    const double back = handshake > 0 ? handshake : link.latency_us + link.overhead_us;
    const double round = back + link.latency_us + stream.message / link.bytes_per_us;
    return stream.messages / in_flight * round;
}

/// Returns the time when every connection on the stream's way has worked off all its streams.
double ExchangeModel::bandwidth_bound(const Edge& edge, const Stream& stream, const Window& window) const {
    const LinkParameters& link = link_of(edge);
    double busy =
        std::max({stream.bytes * edge.us_per_byte, ranks_[stream.from].nic.out, ranks_[stream.to].nic.in});
    each_boundary(stream.from, edge.group, [&](int c) { busy = std::max(busy, boundaries_[c].out); });
    each_boundary(stream.to, edge.group, [&](int c) { busy = std::max(busy, boundaries_[c].in); });
    each_bus(stream.from, stream.to, edge.group, [&](int c) { busy = std::max(busy, buses_[c]); });
    const double handshake = handshake_us(link, static_cast<std::size_t>(stream.message));
    busy = std::max(busy, acknowledged_us(groups_[edge.group].level, stream, edge.segment_bytes, window));
    return handshake + busy + link.latency_us + 2 * link.overhead_us;
}

/// Returns the time when the last message to a child enters the connection, after those to earlier children.
double ExchangeModel::queued_start(const Edge& edge, const Stream& stream, double ready) {
    RankState& sender = ranks_[stream.from];
    double start = std::max(ready, sender.processor_free) + link_of(edge).overhead_us;
    sender.processor_free = start + copy_us(edge, stream.message);
    if (copy_us_per_byte(groups_[edge.group].level) == 0) {
        start = std::max(start, sender.wire_free);
        sender.wire_free = start + stream.message * edge.us_per_byte;
    }
    return start;
}

/// Adds a stream whose last message enters the connection at `start`.
void ExchangeModel::arrive(const Edge& edge, const Stream& stream, double start, const Window& window) {
    const LinkParameters& link = link_of(edge);
    const double at = start + handshake_us(link, static_cast<std::size_t>(stream.message)) +
                      stream.message * edge.us_per_byte + link.latency_us + link.overhead_us;
    const double bound = bandwidth_bound(edge, stream, window);
    too_late_ = too_late_ || is_enough(std::max(at, bound));
    arrivals_[stream.to].add(stream.from, at, message_busy_us(edge, stream), bound);
}

/// Returns the number of messages for the blocks of `ranks` ranks.
double ExchangeModel::piece_messages(const Edge& edge, double ranks) const {
    const auto segment = static_cast<double>(edge.segment_bytes);
    return segment == 0 ? 1 : std::ceil(bytes_ * ranks / all_ranks_ / segment);
}

ExchangeModel::RingLoad ExchangeModel::ring_load(std::span<const Edge> ring) const {
    RingLoad load;
    double most = 0;
    for (const Edge& edge : ring) {
        load.ranks += edge.behind;
        load.messages += piece_messages(edge, edge.behind);
        most = std::max(most, edge.behind);
    }
    load.message = bytes_ * most / all_ranks_;
    const auto segment = static_cast<double>(ring.front().segment_bytes);
    if (segment != 0) load.message = std::min(load.message, segment);
    return load;
}

/// Returns the stream of the group's own blocks on one edge: all but those behind the receiver.
ExchangeModel::Stream ExchangeModel::inner(std::span<const Edge> ring, const RingLoad& load,
                                           std::size_t place) const {
    const Edge& edge = ring[place];
    const double behind = ring[(place + 1) % ring.size()].behind;
    return {edge.parent, edge.child, bytes_ * (load.ranks - behind) / all_ranks_, load.message,
            load.messages - piece_messages(edge, behind)};
}

/// Returns the stream of the blocks from outside the group.
ExchangeModel::Stream ExchangeModel::outer(const Edge& edge, const RingLoad& load) const {
    const double share = 1 - load.ranks / all_ranks_;
    return cut({edge.parent, edge.child, bytes_ * share}, edge.segment_bytes);
}

void ExchangeModel::add_ring_loads(std::span<const Edge> ring) {
    const RingLoad load = ring_load(ring);
    const bool all = load.ranks == all_ranks_;
    for (std::size_t i = 0; i < ring.size(); ++i) {
        add_loads(ring[i], inner(ring, load, i));
        if (!all && i + 1 < ring.size()) add_loads(ring[i], outer(ring[i], load));
    }
}

/// The last blocks of a participant come from its successor, around the whole ring.
void ExchangeModel::go_round(std::span<const Edge> ring, const Window& window) {
    const RingLoad load = ring_load(ring);
    const auto hop = [&](const Edge& edge) {
        const LinkParameters& link = link_of(edge);
        return handshake_us(link, static_cast<std::size_t>(load.message)) + load.message * edge.us_per_byte +
               link.latency_us + 2 * link.overhead_us;
    };
    double ready = 0;
    double round = 0;
    for (const Edge& edge : ring) {
        ready = std::max(ready, arrivals_[edge.parent].all());
        round += hop(edge);
    }
    for (std::size_t i = 0; i < ring.size(); ++i) {
        const Edge& edge = ring[i];
        const Stream stream = inner(ring, load, i);
        const double at = ready + round - hop(ring[(i + 1) % ring.size()]);
        arrivals_[edge.child].add(edge.parent, at, message_busy_us(edge, stream),
                                        bandwidth_bound(edge, stream, window));
    }
}

/// Blocks from outside go along the ring up to the predecessor of the participant that brought them.
void ExchangeModel::hand_on(std::span<const Edge> ring, const Window& window) {
    const RingLoad load = ring_load(ring);
    if (load.ranks == all_ranks_) return;
    for (const Edge& edge : ring.first(ring.size() - 1)) {
        const Stream stream = outer(edge, load);
        const double ready = arrivals_[edge.parent].all();
        arrive(edge, stream, queued_start(edge, stream, ready), window);
    }
}

/// Gives representatives the arrivals of the rank whose group is whole.
void ExchangeModel::spread_up(int group) {
    for (const Representative& one : groups_[group].representatives)
        arrivals_[one.rank].take_messages(arrivals_[one.modelled_by]);
}

/// The latest representative determines when the rank with the whole group can pass data on.
void ExchangeModel::gather_down(int group) {
    for (const Representative& one : groups_[group].representatives) {
        constexpr int no_rank = -1;
        arrivals_[one.modelled_by].add(no_rank, arrivals_[one.rank].all(), 0, 0);
    }
}

double ExchangeModel::predict_us(std::span<const LevelPlan> plans, std::size_t bytes, const Window& window) {
    bytes_ = static_cast<double>(std::max<std::size_t>(bytes, 1));
    std::fill(ranks_.begin(), ranks_.end(), RankState{});
    for (Arrivals& arrivals : arrivals_) arrivals.clear();
    for (std::size_t rank = 0; rank < represented_.size(); ++rank) ranks_[rank].below = represented_[rank];
    std::fill(boundaries_.begin(), boundaries_.end(), Direction{});
    std::fill(buses_.begin(), buses_.end(), 0);
    exchange_ = up_ && down_ && is_exchange(plans.front().method) && groups_.front().participants.size() > 1;
    make_edges(plans);
    count_ranks();
    make_streams();
    for (const GroupEdges& group : group_edges_) {
        if (group.ring) {
            add_ring_loads(edges_of(group));
            continue;
        }
        for (const Edge& edge : edges_of(group)) {
            if (up_) add_loads(edge, edge.up);
            if (down_) add_loads(edge, edge.down);
        }
    }
    for (const RankState& state : ranks_) {
        if (is_enough(state.processor_load)) return enough_us();
    }
    too_late_ = false;
    for (const GroupEdges& group : backwards(group_edges_)) {
        spread_up(group.group);
        if (group.ring) {
            go_round(edges_of(group), window);
            continue;
        }
        if (exchange_ && group.group == 0) exchange(plans.front(), window);
        if (!up_) continue;
        for (const Edge& edge : backwards(edges_of(group))) {
            const double ready = arrivals_[edge.child].all();
            arrive(edge, edge.up, ready + link_of(edge).overhead_us, window);
            if (too_late_) return enough_us();
        }
    }
    for (const GroupEdges& group : group_edges_) {
        if (group.ring) {
            hand_on(edges_of(group), window);
            gather_down(group.group);
            continue;
        }
        if (!down_) continue;
        for (const Edge& edge : edges_of(group)) {
            const double busy = up_ ? message_busy_us(edge, edge.up) : 0;
            const double ready = arrivals_[edge.parent].without(edge.child, busy);
            arrive(edge, edge.down, queued_start(edge, edge.down, ready), window);
            if (too_late_) return enough_us();
        }
        gather_down(group.group);
    }
    double end = 0;
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
        end = std::max({end, arrivals_[rank].all(), ranks_[rank].processor_load});
    }
    return end;
}

}  // namespace strata::algorithms
