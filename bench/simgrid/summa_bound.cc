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

double least_us(const SummaStudy& study, const Machine& machine, const topology::Hierarchy& hierarchy,
                bool hierarchical) {
    const std::array<Cut, 2> cuts = cuts_of(study, hierarchy.ranks(), hierarchical);
    Grid grid(machine, hierarchy);
    for (int step = 0; step < std::max(cuts[0].places, cuts[1].places); ++step) {
        for (const Cut& cut : cuts) {
            for (int line = 0; line < cut.lines && step < cut.places; ++line)
                grid.broadcast(cut.rank(line, step % cut.group), cut.rank_of_place * cut.group, cut.groups(),
                               step / cut.group);
        }
        for (int block = 0; block < study.outer; ++block) {
            for (const Cut& cut : cuts) {
                for (int group = 0; group < cut.lines * cut.groups() && step < cut.places; ++group) {
                    const int first = cut.rank(group / cut.groups(), group % cut.groups() * cut.group);
                    grid.broadcast(first, cut.rank_of_place, cut.group, step % cut.group);
                }
            }
            grid.multiply(study.multiply_us);
        }
    }
    return grid.last_us();
}

}  // namespace strata::simulation
