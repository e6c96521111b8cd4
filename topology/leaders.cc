#include "topology/leaders.h"

#include <algorithm>
#include <map>
#include <utility>

namespace strata::topology {
namespace {

/// Finalizer of splitmix64 (Steele, Lea, Flood 2014).
std::uint64_t mixed(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}

/// Orders the candidates of a group by (not preferred, distance, tie hash, rank): smaller is better. The rank
/// makes every key unique.
class CandidateOrder {
public:
    CandidateOrder(std::span<const LocalityRecord> records, const Election& election,
                   const std::vector<bool>* first = nullptr)
        : records_(records), election_(election), first_(first) {}

    struct Key {
        bool not_preferred;     ///< by `first`
        std::uint8_t distance;  ///< to the NIC in use
        std::uint64_t tie_hash;
        int rank;
        auto operator<=>(const Key&) const = default;
    };
    Key key_of(const Group& group, int rank) const {
        const std::uint8_t distance =
            election_.nic_local ? records_[static_cast<std::size_t>(rank)].near(election_.use).distance
                                : unknown_distance;
        const bool hashed = election_.spread && distance != unknown_distance;
        const bool not_preferred = first_ != nullptr && !(*first_)[static_cast<std::size_t>(rank)];
        return {not_preferred, distance, hashed ? tie_hash(group, rank) : 0, rank};
    }

private:
    /// Hashed tie-break, different for every group, so that different groups load different cores.
    std::uint64_t tie_hash(const Group& group, int rank) const {
        std::uint64_t x = election_.seed + 0x9e3779b97f4a7c15ULL * (static_cast<std::uint64_t>(rank) + 1) +
                          (static_cast<std::uint64_t>(group.members.front()) << 8) +
                          static_cast<std::uint64_t>(group.depth);
        return mixed(x);
    }

    std::span<const LocalityRecord> records_;
    const Election& election_;
    const std::vector<bool>* first_;
};

void elect(Hierarchy& hierarchy, const CandidateOrder& order) {
    // Children follow their parents: the reverse order elects the children's leaders first.
    for (std::size_t i = hierarchy.groups.size(); i-- > 0;) {
        Group& group = hierarchy.groups[i];
        group.leader = -1;
        CandidateOrder::Key best{};
        const auto consider = [&](int rank) {
            const CandidateOrder::Key key = order.key_of(group, rank);
            if (group.leader >= 0 && best < key) return;
            group.leader = rank;
            best = key;
        };
        for (const int child : group.children)
            consider(hierarchy.groups[static_cast<std::size_t>(child)].leader);
        for (const int rank : group.direct) consider(rank);
    }
}

void choose_receivers(Hierarchy& hierarchy, std::span<const LocalityRecord> records,
                      const Election& election) {
    hierarchy.receivers.clear();
    if (!election.nic_local) return;
    const auto distance = [&](int rank) {
        return records[static_cast<std::size_t>(rank)].near(election.use).distance;
    };
    std::vector<int> receivers;
    bool all_themselves = true;
    for (int rank = 0; rank < hierarchy.ranks(); ++rank) {
        receivers.push_back(rank);
        const int group = hierarchy.widest_in_node(rank);
        // A process of unknown distance (unbound) may be near: it keeps its own data.
        if (group < 0 || distance(rank) == unknown_distance) continue;
        const int leader = hierarchy.groups[static_cast<std::size_t>(group)].leader;
        if (distance(leader) >= distance(rank)) continue;
        receivers.back() = leader;
        all_themselves = false;
    }
    if (!all_themselves) hierarchy.receivers = std::move(receivers);
}

}  // namespace

void elect_leaders(Hierarchy& hierarchy, std::span<const LocalityRecord> records, const Election& election) {
    elect(hierarchy, CandidateOrder(records, election));
    choose_receivers(hierarchy, records, election);
}

void elect_leaders(Hierarchy& hierarchy, std::span<const LocalityRecord> records, const Election& election,
                   const std::vector<bool>& first) {
    elect(hierarchy, CandidateOrder(records, election, &first));
    choose_receivers(hierarchy, records, election);
}

unsigned tie_break_of(std::uint64_t number) {
    return static_cast<unsigned>(mixed(number + 0x9e3779b97f4a7c15ULL) % 4);
}

std::vector<int> nic_leaders(const Hierarchy& hierarchy, std::span<const LocalityRecord> records, int group,
                             const Election& election) {
    const Group& self = hierarchy.groups.at(static_cast<std::size_t>(group));
    const CandidateOrder order(records, election);
    std::map<std::uint64_t, std::uint8_t> nearest;  // node -> the smallest distance of a member
    const auto distance = [&](int rank) { return order.key_of(self, rank).distance; };
    std::vector<std::uint64_t> nodes;  // in the order of their lowest ranks
    for (const int rank : self.members) {
        const auto node = records[static_cast<std::size_t>(rank)].node_id;
        const auto [place, isnew] = nearest.try_emplace(node, distance(rank));
        if (isnew) nodes.push_back(node);
        place->second = std::min(place->second, distance(rank));
    }
    std::map<std::pair<std::uint64_t, std::uint8_t>, CandidateOrder::Key> best;  // (node, NIC) -> its leader
    for (const int rank : self.members) {
        const LocalityRecord& record = records[static_cast<std::size_t>(rank)];
        const std::uint8_t own = distance(rank);
        if (own != nearest[record.node_id]) continue;
        const std::uint8_t nic = own == unknown_distance ? std::uint8_t{0} : record.near(election.use).nic;
        const CandidateOrder::Key key = order.key_of(self, rank);
        const auto [place, isnew] = best.try_emplace({record.node_id, nic}, key);
        if (!isnew) place->second = std::min(place->second, key);
    }
    std::vector<int> leaders;
    for (const std::uint64_t node : nodes) {
        for (auto at = best.lower_bound({node, 0}); at != best.end() && at->first.first == node; ++at) {
            leaders.push_back(at->second.rank);
        }
    }
    return leaders;
}

}  // namespace strata::topology
