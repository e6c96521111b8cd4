#pragma once
#include <smpi/smpi.h>

#include <functional>
#include <string>

#include "machine.h"
#include "ranks.h"

namespace strata::simulation {

/// Runs `body` as every rank of an MPI job on the machine, between MPI_Init and MPI_Finalize; runs `ready`
/// before, once SimGrid exists. `comm` holds all ranks; `body` must not use MPI_COMM_WORLD. Simulated ranks
/// take turns in one thread. `selector` is SMPI's. SimGrid allows one job per process. Throws
/// std::exception for machines and jobs that do not fit.
void run_job(const Machine& machine, const Ranks& ranks, const std::string& selector,
             const std::function<void()>& ready, const std::function<void(int rank, MPI_Comm comm)>& body);

/// Throws std::invalid_argument for a selector that SMPI lacks or that does not work here.
void insist_on_selector(const std::string& selector);

}  // namespace strata::simulation
