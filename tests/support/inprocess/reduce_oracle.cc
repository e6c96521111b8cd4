#include "reduce_oracle.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "byte_oracle.h"
#include "traffic.h"

namespace strata::testing {
namespace {

void add(Traffic& traffic, const SentMessage& message) {
    traffic.bytes += message.bytes;
    ++traffic.messages;
}

void compare(std::vector<std::string>& faults, const std::string& what, const Traffic& seen,
             const Traffic& expected) {
    if (seen != expected) {
        faults.push_back(what + " " + words(seen) + " instead of " + words(expected));
    }
}

/// Returns the steps from each rank to the nearest of `roots` along pairs that exchange messages; -1:
/// unreachable.
std::vector<int> distances(std::size_t ranks, const std::vector<int>& roots,
                           const std::vector<SentMessage>& messages) {
    std::vector<std::set<int>> neighbours(ranks);
    for (const SentMessage& message : messages) {
        neighbours[message.from].insert(message.to);
        neighbours[message.to].insert(message.from);
    }
    std::vector<int> result(ranks, -1);
    std::vector<int> queue = roots;
    for (const int root : roots) {
        result[root] = 0;
    }
    for (std::size_t next = 0; next < queue.size(); ++next) {
        for (const int neighbour : neighbours[queue[next]]) {
            if (result[neighbour] < 0) {
                result[neighbour] = result[queue[next]] + 1;
                queue.push_back(neighbour);
            }
        }
    }
    return result;
}

/// Returns the messages of trees: those away from the roots reach every group and rank without a root once;
/// those towards the roots leave each once.
void check_both_ways(std::vector<std::string>& faults, const topology::Hierarchy& hierarchy,
                     const std::vector<int>& roots, const Traffic& expected,
                     const std::vector<SentMessage>& messages) {
    const std::vector<int> distance = distances(hierarchy.stop.size(), roots, messages);
    std::vector<SentMessage> down;
    std::vector<SentMessage> up;  // mirrored
    for (const SentMessage& message : messages) {
        if (distance[message.from] == distance[message.to]) {
            faults.push_back("rank " + std::to_string(message.from) + " sends sideways to " +
                             std::to_string(message.to));
        } else if (distance[message.from] < distance[message.to]) {
            down.push_back(message);
        } else {
            up.push_back({message.to, message.from, message.bytes, message.sequence});
        }
    }
    const auto is_root = [&](int rank) { return std::find(roots.begin(), roots.end(), rank) != roots.end(); };
    for (const bool upwards : {true, false}) {
        const std::string verb = upwards ? " sends up" : " receives down";
        const auto check = [&](const std::vector<int>& members, const std::string& name) {
            Traffic entering;
            for (const SentMessage& message : upwards ? up : down) {
                const bool from = std::find(members.begin(), members.end(), message.from) != members.end();
                const bool to = std::find(members.begin(), members.end(), message.to) != members.end();
                if (!from && to) {
                    add(entering, message);
                }
            }
            const bool rooted = std::any_of(members.begin(), members.end(), is_root);
            compare(faults, name + verb, entering, rooted ? Traffic{} : expected);
        };
        for (std::size_t group = 0; group < hierarchy.groups.size(); ++group) {
            check(hierarchy.groups[group].members, "group " + std::to_string(group));
        }
        for (int rank = 0; rank < hierarchy.ranks(); ++rank) {
            check({rank}, "rank " + std::to_string(rank));
        }
    }
}

/// Messages that the member at `place` of `size` sends, and receives, in recursive doubling.
std::size_t rounds(int place, int size) {
    std::size_t doublings = 0;
    int power = 1;
    for (; power * 2 <= size; power *= 2) {
        ++doublings;
    }
    const int left_over = size - power;
    if (place >= 2 * left_over) {
        return doublings;
    }
    return place % 2 == 0 ? 1 : doublings + 1;
}

/// One part of the topmost group: a child or a rank that stops there.
struct Part {
    int lowest = -1;
    int group = -1;
    int participant = -1;
};

std::vector<Part> parts_of_top(const topology::Hierarchy& hierarchy, bool rank_order) {
    std::vector<Part> parts;
    for (const int child : hierarchy.groups[0].children) {
        const topology::Group& group = hierarchy.groups[child];
        const int lowest = *std::min_element(group.members.begin(), group.members.end());
        parts.push_back({lowest, child, rank_order ? lowest : group.leader});
    }
    for (const int rank : hierarchy.groups[0].direct) {
        parts.push_back({rank, -1, rank});
    }
    std::sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) { return a.lowest < b.lowest; });
    return parts;
}

}  // namespace

