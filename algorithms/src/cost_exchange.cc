#include "cost_exchange.h"

#include <algorithm>
#include <cmath>
#include <ranges>

#include "cost_links.h"

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
    latest_.add(from, at);
    bound_.add(from, bound);
    if (count_ == 0) {
        earliest_ = at;
        earliest_busy_ = busy;
    } else if (at < earliest_) {
        queued_ += earliest_busy_;
        earliest_ = at;
        earliest_busy_ = busy;
    } else {
        queued_ += busy;
    }
    ++count_;
}

double ExchangeModel::Arrivals::all() const {
    return std::max({latest_.all(), bound_.all(), earliest_ + queued_});
}

double ExchangeModel::Arrivals::without(int from, double busy) const {
    const double queue = count_ < 2 ? 0 : earliest_ + queued_ - busy;
    return std::max({latest_.without(from), bound_.without(from), queue});
}

ExchangeModel::ExchangeModel(const topology::Hierarchy& hierarchy, const LinkTable& links, int root,
                             const CollectiveTraits& traits)
    : CostModel(hierarchy, links, root),
      up_(traits.up),
      down_(traits.down),
      ranks_(hierarchy.stop.size()),
      boundaries_(hierarchy.groups.size()) {}

/// The edges, and how many ranks lie behind each.
void ExchangeModel::make_edges(std::span<const LevelPlan> plans) {
    edges_.clear();
    for (int g = 0; g < static_cast<int>(groups_.size()); ++g) {
        const auto& members = groups_[g].participants;
        if (members.size() < 2) continue;
        const LevelPlan& plan = plans[groups_[g].level];
        const Shape& tree = shape(plan.method, members.size());
        for (const int position : tree.order) {
            const Participant& parent = members[position];
            for (const int place : tree.children[position]) {
                const Participant& child = members[place];
                edges_.push_back({parent.rank, child.rank, g, std::max(parent.us_per_byte, child.us_per_byte),
                                  plan.segment_bytes});
            }
        }
    }
    for (const Edge& edge : edges_ | std::views::reverse)
        ranks_[edge.parent].below += ranks_[edge.child].below;
}

ExchangeModel::Stream ExchangeModel::cut(Stream stream, std::size_t segment_bytes) const {
    const auto segment = static_cast<double>(segment_bytes);
    stream.message = segment == 0 ? stream.bytes : std::min(segment, stream.bytes);
    stream.messages = std::ceil(stream.bytes / stream.message);
    return stream;
}

/// The blocks of the child's subtree.
ExchangeModel::Stream ExchangeModel::up(const Edge& edge) const {
    const double share = ranks_[edge.child].below / static_cast<double>(ranks_.size());
    return cut({edge.child, edge.parent, bytes_ * share}, edge.segment_bytes);
}

/// The same blocks when the root hands them out, else all others.
ExchangeModel::Stream ExchangeModel::down(const Edge& edge) const {
    const double share = ranks_[edge.child].below / static_cast<double>(ranks_.size());
    return cut({edge.parent, edge.child, bytes_ * (up_ ? 1 - share : share)}, edge.segment_bytes);
}

/// Time for which a message's bytes keep the processor at either end busy.
double ExchangeModel::copy_us(const Edge& edge, double bytes) const {
    return network_[groups_[edge.group].level] ? 0 : bytes / link_of(edge).bytes_per_us;
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
    sender.card.out += stream.bytes * card_us_per_byte_[stream.from];
    receiver.card.in += stream.bytes * card_us_per_byte_[stream.to];
    const auto through = [&](int c) {
        return std::max(stream.messages * group_gap_us_[c], stream.bytes * group_us_per_byte_[c]);
    };
    each_boundary(stream.from, edge.group, [&](int c) { boundaries_[c].out += through(c); });
    each_boundary(stream.to, edge.group, [&](int c) { boundaries_[c].in += through(c); });
}

/// When every connection on the stream's way has worked off all streams through it.
double ExchangeModel::bandwidth_bound(const Edge& edge, const Stream& stream, int window) const {
    const LinkParameters& link = link_of(edge);
    double busy =
        std::max({stream.bytes * edge.us_per_byte, ranks_[stream.from].card.out, ranks_[stream.to].card.in});
    each_boundary(stream.from, edge.group, [&](int c) { busy = std::max(busy, boundaries_[c].out); });
    each_boundary(stream.to, edge.group, [&](int c) { busy = std::max(busy, boundaries_[c].in); });
    const double handshake = handshake_us(link, static_cast<std::size_t>(stream.message));
    if (handshake > 0) {
        const double round = handshake + link.latency_us + stream.message / link.bytes_per_us;
        busy = std::max(busy, stream.messages / std::max(window, 1) * round);
    }
    return handshake + busy + link.latency_us + 2 * link.overhead_us;
}

/// When the last message to a child enters the connection, after those to earlier children.
double ExchangeModel::queued_start(const Edge& edge, const Stream& stream, double ready) {
    RankState& sender = ranks_[stream.from];
    double start = std::max(ready, sender.processor_free) + link_of(edge).overhead_us;
    sender.processor_free = start + copy_us(edge, stream.message);
    if (network_[groups_[edge.group].level]) {
        start = std::max(start, sender.wire_free);
        sender.wire_free = start + stream.message * edge.us_per_byte;
    }
    return start;
}

/// The stream's last message enters the connection at `start`.
void ExchangeModel::arrive(const Edge& edge, const Stream& stream, double start, int window) {
    const LinkParameters& link = link_of(edge);
    const double at = start + handshake_us(link, static_cast<std::size_t>(stream.message)) +
                      stream.message * edge.us_per_byte + link.latency_us + link.overhead_us;
    ranks_[stream.to].arrivals.add(stream.from, at, message_busy_us(edge, stream),
                                   bandwidth_bound(edge, stream, window));
}

double ExchangeModel::cost_us(std::span<const LevelPlan> plans, std::size_t bytes, int window) {
    bytes_ = static_cast<double>(std::max<std::size_t>(bytes, 1));
    std::fill(ranks_.begin(), ranks_.end(), RankState{});
    std::fill(boundaries_.begin(), boundaries_.end(), Direction{});
    make_edges(plans);
    for (const Edge& edge : edges_) {
        if (up_) add_loads(edge, up(edge));
        if (down_) add_loads(edge, down(edge));
    }
    if (up_) {
        for (const Edge& edge : edges_ | std::views::reverse) {
            const double ready = ranks_[edge.child].arrivals.all();
            arrive(edge, up(edge), ready + link_of(edge).overhead_us, window);
        }
    }
    if (down_) {
        for (const Edge& edge : edges_) {
            const double busy = up_ ? message_busy_us(edge, up(edge)) : 0;
            const double ready = ranks_[edge.parent].arrivals.without(edge.child, busy);
            arrive(edge, down(edge), queued_start(edge, down(edge), ready), window);
        }
    }
    double end = 0;
    for (const RankState& state : ranks_) end = std::max({end, state.arrivals.all(), state.processor_load});
    return end;
}

}  // namespace strata::algorithms
