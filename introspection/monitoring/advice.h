#pragma once

namespace strata::introspection {

/// What users have to know, on standard error, at most once per process each.

/// Messages are counted on `counting` processes of MPI_COMM_WORLD, but not on all. Rank 0 of it prints.
void advise_to_enable(int counting);
/// pml_monitoring_enable differs. Rank 0 of MPI_COMM_WORLD prints.
void advise_same_mode();
/// The component that counts collective calls is not used. The caller prints.
void advise_collectives();
/// Something was asked for that this release of Open MPI does not count. The caller prints.
void advise_what_is_counted();
/// Counters became smaller during a session. The caller prints.
void advise_reset();

}  // namespace strata::introspection
