#pragma once
#include <cstdint>
#include <optional>

#include "component/module/module.h"

namespace strata::component {

/// Of what the component found in the slots of a communicator: the same with `tuned` in the place of `han`,
/// where `han` is there because nobody said otherwise (Open MPI 5.0 between nodes); empty where that is no
/// difference. To be made with the communicator: a call that is left to others must need no memory. Needs
/// none of ours: calls go there before the ranks could tell each other that one of them has none. The caller
/// owns a reference on every module in it. `failed`: `tuned` is there but has made no module, for lack of
/// memory on this rank alone.
std::optional<SavedSlots> make_predicted_slots(const SavedSlots& found, ompi_communicator_t* comm,
                                               bool& failed) noexcept;

/// What `tuned` costs is predicted, and a call that is left to the underlying component because of that
/// prediction, or because it comes early, goes here. For communicators whose records agree only: others must
/// do what Open MPI would.
inline SavedSlots& predicted_slots(Module& module) {
    if (!module.predicted) {
        return module.saved;
    }
    module.state->report_predicted();
    return *module.predicted;
}

/// Which slots of a module lead to other functions when predicted_slots() are asked: bit by bit.
std::uint64_t predicted_mask(const Module& module);

}  // namespace strata::component
