#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "algorithms/node/boards.h"
#include "component/agreement/agreement_rounds.h"
#include "component/segments/shared_segment.h"

namespace strata::component {

/// The boards of a communicator whose ranks share a node, borrowed from a segment of rank 0's process.
///
/// The ranks need one exchange: offer() before it, take() after it. It can be a part of the agreement. If
/// then a rank has not said that it has mapped the segment, make() maps it and exchanges once more.
class NodeMemory {
public:
    /// On rank 0, borrows boards. `polls`: Boards::Waiting::polls. Throws std::bad_alloc.
    NodeMemory(ompi_communicator_t* comm, int polls);
    NodeMemory(const NodeMemory&) = delete;
    NodeMemory& operator=(const NodeMemory&) = delete;
    ~NodeMemory();

    /// What this rank contributes to the exchange. A rank without an object offers `no_boards`.
    BoardsOffer offer() const;
    /// Takes the result of the exchange.
    void take(const BoardsOffer& least) noexcept;

    /// Returns the boards; null: not ready. Equal on all ranks.
    algorithms::Boards* boards() { return state_ == State::in_use ? &boards_ : nullptr; }

    /// Makes the boards of `memory` ready on all ranks of `comm`, or sets it to null on all ranks: if one of
    /// them cannot map the segment, such as in a container of its own. `memory`: null, or the same exchange
    /// has been taken on all ranks. A task of a set-up of `comm`. Returns Open MPI's error code.
    /// Cost: an exchange of MinAllreduce, two if `memory` is null.
    static algorithms::Task make(SetUp& set_up, ompi_communicator_t* comm, MinAllreduce& least, int polls,
                                 std::unique_ptr<NodeMemory>& memory);

private:
    static constexpr std::uint64_t none = UINT64_MAX;
    enum Word : std::size_t { token, file, place, mapped };
    /// `offered`: this rank does not know whether others use the boards. `idle`: no rank does.
    enum class State { offered, idle, in_use };

    bool map() noexcept;
    void begin() noexcept;

    SharedSegments::Process owner_;             ///< rank 0's process
    std::optional<SharedSegments::Loan> loan_;  ///< once known, on all ranks
    std::span<algorithms::Board> mapped_;
    algorithms::Boards boards_;
    State state_ = State::offered;
};

}  // namespace strata::component
