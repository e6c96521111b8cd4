#include "strata/mapping/estimate.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <stdexcept>

#include "at.h"

namespace strata::mapping {
namespace {

using topology::Group;
using topology::Hierarchy;
using topology::LevelKey;
using topology::LevelKind;

/// Returns false for a group of one rank alone.
bool connects(const Group& group) { return group.children.size() + group.direct.size() > 1; }

std::string plural(LevelKind kind) {
    switch (kind) {
        case LevelKind::switch_: return "switches";
        case LevelKind::group: return "hardware groups";
        case LevelKind::numa: return "NUMA domains";
        case LevelKind::l3: return "L3 caches";
        case LevelKind::l2: return "L2 caches";
        case LevelKind::l1: return "L1 caches";
        case LevelKind::pu: return "hardware threads";
        case LevelKind::custom: return "custom groups";
        default: return std::string(topology::name_of(kind)) + "s";
    }
}

/// Both directions of one link, which connects a group or rank to its parent.
struct Load {
    std::uint64_t bytes[2] = {0, 0};  // sent, received
    std::uint64_t messages[2] = {0, 0};
    void add(int direction, const Flow& flow) {
        bytes[direction] += flow.bytes;
        messages[direction] += flow.messages;
    }
};

class Folding {
public:
    Folding(const Hierarchy& hierarchy, const LinkCosts& costs)
        : hierarchy_(hierarchy),
          message_bytes_(costs.message_bytes),
          cost_(costs.by_group(hierarchy)),
          inside_(hierarchy.groups.size()),
          of_group_(hierarchy.groups.size()),
          of_rank_(at(hierarchy.ranks())) {}

    void add(int from, int to, const Flow& flow) {
        const int common = hierarchy_.lowest_common_group(from, to);
        inside_[at(common)].add(0, flow);
        distance_ += weight(flow.bytes, flow.messages) * cost_[at(common)];
        load(from, common, 0, flow);
        load(to, common, 1, flow);
    }

    Estimate result() const {
        Estimate estimate;
        estimate.distance = distance_;
        std::map<LevelKey, std::size_t> position;
        const auto entry = [&](const Group& group) -> LevelTraffic& {
            const auto [known, isnew] = position.try_emplace(link_level(group), estimate.levels.size());
            if (isnew) estimate.levels.push_back({link_level(group), is_network(group)});
            return estimate.levels[known->second];
        };
        for (const LevelKey level : hierarchy_.levels()) {  // in hierarchy order
            for (const Group& group : hierarchy_.groups) {
                if (group.level == level && connects(group)) entry(group);
            }
        }
        std::vector<Links> links(estimate.levels.size());
        for (std::size_t i = 0; i < hierarchy_.groups.size(); ++i) {
            const Group& group = hierarchy_.groups[i];
            if (!connects(group)) continue;
            LevelTraffic& level = entry(group);
            level.bytes += inside_[i].bytes[0];
            level.messages += inside_[i].messages[0];
            Links& used = links[static_cast<std::size_t>(&level - estimate.levels.data())];
            for (const int child : group.children) consider(level, used, of_group_[at(child)], cost_[i]);
            for (const int rank : group.direct) consider(level, used, of_rank_[at(rank)], cost_[i]);
        }
        for (std::size_t i = 0; i < links.size(); ++i) {
            LevelTraffic& level = estimate.levels[i];
            level.seconds = (links[i].busiest + links[i].sum / links[i].count) / 2;
            estimate.seconds += level.seconds;
        }
        return estimate;
    }

private:
    double weight(std::uint64_t bytes, std::uint64_t messages) const {
        return static_cast<double>(bytes) + static_cast<double>(messages) * message_bytes_;
    }

    /// Adds traffic between `rank` and the links of `common`: to the link just below `common`, and to
    /// all network links on the way.
    void load(int rank, int common, int direction, const Flow& flow) {
        int group = hierarchy_.stop[at(rank)];
        if (group == common) {
            of_rank_[at(rank)].add(direction, flow);
            return;
        }
        if (is_network(hierarchy_.groups[at(group)])) of_rank_[at(rank)].add(direction, flow);
        for (;;) {
            const int parent = hierarchy_.groups[at(group)].parent;
            if (parent == common || is_network(hierarchy_.groups[at(parent)])) {
                of_group_[at(group)].add(direction, flow);
            }
            if (parent == common) return;
            group = parent;
        }
    }

