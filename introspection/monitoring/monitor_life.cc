// Beginning and end of monitoring.
#include <algorithm>
#include <new>

#include "advice.h"
#include "monitor.h"

namespace strata::introspection {

Monitor& Monitor::instance() {
    static Monitor& monitor = *new Monitor;  // never destroyed: programs may end without MPI_M_finalize
    return monitor;
}

/// Ends monitoring in MPI_Finalize, which deletes the attributes of MPI_COMM_SELF first, while MPI still
/// works.
bool Monitor::end_with_mpi() {
    static bool done = false;
    const auto at_end = [](MPI_Comm, int, void*, void*) {
        instance().abandon();
        return MPI_SUCCESS;
    };
    int key = MPI_KEYVAL_INVALID;
    if (!done && MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_end, &key, nullptr) == MPI_SUCCESS) {
        done = MPI_Comm_set_attr(MPI_COMM_SELF, key, nullptr) == MPI_SUCCESS;
        MPI_Comm_free_keyval(&key);
    }
    return done;
}

/// Findings of one process when it opens the counters; the min-allreduce of all processes counts.
struct Monitor::Opening {
    enum : std::size_t { works = traffic_count, has_memory, mode, minus_mode, one_thread, count };
    std::array<int, count> least{};
    Reading before;
    Reading now;  ///< buffer for a second reading

    bool some_kind() const {
        return std::any_of(least.begin(), least.begin() + traffic_count, [](int has) { return has != 0; });
    }
};

void Monitor::open_here(Opening& opening) {
    auto& own = opening.least;
    int level = MPI_THREAD_SINGLE;
    MPI_Query_thread(&level);
    own[Opening::one_thread] = level == MPI_THREAD_MULTIPLE ? 0 : 1;
    try {
        const bool works = recorder_.open();
        opening.before.sent = TrafficRows(recorder_.processes());
        own[Opening::works] = works && recorder_.read(opening.before) ? 1 : 0;
        opening.now = opening.before;
        own[Opening::has_memory] = 1;
    } catch (const std::bad_alloc&) {
        return;
    }
    for (std::size_t kind = 0; kind < traffic_count; ++kind) {
        own[kind] = own[Opening::works] != 0 && recorder_.has(static_cast<Traffic>(kind)) ? 1 : 0;
    }
    own[Opening::mode] = recorder_.mode();
    own[Opening::minus_mode] = -recorder_.mode();
}

/// Counters of collective calls exist even without the component that counts. Returns whether they have
/// seen the collective call that all processes made since `opening`.
bool Monitor::counts_collectives(Opening& opening) {
    TrafficRows& now = opening.now.sent;
    const unsigned long* counts = now.counts(Traffic::collectives);
    const unsigned long* before = opening.before.sent.counts(Traffic::collectives);
    return now.processes() < 2 ||
           (recorder_.read(opening.now) && !std::equal(counts, counts + now.processes(), before));
}

int Monitor::open_counters() {
    Opening opening;
    open_here(opening);
    std::array<int, 2> counting = {opening.some_kind() ? 1 : 0, 0};
    auto& least = opening.least;
    if (MPI_Allreduce(MPI_IN_PLACE, least.data(), static_cast<int>(least.size()), MPI_INT, MPI_MIN,
                      MPI_COMM_WORLD) != MPI_SUCCESS) {
        return MPI_M_MPIT_FAIL;
    }
    if (least[Opening::has_memory] == 0) {
        return MPI_M_INTERNAL_FAIL;
    }
    counting[1] = least[Opening::works] != 0 && !counts_collectives(opening) ? 1 : 0;
    if (MPI_Allreduce(MPI_IN_PLACE, counting.data(), static_cast<int>(counting.size()), MPI_INT, MPI_SUM,
                      MPI_COMM_WORLD) != MPI_SUCCESS) {
        return MPI_M_MPIT_FAIL;
    }
    if (least[Opening::works] == 0 || !opening.some_kind()) {
        advise_to_enable(counting[0]);
        return MPI_M_MPIT_FAIL;
    }
    if (least[Opening::mode] != -least[Opening::minus_mode]) {
        advise_same_mode();
        return MPI_M_MPIT_FAIL;
    }
    for (std::size_t kind = 0; kind < traffic_count; ++kind) {
        has_[kind] = least[kind] != 0;
    }
    counts_calls_ = counting[1] == 0;
    one_thread_at_a_time_ = least[Opening::one_thread] != 0;
    world_ = PrivateCommunicator::of(MPI_COMM_WORLD, recorder_, nullptr);
    return world_ != nullptr ? MPI_SUCCESS : MPI_M_MPIT_FAIL;
}

int Monitor::begin() {
    {
        const std::lock_guard guard(lock_);
        if (state_ != State::closed) {
            return MPI_M_MULTIPLE_CALL;
        }
        state_ = State::changing;
    }
    int initialised = 0;
    int over = 0;
    MPI_Initialized(&initialised);
    MPI_Finalized(&over);
    int code = MPI_M_MPIT_FAIL;
    try {
        code = initialised != 0 && over == 0 && end_with_mpi() ? open_counters() : code;
    } catch (const std::bad_alloc&) {
        code = MPI_M_INTERNAL_FAIL;
    }
    if (code != MPI_SUCCESS) {
        recorder_.close();
    }
    const std::lock_guard guard(lock_);
    state_ = code == MPI_SUCCESS ? State::open : State::closed;
    return code;
}

int Monitor::end() {
    PrivateCommunicator::Values values{};
    {
        const std::lock_guard guard(lock_);
        if (state_ != State::open) {
            return MPI_M_MISSING_INIT;
        }
        values[0] = sessions_.any_active() ? MPI_M_SESSION_STILL_ACTIVE : MPI_SUCCESS;
    }
    if (!world_->agree(0, values)) {
        return MPI_M_MPIT_FAIL;
    }
    if (values[0] != MPI_SUCCESS) {
        return static_cast<int>(values[0]);
    }
    abandon();
    return MPI_SUCCESS;
}

void Monitor::abandon() {
    std::array<SessionTable::Place, MPI_M_MAX_SESSIONS> left;
    {
        const std::lock_guard guard(lock_);
        if (state_ != State::open) {
            return;
        }
        state_ = State::changing;
        left = sessions_.remove_all();
    }
    left.fill({});
    world_.reset();
    PrivateCommunicator::forget_all();
    recorder_.close();
    const std::lock_guard guard(lock_);
    state_ = State::closed;
}

}  // namespace strata::introspection
