#pragma once
#include <smpi/mpi.h>

#include <cstdint>
#include <vector>

#include "algorithms/base/transport.h"
#include "traffic.h"

namespace strata::simulation {

/// What one rank has sent to another, in order.
struct SentTo {
    int peer = -1;
    int rail = 0;
    std::size_t bytes = 0;
    bool operator==(const SentTo&) const = default;
};

/// SMPI keeps eager messages and others in mailboxes apart, and a short one that finds a receive in the other
/// mailbox takes it, though one posted earlier waits in its own: they must not match. Both ends know the
/// size.
constexpr int tag_of(int rail, std::size_t bytes, std::size_t eager_bytes) {
    return 2 * rail + (bytes < eager_bytes ? 1 : 0);
}

/// Messages between simulated ranks, by SimGrid's SMPI. Return codes are MPI's.
class SmpiTransport final : public algorithms::Transport {
public:
    /// `eager_bytes`: Machine's. `traffic`, shared by all ranks, counts what is sent.
    SmpiTransport(MPI_Comm comm, std::size_t eager_bytes, Traffic& traffic);

    /// Notes every message sent from now on; null: none.
    void record(std::vector<SentTo>* trace) { trace_ = trace; }

    void begin_call(algorithms::Collective, std::span<const algorithms::PeerLevel>) override {}
    int begin(int slots) override;
    int isend(int slot, const std::byte* data, std::size_t bytes, int peer, int rail,
              Completion completion) override;
    int irecv(int slot, std::byte* data, std::size_t bytes, int peer, int rail) override;
    int wait_some(std::span<int> done, int& count) override;
    int send(const std::byte* data, std::size_t bytes, int peer) override;
    int recv(std::byte* data, std::size_t bytes, int peer) override;
    void abandon() noexcept override;

private:
    void count(int peer, int rail, std::size_t bytes);

    MPI_Comm comm_;
    int rank_ = -1;
    std::size_t eager_bytes_;
    Traffic& traffic_;
    std::vector<SentTo>* trace_ = nullptr;
    std::vector<MPI_Request> requests_;  // by slot
};

}  // namespace strata::simulation
