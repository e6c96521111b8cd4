#pragma once

namespace strata::introspection {

/// Makes Open MPI 4.1 register the variables that count point-to-point messages again; their counts are
/// kept. 4.1 withdraws them right after it has installed the counting layer, because it closes the
/// component that registered them along with all components not selected; 5.0 does not. Returns false if
/// that is impossible.
bool restore_withdrawn_counters();

}  // namespace strata::introspection
