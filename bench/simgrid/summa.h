#pragma once
#include <string>
#include <vector>

#include "machine.h"
#include "ranks.h"

namespace strata::simulation {

/// Multiplication of matrices by SUMMA: processes in a grid, each with one block of either matrix; in step k
/// column k of the grid broadcasts its blocks along the rows and row k its blocks along the columns, and all
/// multiply (seed paper on hardware communicators, section 7.3).
struct SummaStudy {
    std::string machine_file;
    JobSpec job;
    std::string selector = "ompi";
    int rows = 0;  ///< of the grid; must divide the number of ranks
    std::size_t block_bytes = 64;
    double multiply_us = 0.1;  ///< processor time of every step
    /// As Contender's; behind '@' also `groups:N`, N groups of neighbours on every row and column.
    std::vector<std::string> contenders;
};

struct SummaOutcome {
    std::string contender;
    double us = 0;            ///< until the last rank has multiplied its last blocks
    double computing_us = 0;  ///< of which a rank multiplies
    double bound_us = 0;      ///< least_us() of summa_bound.h
};

/// One contender after the other on an idle machine. SimGrid allows one simulation per process. Throws
/// std::exception for studies that cannot be run.
std::vector<SummaOutcome> simulate_summa(const SummaStudy& study);

}  // namespace strata::simulation
