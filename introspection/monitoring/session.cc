#include "session.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace strata::introspection {

namespace {

/// An id is generation * place_count + place, and positive.
constexpr int place_count = MPI_M_MAX_SESSIONS;
constexpr int generations = std::numeric_limits<MPI_M_msid>::max() / place_count - 1;

/// Selects the members' part of the traffic to all processes.
void select(const TrafficRows& sent, const std::vector<int>& world_ranks, TrafficRows& members) {
    const std::size_t rows = 2 * traffic_count;
    for (std::size_t row = 0; row < rows; ++row) {
        const unsigned long* from = sent.words().data() + row * sent.processes();
        unsigned long* to = members.words().data() + row * members.processes();
        for (std::size_t i = 0; i < world_ranks.size(); ++i) {
            to[i] = world_ranks[i] < 0 ? 0 : from[world_ranks[i]];
        }
    }
}

}  // namespace

void Session::activate(const Reading& now) {
    select(now.sent, communicator_->world_ranks(), baseline_);
    resets_ = now.resets;
    active_ = true;
}

void Session::suspend(const Reading& now) {
    if (now.resets != resets_) {
        suspend_without_counts();
        return;
    }
    TrafficRows until(members());
    select(now.sent, communicator_->world_ranks(), until);
    for (std::size_t i = 0; i < until.words().size(); ++i) {
        recorded_.words()[i] += until.words()[i] - baseline_.words()[i];
    }
    active_ = false;
}

void Session::suspend_without_counts() {
    complete_ = false;
    active_ = false;
}

void Session::reset() {
    recorded_ = TrafficRows(members());
    complete_ = true;
}

MPI_M_msid SessionTable::reserve() {
    const auto place = std::find_if(places_.begin(), places_.end(), [](const Place& p) { return p.id == 0; });
    if (place == places_.end()) {
        return 0;
    }
    generation_ = generation_ % generations + 1;
    place->id = generation_ * place_count + static_cast<int>(place - places_.begin());
    return place->id;
}

void SessionTable::fill(MPI_M_msid id, std::shared_ptr<Session> session) {
    places_[static_cast<std::size_t>(id % place_count)].session = std::move(session);
}

std::shared_ptr<Session> SessionTable::remove(MPI_M_msid id) {
    return std::exchange(places_[static_cast<std::size_t>(id % place_count)], Place()).session;
}

std::array<SessionTable::Place, MPI_M_MAX_SESSIONS> SessionTable::remove_all() {
    return std::exchange(places_, {});
}

std::shared_ptr<Session> SessionTable::find(MPI_M_msid id) const {
    if (id <= 0) {
        return nullptr;
    }
    const Place& place = places_[static_cast<std::size_t>(id % place_count)];
    return place.id == id ? place.session : nullptr;
}

bool SessionTable::any_active() const {
    return std::any_of(places_.begin(), places_.end(),
                       [](const Place& p) { return p.session != nullptr && p.session->active(); });
}

}  // namespace strata::introspection
