#pragma once
#include <string>
#include <vector>

#include "machine.h"
#include "ranks.h"

namespace strata::simulation {

/// Matrix multiplication by SUMMA. Processes form a grid and hold one block of either matrix each. In step
/// k, column k of the grid broadcasts its blocks along the rows, row k broadcasts its blocks along the
/// columns, and all processes multiply (seed paper on hardware communicators, section 7.3).
struct SummaStudy {
    std::string machine_file;
    JobSpec job;
    std::string selector = "ompi";
    int rows = 0;  ///< grid rows; a divisor of the number of ranks
    std::size_t block_bytes = 64;
    double multiply_us = 0.1;   ///< CPU time of every step
    bool step_barrier = false;  ///< all processes wait for each other, at no cost, between steps
    /// What the first message between two processes of different nodes costs its sender; each contender
    /// starts without connections. 0: they are there.
    double connect_us = 0;
    /// As Contender's; '@' also takes `groups:N`: N groups of neighbours in every row and column.
    std::vector<std::string> contenders;
};

struct SummaOutcome {
    std::string contender;
    double us = 0;            ///< time until the last rank has multiplied its last blocks
    double mean_us = 0;       ///< mean of all ranks of the time until each has; waits at barriers included
    double computing_us = 0;  ///< a rank's multiplication time within total_us
    double bound_us = 0;      ///< least_us() of summa_bound.h: without barriers and new connections
};

/// Runs one contender after the other on an idle machine. SimGrid allows one simulation per process. Throws
/// std::exception for studies that cannot run.
std::vector<SummaOutcome> simulate_summa(const SummaStudy& study);

}  // namespace strata::simulation
