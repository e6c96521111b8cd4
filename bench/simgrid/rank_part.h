#pragma once
#include <smpi/mpi.h>

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "algorithms/base/arena.h"
#include "algorithms/engines/perform.h"
#include "contender.h"
#include "level_gathers.h"
#include "smpi_transport.h"

namespace strata::simulation {

/// Bytes that a call needs of a rank, for what it gives and for what it gets, each.
std::size_t memory_of(const Call& call, int ranks);

/// One rank's part in calls by any contender.
class RankPart {
public:
    /// `shared`: memory of all ranks together, twice memory_of(), whose
    /// contents mean nothing; empty: every rank has its own, and looks at what it gets.
    RankPart(MPI_Comm comm, const Machine& machine, std::span<std::byte> shared, Traffic& traffic);
    ~RankPart();
    RankPart(const RankPart&) = delete;
    RankPart& operator=(const RankPart&) = delete;

    /// Lets SMPI make what some of its algorithms make at their first call on a communicator.
    void warm_up();
    /// Makes the communicators of a contender that gathers(). Collective.
    void make_levels(const topology::Hierarchy& hierarchy) {
        level_gathers_.try_emplace(&hierarchy, comm_, hierarchy);
    }
    /// Lays out memory and, where it is checked, what the rank gives. Takes no simulated time.
    void prepare(const Call& call);
    /// Returns MPI's code.
    int perform(Contender& contender, const Call& call);
    /// Returns what is wrong with the result of the last call. Empty if it is right, if memory is shared (no
    /// check), or if the call was passed through.
    std::string verdict(const Call& call) const;
    /// Every rank reports to rank 0, which then releases them one by one, by MPI's own messages.
    /// Returns MPI's code.
    int acknowledged_barrier() const;
    SmpiTransport& transport() { return transport_; }
    /// Returns what the root gives to a Bcast, and what all others get. Valid until the next prepare().
    std::byte* vector() { return receive_; }
    /// Returns whether the messages of the last call carried nothing, because it was passed through.
    bool carried_nothing() const { return forwarded_; }

private:
    int perform_mpi(const Call& call);
    int perform_gathers(const Contender& contender, const Call& call);
    int perform_plan(Contender& contender, const Call& call, const algorithms::Plan& plan);
    std::span<algorithms::Block> blocks_of(const Call& call);
    std::size_t block_bytes(const Call& call) const { return call.bytes / static_cast<std::size_t>(size_); }
    std::byte* block_of(const Call& call, int rank) const {
        return receive_ + static_cast<std::size_t>(rank) * block_bytes(call);
    }
    bool has_result(const Call& call) const;

    MPI_Comm comm_;
    int rank_ = 0;
    int size_ = 0;
    std::size_t eager_bytes_;
    bool forwarded_ = false;  ///< the last call was: its messages carried nothing
    std::span<std::byte> shared_;
    SmpiTransport transport_;
    algorithms::Arena arena_{std::size_t{4} << 20};  // of thousands of ranks in one process
    topology::NicRails no_rails_;
    std::map<const topology::Hierarchy*, algorithms::Routing> routings_;
    std::map<const topology::Hierarchy*, LevelGathers> level_gathers_;
    std::unordered_map<const algorithms::Plan*, algorithms::RouteCache> kept_;
    std::vector<std::byte> own_memory_;
    std::vector<algorithms::Block> blocks_;
    std::byte* send_ = nullptr;
    std::byte* receive_ = nullptr;
    MPI_Op sum_ = MPI_OP_NULL;
};

}  // namespace strata::simulation
