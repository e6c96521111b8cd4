#pragma once
#include <mutex>

#include "message_counters.h"

namespace strata::introspection {

/// What was sent until one moment. Only of two readings with equal `resets` does the difference tell
/// anything.
struct Reading {
    TrafficRows sent;
    int resets = 0;  ///< how often Open MPI's counters had been found smaller than before
};

/// What this process sent to each process of MPI_COMM_WORLD, without what monitoring itself sends. For all
/// threads.
class Recorder {
public:
    /// As MessageCounters::open.
    bool open();
    void close();
    bool has(Traffic kind) const { return counters_.has(kind); }
    int mode() const { return counters_.mode(); }
    int thread_level() const { return counters_.thread_level(); }
    std::size_t processes() const { return own_.processes(); }

    /// False when MPI_T fails, or has failed while something was hidden.
    bool read(Reading& reading);

    /// A send of our own, which is not to be seen: `send` calls MPI_Isend, and nobody reads between the
    /// message and the note of it. `world_rank` below 0: a process of another job, which Open MPI does not
    /// count.
    template <class Send>
    int send_unseen(int world_rank, std::size_t bytes, Send send) {
        const std::lock_guard guard(lock_);
        const int code = send();
        if (code == MPI_SUCCESS && world_rank >= 0 && counters_.has(Traffic::messages)) {
            own_.counts(Traffic::messages)[world_rank] += 1;
            own_.bytes(Traffic::messages)[world_rank] += bytes;
        }
        return code;
    }

    /// Between these two nothing that this process sends is seen, whoever sends it; for what MPI sends on our
    /// behalf. Several threads may be between them.
    void hide();
    void unhide();

private:
    bool read_seen(TrafficRows& rows);

    std::mutex lock_;
    MessageCounters counters_;
    TrafficRows last_;    ///< of the counters
    int resets_ = 0;      ///< as in Reading
    TrafficRows own_;     ///< to be subtracted; modulo 2^64, as only differences count
    TrafficRows frozen_;  ///< what was seen when hiding began
    TrafficRows scratch_;
    int hiding_ = 0;
    bool broken_ = false;  ///< what was sent while hiding could not be read: nothing can be told from then on
};

/// Hides while it lives.
class Hidden {
public:
    explicit Hidden(Recorder& recorder) : recorder_(recorder) { recorder_.hide(); }
    Hidden(const Hidden&) = delete;
    Hidden& operator=(const Hidden&) = delete;
    ~Hidden() { recorder_.unhide(); }

private:
    Recorder& recorder_;
};

}  // namespace strata::introspection
