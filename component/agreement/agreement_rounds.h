#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "component/agreement/min_allreduce.h"
#include "component/base/failure.h"
#include "component/report/counters.h"
#include "component/settings/info_keys.h"

namespace strata::component {

/// What a rank brings to the first call on a communicator.
struct Proposal {
    std::uint64_t keys = 0;   ///< OwnSettings::hash; 0: no info keys
    std::uint64_t facts = 0;  ///< hash of all that the plans rest on, and of the first plan
    Failure failure = Failure::none;
    bool hands_back = false;  ///< may_hand_back()
};

/// The outcome, equal on all ranks.
struct Outcome {
    std::optional<ForwardReason> against;  ///< empty: all serve the communicator together
    int failed_rank = -1;                  ///< the lowest that failed
    Failure failure = Failure::none;       ///< its own
    bool reporter = false;                 ///< this rank is the lowest that can still tell of it
    bool hands_back = false;               ///< all may
};

// Collective tasks of a set-up. Their outcome is Open MPI's error code; what is given outlives them.

/// Finds out whether all ranks are able to serve a communicator, and by equal plans: one exchange of
/// min_allreduce.h.
algorithms::Task agree(SetUp& set_up, MinAllreduce& all, int rank, const Proposal& proposal,
                       Outcome& outcome);

/// After a verdict: says once per process what is wrong, on one rank. Ranks exchange more for reasons
/// `settings` and `plans`, of which the lowest rank tells that differs from rank 0.
algorithms::Task report_outcome(SetUp& set_up, MinAllreduce& all, ompi_communicator_t* comm,
                                const OwnSettings* own, const Proposal& proposal, const Outcome& outcome);

/// Finds out whether all ranks have come to the same plan, of which `hash` is one: one exchange of two words.
algorithms::Task compare_plan(SetUp& set_up, MinAllreduce& all, std::uint64_t hash, bool& equal);

/// Where they have not: says once per process which ranks have another plan than rank 0, and both.
algorithms::Task report_plan_change(SetUp& set_up, MinAllreduce& all, ompi_communicator_t* comm,
                                    std::uint64_t hash, std::string_view plan);

}  // namespace strata::component
