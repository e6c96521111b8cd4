#include "block_oracle.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "traffic.h"

namespace strata::testing {
namespace {

using algorithms::ChunkDirection;
using topology::Group;
using topology::Hierarchy;

/// The ranks that exchange messages, as a tree seen from the root.
struct MessageTree {
    std::vector<int> order;   ///< ranks reachable from the root, root first, parents before children
    std::vector<int> parent;  ///< by rank; -1 at the root and at unreachable ranks
    std::size_t edges = 0;
};

MessageTree tree_of(int ranks, int root, const std::vector<SentMessage>& messages) {
    std::vector<std::set<int>> peers(static_cast<std::size_t>(ranks));
    for (const SentMessage& message : messages) {
        peers[message.from].insert(message.to);
        peers[message.to].insert(message.from);
    }
    MessageTree tree;
    tree.parent.assign(peers.size(), -1);
    std::vector<bool> seen(peers.size(), false);
    seen[root] = true;
    tree.order.push_back(root);
    for (std::size_t i = 0; i < tree.order.size(); ++i) {
        for (const int peer : peers[tree.order[i]]) {
            if (!seen[peer]) {
                seen[peer] = true;
                tree.parent[peer] = tree.order[i];
                tree.order.push_back(peer);
            }
        }
    }
    for (const std::set<int>& own : peers) {
        tree.edges += own.size();
    }
    tree.edges /= 2;
    return tree;
}

class BlockCheck {
public:
    BlockCheck(const Hierarchy& hierarchy, ChunkDirection flow, int root,
               const std::vector<std::size_t>& bytes, const std::vector<std::size_t>& segments,
               const std::vector<SentMessage>& messages, int receiver)
        : hierarchy_(hierarchy),
          flow_(flow),
          root_(root),
          receiver_(receiver < 0 ? root : receiver),
          bytes_(bytes),
          segments_(segments),
          messages_(messages),
          tree_(tree_of(hierarchy.ranks(), root, messages)),
          total_(std::accumulate(bytes.begin(), bytes.end(), std::size_t{0})) {
        for (const SentMessage& message : messages) {
            sizes_[{message.from, message.to}].push_back(message.bytes);
        }
    }

    std::vector<std::string> run() {
        check_tree();
        if (faults_.empty()) {
            check_edges();
        }
        for (std::size_t index = 1; index < hierarchy_.groups.size(); ++index) {
            check_boundary(hierarchy_.groups[index], "group " + std::to_string(index));
            check_inside(hierarchy_.groups[index], "group " + std::to_string(index));
        }
        return faults_;
    }

private:
    void check_tree() {
        if (tree_.edges + 1 != tree_.order.size()) {
            faults_.push_back("the messages do not form a tree: " + std::to_string(tree_.edges) + " edges, " +
                              std::to_string(tree_.order.size()) + " ranks in reach of the root");
        }
        std::vector<bool> reached(bytes_.size(), false);
        for (const int rank : tree_.order) {
            reached[rank] = true;
        }
        for (std::size_t rank = 0; rank < bytes_.size(); ++rank) {
            if (!reached[rank] && (flow_ == ChunkDirection::all ? total_ : bytes_[rank]) > 0) {
                faults_.push_back("rank " + std::to_string(rank) + " is out of reach");
            }
        }
    }

    void check_edges() {
        std::vector<std::size_t> below = bytes_;
        for (std::size_t i = tree_.order.size() - 1; i > 0; --i) {
            const int rank = tree_.order[i];
            below[tree_.parent[rank]] += below[rank];
        }
        for (std::size_t i = 1; i < tree_.order.size(); ++i) {
            const int rank = tree_.order[i];
            const int parent = tree_.parent[rank];
            check_edge(rank, parent, flow_ == ChunkDirection::from_root ? 0 : below[rank]);
            check_edge(parent, rank,
                       flow_ == ChunkDirection::all         ? total_ - below[rank]
                       : flow_ == ChunkDirection::from_root ? below[rank]
                                                            : 0);
        }
    }

