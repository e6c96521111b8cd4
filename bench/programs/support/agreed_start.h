// Starts a collective operation at the same moment on every rank.
//
// All times are CLOCK_MONOTONIC of rank 0 in nanoseconds. Ranks on one kernel, as on the emulated
// cluster, share that clock. Other clocks are compared by ping-pong messages; the quickest one counts,
// and the error is at most half its round trip. Clocks drift by microseconds per second and are
// therefore compared repeatedly. (MPI_Wtime may have a different origin in every process. Timing after a
// barrier flatters an operation whose ranks leave the barrier late.)

#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace bench {

std::int64_t now_ns();

// Sleeps until shortly before a time, then spins for at most spin_ns. A machine with fewer cores than
// ranks has no core to spare for waiting.
void wait_until(std::int64_t time_ns, std::int64_t spin_ns);

// Result of a repetition on rank 0: the time from the start to the latest awaited end.
struct Outcome {
    std::int64_t duration_ns = 0;
    std::int64_t late = 0;  // ranks that received the start too late; the duration is void unless 0
};

// Exchanges messages between rank 0 and all other ranks on its own communicator: point-to-point, so that
// they neither depend on a collective operation nor mix with the measured one.
class Conductor {
public:
    explicit Conductor(MPI_Comm original);  // collective, as is the destructor
    ~Conductor();
    Conductor(const Conductor&) = delete;
    Conductor& operator=(const Conductor&) = delete;

    // Compares clocks if there are several. Collective.
    void compare_clocks();
    // Converts a time of this rank's clock to rank 0's clock.
    std::int64_t common(std::int64_t local_ns) const { return local_ns - ahead_ns_; }
    // Returns the greatest error between common times of different ranks; valid on rank 0.
    std::int64_t uncertainty_ns() const { return uncertainty_ns_; }

    // Waits for the next start, which is the same on all ranks, and returns true; returns false if rank
    // 0 passed more = false. Other ranks' `more` is ignored.
    bool start(bool more, std::int64_t spin_ns);

    static constexpr int all_ranks = -1;
    // Ends a repetition. `end_ns` is the local time at which the measured call returned; `awaited` is
    // true on ranks whose return ends the operation. `alone` names the only such rank and is the same on
    // all ranks; the others then send nothing before it has returned. Returns once all ranks have called
    // it, so that early ranks take no core from those still at work. The result is valid on rank 0. Late
    // ranks lengthen the lead of the next starts until many starts were in time.
    Outcome finish(std::int64_t end_ns, bool awaited = true, int alone = all_ranks);

    // Returns the values of all ranks by rank, on rank 0 and until its next call; empty elsewhere.
    std::span<const std::int64_t> gather(std::int64_t value);

    // Returns the sum over all ranks, valid on rank 0.
    std::int64_t sum(std::int64_t value);

    // Returns rank 0's value on all ranks.
    std::int64_t agree(std::int64_t value);
    std::string share(std::string text);

    int rank() const { return rank_; }
    int size() const { return size_; }

private:
    static constexpr std::int64_t least_lead_ns = 2'000'000;

    void adapt_lead(bool late);
    void send_to_all(std::int64_t& value);  // from rank 0 to the others
    void wait_for(int rank);                // until that rank has reached this point
    bool one_clock();
    std::int64_t ask(int other);  // rank 0: lead of that rank's clock
    void answer();                // the other ranks' side of ask()

    MPI_Comm control_ = MPI_COMM_NULL;
    int rank_ = 0, size_ = 1;
    std::int64_t start_ns_ = 0;
    bool late_ = false;
    bool several_clocks_ = false;
    std::int64_t ahead_ns_ = 0;             // lead of this clock over rank 0's
    std::int64_t uncertainty_ns_ = 0;       // rank 0: greatest of all ranks
    std::int64_t lead_ns_ = least_lead_ns;  // time from the announcement of a start to the start
    int timely_ = 0;                        // starts in time since lead_ns_ changed
    std::vector<MPI_Request> requests_;
    std::vector<std::int64_t> values_;  // by rank
};

}  // namespace bench
