#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "component/agreement/least_of_all.h"
#include "component/base/failure.h"
#include "component/report/counters.h"
#include "component/settings/info_keys.h"

namespace strata::component {

/// What a rank brings to the first call on a communicator.
struct Ballot {
    std::uint64_t keys = 0;   ///< OwnSettings::hash; 0: no info keys
    std::uint64_t facts = 0;  ///< hash of all that the plans rest on, and of the first plan
    Failure failure = Failure::none;
    bool hands_back = false;  ///< may_hand_back()
};

/// The outcome, equal on all ranks.
struct Verdict {
    std::optional<ForwardReason> against;  ///< empty: all serve the communicator together
    int failed_rank = -1;                  ///< the lowest that failed
    Failure failure = Failure::none;       ///< its own
    bool speaker = false;                  ///< this rank is the lowest that can still tell of it
    bool hands_back = false;               ///< all may
};

/// Finds out whether all ranks are able to serve a communicator, and by equal plans. Collective: one exchange
/// of least_of_all.h. Returns Open MPI's error code, as do the others.
int vote(LeastOfAll& all, int rank, const Ballot& ballot, Verdict& verdict);

/// After a verdict: says once per process what is wrong, on one rank; collective for reasons `settings` and
/// `plans`, of which the lowest rank tells that differs from rank 0.
int tell_verdict(LeastOfAll& all, ompi_communicator_t* comm, const OwnSettings* own, const Ballot& ballot,
                 const Verdict& verdict);

/// Finds out whether all ranks have come to the same plan, of which `hash` is one. Collective: one exchange
/// of two words. Returns Open MPI's error code, as do the others.
int compare_plan(LeastOfAll& all, std::uint64_t hash, bool& equal);

/// Where they have not: says once per process which ranks have another plan than rank 0, and both.
/// Collective.
int tell_of_plan(LeastOfAll& all, ompi_communicator_t* comm, std::uint64_t hash, std::string_view plan);

}  // namespace strata::component
