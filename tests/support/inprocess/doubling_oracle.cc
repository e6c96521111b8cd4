#include "doubling_oracle.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "traffic.h"

namespace strata::testing {
namespace {

class DoublingCheck {
public:
    explicit DoublingCheck(const DoublingFacts& facts) : facts_(facts) {
        const topology::Group& top = facts.hierarchy.groups.front();
        for (const int child : top.children) {
            const topology::Group& below = facts.hierarchy.groups[static_cast<std::size_t>(child)];
            behind_[below.leader] = {below.members.begin(), below.members.end()};
        }
        for (const int rank : top.direct) behind_[rank] = {rank};
    }

    std::vector<std::string> run(const std::vector<SentMessage>& messages) {
        check_places();
        exchange();
        check_top(messages);
        for (const topology::Group& group : facts_.hierarchy.groups)
            check_received({group.members.begin(), group.members.end()}, messages);
        for (int rank = 0; rank < facts_.hierarchy.ranks(); ++rank) check_received({rank}, messages);
        return std::move(faults_);
    }

private:
    using Blocks = std::set<int>;

    std::size_t bytes_of(const Blocks& blocks) const {
        return std::accumulate(blocks.begin(), blocks.end(), std::size_t{0}, [&](std::size_t sum, int block) {
            return sum + facts_.bytes[static_cast<std::size_t>(block)];
        });
    }

    void send(int from, int to, const Blocks& blocks) {
        std::size_t left = bytes_of(blocks);
        while (left > 0) {
            const std::size_t segment = facts_.segment_bytes == 0 ? left : facts_.segment_bytes;
            due_[{from, to}].push_back(std::min(left, segment));
            left -= due_[{from, to}].back();
        }
    }

    void check_places() {
        std::set<int> named;
        std::set<int> core;
        for (const auto& [rank, other] : facts_.places) {
            named.insert(rank);
            if (other >= 0) named.insert(other);
        }
        for (const auto& [member, blocks] : behind_) core.insert(member);
        if (named != core) faults_.emplace_back("ranks outside the core have places");
    }

    void exchange() {
        std::vector<Blocks> held;
        for (const auto& [rank, other] : facts_.places) {
            held.push_back(behind_[rank]);
            if (other < 0) continue;
            send(other, rank, behind_[other]);
            held.back().merge(Blocks(behind_[other]));
        }
        for (std::size_t distance = held.size() / 2; distance > 0; distance /= 2) {
            const std::vector<Blocks> before = held;
            for (std::size_t place = 0; place < held.size(); ++place) {
                send(facts_.places[place].first, facts_.places[place ^ distance].first, before[place]);
                held[place].merge(Blocks(before[place ^ distance]));
            }
        }
        for (const auto& [rank, other] : facts_.places) {
            if (other < 0) continue;
            Blocks lacking;
            for (const auto& [member, blocks] : behind_) {
                if (member != other) lacking.insert(blocks.begin(), blocks.end());
            }
            send(rank, other, lacking);
        }
    }

    void check_top(const std::vector<SentMessage>& messages) {
        const auto member_for = [&](int rank) {
            return std::find_if(behind_.begin(), behind_.end(),
                                [&](const auto& entry) { return entry.second.contains(rank); })
                ->first;
        };
        std::map<std::pair<int, int>, std::vector<SentMessage>> across;
        for (const SentMessage& message : messages) {
            if (member_for(message.from) != member_for(message.to))
                across[{message.from, message.to}].push_back(message);
        }
        SentBytes seen;
        for (auto& [pair, sent] : across) {
            std::sort(sent.begin(), sent.end(),
                      [](const SentMessage& a, const SentMessage& b) { return a.sequence < b.sequence; });
            for (const SentMessage& message : sent) seen[pair].push_back(message.bytes);
            due_.try_emplace(pair);
        }
        for (const auto& [pair, sizes] : due_) {
            if (seen[pair] == sizes) continue;
            faults_.push_back("rank " + std::to_string(pair.first) + " sends to " +
                              std::to_string(pair.second) + words(seen[pair]) + " instead of" + words(sizes));
        }
    }

    void check_received(const Blocks& members, const std::vector<SentMessage>& messages) {
        Blocks all;
        for (const auto& [member, blocks] : behind_) all.insert(blocks.begin(), blocks.end());
        const std::size_t lacking = bytes_of(all) - bytes_of(members);
        std::size_t in = 0;
        for (const SentMessage& message : messages) {
            if (!members.contains(message.from) && members.contains(message.to)) in += message.bytes;
        }
        if (in != lacking) {
            faults_.push_back(std::to_string(members.size()) + " ranks from " +
                              std::to_string(*members.begin()) + " on receive " + std::to_string(in) +
                              " bytes instead of " + std::to_string(lacking));
        }
    }

    const DoublingFacts& facts_;
    std::map<int, Blocks> behind_;  ///< by member of the core
    SentBytes due_;
    std::vector<std::string> faults_;
};

}  // namespace

std::vector<std::string> check_doubling_bytes(const DoublingFacts& facts,
                                              const std::vector<SentMessage>& messages) {
    return DoublingCheck(facts).run(messages);
}

}  // namespace strata::testing
