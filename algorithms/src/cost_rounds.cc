#include "cost_rounds.h"

#include <algorithm>
#include <utility>

#include "cost_links.h"

namespace strata::algorithms {

/// Of every level the connection that most messages share, and of every level on which ranks meet one
/// message and how many there are.
FlatRounds::Round FlatRounds::count(const std::vector<int>& to) const {
    const auto& groups = hierarchy_.groups;
    std::vector<Shared> out(groups.size(), {-1, -1, -1, 0, 0});
    std::vector<Shared> in(groups.size(), {-1, -1, -1, 0, 0});
    std::map<topology::LevelKey, Shared> meetings;
    for (int from = 0; from < static_cast<int>(to.size()); ++from) {
        if (to[from] < 0) continue;
        const int works = to[to[from]] < 0 ? 1 : 2;
        int a = hierarchy_.stop[from];
        int b = hierarchy_.stop[to[from]];
        const auto cross = [&](std::vector<Shared>& all, int& group) {
            all[group] = {from, to[from], group, all[group].messages + 1, works};
            group = groups[group].parent;
        };
        while (a != b) {
            if (groups[a].depth >= groups[b].depth) {
                cross(out, a);
            } else {
                cross(in, b);
            }
        }
        ++meetings.try_emplace(groups[a].level, Shared{from, to[from], -1, 0, works}).first->second.messages;
    }
    std::map<std::pair<topology::LevelKey, bool>, Shared> most;
    for (const auto* all : {&out, &in}) {
        for (const Shared& own : *all) {
            if (own.group < 0) continue;
            Shared& best = most.try_emplace({groups[own.group].level, all == &out}, own).first->second;
            if (own.messages > best.messages) best = own;
        }
    }
    Round round;
    for (const auto& [level, shared] : meetings) round.push_back(shared);
    for (const auto& [level, shared] : most) round.push_back(shared);
    return round;
}

void FlatRounds::add(Time& time, const Round& round, FlatModel& model, std::size_t bytes,
                     std::size_t folded) {
    double hop = 0;
    double queue = 0;
    const double fold = model.fold_us(folded);
    for (const Shared& own : round) {
        if (own.group >= 0) {
            queue = std::max(queue, (own.messages - 1) * model.occupied_us(own.group, bytes));
        } else {
            model.spend_on_messages(own.from, own.to, bytes, own.messages);
            model.spend(own.messages * fold);
        }
        hop = std::max(
            {hop, model.hop_us(own.from, own.to, bytes), own.works * model.work_us(own.from, own.to, bytes)});
    }
    time.add(hop + fold + model.turn_us(), queue);
}

}  // namespace strata::algorithms
