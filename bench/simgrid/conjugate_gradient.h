#pragma once
#include <string>
#include <vector>

#include "ranks.h"

namespace strata::simulation {

/// A run of introspection/examples/conjugate_gradient.c.
struct ConjugateGradientStudy {
    std::string machine_file;
    JobSpec job;
    std::vector<std::string> arguments;  ///< of the program
    double element_ns = 2.6;             ///< time of a matrix element in a product
    double plan_us = 0;                  ///< time that rank 0 takes to compute a new order
};

/// Runs the program on all ranks, with the introspection library's own reordering; the program prints its
/// results. Returns its greatest exit status. Throws std::exception for jobs that cannot run.
int simulate_conjugate_gradient(const ConjugateGradientStudy& study);

}  // namespace strata::simulation
