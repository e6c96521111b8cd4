#include "algorithms/cost/tree.h"

#include <algorithm>
#include <cmath>

#include "algorithms/cost/links.h"
#include "algorithms/patterns/tree.h"

namespace strata::algorithms {

TreeModel::TreeModel(const topology::Hierarchy& hierarchy, const LinkTable& links, int root,
                     const CollectiveTraits& traits, std::span<const topology::LevelKey> skipped,
                     const ReducedMachine* reduced)
    : CostModel(hierarchy, links, root, skipped, reduced),
      up_(traits.up),
      down_(traits.down),
      combines_(traits.combines),
      any_merged_(std::any_of(groups_.begin(), groups_.end(), [](const GroupView& g) { return g.merged; })),
      ranks_(hierarchy.stop.size()),
      boundaries_(hierarchy.groups.size()) {
    combine_us_per_byte_ = combines_ ? links.combine_us(1) : 0;
    set_far_links();
}

void TreeModel::set_links(const LinkTable& links) {
    CostModel::set_links(links);
    combine_us_per_byte_ = combines_ ? links.combine_us(1) : 0;
    set_far_links();
    edges_.clear();
}

TreeModel::Edges TreeModel::edges_on(std::size_t level, std::size_t segment_bytes,
                                     const Window& window) const {
    const LinkParameters& link = links_[level];
    Edges edges;
    const auto fixed = static_cast<double>(segment_bytes);
    edges.whole = exchange_ || fixed == 0 || fixed >= bytes_;
    edges.segment = edges.whole ? bytes_ : fixed;
    edges.tail = bytes_ - (std::ceil(bytes_ / edges.segment) - 1) * edges.segment;
    edges.latency = link.latency_us;
    edges.overhead = link.overhead_us;
    edges.copy_us_per_byte = copy_us_per_byte(level);
    edges.load = (up_ && down_ ? 2 : 1) * (edges.overhead / edges.segment + edges.copy_us_per_byte);
    edges.handshake = handshake_us(link, static_cast<std::size_t>(edges.segment));
    // Opposite streams longer than a window: each segment between nodes is acknowledged
    // (StreamTable::open()).
    const int in_flight = window.of(network_[level], segment_bytes);
    edges.fits = bytes_ <= in_flight * edges.segment;
    const bool acknowledged = up_ && down_ && network_[level] && !edges.fits;
    if (edges.handshake > 0 || acknowledged) {
        const double back = edges.handshake > 0 ? edges.handshake : edges.latency + edges.overhead;
        const double round = back + edges.latency + edges.segment / link.bytes_per_us;
        edges.window_pace = round / (in_flight * edges.segment);
    }
    return edges;
}

/// Returns edges without shapes, by level. Most candidates of a search share their segment sizes.
const TreeModel::Edges* TreeModel::edges_by_level(std::size_t segment_bytes, const Window& window) {
    const EdgesKey key{bytes_, exchange_, segment_bytes, window};
    for (const auto& [known, edges] : edges_) {
        if (known == key) return edges.data();
    }
    std::vector<Edges>& edges = edges_.emplace_back(key, std::vector<Edges>{}).second;
    edges.reserve(links_.size());
    for (std::size_t level = 0; level < links_.size(); ++level)
        edges.push_back(edges_on(level, segment_bytes, window));
    return edges.data();
}

/// Makes the edges of all groups for this candidate.
void TreeModel::make_edges(std::span<const LevelPlan> plans, const Window& window, Half half) {
    all_whole_ = true;
    group_edges_.clear();
    for (const int g : busy_groups()) {
        if (top_apart() && g == 0) continue;
        const GroupView& view = groups_[g];
        const Edges* by_level = edges_by_level(plans[up_ ? 0 : view.plan].segment_bytes, window);
        group_edges_.push_back({g, by_level[place_of(view.plan)]});
        Edges& edges = group_edges_.back().edges;
        all_whole_ = all_whole_ && edges.whole;
        const LevelMethod& method = plans[view.plan].method;
        const bool two = half != Half::whole && method.algorithm == Algorithm::double_binary;
        edges.shape = two ? &double_binary_shape(g, half) : &shape(method, view.participants.size(), half);
        if (view.merged) {
            edges.by_level = by_level;
            edges.far = !far_.empty();
            edges.in_order = follows_topology_order(method);
            edges.meetings = &meetings(g, *edges.shape);
        }
    }
}

void TreeModel::add_loads(int group, const Edges& edges) {
    if (groups_[group].merged) return add_merged_loads(group, edges);
    const double directions = up_ && down_ ? 2 : 1;
    const double per_byte = edges.load;
    const auto& members = groups_[group].participants;
    const auto use_connections = [&](int rank, int uses) {
        ranks_[rank].nic_uses += uses;
        each_boundary(rank, group, [&](int c) { boundaries_[c].uses += uses; });
    };
    for (const int position : edges.shape->order) {
        const auto& children = edges.shape->children[position];
        if (children.empty()) continue;
        const int uses = static_cast<int>(children.size());
        const int rank = members[position].rank;
        ranks_[rank].processor_load += uses * (per_byte + combine_us_per_byte_);
        ranks_[rank].all_fit = ranks_[rank].all_fit && edges.fits;
        use_connections(rank, uses);
        for (const int child : children) {
            ranks_[members[child].rank].processor_load += per_byte;
            move_on_buses(rank, members[child].rank, group, directions);
            if (any_merged_)
                each_boundary(members[child].rank, group, [&](int c) { ++boundaries_[c].entries; });
            // In one direction, data from the parent does not meet data to the children.
            if (up_ && down_) use_connections(members[child].rank, 1);
        }
    }
}

/// Returns us per byte at which `rank` can feed all its children outside its own child group of `group`.
double TreeModel::outward_pace(int rank, int group, double segment, double processor_load) const {
    const RankState& state = ranks_[rank];
    double pace = std::max(processor_load, state.nic_uses * nic_us_per_byte_[rank]);
    each_boundary(rank, group,
                  [&](int c) { pace = std::max(pace, boundaries_[c].uses * boundary_pace(c, segment)); });
    return pace;
}

/// Queues one message at each connection from `rank` out to `group`; returns when it enters the last one.
double TreeModel::pass_outward(int rank, int group, double start, double bytes) {
    double& nic = ranks_[rank].nic_free;
    start = std::max(start, nic);
    nic = start + bytes * nic_us_per_byte_[rank];
    each_boundary(rank, group, [&](int c) {
        start = std::max(start, boundaries_[c].free);
        boundaries_[c].free = start + std::max(group_gap_us_[c], bytes * group_us_per_byte_[c]);
    });
    return start;
}

void TreeModel::move_on_buses(int from, int to, int group, double vectors) {
    each_bus(from, to, group, [&](int c) { boundaries_[c].moved += vectors; });
}

/// Returns us per byte at which the buses between two ranks carry one vector under their full load.
double TreeModel::bus_pace(int from, int to, int group) const {
    double pace = 0;
    each_bus(from, to, group,
             [&](int c) { pace = std::max(pace, boundaries_[c].moved * group_bus_us_per_byte_[c]); });
    return pace;
}

/// Gives a message to the buses between two ranks; returns when they have moved it and all earlier data. The
/// order in which groups are visited does not matter.
double TreeModel::pass_buses(int from, int to, int group, double start, double bytes) {
    double done = start;
    each_bus(from, to, group, [&](int c) {
        double& free = boundaries_[c].bus_free;
        free = (free < 0 ? start : free) + bytes * group_bus_us_per_byte_[c];
        done = std::max({done, free, start + bytes * group_bus_us_per_byte_[c]});
    });
    return done;
}

/// Puts `wave` at the starting points of trees, and resets all times to 0.
void TreeModel::start(const Wave& wave) {
    for (RankState& state : ranks_) {
        state.wave = {};
        state.processor_free = state.nic_free = state.served_load = 0;
    }
    for (GroupState& boundary : boundaries_) {
        boundary.free = boundary.in_free = 0;
        boundary.far_in.free = boundary.far_out.free = 0;
        boundary.bus_free = -1;
    }
    const auto begin_at = [&](int rank) {
        ranks_[rank].wave = wave;
        ranks_[rank].processor_free = wave.first;
    };
    if (!top_apart()) return begin_at(root_);
    for (const Participant& member : groups_.front().participants) begin_at(member.rank);
}

/// Times the edges of a group. Reductions combine the data of the child with the largest subtree last. If the
/// data of the others fits into their windows, it has been combined by then: seen backwards, each child waits
/// for those before it only. This was compared with simulated machines, so it requires given links inside
/// nodes: elsewhere other work keeps processors busy, too. Returns false if a rank is later than `enough`.
bool TreeModel::time_group(int group, const Edges& all, double combine_us_per_byte) {
    const auto& members = groups_[group].participants;
    const bool merged = groups_[group].merged;
    const bool in_turn = combine_us_per_byte > 0 && measured_inside();
    for (const int position : all.shape->order) {
        const auto& children = all.shape->children[position];
        if (children.empty()) continue;
        const int rank = members[position].rank;
        RankState& parent = ranks_[rank];
        const Wave& above = parent.wave;
        const double ready = above.has_arrived(all.segment);
        for (std::size_t i = 0; i < children.size(); ++i) {
            const Participant& member = members[children[i]];
            RankState& child = ranks_[member.rank];
            Wave& wave = child.wave;
            const Meeting met =
                merged ? (*all.meetings)[children[i]]
                       : Meeting{group, std::max(members[position].us_per_byte, member.us_per_byte)};
            const Edges& edges = merged ? all.by_level[groups_[met.group].level] : all;
            const Ends ends = far_ends(all, rank, member.rank, upwards_);
            const double us_per_byte = double_tree_ ? beside_other_tree(met, member.rank) : met.us_per_byte;
            parent.served_load += edges.load + combine_us_per_byte;
            child.served_load = edges.load;
            const double start =
                std::max(ready, parent.processor_free) + edges.overhead + edges.segment * combine_us_per_byte;
            parent.processor_free = start + edges.segment * edges.copy_us_per_byte;
            double sent = pass_outward(rank, met.group, start, edges.segment);
            if (merged) sent = pass_inward(member.rank, met.group, sent, edges.segment);
            if (all.far) sent = pass_far(ends, met.group, sent, edges.segment);
            const double moved = pass_buses(rank, member.rank, met.group, sent, edges.segment);
            const double first_us_per_byte =
                all.far ? std::max(us_per_byte, far_us_per_byte(ends, met.group)) : us_per_byte;
            wave.first = std::max(sent + edges.segment * first_us_per_byte, moved) + edges.handshake +
                         edges.latency + edges.overhead;
            wave.last = wave.first;
            wave.segment = edges.segment;
            wave.pace = 0;
            child.processor_free = wave.first;
            if (edges.whole) {
                if (is_enough(wave.last)) return false;
                continue;
            }
            double outward =
                outward_pace(rank, met.group, edges.segment,
                             in_turn && parent.all_fit ? parent.served_load : parent.processor_load);
            if (merged) outward = std::max(outward, inward_pace(member.rank, met.group, edges.segment));
            double moved_pace =
                together(bus_pace(rank, member.rank, met.group), std::max(outward, us_per_byte));
            if (all.far) moved_pace = beside_far_paths(ends, met.group, moved_pace);
            wave.pace = std::max({above.pace, edges.window_pace, moved_pace, parent.port_out, child.port_in});
            const double turns = static_cast<double>(i) + 1;
            const double turn = edges.overhead + edges.tail * (us_per_byte + combine_us_per_byte);
            const double hop =
                edges.latency + edges.overhead + turns * turn + above.burst * std::max(outward, us_per_byte);
            wave.last = std::max(wave.first + (bytes_ - edges.segment) * wave.pace, above.last + hop);
            if (is_enough(wave.last)) return false;
        }
    }
    gather_waves(group);
    return true;
}

bool TreeModel::time_groups(double combine_us_per_byte) {
    return std::ranges::all_of(group_edges_, [&](const GroupEdges& own) {
        return time_group(own.group, own.edges, combine_us_per_byte);
    });
}

/// The latest representative determines when the rank with the whole group can pass data on.
void TreeModel::gather_waves(int group) {
    for (const Representative& representative : groups_[group].representatives) {
        const RankState& one = ranks_[representative.rank];
        RankState& other = ranks_[representative.modelled_by];
        other.wave.first = std::max(other.wave.first, one.wave.first);
        other.wave.last = std::max(other.wave.last, one.wave.last);
        other.wave.pace = std::max(other.wave.pace, one.wave.pace);
        other.processor_free = std::max(other.processor_free, one.processor_free);
    }
}

/// Returns the latest state of all ranks; backwards in time, of the data that has reached the top.
TreeModel::Wave TreeModel::arrived() const {
    Wave latest{0, 0, bytes_, 0};  // equal segments: none waits for several others
    for (const RankState& state : ranks_) {
        latest.first = std::max(latest.first, state.wave.first);
        latest.last = std::max(latest.last, state.wave.last);
        latest.pace = std::max(latest.pace, state.wave.pace);
    }
    return latest;
}

double TreeModel::predict_us(std::span<const LevelPlan> plans, std::size_t bytes, const Window& window) {
    bytes_ = static_cast<double>(std::max<std::size_t>(bytes, 1));
    exchange_ = up_ && down_ && is_exchange(plans[0].method);
    ring_ = up_ && down_ && plans[0].method.algorithm == Algorithm::ring &&
            groups_.front().participants.size() > 2;
    if (loaded_) {
        std::fill(ranks_.begin(), ranks_.end(), RankState{});
        std::fill(boundaries_.begin(), boundaries_.end(), GroupState{});
    }
    double_tree_ = !top_apart() && std::ranges::any_of(plans, [](const LevelPlan& plan) {
        return info(plan.method.algorithm).double_tree;
    });
    loaded_ = double_tree_;
    if (double_tree_) return double_tree_us(plans, window);
    make_edges(plans, window, Half::whole);
    // Loads slow down segmented messages only.
    loaded_ = !all_whole_ || ring_;
    if (ring_) add_ring_loads(plans[0], window);
    if (loaded_) {
        for (const GroupEdges& own : group_edges_) add_loads(own.group, own.edges);
    }
    return tree_us(plans, window);
}

/// Returns the time of one tree; edges and loads must have been made.
double TreeModel::tree_us(std::span<const LevelPlan> plans, const Window& window) {
    Wave top{0, 0, bytes_, 0};
    upwards_ = up_;
    if (up_) {
        start(top);
        if (!time_groups(combine_us_per_byte_)) return enough_us();
        top = arrived();
        if (!down_) return top.last;
        if (exchange_) top.first = top.last = top.last + rounds_us(plans[0]);
        if (ring_) top = round_the_ring(plans[0], window, top);
    }
    upwards_ = false;
    start(top);
    return time_groups(0) ? arrived().last : enough_us();
}

double tree_cost_us(const topology::Hierarchy& hierarchy, const LinkTable& links, const Plan& plan,
                    const Operation& operation) {
    const auto model = make_cost_model(hierarchy, links, operation, plan.skipped);
    std::vector<LevelPlan> plans;
    for (const auto level : model->levels()) plans.push_back(plan.at(level));
    return model->cost_us(plans, operation.bytes, Window(plan));
}

}  // namespace strata::algorithms
