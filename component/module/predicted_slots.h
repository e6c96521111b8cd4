#pragma once
#include <cstdint>
#include <optional>

#include "component/module/module.h"

namespace strata::component {

/// Returns a copy of `found` with `tuned` instead of `han` if `han` is there by default (Open MPI 5.0 between
/// nodes); empty if nothing changes. Made with the communicator, because passing a call through must allocate
/// nothing: early calls pass through before a rank could report a failed allocation. The caller owns a
/// reference on every module. `failed`: `tuned` exists but could not make a module on this rank, for lack of
/// memory.
std::optional<SavedSlots> make_predicted_slots(const SavedSlots& found, ompi_communicator_t* comm,
                                               bool& failed) noexcept;

/// Returns the slots for calls that pass through because of the cost model, which predicts `tuned`, or
/// because of the lazy set-up. Only for communicators whose records agree; others must do what Open MPI alone
/// would do.
inline SavedSlots& predicted_slots(Module& module) {
    if (!module.predicted) {
        return module.saved;
    }
    module.state->report_predicted();
    return *module.predicted;
}

/// Returns the slots in which predicted_slots() differ from the saved ones, one bit each.
std::uint64_t predicted_mask(const Module& module);

}  // namespace strata::component
