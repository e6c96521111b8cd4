#pragma once
#include <mutex>

#include "message_counters.h"

namespace strata::introspection {

/// Traffic sent until one moment. The difference of two readings is valid only if their `resets` are
/// equal.
struct Reading {
    TrafficRows sent;
    int resets = 0;  ///< number of detected resets of Open MPI's counters
};

/// Traffic that this process sent to each process of MPI_COMM_WORLD, without monitoring's own messages.
/// Thread-safe.
class Recorder {
public:
    /// As MessageCounters::open.
    bool open();
    void close();
    bool has(Traffic kind) const { return counters_.has(kind); }
    int mode() const { return counters_.mode(); }
    int thread_level() const { return counters_.thread_level(); }
    std::size_t processes() const { return own_.processes(); }

    /// Returns false if MPI_T fails, or failed during hidden traffic.
    bool read(Reading& reading);

    /// Sends a message that is not recorded: `send` calls MPI_Isend. The lock keeps readers out between
    /// the message and its subtraction. `world_rank` below 0 is a process of another job, which Open MPI
    /// does not count.
    template <class Send>
    int send_unrecorded(int world_rank, std::size_t bytes, Send send) {
        const std::lock_guard guard(lock_);
        const int code = send();
        if (code == MPI_SUCCESS && world_rank >= 0 && counters_.has(Traffic::messages)) {
            own_.counts(Traffic::messages)[world_rank] += 1;
            own_.bytes(Traffic::messages)[world_rank] += bytes;
        }
        return code;
    }

    /// Between hide() and unhide() nothing that any thread of this process sends is recorded; for
    /// messages that MPI sends internally. Several threads may hide at once.
    void hide();
    void unhide();

private:
    bool read_recorded(TrafficRows& rows);

    std::mutex lock_;
    MessageCounters counters_;
    TrafficRows last_;    ///< last values of the counters
    int resets_ = 0;      ///< as in Reading
    TrafficRows own_;     ///< monitoring's own messages, to subtract modulo 2^64
    TrafficRows frozen_;  ///< recorded traffic when hiding began
    TrafficRows scratch_;
    int hiding_ = 0;
    bool broken_ = false;  ///< hidden traffic could not be read: no reading is valid any more
};

/// Hides traffic during its lifetime.
class UnrecordedScope {
public:
    explicit UnrecordedScope(Recorder& recorder) : recorder_(recorder) { recorder_.hide(); }
    UnrecordedScope(const UnrecordedScope&) = delete;
    UnrecordedScope& operator=(const UnrecordedScope&) = delete;
    ~UnrecordedScope() { recorder_.unhide(); }

private:
    Recorder& recorder_;
};

}  // namespace strata::introspection