    /// Times of all links of a level.
    struct Links {
        double busiest = 0;
        double sum = 0;
        double count = 0;
    };

    void consider(LevelTraffic& level, Links& links, const Load& link, double cost) const {
        links.count += 1;
        for (const int direction : {0, 1}) {
            const double seconds =
                weight(link.bytes[direction], link.messages[direction]) * cost * seconds_per_byte_and_cost;
            links.sum += seconds / 2;
            if (seconds <= links.busiest) continue;
            links.busiest = seconds;
            level.busiest_bytes = link.bytes[direction];
            level.busiest_messages = link.messages[direction];
        }
    }

    const Hierarchy& hierarchy_;
    double message_bytes_;
    std::vector<double> cost_;
    std::vector<Load> inside_;  ///< by group: traffic with this lowest common group
    std::vector<Load> of_group_;
    std::vector<Load> of_rank_;
    double distance_ = 0;
};

}  // namespace

std::uint64_t Estimate::network_bytes() const {
    std::uint64_t bytes = 0;
    for (const LevelTraffic& level : levels) bytes += level.network ? level.bytes : 0;
    return bytes;
}

std::vector<int> inverse_permutation(std::span<const int> permutation, int ranks) {
    std::vector<int> inverse(at(ranks), permutation.empty() ? 0 : -1);
    if (permutation.empty()) {
        std::iota(inverse.begin(), inverse.end(), 0);
        return inverse;
    }
    if (permutation.size() != inverse.size()) {
        throw std::invalid_argument("the permutation has " + std::to_string(permutation.size()) +
                                    " numbers, the matrix " + std::to_string(ranks) + " ranks");
    }
    for (std::size_t i = 0; i < permutation.size(); ++i) {
        const int rank = permutation[i];
        if (rank < 0 || rank >= ranks || inverse[at(rank)] != -1) {
            throw std::invalid_argument("no permutation of 0 to " + std::to_string(ranks - 1) + ": " +
                                        std::to_string(rank) +
                                        (rank < 0 || rank >= ranks ? "" : " appears twice"));
        }
        inverse[at(rank)] = static_cast<int>(i);
    }
    return inverse;
}

void check_same_ranks(const TrafficMatrix& traffic, const Hierarchy& hierarchy) {
    if (traffic.ranks() != hierarchy.ranks()) {
        throw std::invalid_argument("the matrix has " + std::to_string(traffic.ranks()) +
                                    " ranks, the machine " + std::to_string(hierarchy.ranks()));
    }
}

Estimate estimate(const TrafficMatrix& traffic, const Hierarchy& hierarchy, std::span<const int> permutation,
                  const LinkCosts& costs) {
    check_same_ranks(traffic, hierarchy);
    const std::vector<int> process = inverse_permutation(permutation, traffic.ranks());
    Folding folding(hierarchy, costs);
    for (const Flow& flow : traffic.flows()) {
        if (flow.from != flow.to) folding.add(process[at(flow.from)], process[at(flow.to)], flow);
    }
    return folding.result();
}

std::string describe_level(const Hierarchy& hierarchy, LevelKey level) {
    std::vector<std::string> below;
    const auto add = [&](const std::string& word) {
        if (std::find(below.begin(), below.end(), word) == below.end()) below.push_back(word);
    };
    for (const Group& group : hierarchy.groups) {
        if (link_level(group) != level) continue;
        for (const int child : group.children) {
            // A node with one rank, or one package, has the name of the lowest object that its ranks
            // share.
            const LevelKind kind = hierarchy.groups[at(child)].level.kind;
            const bool whole_node = is_network(group) && kind > LevelKind::node && kind != LevelKind::custom;
            add(plural(whole_node ? LevelKind::node : kind));
        }
    }
    for (const Group& group : hierarchy.groups) {
        if (link_level(group) == level && connects(group) && !group.direct.empty()) {
            add(is_network(group) ? "nodes" : "ranks");
        }
    }
    std::string text = topology::name_of(level);
    for (std::size_t i = 0; i < below.size(); ++i) text += (i == 0 ? " (between " : ", ") + below[i];
    return below.empty() ? text : text + ")";
}

}  // namespace strata::mapping
