#pragma once
#include "component/module/module.h"

namespace strata::component {

/// Restores the slots of the collectives that a communicator passes through for good: Open MPI then calls the
/// underlying functions directly, and the plugin neither sees nor counts these calls. Does nothing unless
/// CommunicatorState::takes_decision(). Slots whose return changes the behaviour of a call go back only if
/// all ranks agreed to (Outcome::hands_back): docs/design/call-path.md.
void hand_back(Module& module) noexcept;

/// Returns true if this rank may hand slots back: no component above holds one of them, for example.
bool may_hand_back(Module& module) noexcept;

}  // namespace strata::component
