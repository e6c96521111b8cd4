#pragma once
#include <smpi/mpi.h>

#include <deque>
#include <optional>
#include <string>

#include "connections.h"
#include "rank_part.h"
#include "summa.h"

namespace strata::simulation {

/// Processes that broadcast to each other.
struct Line {
    Ranks ranks;
    Traffic traffic;
    Connections connections;
    Contender contender;

    Line(const SummaStudy& study, const std::string& name, const Machine& machine, Ranks of_line);
};

/// All rows of the grid, or all columns, as one contender broadcasts along them.
struct Lines {
    Cut cut;
    std::deque<Line> inside;  ///< a group of a row
    std::deque<Line> across;  ///< processes of the same place in the groups of a row; none with one group

    Lines(const SummaStudy& study, const std::string& name, const Machine& machine, const Ranks& ranks,
          Cut of);
};

/// One process's part in the broadcasts of a line.
class LinePart {
public:
    /// Collective over `all`; processes with the same `number` form the line, in order of their ranks.
    LinePart(MPI_Comm all, int number, Line& line, const Machine& machine);
    ~LinePart();
    LinePart(const LinePart&) = delete;
    LinePart& operator=(const LinePart&) = delete;

    /// `data` is what the root gives, and what all others get. Returns whether the messages carried it.
    bool broadcast(std::span<double> data, int root);

private:
    Line& line_;
    MPI_Comm comm_ = MPI_COMM_NULL;
    std::optional<RankPart> part_;
};

/// One process's part in the broadcasts along its row, or along its column.
class LinesPart {
public:
    /// Collective over `all`.
    LinesPart(MPI_Comm all, Lines& lines, const Machine& machine);

    int places() const { return cut_.places; }
    bool is_owner(int step) const { return place_ == step; }
    /// Broadcasts the outer block of step `step` across groups. Returns false if messages carried nothing.
    bool across_groups(std::span<double> outer_block, int step);
    /// Broadcasts one block of it inside the group.
    bool inside_group(std::span<double> block, int step);

private:
    const Cut& cut_;
    int place_;
    std::optional<LinePart> inside_, across_;
};

}  // namespace strata::simulation
