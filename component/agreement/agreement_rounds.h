#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "component/agreement/min_allreduce.h"
#include "component/base/failure.h"
#include "component/report/counters.h"
#include "component/settings/info_keys.h"

namespace strata::component {

/// What a rank offers for the boards of a communicator (NodeMemory), combined by minimum, word by word.
using BoardsOffer = std::array<std::uint64_t, 4>;
inline constexpr BoardsOffer no_boards{UINT64_MAX, UINT64_MAX, UINT64_MAX, 0};

/// What a rank contributes to the agreement at the first call on a communicator.
struct Proposal {
    std::uint64_t keys = 0;   ///< OwnSettings::hash; 0: no info keys
    std::uint64_t facts = 0;  ///< hash of everything that the plans depend on, and of the first plan
    Failure failure = Failure::none;
    bool hands_back = false;         ///< may_hand_back()
    BoardsOffer boards = no_boards;  ///< NodeMemory::offer()
};

/// The result of the agreement, equal on all ranks except `reporter`.
struct Outcome {
    std::optional<ForwardReason> against;  ///< empty: all serve the communicator together
    int failed_rank = -1;                  ///< lowest rank that failed; -1: none
    Failure failure = Failure::none;       ///< failure of that rank
    bool reporter = false;                 ///< this rank logs a failure: the lowest rank without one
    bool hands_back = false;               ///< all ranks may hand slots back
    BoardsOffer boards = no_boards;        ///< minimum of the ranks' offers
};

// Tasks of a set-up, collective over the communicator. Return Open MPI's error code; arguments outlive them.

/// Sets `outcome`: whether all ranks can serve the communicator with equal plans. Cost: one min-allreduce.
algorithms::Task agree(SetUp& set_up, MinAllreduce& all, int rank, const Proposal& proposal,
                       Outcome& outcome);

/// Logs the reason against serving, once per process and on one rank. For `settings` and `plans` that rank is
/// the lowest that differs from rank 0; finding it costs more min-allreduces.
algorithms::Task report_outcome(SetUp& set_up, MinAllreduce& all, ompi_communicator_t* comm,
                                const OwnSettings* own, const Proposal& proposal, const Outcome& outcome);

/// Sets `equal` to true if all ranks have the same plan hash. Cost: one min-allreduce of two words.
algorithms::Task compare_plan(SetUp& set_up, MinAllreduce& all, std::uint64_t hash, bool& equal);

/// Logs, once per process, the ranks with another plan than rank 0, and both plans.
algorithms::Task report_plan_change(SetUp& set_up, MinAllreduce& all, ompi_communicator_t* comm,
                                    std::uint64_t hash, std::string_view plan);

}  // namespace strata::component
