#include "summa.h"

#include <simgrid/s4u.hpp>
#include <smpi/smpi.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <stdexcept>
#include <utility>

#include "simulated_job.h"
#include "summa_bound.h"
#include "summa_grid.h"
#include "summa_product.h"

namespace strata::simulation {
namespace {

namespace s4u = simgrid::s4u;

bool is_hierarchical(const std::string& contender) { return contender.starts_with(hierarchical_schedule); }

class SummaRun {
public:
    SummaRun(const SummaStudy& study, const Machine& machine, const Ranks& ranks)
        : study_(study),
          machine_(machine),
          columns_(ranks.size() / study.rows),
          start_(s4u::Barrier::create(static_cast<unsigned>(ranks.size()))) {
        for (const std::string& contender : study.contenders) {
            const bool hierarchical = is_hierarchical(contender);
            const std::string name = contender.substr(hierarchical ? hierarchical_schedule.size() : 0);
            for (const Cut& cut : cuts_of(study, ranks.size(), hierarchical))
                lines_.emplace_back(study, name, machine, ranks, cut);
        }
    }

    /// Runs one simulated process.
    void rank_main(int rank, MPI_Comm comm) {
        for (std::size_t one = 0; one < study_.contenders.size(); ++one) {
            LinesPart row(comm, lines_[2 * one], machine_);
            LinesPart column(comm, lines_[2 * one + 1], machine_);
            Product product(rank / columns_, rank % columns_, study_.block_bytes);
            if (rank == 0) outcome_ = {study_.contenders[one]};
            start_->wait();
            start_->wait();  // all ranks leave it at the same simulated time
            const double begin_s = s4u::Engine::get_clock();
            const bool carried = multiply(row, column, product);
            const double own_us = (s4u::Engine::get_clock() - begin_s) * 1e6;
            outcome_.us = std::max(outcome_.us, own_us);
            outcome_.mean_us += own_us / (study_.rows * columns_);
            outcome_.computing_us = steps() * study_.outer * study_.multiply_us;
            outcome_.checked = outcome_.checked && carried;
            if (carried && !product.is_right(std::min(study_.rows, columns_) * study_.outer))
                wrong_.push_back("contender '" + study_.contenders[one] + "': rank " + std::to_string(rank) +
                                 " has a wrong product");
            start_->wait();
            if (rank == 0) outcomes_.push_back(outcome_);
        }
    }
    std::vector<SummaOutcome> take() {
        if (!wrong_.empty()) throw std::runtime_error(wrong_.front());
        return std::move(outcomes_);
    }

private:
    int steps() const { return std::max(study_.rows, columns_); }

    /// Returns whether all messages carried their data.
    bool multiply(LinesPart& row, LinesPart& column, Product& product) {
        bool carried = true;
        const auto outer = static_cast<std::size_t>(study_.outer);
        const std::size_t doubles = study_.block_bytes / sizeof(double);
        std::vector<double> left(outer * doubles), right(outer * doubles);
        for (int step = 0; step < steps(); ++step) {
            const bool has_left = step < row.places(), has_right = step < column.places();
            if (row.is_owner(step))
                fill(
                    left, [&](int block) { return product.left(block); }, step);
            if (column.is_owner(step))
                fill(
                    right, [&](int block) { return product.right(block); }, step);
            if (has_left) carried = row.across_groups(left, step) && carried;
            if (has_right) carried = column.across_groups(right, step) && carried;
            for (std::size_t block = 0; block < outer; ++block) {
                const auto a = std::span(left).subspan(block * doubles, doubles);
                const auto b = std::span(right).subspan(block * doubles, doubles);
                if (has_left) carried = row.inside_group(a, step) && carried;
                if (has_right) carried = column.inside_group(b, step) && carried;
                if (has_left && has_right) product.add(a, b);
                smpi_execute(study_.multiply_us * 1e-6);
                if (study_.step_barrier) start_->wait();
            }
        }
        return carried;
    }
    template <typename BlockOf>
    void fill(std::vector<double>& outer_block, BlockOf block_of, int step) const {
        outer_block.clear();
        for (int block = step * study_.outer; block < (step + 1) * study_.outer; ++block)
            for (const double value : block_of(block)) outer_block.push_back(value);
    }

    const SummaStudy& study_;
    const Machine& machine_;
    int columns_;
    s4u::BarrierPtr start_;
    std::deque<Lines> lines_;  ///< by contender: those of rows, those of columns
    SummaOutcome outcome_;
    std::vector<SummaOutcome> outcomes_;
    std::vector<std::string> wrong_;
};

[[noreturn]] void refuse(const std::string& option, const std::string& why) {
    throw std::invalid_argument("--" + option + ": " + why);
}

void insist_on_sizes(const SummaStudy& study, int ranks) {
    if (study.rows < 1 || ranks % study.rows != 0)
        refuse("rows", std::to_string(study.rows) + " does not divide " + std::to_string(ranks) + " ranks");
    const int columns = ranks / study.rows;
    const int of_rows = study.group_rows, of_columns = study.group_columns;
    const bool grouped = of_rows != 0 || of_columns != 0;
    if (grouped && (of_rows < 1 || of_columns < 1 || study.rows % of_rows != 0 || columns % of_columns != 0))
        refuse("groups", std::to_string(of_rows) + "x" + std::to_string(of_columns) +
                             " do not divide a grid of " + std::to_string(study.rows) + " x " +
                             std::to_string(columns));
    if (!grouped && std::any_of(study.contenders.begin(), study.contenders.end(), is_hierarchical))
        refuse("contenders", "hsumma: needs --groups");
    if (study.outer < 1) refuse("outer", "has to be at least 1");
    if (study.block_bytes == 0 || study.block_bytes % sizeof(double) != 0)
        refuse("block", std::to_string(study.block_bytes) + " bytes are no whole doubles, of 8 bytes");
}

/// Returns the ranks by their places in the grid, row by row.
Ranks in_grid(const Ranks& ranks, const SummaStudy& study) {
    if (study.group_rows == 0) return ranks;
    const int columns = ranks.size() / study.rows;
    std::vector<int> members;
    for (int place = 0; place < ranks.size(); ++place) {
        const int row = place / columns, column = place % columns;
        const int group =
            row / study.group_rows * (columns / study.group_columns) + column / study.group_columns;
        const int inside = row % study.group_rows * study.group_columns + column % study.group_columns;
        members.push_back(group * study.group_rows * study.group_columns + inside);
    }
    return ranks.subset(members);
}

}  // namespace

std::array<Cut, 2> cuts_of(const SummaStudy& study, int ranks, bool hierarchical) {
    const int columns = ranks / study.rows;
    return {Cut{study.rows, columns, hierarchical ? study.group_columns : columns, columns, 1},
            Cut{columns, study.rows, hierarchical ? study.group_rows : study.rows, 1, columns}};
}

std::vector<SummaOutcome> simulate_summa(const SummaStudy& study) {
    const Machine machine = read_machine(study.machine_file);
    const Ranks all(machine, study.job);
    insist_on_sizes(study, all.size());
    insist_on_selector(study.selector);
    Ranks ranks = in_grid(all, study);
    std::optional<SummaRun> run;
    run_job(
        machine, ranks, study.selector, [&] { run.emplace(study, machine, ranks); },
        [&](int rank, MPI_Comm comm) { run->rank_main(rank, comm); });
    std::vector<SummaOutcome> outcomes = run->take();
    for (SummaOutcome& outcome : outcomes)
        outcome.bound_us = least_us(study, machine, ranks.hierarchy(), is_hierarchical(outcome.contender));
    return outcomes;
}

}  // namespace strata::simulation
