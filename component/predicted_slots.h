#pragma once
#include <cstdint>
#include <optional>

#include "module.h"

namespace strata::component {

/// Of what the component found in the slots of a communicator: the same with `tuned` in the place of `han`,
/// where `han` is there because nobody said otherwise (Open MPI 5.0 between nodes); empty where that is no
/// difference. To be made with the communicator: a call that is left to others must need no memory. The
/// caller owns a reference on every module in it. Throws std::bad_alloc.
std::optional<SavedSlots> make_predicted_slots(const SavedSlots& found, ompi_communicator_t* comm);

/// What `tuned` costs is predicted, and a call that is left to the previous component because of that
/// prediction goes here. For communicators that have agreed only: others must do what Open MPI would.
SavedSlots& predicted_slots(Module& module);

/// Which slots of a module lead to other functions when predicted_slots() are asked: bit by bit.
std::uint64_t predicted_mask(const Module& module);

}  // namespace strata::component