    void check_edge(int from, int to, std::size_t wanted) {
        const std::size_t segment = segments_[hierarchy_.lowest_common_group(from, to)];
        std::vector<std::size_t> cut;
        for (std::size_t left = wanted; left > 0; left -= cut.back()) {
            cut.push_back(segment == 0 ? left : std::min(left, segment));
        }
        const std::vector<std::size_t>& found = sizes_[{from, to}];
        if (found != cut) {
            const auto sum = std::accumulate(found.begin(), found.end(), std::size_t{0});
            faults_.push_back("from rank " + std::to_string(from) + " to " + std::to_string(to) + " go " +
                              std::to_string(sum) + " bytes in " + std::to_string(found.size()) +
                              " messages instead of " + std::to_string(wanted) + " in " +
                              std::to_string(cut.size()));
        }
    }

    void check_boundary(const Group& group, const std::string& name) {
        std::size_t own = 0;
        for (const int member : group.members) {
            own += bytes_[member];
        }
        const std::size_t lacking = total_ - own;
        const BoundaryBytes found = boundary_bytes(group, messages_);
        const bool with_root = holds(group, root_);
        BoundaryBytes wanted = found;
        switch (flow_) {
            case ChunkDirection::all: wanted.in = lacking; break;
            case ChunkDirection::to_root:
                wanted = with_root ? BoundaryBytes{lacking, 0} : BoundaryBytes{found.in, found.in + own};
                break;
            case ChunkDirection::from_root:
                wanted = with_root ? BoundaryBytes{0, lacking} : BoundaryBytes{found.out + own, found.out};
                break;
        }
        if (found != wanted) {
            faults_.push_back(name + " receives " + std::to_string(found.in) + " and sends " +
                              std::to_string(found.out) + " bytes instead of " + std::to_string(wanted.in) +
                              " and " + std::to_string(wanted.out));
        }
    }

    /// The group is connected, and only its local root exchanges messages with outside ranks.
    void check_inside(const Group& group, const std::string& name) {
        std::size_t members = 0;
        std::size_t edges = 0;
        for (const int rank : tree_.order) {
            members += holds(group, rank) ? 1 : 0;
            edges +=
                tree_.parent[rank] >= 0 && holds(group, rank) && holds(group, tree_.parent[rank]) ? 1 : 0;
        }
        if (members > 0 && edges + 1 != members) {
            faults_.push_back(name + " is torn: " + std::to_string(edges) + " edges join " +
                              std::to_string(members) + " members");
        }
        const int node = hierarchy_.widest_in_node(root_);
        for (const SentMessage& message : messages_) {
            const int inner = holds(group, message.from) ? message.from : message.to;
            const int outer = inner == message.from ? message.to : message.from;
            const bool from_own_node = node >= 0 && holds(hierarchy_.groups[node], outer);
            const int local_root = !holds(group, root_) ? group.leader : from_own_node ? root_ : receiver_;
            if (holds(group, message.from) != holds(group, message.to) && inner != local_root) {
                faults_.push_back(name + " is reached through rank " + std::to_string(inner) +
                                  " instead of " + std::to_string(local_root));
                return;
            }
        }
    }

    const Hierarchy& hierarchy_;
    ChunkDirection flow_;
    int root_;
    int receiver_;
    const std::vector<std::size_t>& bytes_;
    const std::vector<std::size_t>& segments_;
    const std::vector<SentMessage>& messages_;
    MessageTree tree_;
    std::size_t total_;
    std::map<std::pair<int, int>, std::vector<std::size_t>> sizes_;  ///< (from, to) -> in the order sent
    std::vector<std::string> faults_;
};

}  // namespace

BoundaryBytes boundary_bytes(const Group& group, const std::vector<SentMessage>& messages) {
    BoundaryBytes bytes;
    for (const SentMessage& message : messages) {
        const bool from_inside = holds(group, message.from);
        const bool to_inside = holds(group, message.to);
        bytes.in += !from_inside && to_inside ? message.bytes : 0;
        bytes.out += from_inside && !to_inside ? message.bytes : 0;
    }
    return bytes;
}

std::vector<std::string> check_block_bytes(const Hierarchy& hierarchy, ChunkDirection flow, int root,
                                           const std::vector<std::size_t>& bytes,
                                           const std::vector<std::size_t>& segment_bytes_of_group,
                                           const std::vector<SentMessage>& messages, int receiver) {
    return BlockCheck(hierarchy, flow, root, bytes, segment_bytes_of_group, messages, receiver).run();
}

}  // namespace strata::testing
