#include "halving_oracle.h"

#include <algorithm>
#include <map>
#include <set>

#include "reduce_oracle.h"
#include "traffic.h"

namespace strata::testing {
namespace {

class Expected {
public:
    explicit Expected(const HalvingFacts& facts) : facts_(facts) {
        for (std::size_t power = 1; power < facts.places.size(); power *= 2) ++rounds_;
        for (std::size_t place = 0; place < facts.places.size(); ++place) {
            const auto& [rank, other] = facts.places[place];
            if (other >= 0) {
                add(other, rank, facts.elements);
                add(rank, other, facts.elements);
            }
            for (int round = 0; round < rounds_; ++round) exchange(place, round, false);
            for (int round = rounds_ - 2; round >= 0; --round) exchange(place, round, true);
        }
    }
    const SentBytes& traffic() const { return traffic_; }

private:
    void add(int from, int to, std::size_t elements) {
        if (elements > 0) traffic_[{from, to}].push_back(elements * facts_.element_bytes);
    }

    bool agree(std::size_t part, std::size_t place, int round) const {
        return round == rounds_ - 1 || (part >> (rounds_ - 2 - round) & 1U) == (place >> round & 1U);
    }

    void exchange(std::size_t place, int round, bool back) {
        const std::size_t other = place ^ std::size_t{1} << round;
        std::size_t sent = 0;
        std::size_t part = 0;
        for (std::size_t element = 0; element < facts_.elements; ++element) {
            while (facts_.elements * (part + 1) / (facts_.places.size() / 2) <= element) ++part;
            bool goes = agree(part, back ? place : other, round);
            for (int before = 0; before < round; ++before) goes = goes && agree(part, place, before);
            sent += goes ? 1 : 0;
        }
        add(facts_.places[place].first, facts_.places[other].first, sent);
    }

    const HalvingFacts& facts_;
    int rounds_ = 0;
    SentBytes traffic_;
};

}  // namespace

std::vector<std::string> check_halving_bytes(const HalvingFacts& facts,
                                             const std::vector<SentMessage>& messages) {
    std::vector<std::string> faults;
    const topology::Group& top = facts.hierarchy.groups.front();
    std::set<int> core(top.direct.begin(), top.direct.end());
    for (const int child : top.children) core.insert(facts.hierarchy.groups[child].leader);
    std::set<int> named;
    for (const auto& [rank, other] : facts.places) {
        named.insert(rank);
        if (other >= 0) named.insert(other);
    }
    if (named != core) faults.emplace_back("ranks outside the core have places");
    std::vector<SentMessage> below;
    std::map<std::pair<int, int>, std::vector<SentMessage>> across;
    for (const SentMessage& message : messages) {
        const bool among = core.contains(message.from) && core.contains(message.to);
        (among ? across[{message.from, message.to}] : below).push_back(message);
    }
    SentBytes seen;
    for (auto& [pair, sent] : across) {
        std::sort(sent.begin(), sent.end(),
                  [](const SentMessage& a, const SentMessage& b) { return a.sequence < b.sequence; });
        for (const SentMessage& message : sent) seen[pair].push_back(message.bytes);
    }
    SentBytes due = Expected(facts).traffic();
    for (const auto& [pair, sizes] : seen) due.try_emplace(pair);
    for (const auto& [pair, sizes] : due) {
        if (seen[pair] == sizes) continue;
        faults.push_back("rank " + std::to_string(pair.first) + " sends to " + std::to_string(pair.second) +
                         words(seen[pair]) + " instead of" + words(sizes));
    }
    const std::vector<std::string> trees = check_tree_bytes(facts.hierarchy, {core.begin(), core.end()},
                                                            facts.elements * facts.element_bytes, 0, below);
    faults.insert(faults.end(), trees.begin(), trees.end());
    return faults;
}

}  // namespace strata::testing
