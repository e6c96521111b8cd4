#include "allreduce_ring_oracle.h"

#include <algorithm>
#include <map>
#include <set>

#include "reduce_oracle.h"

namespace strata::testing {
namespace {

/// Elements of the messages from the member at `place` to the next, in any order.
std::multiset<std::size_t> parts_sent(const RingFacts& facts, std::size_t members, std::size_t place) {
    std::size_t segment =
        facts.segment_bytes == 0 ? facts.elements : facts.segment_bytes / facts.element_bytes;
    segment = std::min(std::max<std::size_t>(segment, 1), facts.elements);
    const std::size_t window = static_cast<std::size_t>(std::max(facts.window, 1));
    std::multiset<std::size_t> sizes;
    for (std::size_t left = facts.elements; left > 0;) {
        const std::size_t round = std::min(left, members * window * segment);
        std::size_t per_place = 1;
        while (per_place * members * segment < round) {
            ++per_place;
        }
        // Element by element: part q begins where q / (members * per_place) of the round has passed.
        std::map<std::size_t, std::size_t> elements_of_part;
        std::size_t part = 0;
        for (std::size_t element = 0; element < round; ++element) {
            while (round * (part + 1) / (members * per_place) <= element) {
                ++part;
            }
            ++elements_of_part[part];
        }
        for (const auto& [number, elements] : elements_of_part) {
            const std::size_t owner = number / per_place;
            const bool once = owner == (place + 1) % members || owner == (place + 2) % members;
            for (int copies = once ? 1 : 2; copies > 0; --copies) {
                sizes.insert(elements * facts.element_bytes);
            }
        }
        left -= round;
    }
    return sizes;
}

std::string listed(const std::multiset<std::size_t>& sizes) {
    std::size_t bytes = 0;
    for (const std::size_t size : sizes) {
        bytes += size;
    }
    return std::to_string(bytes) + " bytes in " + std::to_string(sizes.size()) + " messages";
}

}  // namespace

std::vector<std::string> check_allreduce_ring_bytes(const RingFacts& facts,
                                                    const std::vector<SentMessage>& messages) {
    std::vector<std::string> faults;
    const topology::Group& top = facts.hierarchy.groups.front();
    std::set<int> core(top.direct.begin(), top.direct.end());
    for (const int child : top.children) {
        core.insert(facts.hierarchy.groups[child].leader);
    }
    std::vector<SentMessage> below;
    std::map<int, int> next;
    std::map<int, std::multiset<std::size_t>> sent;
    for (const SentMessage& message : messages) {
        if (!core.contains(message.from) || !core.contains(message.to)) {
            below.push_back(message);
            continue;
        }
        const int to = next.try_emplace(message.from, message.to).first->second;
        if (to != message.to) {
            faults.push_back("core rank " + std::to_string(message.from) + " sends to " + std::to_string(to) +
                             " and " + std::to_string(message.to));
        }
        sent[message.from].insert(message.bytes);
    }
    int member = top.leader;
    const std::size_t members = facts.elements == 0 || core.size() < 2 ? 0 : core.size();
    for (std::size_t place = 0; place < members; ++place) {
        if (place > 0 && member == top.leader) {
            faults.push_back("the ring has " + std::to_string(place) + " members instead of " +
                             std::to_string(members));
            return faults;
        }
        const std::multiset<std::size_t> due = parts_sent(facts, members, place);
        if (sent[member] != due) {
            faults.push_back("core rank " + std::to_string(member) + " sends " + listed(sent[member]) +
                             " instead of " + listed(due));
        }
        member = next.contains(member) ? next[member] : top.leader;
    }
    if (member != top.leader) {
        faults.push_back("the ring does not close");
    }
    if (members == 0 && !sent.empty()) {
        faults.push_back("the ring carries messages");
    }
    std::size_t segment = std::max(facts.segment_bytes / facts.element_bytes, std::size_t{1});
    segment = facts.segment_bytes == 0 ? 0 : segment * facts.element_bytes;
    const std::vector<std::string> trees = check_tree_bytes(
        facts.hierarchy, {core.begin(), core.end()}, facts.elements * facts.element_bytes, segment, below);
    faults.insert(faults.end(), trees.begin(), trees.end());
    return faults;
}

}  // namespace strata::testing
