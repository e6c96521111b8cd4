#pragma once
#include <smpi/mpi.h>

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "strata/algorithms/transport.h"
#include "strata/topology/level.h"

namespace strata::simulation {

/// What one rank has sent to another, in order.
struct SentTo {
    int peer = -1;
    int lane = 0;
    std::size_t bytes = 0;
    bool operator==(const SentTo&) const = default;
};

/// What all ranks have sent across each level.
struct Traffic {
    std::array<std::uint64_t, topology::level_kind_count> messages{};
    std::array<std::uint64_t, topology::level_kind_count> bytes{};
};

/// Messages between simulated ranks, by SimGrid's SMPI. Return codes are MPI's.
class SmpiTransport final : public algorithms::Transport {
public:
    /// `eager_bytes`: Machine's. `traffic`, shared by all ranks, counts what is sent to announced peers.
    SmpiTransport(MPI_Comm comm, std::size_t eager_bytes, Traffic& traffic)
        : comm_(comm), eager_bytes_(eager_bytes), traffic_(traffic) {}

    /// Notes every message sent from now on; null: none.
    void record(std::vector<SentTo>* trace) { trace_ = trace; }

    void carry(algorithms::Collective collective, std::span<const algorithms::PeerLevel> levels) override;
    int begin(int slots) override;
    int isend(int slot, const std::byte* data, std::size_t bytes, int peer, int lane,
              Completion completion) override;
    int irecv(int slot, std::byte* data, std::size_t bytes, int peer, int lane) override;
    int wait_some(std::span<int> done, int& count) override;
    int send(const std::byte* data, std::size_t bytes, int peer) override;
    int recv(std::byte* data, std::size_t bytes, int peer) override;
    void abandon() noexcept override;

private:
    void count(int peer, int lane, std::size_t bytes);

    MPI_Comm comm_;
    std::size_t eager_bytes_;
    Traffic& traffic_;
    std::vector<SentTo>* trace_ = nullptr;
    std::span<const algorithms::PeerLevel> levels_;
    std::vector<MPI_Request> requests_;  // by slot
};

}  // namespace strata::simulation
