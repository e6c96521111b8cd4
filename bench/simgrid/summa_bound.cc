#include "summa_bound.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace strata::simulation {
namespace {

class Grid {
public:
    Grid(const Machine& machine, const topology::Hierarchy& hierarchy)
        : machine_(machine), hierarchy_(hierarchy), us_(hierarchy.stop.size(), 0.0) {}

    /// Broadcasts along the ranks `first`, `first + apart`, ..., `size` in number, from the one at `root`.
    void broadcast(int first, int apart, int size, int root) {
        if (size < 2) return;
        const int source = first + root * apart;
        const double sent_us = at(source) + machine_.overhead_us;
        for (int place = 0; place < size; ++place) {
            const int rank = first + place * apart;
            if (rank == source) continue;
            at(rank) = std::max(at(rank), sent_us + latency_us(source, rank)) + machine_.overhead_us;
        }
        at(source) = sent_us;
    }
    void multiply(double us) {
        for (double& now : us_) now += us;
    }
    double last_us() const { return *std::max_element(us_.begin(), us_.end()); }

private:
    double& at(int rank) { return us_[static_cast<std::size_t>(rank)]; }
    double latency_us(int a, int b) const {
        const auto group = static_cast<std::size_t>(hierarchy_.lowest_common_group(a, b));
        return machine_.at(hierarchy_.groups[group].level).latency_us;
    }

    const Machine& machine_;
    const topology::Hierarchy& hierarchy_;
    std::vector<double> us_;  // by rank: end of its work so far
};

}  // namespace

double least_us(const SummaStudy& study, const Machine& machine, const topology::Hierarchy& hierarchy) {
    const int columns = hierarchy.ranks() / study.rows;
    Grid grid(machine, hierarchy);
    for (int step = 0; step < std::max(study.rows, columns); ++step) {
        for (int row = 0; row < study.rows && step < columns; ++row)
            grid.broadcast(row * columns, 1, columns, step);
        for (int column = 0; column < columns && step < study.rows; ++column)
            grid.broadcast(column, columns, study.rows, step);
        grid.multiply(study.multiply_us);
    }
    return grid.last_us();
}

}  // namespace strata::simulation
