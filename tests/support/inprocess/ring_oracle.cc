#include "ring_oracle.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace strata::testing {
namespace {

using topology::Group;

using Pair = std::pair<int, int>;  ///< from, to

/// A rank that exchanges messages in a group for the ranks behind it.
struct Participant {
    int rank = -1;
    int lowest = -1;        ///< lowest rank behind it
    std::size_t bytes = 0;  ///< size of all blocks behind it
};

void add_segments(std::vector<std::size_t>& sizes, std::size_t bytes, std::size_t segment) {
    while (bytes > 0) {
        sizes.push_back(segment == 0 ? bytes : std::min(bytes, segment));
        bytes -= sizes.back();
    }
}

std::string text_of(const std::vector<std::size_t>& sizes) {
    std::string text = std::to_string(std::accumulate(sizes.begin(), sizes.end(), std::size_t{0})) +
                       " bytes in " + std::to_string(sizes.size()) + " messages";
    for (std::size_t i = 0; i < sizes.size() && i < 8; ++i) {
        text += (i == 0 ? " (" : " ") + std::to_string(sizes[i]);
    }
    return sizes.empty() ? text : text + ")";
}

class RingCheck {
public:
    RingCheck(const AllgatherFacts& facts, const std::vector<SentMessage>& messages)
        : facts_(facts), total_(bytes_of(facts.hierarchy.groups.front())) {
        for (const SentMessage& message : messages) {
            sent_[{message.from, message.to}].push_back(message.bytes);
        }
    }

    std::vector<std::string> run() {
        for (std::size_t group = 0; group < facts_.hierarchy.groups.size(); ++group) {
            const std::vector<Participant> participants = participants_of(static_cast<int>(group));
            if (facts_.rings[group] && participants.size() > 2) {
                expect_ring(static_cast<int>(group), participants);
            } else {
                expect_tree(static_cast<int>(group), participants);
            }
        }
        for (const auto& [pair, sizes] : sent_) {
            compare(pair, sizes, wanted_.contains(pair) ? wanted_.at(pair) : std::vector<std::size_t>{});
        }
        for (const auto& [pair, sizes] : wanted_) {
            if (!sent_.contains(pair)) {
                compare(pair, {}, sizes);
            }
        }
        check_received();
        return faults_;
    }

private:
    std::size_t bytes_of(const Group& group) const {
        std::size_t sum = 0;
        for (const int member : group.members) {
            sum += facts_.bytes[member];
        }
        return sum;
    }

    int local_root(int group) const {
        return facts_.hierarchy.contains(group, facts_.root) ? facts_.root
                                                             : facts_.hierarchy.groups[group].leader;
    }

    std::vector<Participant> participants_of(int index) const {
        const Group& group = facts_.hierarchy.groups[index];
        std::vector<Participant> participants;
        for (const int child : group.children) {
            const Group& below = facts_.hierarchy.groups[child];
            participants.push_back({local_root(child), below.members.front(), bytes_of(below)});
        }
        for (const int rank : group.direct) {
            participants.push_back({rank, rank, facts_.bytes[rank]});
        }
        std::sort(participants.begin(), participants.end(),
                  [](const Participant& a, const Participant& b) { return a.lowest < b.lowest; });
        return participants;
    }

    void expect_ring(int group, const std::vector<Participant>& participants) {
        const std::size_t count = participants.size();
        for (std::size_t sender = 0; sender < count; ++sender) {
            const std::size_t receiver = (sender + 1) % count;
            std::vector<std::size_t>& sizes =
                wanted_[{participants[sender].rank, participants[receiver].rank}];
            for (std::size_t from = sender; from != receiver; from = (from + count - 1) % count) {
                add_segments(sizes, participants[from].bytes, facts_.segments[group]);
            }
            if (participants[receiver].rank != local_root(group)) {
                add_segments(sizes, total_ - bytes_of(facts_.hierarchy.groups[group]),
                             facts_.segments[group]);
            }
        }
    }

    /// Uses the tree that the messages form.
    void expect_tree(int group, const std::vector<Participant>& participants) {
        std::map<int, std::size_t> behind;
        for (const Participant& participant : participants) {
            behind[participant.rank] = participant.bytes;
        }
        std::map<int, std::set<int>> peers;
        std::size_t ends = 0;
        for (const auto& [pair, sizes] : sent_) {
            if (behind.contains(pair.first) && behind.contains(pair.second)) {
                ends += peers[pair.first].insert(pair.second).second ? 1 : 0;
                ends += peers[pair.second].insert(pair.first).second ? 1 : 0;
            }
        }
        std::vector<int> order{local_root(group)};
        std::map<int, int> parent{{order.front(), -1}};
        for (std::size_t i = 0; i < order.size(); ++i) {
            for (const int peer : peers[order[i]]) {
                if (parent.try_emplace(peer, order[i]).second) {
                    order.push_back(peer);
                }
            }
        }
        if (total_ > 0 && (order.size() != participants.size() || ends != 2 * (order.size() - 1))) {
            faults_.push_back("group " + std::to_string(group) + " is not a tree: " +
                              std::to_string(ends / 2) + " edges, " + std::to_string(order.size()) + " of " +
                              std::to_string(participants.size()) + " participants in reach");
            return;
        }
        for (std::size_t i = order.size() - 1; i > 0; --i) {
            const int child = order[i];
            const int above = parent[child];
            behind[above] += behind[child];
            add_segments(wanted_[{child, above}], behind[child], facts_.segments[group]);
            add_segments(wanted_[{above, child}], total_ - behind[child], facts_.segments[group]);
        }
    }

    void compare(Pair pair, const std::vector<std::size_t>& found, const std::vector<std::size_t>& wanted) {
        if (found != wanted) {
            faults_.push_back("from rank " + std::to_string(pair.first) + " to " +
                              std::to_string(pair.second) + " go " + text_of(found) + " instead of " +
                              text_of(wanted));
        }
    }

    void check_received() {
        const auto expect = [&](const Group& group, const std::string& name) {
            std::size_t in = 0;
            const auto holds = [&](int rank) {
                return std::binary_search(group.members.begin(), group.members.end(), rank);
            };
            for (const auto& [pair, sizes] : sent_) {
                if (!holds(pair.first) && holds(pair.second)) {
                    in += std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
                }
            }
            if (in != total_ - bytes_of(group)) {
                faults_.push_back(name + " receives " + std::to_string(in) + " bytes instead of " +
                                  std::to_string(total_ - bytes_of(group)));
            }
        };
        for (std::size_t index = 1; index < facts_.hierarchy.groups.size(); ++index) {
            expect(facts_.hierarchy.groups[index], "group " + std::to_string(index));
        }
        for (int rank = 0; rank < facts_.hierarchy.ranks(); ++rank) {
            Group alone;
            alone.members = {rank};
            expect(alone, "rank " + std::to_string(rank));
        }
    }

    const AllgatherFacts& facts_;
    std::size_t total_;
    std::map<Pair, std::vector<std::size_t>> sent_;    ///< sizes in the order sent
    std::map<Pair, std::vector<std::size_t>> wanted_;  ///< the same
    std::vector<std::string> faults_;
};

}  // namespace

std::vector<std::string> check_ring_bytes(const AllgatherFacts& facts,
                                          const std::vector<SentMessage>& messages) {
    return RingCheck(facts, messages).run();
}

}  // namespace strata::testing