std::vector<std::string> check_reduce_bytes(const topology::Hierarchy& hierarchy, int root, std::size_t bytes,
                                            std::size_t segment_bytes,
                                            const std::vector<SentMessage>& messages) {
    std::vector<SentMessage> mirrored = messages;
    for (SentMessage& message : mirrored) {
        std::swap(message.from, message.to);
    }
    return check_bcast_bytes(hierarchy, root, bytes,
                             std::vector<std::size_t>(hierarchy.groups.size(), segment_bytes), mirrored);
}

std::vector<std::string> check_allreduce_bytes(const topology::Hierarchy& hierarchy, int root,
                                               std::size_t bytes, std::size_t segment_bytes,
                                               const std::vector<SentMessage>& messages) {
    return check_tree_bytes(hierarchy, {root}, bytes, segment_bytes, messages);
}

std::vector<std::string> check_tree_bytes(const topology::Hierarchy& hierarchy, const std::vector<int>& roots,
                                          std::size_t bytes, std::size_t segment_bytes,
                                          const std::vector<SentMessage>& messages) {
    std::vector<std::string> faults;
    check_both_ways(faults, hierarchy, roots, sent_once(bytes, segment_bytes), messages);
    return faults;
}

std::vector<std::string> check_exchange_bytes(const topology::Hierarchy& hierarchy, bool rank_order,
                                              std::size_t bytes, const std::vector<SentMessage>& messages,
                                              const std::vector<int>& places) {
    std::vector<std::string> faults;
    std::vector<Part> parts = parts_of_top(hierarchy, rank_order);
    if (!places.empty()) {
        const auto place_of = [&](const Part& part) { return std::ranges::find(places, part.participant); };
        std::ranges::sort(parts, {}, place_of);
        if (places.size() != parts.size() || place_of(parts.back()) == places.end()) return {"another core"};
    }
    std::vector<int> participants;
    for (const Part& part : parts) {
        participants.push_back(part.participant);
    }
    const auto speaks = [&](int rank) {
        return std::find(participants.begin(), participants.end(), rank) != participants.end();
    };
    std::vector<SentMessage> below;
    std::map<int, Traffic> sent;
    std::map<int, Traffic> received;
    for (const SentMessage& message : messages) {
        if (speaks(message.from) && speaks(message.to)) {
            add(sent[message.from], message);
            add(received[message.to], message);
        } else {
            below.push_back(message);
        }
    }
    for (std::size_t place = 0; place < parts.size(); ++place) {
        const std::size_t count = rounds(static_cast<int>(place), static_cast<int>(parts.size()));
        const int participant = participants[place];
        const std::string name = "core rank " + std::to_string(participant);
        compare(faults, name + " sends", sent[participant], {count * bytes, count});
        compare(faults, name + " receives", received[participant], {count * bytes, count});
        for (const SentMessage& message : below) {
            const auto inside = [&](int rank) {
                return parts[place].group < 0 ? rank == participant
                                              : holds(hierarchy.groups[parts[place].group], rank);
            };
            if (inside(message.from) && !inside(message.to)) {
                faults.push_back("rank " + std::to_string(message.from) + " sends past the core");
            }
        }
    }
    check_both_ways(faults, hierarchy, participants, {bytes, 1}, below);
    return faults;
}

}  // namespace strata::testing
