#pragma once
#include <MPI_Monitoring.h>

#include <memory>
#include <span>

#include "private_communicator.h"

namespace strata::introspection {

/// Counts of one session for the members of its communicator.
class Session {
public:
    Session(std::shared_ptr<PrivateCommunicator> communicator, int tag)
        : communicator_(std::move(communicator)), tag_(tag), recorded_(members()), baseline_(members()) {}

    PrivateCommunicator& communicator() const { return *communicator_; }
    int tag() const { return tag_; }
    std::size_t members() const { return communicator_->world_ranks().size(); }
    bool active() const { return active_; }

    /// Starts counting at the reading `now`.
    void activate(const Reading& now);
    void suspend(const Reading& now);
    /// Suspends without a reading; the counts are lost.
    void suspend_without_counts();
    void reset();
    /// Returns false if the counters were reset while the session was active, or could not be read.
    bool complete() const { return complete_; }
    const TrafficRows& recorded() const { return recorded_; }

private:
    std::shared_ptr<PrivateCommunicator> communicator_;
    int tag_;
    bool active_ = false;
    bool complete_ = true;
    int resets_ = 0;  ///< resets at the baseline
    TrafficRows recorded_;
    TrafficRows baseline_;
};

/// The sessions of this process by id.
class SessionTable {
public:
    /// Reserves a place; the id becomes valid with `fill`. Returns 0 if all are taken.
    MPI_M_msid reserve();
    void fill(MPI_M_msid id, std::shared_ptr<Session> session);
    struct Place {
        MPI_M_msid id = 0;  ///< 0: free
        std::shared_ptr<Session> session;
    };
    /// The returned sessions may hold the last reference to a communicator: the caller drops them
    /// without a lock.
    std::shared_ptr<Session> remove(MPI_M_msid id);
    std::array<Place, MPI_M_MAX_SESSIONS> remove_all();
    /// Returns null for an unknown id.
    std::shared_ptr<Session> find(MPI_M_msid id) const;
    bool any_active() const;
    std::span<Place> places() { return places_; }

private:
    std::array<Place, MPI_M_MAX_SESSIONS> places_;
    int generation_ = 0;  ///< not reset when monitoring ends and begins again
};

}  // namespace strata::introspection
