#pragma once

namespace strata::introspection {

/// Open MPI 4.1 withdraws the variables that count point-to-point messages as soon as it has installed what
/// counts them (it closes the component that registered them, along with all that were not selected); 5.0
/// does not. Lets it register them again; what it has counted is kept. False where that is not possible.
bool bring_back_withdrawn_counters();

}  // namespace strata::introspection
