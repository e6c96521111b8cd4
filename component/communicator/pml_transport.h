#pragma once
#include <array>
#include <span>
#include <vector>

#include "algorithms/base/transport.h"
#include "component/openmpi/ompi_compat.h"
#include "component/openmpi/wait_sync.h"
#include "component/report/communicator_counters.h"

namespace strata::component {

/// Messages between the ranks of a communicator through Open MPI's point-to-point layer. Returns Open MPI's
/// error codes. Serves one blocking collective at a time, as MPI requires per communicator.
class PmlTransport : public algorithms::Transport {
public:
    /// `own`: counts sent messages, as counters() does.
    PmlTransport(ompi_communicator_t* comm, CommunicatorCounters& own) : comm_(comm), own_(own) {}

    /// Resets the state of the last call.
    void start_call();

    /// `levels`: for the counters.
    void begin_call(Collective collective, std::span<const algorithms::PeerLevel> levels) override;
    int begin(int slots) override;
    int isend(int slot, const std::byte* data, std::size_t bytes, int peer, int rail,
              Completion completion) override;
    int irecv(int slot, std::byte* data, std::size_t bytes, int peer, int rail) override;
    int wait_some(std::span<int> done, int& count) override;
    int send(const std::byte* data, std::size_t bytes, int peer) override;
    int recv(std::byte* data, std::size_t bytes, int peer) override;
    void abandon() noexcept override;
    /// Returns true after the first message of the call, sent or received.
    bool has_begun() const { return has_begun_; }
    /// Returns true if abandoned messages of the call may still read or write their memory.
    bool left_messages() const { return left_messages_; }
    /// Returns MPI_ERR_TRUNCATE if a message of the call was longer than its receive. The call still
    /// continues, because other ranks wait for what this rank sends next.
    int noted_error() const { return noted_error_; }

protected:
    int unless_too_long(int rc);
    int noticed(int rc);
    void give_up(ompi_request_t*& request) noexcept;
    const algorithms::PeerLevel* count_message(int peer, std::size_t bytes);
    int harvest(std::span<int> done, int& count);
    bool is_idle() const { return busy_.empty(); }

    ompi_communicator_t* comm_;
    std::array<int, most_rails> tags_{};  // by rail
    bool has_begun_ = false;
    bool left_messages_ = false;

private:
    /// Allocates for `slots` simultaneous messages. Call it before the first message: later this rank could
    /// not leave the call alone.
    void reserve(std::size_t slots) {
        if (slots > requests_.size()) grow(slots);
    }
    void grow(std::size_t slots);
    void sleep_until_one();

    CommunicatorCounters& own_;
    bool process_failed_ = false;
    int noted_error_ = OMPI_SUCCESS;
    std::vector<ompi_request_t*> requests_;  // by slot, of any call; null when idle
    std::vector<int> busy_;
    std::vector<ompi_request_t*> waiting_;
    PooledWaitSync wait_sync_;  // with several threads in Open MPI
    std::span<const algorithms::PeerLevel> levels_;
};

}  // namespace strata::component
