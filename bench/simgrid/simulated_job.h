#pragma once
#include <smpi/smpi.h>

#include <functional>
#include <string>

#include "machine.h"
#include "ranks.h"

namespace strata::simulation {

/// Runs `body` as every rank of an MPI job on the machine, between MPI_Init and MPI_Finalize; `ready` before,
/// when SimGrid is there. `comm`: all ranks; MPI_COMM_WORLD is not to be used. Simulated ranks take turns in
/// one thread. `selector`: of SMPI. Once per process: SimGrid allows no more. Throws std::exception for
/// machines and jobs that do not fit.
void run_job(const Machine& machine, const Ranks& ranks, const std::string& selector,
             const std::function<void()>& ready, const std::function<void(int rank, MPI_Comm comm)>& body);

/// Throws std::invalid_argument for a selector that SMPI does not have, or that does not work here.
void insist_on_selector(const std::string& selector);

}  // namespace strata::simulation
