#include "rail_oracle.h"

#include <algorithm>
#include <map>
#include <set>

#include "block_oracle.h"
#include "byte_oracle.h"
#include "reduce_oracle.h"

namespace strata::testing {
namespace {

void add_faults(std::vector<std::string>& all, int rail, const std::vector<std::string>& faults) {
    for (const std::string& fault : faults) {
        all.push_back("rail " + std::to_string(rail) + ": " + fault);
    }
}

/// The NICs of each node that have NIC-local processes: processes at the smallest distance of their node.
class NicTable {
public:
    explicit NicTable(std::span<const topology::LocalityRecord> records)
        : records_(records), nodes_(nodes_of(records)) {
        for (std::size_t rank = 0; rank < records.size(); ++rank) {
            const auto [place, isnew] = nearest_.try_emplace(nodes_[rank], distance(rank));
            place->second = std::min(place->second, distance(rank));
        }
        for (std::size_t rank = 0; rank < records.size(); ++rank) {
            if (distance(rank) == nearest_[nodes_[rank]]) {
                nics_[nodes_[rank]].insert(nic(rank));
            }
        }
    }

    int node(int rank) const { return nodes_[static_cast<std::size_t>(rank)]; }
    bool may_carry(int rank, int rail) const {
        const auto index = static_cast<std::size_t>(rank);
        const std::set<int>& nics = nics_.at(nodes_[index]);
        const int wanted = *std::next(nics.begin(), rail % static_cast<int>(nics.size()));
        return distance(index) == nearest_.at(nodes_[index]) && nic(index) == wanted;
    }

private:
    int distance(std::size_t rank) const { return records_[rank].nics[0].distance; }
    int nic(std::size_t rank) const { return records_[rank].nics[0].nic; }

    std::span<const topology::LocalityRecord> records_;
    std::vector<int> nodes_;
    std::map<int, int> nearest_;
    std::map<int, std::set<int>> nics_;
};

}  // namespace

std::vector<SentMessage> messages_of(int rail, const std::vector<SentMessage>& messages) {
    std::vector<SentMessage> own;
    std::copy_if(messages.begin(), messages.end(), std::back_inserter(own),
                 [rail](const SentMessage& message) { return message.rail == rail; });
    return own;
}

std::vector<std::size_t> share_bytes(std::size_t bytes, std::size_t element_bytes, int rails) {
    std::vector<std::size_t> shares(static_cast<std::size_t>(rails), 0);
    for (std::size_t element = 0; element < bytes / element_bytes; ++element) {
        shares[element % shares.size()] += element_bytes;
    }
    return shares;
}

std::vector<std::string> check_rail_bytes(const BcastCase& bcast, const topology::NicRails& rails,
                                          const std::vector<SentMessage>& messages) {
    std::vector<std::string> faults;
    const std::vector<std::size_t> shares = share_bytes(bcast.bytes, 1, rails.count());
    for (int rail = 0; rail < rails.count(); ++rail) {
        const auto index = static_cast<std::size_t>(rail);
        add_faults(faults, rail,
                   check_bcast_bytes(rails.trees[index], bcast.root, shares[index], segments_by_group(bcast),
                                     messages_of(rail, messages)));
    }
    return faults;
}

std::vector<std::string> check_rail_bytes(const ReduceCase& reduce, const topology::NicRails& rails,
                                          const std::vector<SentMessage>& messages) {
    std::vector<std::string> faults;
    const std::size_t element = bytes_of(reduce.op);
    const std::vector<std::size_t> shares = share_bytes(reduce.bytes(), element, rails.count());
    for (int rail = 0; rail < rails.count(); ++rail) {
        const auto index = static_cast<std::size_t>(rail);
        ReduceCase share = reduce;
        share.elements = shares[index] / element;
        const topology::Hierarchy& tree = rails.trees[index];
        if (shares[index] > 0) {
            add_faults(faults, rail,
                       check_allreduce_bytes(tree, tree.groups.front().leader, shares[index],
                                             share.segment_bytes(), messages_of(rail, messages)));
        } else if (!messages_of(rail, messages).empty()) {
            faults.push_back("rail " + std::to_string(rail) + " carries empty messages");
        }
    }
    return faults;
}

std::vector<std::string> check_rail_bytes(const BlockCase& run, const topology::NicRails& rails,
                                          const std::vector<SentMessage>& messages) {
    std::vector<std::string> faults;
    for (int rail = 0; rail < rails.count(); ++rail) {
        std::vector<std::size_t> bytes = run.bytes;
        for (std::size_t rank = 0; rank < bytes.size(); ++rank) {
            bytes[rank] = rails.of_rank[rank] == rail ? bytes[rank] : 0;
        }
        const topology::Hierarchy& tree = rails.trees[static_cast<std::size_t>(rail)];
        add_faults(faults, rail,
                   check_block_bytes(tree, algorithms::ChunkDirection::all, tree.groups.front().leader, bytes,
                                     segments_by_group(run), messages_of(rail, messages)));
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

std::vector<std::string> check_nics(std::span<const topology::LocalityRecord> records,
                                    const std::vector<std::vector<std::size_t>>& entering,
                                    const std::vector<SentMessage>& messages) {
    const NicTable nics(records);
    std::vector<std::string> faults;
    std::map<std::pair<int, int>, std::size_t> found;  // (node, rail)
    for (const SentMessage& message : messages) {
        if (nics.node(message.from) == nics.node(message.to)) {
            continue;
        }
        found[{nics.node(message.to), message.rail}] += message.bytes;
        for (const int rank : {message.from, message.to}) {
            if (!nics.may_carry(rank, message.rail)) {
                faults.push_back("rank " + std::to_string(rank) + " is not near the NIC of rail " +
                                 std::to_string(message.rail));
            }
        }
    }
    for (std::size_t node = 0; node < entering.size(); ++node) {
        for (std::size_t rail = 0; rail < entering[node].size(); ++rail) {
            const std::size_t bytes = found[{static_cast<int>(node), static_cast<int>(rail)}];
            if (bytes != entering[node][rail]) {
                faults.push_back("node " + std::to_string(node) + " gets " + std::to_string(bytes) +
                                 " bytes in rail " + std::to_string(rail) + " instead of " +
                                 std::to_string(entering[node][rail]));
            }
        }
    }
    return faults;
}

}  // namespace strata::testing
