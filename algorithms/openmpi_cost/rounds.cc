#include "algorithms/openmpi_cost/rounds.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "algorithms/cost/links.h"
#include "topology/heap_bytes.h"

namespace strata::algorithms {

/// Finds for each level the connection and the bus that most messages share, and for each level on which
/// ranks meet one message and the number of messages.
RoundCounts::Round RoundCounts::count(const std::vector<int>& to) const {
    const auto& groups = hierarchy_.groups;
    const std::vector<Shared> none(groups.size(), {-1, -1, Where::level, -1, 0, 0});
    std::vector<Shared> out = none;
    std::vector<Shared> in = none;
    std::vector<Shared> bus = none;
    std::map<topology::LevelKey, Shared> meetings;
    for (int from = 0; from < static_cast<int>(to.size()); ++from) {
        if (to[from] < 0) continue;
        const int works = to[to[from]] < 0 ? 1 : 2;
        int a = hierarchy_.stop[from];
        int b = hierarchy_.stop[to[from]];
        const auto pass = [&](std::vector<Shared>& all, Where where, int group) {
            all[group] = {from, to[from], where, group, all[group].messages + 1, works};
        };
        const auto cross = [&](std::vector<Shared>& all, Where where, int& group) {
            pass(bus, Where::bus, group);
            pass(all, where, group);
            group = groups[group].parent;
        };
        while (a != b) {
            if (groups[a].depth >= groups[b].depth) {
                cross(out, Where::out, a);
            } else {
                cross(in, Where::in, b);
            }
        }
        pass(bus, Where::bus, a);
        const Shared first{from, to[from], Where::level, -1, 0, works};
        ++meetings.try_emplace(groups[a].level, first).first->second.messages;
    }
    std::map<std::pair<topology::LevelKey, Where>, Shared> most;
    for (const auto* all : {&out, &in, &bus}) {
        for (const Shared& own : *all) {
            if (own.group < 0) continue;
            Shared& best = most.try_emplace({groups[own.group].level, own.where}, own).first->second;
            if (own.messages > best.messages) best = own;
        }
    }
    Round round;
    for (const auto& [level, shared] : meetings) round.push_back(shared);
    for (const auto& [place, shared] : most) round.push_back(shared);
    return round;
}

const RoundCounts::Round* RoundCounts::find(Name name) const {
    const std::lock_guard lock(mutex_);
    const auto known = rounds_.find(name);
    return known != rounds_.end() ? &known->second : nullptr;
}

/// Threads that count the same round get one entry.
const RoundCounts::Round& RoundCounts::add(Name name, Round round) {
    const std::lock_guard lock(mutex_);
    const auto [entry, added] = rounds_.emplace(name, std::move(round));
    if (added) bytes_ += sizeof *entry + topology::heap_bytes(entry->second) + topology::block_bytes;
    return entry->second;
}

const MessageSchedule& FlatRounds::schedule(const TunedCall& call) {
    for (const auto& [known, schedule] : schedules_) {
        if (known == call) return schedule;
    }
    const int ranks = static_cast<int>(hierarchy_.stop.size());
    return schedules_.emplace_back(call, schedule_of(call, ranks)).second;
}

void FlatRounds::add(Time& time, const RoundCounts::Round& round, FlatModel& model, std::size_t bytes,
                     std::size_t combined) {
    double hop = 0;
    double queue = 0;
    double at_nics = 0;
    const double combine = model.combine_us(combined);
    for (const RoundCounts::Shared& own : round) {
        double least = 0;
        if (own.where == RoundCounts::Where::bus) {
            least = own.messages * model.bus_us(own.group, bytes);
            if (least == 0) continue;
        } else if (own.where != RoundCounts::Where::level) {
            const double waiting = (own.messages - 1) * model.occupied_us(own.group, bytes);
            queue = std::max(queue, waiting);
            if (model.at_nic(own.group)) at_nics = std::max(at_nics, waiting);
        }
        hop = std::max({hop, model.hop_us(model.path(own.from, own.to), bytes, least),
                        own.works * model.work_us(own.from, own.to, bytes)});
    }
    time.add(hop + combine, queue, at_nics);
}

}  // namespace strata::algorithms
