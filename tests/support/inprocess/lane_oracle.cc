#include "lane_oracle.h"

#include <algorithm>
#include <map>
#include <set>

#include "block_oracle.h"
#include "byte_oracle.h"
#include "reduce_oracle.h"

namespace strata::testing {
namespace {

void add_faults(std::vector<std::string>& all, int lane, const std::vector<std::string>& faults) {
    for (const std::string& fault : faults) {
        all.push_back("lane " + std::to_string(lane) + ": " + fault);
    }
}

/// Which cards of which nodes have processes near them: those at the smallest distance of their node.
class CardTable {
public:
    explicit CardTable(std::span<const topology::LocalityRecord> records)
        : records_(records), nodes_(nodes_of(records)) {
        for (std::size_t rank = 0; rank < records.size(); ++rank) {
            const auto [place, isnew] = nearest_.try_emplace(nodes_[rank], distance(rank));
            place->second = std::min(place->second, distance(rank));
        }
        for (std::size_t rank = 0; rank < records.size(); ++rank) {
            if (distance(rank) == nearest_[nodes_[rank]]) {
                cards_[nodes_[rank]].insert(card(rank));
            }
        }
    }

    int node(int rank) const { return nodes_[static_cast<std::size_t>(rank)]; }
    bool may_carry(int rank, int lane) const {
        const auto index = static_cast<std::size_t>(rank);
        const std::set<int>& cards = cards_.at(nodes_[index]);
        const int wanted = *std::next(cards.begin(), lane % static_cast<int>(cards.size()));
        return distance(index) == nearest_.at(nodes_[index]) && card(index) == wanted;
    }

private:
    int distance(std::size_t rank) const { return records_[rank].cards[0].distance; }
    int card(std::size_t rank) const { return records_[rank].cards[0].card; }

    std::span<const topology::LocalityRecord> records_;
    std::vector<int> nodes_;
    std::map<int, int> nearest_;
    std::map<int, std::set<int>> cards_;
};

}  // namespace

std::vector<SentMessage> messages_of(int lane, const std::vector<SentMessage>& messages) {
    std::vector<SentMessage> own;
    std::copy_if(messages.begin(), messages.end(), std::back_inserter(own),
                 [lane](const SentMessage& message) { return message.lane == lane; });
    return own;
}

std::vector<std::size_t> share_bytes(std::size_t bytes, std::size_t element_bytes, int lanes) {
    std::vector<std::size_t> shares(static_cast<std::size_t>(lanes), 0);
    for (std::size_t element = 0; element < bytes / element_bytes; ++element) {
        shares[element % shares.size()] += element_bytes;
    }
    return shares;
}

std::vector<std::string> check_lane_bytes(const BcastCase& bcast, const topology::CardLanes& lanes,
                                          const std::vector<SentMessage>& messages) {
    std::vector<std::string> faults;
    const std::vector<std::size_t> shares = share_bytes(bcast.bytes, 1, lanes.count());
    for (int lane = 0; lane < lanes.count(); ++lane) {
        const auto index = static_cast<std::size_t>(lane);
        add_faults(faults, lane,
                   check_bcast_bytes(lanes.trees[index], bcast.root, shares[index], segments_by_group(bcast),
                                     messages_of(lane, messages)));
    }
    return faults;
}

std::vector<std::string> check_lane_bytes(const ReduceCase& reduce, const topology::CardLanes& lanes,
                                          const std::vector<SentMessage>& messages) {
    std::vector<std::string> faults;
    const std::size_t element = bytes_of(reduce.op);
    const std::vector<std::size_t> shares = share_bytes(reduce.bytes(), element, lanes.count());
    for (int lane = 0; lane < lanes.count(); ++lane) {
        const auto index = static_cast<std::size_t>(lane);
        ReduceCase share = reduce;
        share.elements = shares[index] / element;
        const topology::Hierarchy& tree = lanes.trees[index];
        if (shares[index] > 0) {
            add_faults(faults, lane,
                       check_allreduce_bytes(tree, tree.groups.front().leader, shares[index],
                                             share.segment_bytes(), messages_of(lane, messages)));
        } else if (!messages_of(lane, messages).empty()) {
            faults.push_back("lane " + std::to_string(lane) + " carries messages of nothing");
        }
    }
    return faults;
}

std::vector<std::string> check_lane_bytes(const BlockCase& run, const topology::CardLanes& lanes,
                                          const std::vector<SentMessage>& messages) {
    std::vector<std::string> faults;
    for (int lane = 0; lane < lanes.count(); ++lane) {
        std::vector<std::size_t> bytes = run.bytes;
        for (std::size_t rank = 0; rank < bytes.size(); ++rank) {
            bytes[rank] = lanes.of_rank[rank] == lane ? bytes[rank] : 0;
        }
        const topology::Hierarchy& tree = lanes.trees[static_cast<std::size_t>(lane)];
        add_faults(faults, lane,
                   check_block_bytes(tree, algorithms::BlockFlow::all, tree.groups.front().leader, bytes,
                                     segments_by_group(run), messages_of(lane, messages)));
    }
    return faults;
}

std::vector<int> nodes_of(std::span<const topology::LocalityRecord> records) {
    std::map<std::uint64_t, int> numbers;
    std::vector<int> nodes;
    for (const topology::LocalityRecord& record : records) {
        nodes.push_back(numbers.try_emplace(record.node_id, static_cast<int>(numbers.size())).first->second);
    }
    return nodes;
}

std::vector<std::string> check_cards(std::span<const topology::LocalityRecord> records,
                                     const std::vector<std::vector<std::size_t>>& entering,
                                     const std::vector<SentMessage>& messages) {
    const CardTable cards(records);
    std::vector<std::string> faults;
    std::map<std::pair<int, int>, std::size_t> found;  // (node, lane)
    for (const SentMessage& message : messages) {
        if (cards.node(message.from) == cards.node(message.to)) {
            continue;
        }
        found[{cards.node(message.to), message.lane}] += message.bytes;
        for (const int rank : {message.from, message.to}) {
            if (!cards.may_carry(rank, message.lane)) {
                faults.push_back("rank " + std::to_string(rank) + " is not near the card of lane " +
                                 std::to_string(message.lane));
            }
        }
    }
    for (std::size_t node = 0; node < entering.size(); ++node) {
        for (std::size_t lane = 0; lane < entering[node].size(); ++lane) {
            const std::size_t bytes = found[{static_cast<int>(node), static_cast<int>(lane)}];
            if (bytes != entering[node][lane]) {
                faults.push_back("node " + std::to_string(node) + " gets " + std::to_string(bytes) +
                                 " bytes in lane " + std::to_string(lane) + " instead of " +
                                 std::to_string(entering[node][lane]));
            }
        }
    }
    return faults;
}

}  // namespace strata::testing
