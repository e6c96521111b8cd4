#pragma once
#include <smpi/mpi.h>

#include <cstdint>
#include <vector>

#include "algorithms/base/transport.h"
#include "connections.h"
#include "traffic.h"

namespace strata::simulation {

/// Messages that one rank has sent to another, in order.
struct SentTo {
    int peer = -1;
    int rail = 0;
    std::size_t bytes = 0;
    bool operator==(const SentTo&) const = default;
};

/// Separates eager from long messages, which must not match; both ends know the size. SMPI keeps the two in
/// different mailboxes, and a short message takes a receive from the other mailbox before an earlier one in
/// its own.
constexpr int tag_of(int rail, std::size_t bytes, std::size_t eager_bytes) {
    return 2 * rail + (bytes < eager_bytes ? 1 : 0);
}

/// Messages between simulated ranks over SimGrid's SMPI. Return codes are MPI's.
class SmpiTransport final : public algorithms::Transport {
public:
    /// `eager_bytes` is Machine's. `traffic`, shared by all ranks, counts the sent messages.
    SmpiTransport(MPI_Comm comm, std::size_t eager_bytes, Traffic& traffic);

    /// Records every message sent from now on; null stops recording.
    void record(std::vector<SentTo>* trace) { trace_ = trace; }
    /// Lets first messages make connections, which all ranks share; without it they are there.
    void connect_by(Connections& connections) { connections_ = &connections; }

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
    Connections* connections_ = nullptr;
    std::vector<SentTo>* trace_ = nullptr;
    std::vector<MPI_Request> requests_;  ///< by slot
    std::vector<MPI_Request> in_turn_;   ///< the same, beginning with slot `next_`
    int next_ = 0;
};

}  // namespace strata::simulation
