// Starting a collective operation at the same moment on every rank.
//
// All times are CLOCK_MONOTONIC in nanoseconds, on rank 0's clock. Where all ranks run on one kernel, as on
// the emulated cluster, that is everybody's. Elsewhere clocks are compared by messages to and fro, of which
// the quickest counts; the error is at most half of its round trip. Clocks drift apart by microseconds a
// second, so that they have to be compared again now and then. (MPI_Wtime may count from another origin in
// every process, and timing after a barrier flatters an operation whose ranks leave the barrier late.)

#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace bench {

std::int64_t now_ns();

// Sleeps until shortly before a time and then watches the clock, for at most spin_ns: a machine with fewer
// processors than ranks has none to spare for waiting.
void wait_until(std::int64_t time_ns, std::int64_t spin_ns);

// How a repetition went, on rank 0: from the start to the latest end that is awaited.
struct Outcome {
    std::int64_t duration_ns = 0;
    std::int64_t late = 0;  // ranks that learned the start too late; if any, the duration means nothing
};

// Point-to-point exchanges between rank 0 and all others on a communicator of their own, so that they neither
// depend on a collective operation nor mix with the one that is measured.
class Conductor {
public:
    explicit Conductor(MPI_Comm original);  // collective, as is the destructor
    ~Conductor();
    Conductor(const Conductor&) = delete;
    Conductor& operator=(const Conductor&) = delete;

    // Compares clocks, where there are several. Collective.
    void compare_clocks();
    // This rank's clock, as a time of rank 0's.
    std::int64_t common(std::int64_t local_ns) const { return local_ns - ahead_ns_; }
    // By how much common times of different ranks may be wrong, at most; valid on rank 0.
    std::int64_t uncertainty_ns() const { return uncertainty_ns_; }

    // Waits for the next start, the same on all ranks, and returns true; false if rank 0 passed more = false.
    // (What the other ranks pass is ignored.)
    bool start(bool more, std::int64_t spin_ns);

    static constexpr int everybody = -1;
    // To be called with the local time at which the measured call returned, and whether the operation is not
    // over before (some rank has to be awaited). `alone`: the only rank that is, known to all; the others
    // send nothing before it has returned. Returns once all ranks have called it: whoever is early must not
    // take the processor from those still at work. The result is valid on rank 0. After late ranks, the next
    // starts keep a greater distance, until many have been in time.
    Outcome finish(std::int64_t end_ns, bool awaited = true, int alone = everybody);

    // The values of all ranks by rank, on rank 0 and until its next call; empty elsewhere.
    std::span<const std::int64_t> gather(std::int64_t value);

    // The sum over all ranks, valid on rank 0.
    std::int64_t sum(std::int64_t value);

    // Rank 0's value, on all ranks.
    std::int64_t agree(std::int64_t value);
    std::string share(std::string text);

    int rank() const { return rank_; }
    int size() const { return size_; }

private:
    static constexpr std::int64_t least_lead_ns = 2'000'000;

    void adapt_lead(bool late);
    void send_to_all(std::int64_t& value);  // from rank 0 to the others
    void wait_for(int rank);                // until it has come here, too
    bool one_clock();
    std::int64_t ask(int other);  // rank 0: how far that rank's clock is ahead
    void answer();                // the others

    MPI_Comm control_ = MPI_COMM_NULL;
    int rank_ = 0, size_ = 1;
    std::int64_t start_ns_ = 0;
    bool late_ = false;
    bool several_clocks_ = false;
    std::int64_t ahead_ns_ = 0;             // this clock, of rank 0's
    std::int64_t uncertainty_ns_ = 0;       // rank 0: of the worst
    std::int64_t lead_ns_ = least_lead_ns;  // from the announcement of a start to the start
    int timely_ = 0;                        // starts since it was changed
    std::vector<MPI_Request> requests_;
    std::vector<std::int64_t> values_;  // by rank
};

}  // namespace bench
