#pragma once
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "machine.h"
#include "ranks.h"

namespace strata::simulation {

/// Matrix multiplication by SUMMA. Processes form a grid and hold `outer` blocks of either matrix each. In
/// step k, column k of the grid broadcasts its blocks along the rows, row k broadcasts its blocks along the
/// columns, one block at a time, and all processes multiply after each (seed paper on hardware communicators,
/// section 7.3). A contender `hsumma:NAME` broadcasts an outer block, which is all blocks of a process,
/// across groups of the grid first, and then one block at a time inside each group (Quintin, Hasanov and
/// Lastovetsky, ICPP 2013).
struct SummaStudy {
    std::string machine_file;
    JobSpec job;
    std::string selector = "ompi";
    int rows = 0;        ///< grid rows; a divisor of the number of ranks
    int group_rows = 0;  ///< of a group; a divisor of the grid's. 0: no groups, ranks fill the grid by rows
    int group_columns = 0;         ///< likewise. Ranks fill one group after another by rows
    int outer = 1;                 ///< blocks of a process
    std::size_t block_bytes = 64;  ///< whole doubles
    double multiply_us = 0.1;      ///< CPU time of every block
    bool step_barrier = false;     ///< all processes wait for each other, at no cost, after every block
    /// What the first message between two processes of different nodes costs its sender; each contender
    /// starts without connections. 0: they are there.
    double connect_us = 0;
    /// As Contender's, and `hsumma:` before it; '@' also takes `groups:N`: N groups of neighbours in every
    /// row and column.
    std::vector<std::string> contenders;
};

struct SummaOutcome {
    std::string contender;
    double us = 0;            ///< time until the last rank has multiplied its last blocks
    double mean_us = 0;       ///< mean of all ranks of the time until each has; waits at barriers included
    double computing_us = 0;  ///< a rank's multiplication time within total_us
    double bound_us = 0;      ///< least_us() of summa_bound.h: without barriers and new connections
    bool checked = true;      ///< the product was right; false: a broadcast was passed through, without data
};

constexpr std::string_view hierarchical_schedule = "hsumma:";

/// All rows of the grid, or all columns, cut into groups of neighbours.
struct Cut {
    int lines = 0;
    int places = 0;                           ///< of a line
    int group = 0;                            ///< places in a group
    int rank_of_line = 0, rank_of_place = 0;  ///< distance of ranks

    int groups() const { return places / group; }
    int rank(int line, int place) const { return line * rank_of_line + place * rank_of_place; }
};
/// Rows, then columns. One group each without `hierarchical`.
std::array<Cut, 2> cuts_of(const SummaStudy& study, int ranks, bool hierarchical);

/// Runs one contender after the other on an idle machine. SimGrid allows one simulation per process. Throws
/// std::exception for studies that cannot run, and for a wrong product.
std::vector<SummaOutcome> simulate_summa(const SummaStudy& study);

}  // namespace strata::simulation
