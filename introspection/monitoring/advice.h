#pragma once

namespace strata::introspection {

/// Advice to users on standard error; each at most once per process.

/// Messages are counted on `counting` processes of MPI_COMM_WORLD, but not on all. Rank 0 prints.
void advise_to_enable(int counting);
/// pml_monitoring_enable differs between processes. Rank 0 of MPI_COMM_WORLD prints.
void advise_same_mode();
/// The component that counts collective calls is not in use. The caller prints.
void advise_collectives();
/// This release of Open MPI does not count the requested traffic. The caller prints.
void advise_what_is_counted();
/// Counters became smaller during a session. The caller prints.
void advise_reset();

}  // namespace strata::introspection
