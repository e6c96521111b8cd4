#pragma once
#include <memory>
#include <span>

#include "algorithms/node/boards.h"
#include "component/agreement/min_allreduce.h"

namespace strata::component {

/// The boards of a communicator whose ranks share a node. They lie in anonymous memory that all ranks map:
/// it has no name that could be left behind, /dev/shm does not limit it, other users cannot open it, and the
/// kernel frees it with its last process.
///
/// Memory: sizeof(Board) per rank and communicator, 132 KiB, of which only pages that were written take any.
/// A process maps at most `most_bytes`; further communicators have no boards.
class NodeMemory {
public:
    static constexpr std::size_t most_bytes = std::size_t{256} << 20;

    NodeMemory(const NodeMemory&) = delete;
    NodeMemory& operator=(const NodeMemory&) = delete;
    ~NodeMemory();

    /// Sets `made` on all ranks of `comm`, or leaves it null on all ranks: if one of them cannot map the
    /// memory, such as in a container of its own. A task of a set-up of `comm`. `polls`:
    /// Boards::Waiting::polls. Returns Open MPI's error code.
    /// Cost: two exchanges of MinAllreduce.
    static algorithms::Task make(SetUp& set_up, ompi_communicator_t* comm, MinAllreduce& least, int polls,
                                 std::unique_ptr<NodeMemory>& made);

    algorithms::Boards& boards() { return boards_; }

private:
    NodeMemory(std::span<algorithms::Board> memory, int rank, int polls);
    static std::unique_ptr<NodeMemory> map(int file, int ranks, int rank, int polls) noexcept;

    std::span<algorithms::Board> memory_;
    algorithms::Boards boards_;
};

}  // namespace strata::component
