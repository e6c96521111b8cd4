#pragma once
#include "component/module/module.h"

namespace strata::component {

/// Gives slots of the communicator's table back to the functions that were in them: those of the collectives
/// that it passes through for good. Open MPI calls these functions directly from then on; the plugin does not
/// see such calls and does not count them. Does nothing unless that has just been decided.
///
/// A function may be made of other collectives, and come back to one that the plugin serves: as a part of the
/// function's work where the slot is ours, as a call of its own where it is not. The ranks have to do alike,
/// so such slots go back only where they have agreed on that (Outcome::hands_back). So do Bcast's after an
/// agreement, and those of collectives that the model leaves: of these a call without data returns at once
/// while the slot is ours, and does not below.
void hand_back(Module& module) noexcept;

/// True where nothing stands against it on this rank: a component above that holds a slot, say.
bool may_hand_back(Module& module) noexcept;

}  // namespace strata::component
