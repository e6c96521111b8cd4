#include "summa.h"

#include <simgrid/s4u.hpp>
#include <smpi/smpi.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <stdexcept>
#include <utility>

#include "rank_part.h"
#include "simulated_job.h"
#include "summa_bound.h"
#include "topology/text.h"

namespace strata::simulation {
namespace {

namespace s4u = simgrid::s4u;

/// Splits `ranks` into N groups of neighbours of nearly equal size, in Ranks::seen_as()'s grammar.
std::string neighbours(int ranks, int groups) {
    std::string view;
    for (int group = 0; group < groups; ++group) {
        const int first = ranks * group / groups;
        const int last = ranks * (group + 1) / groups - 1;
        if (last < first) continue;
        view += (view.empty() ? "[" : "+[") + std::to_string(first) + ".." + std::to_string(last) + "]";
    }
    return view;
}

std::string name_for(const std::string& contender, int ranks) {
    constexpr std::string_view word = "@groups:";
    const std::size_t at = contender.find(word);
    if (at == std::string::npos) return contender;
    const auto groups = topology::whole_number<int>(contender.substr(at + word.size()));
    if (!groups || *groups < 1)
        throw std::invalid_argument("contender '" + contender + "': no number of groups");
    return contender.substr(0, at + 1) + neighbours(ranks, *groups);
}

/// One row or column of the grid with all contenders.
struct Line {
    Ranks ranks;
    Traffic traffic;
    Connections connections;
    std::deque<Contender> contenders;

    Line(const SummaStudy& study, const Machine& machine, Ranks of_line)
        : ranks(std::move(of_line)),
          traffic(ranks.hierarchy()),
          connections(ranks.hierarchy(), study.connect_us) {
        for (const std::string& name : study.contenders) {
            contenders.emplace_back(name_for(name, ranks.size()), machine, ranks);
            contenders.back().insist_on(algorithms::Collective::bcast);
            if (study.connect_us > 0) insist_on_own_messages(study, contenders.back(), name);
        }
    }

    /// Open MPI's messages make no connections here.
    void insist_on_own_messages(const SummaStudy& study, Contender& contender, const std::string& name) {
        for (int root = 0; root < ranks.size(); ++root) {
            const Call call{algorithms::Collective::bcast, study.block_bytes, root};
            if (contender.is_mpi() || contender.plan(call).engine == algorithms::Engine::forward) {
                throw std::invalid_argument(
                    "contender '" + name +
                    "': --connect-us does not count connections of calls that are passed through");
            }
        }
    }
};

class SummaRun {
public:
    SummaRun(const SummaStudy& study, const Machine& machine, const Ranks& ranks)
        : study_(study),
          machine_(machine),
          columns_(ranks.size() / study.rows),
          start_(s4u::Barrier::create(static_cast<unsigned>(ranks.size()))) {
        for (int row = 0; row < study.rows; ++row) {
            std::vector<int> members;
            for (int column = 0; column < columns_; ++column) members.push_back(row * columns_ + column);
            row_lines_.emplace_back(study, machine, ranks.subset(members));
        }
        for (int column = 0; column < columns_; ++column) {
            std::vector<int> members;
            for (int row = 0; row < study.rows; ++row) members.push_back(row * columns_ + column);
            column_lines_.emplace_back(study, machine, ranks.subset(members));
        }
        const auto most = static_cast<std::size_t>(ranks.size()) * sizeof(double) + study.block_bytes;
        shared_.resize(4 * most);
    }

    /// Runs one simulated process.
    void rank_main(int rank, MPI_Comm comm) {
        const int row = rank / columns_;
        const int column = rank % columns_;
        MPI_Comm along_row = MPI_COMM_NULL;
        MPI_Comm along_column = MPI_COMM_NULL;
        MPI_Comm_split(comm, row, column, &along_row);
        MPI_Comm_split(comm, column, row, &along_column);
        Line& mine_along_row = row_lines_[static_cast<std::size_t>(row)];
        Line& mine_along_column = column_lines_[static_cast<std::size_t>(column)];
        {
            RankPart row_part(along_row, machine_, shared_, mine_along_row.traffic);
            RankPart column_part(along_column, machine_, shared_, mine_along_column.traffic);
            row_part.warm_up();
            column_part.warm_up();
            row_part.transport().connect_by(mine_along_row.connections);
            column_part.transport().connect_by(mine_along_column.connections);
            for (std::size_t one = 0; one < study_.contenders.size(); ++one) {
                if (rank == 0) begin();
                start_->wait();
                start_->wait();  // all ranks leave it at the same simulated time
                const double begin_s = s4u::Engine::get_clock();
                multiply(row_part, mine_along_row.contenders[one], column_part,
                         mine_along_column.contenders[one]);
                const double own_s = s4u::Engine::get_clock() - begin_s;
                last_s_ = std::max(last_s_, own_s);
                sum_s_ += own_s;
                start_->wait();
                if (rank == 0)
                    outcomes_.push_back({study_.contenders[one], last_s_ * 1e6,
                                         sum_s_ * 1e6 / (study_.rows * columns_),
                                         steps() * study_.multiply_us});
            }
        }
        MPI_Comm_free(&along_row);
        MPI_Comm_free(&along_column);
    }
    std::vector<SummaOutcome> take() { return std::move(outcomes_); }

private:
    void begin() {
        last_s_ = sum_s_ = 0;
        for (std::deque<Line>* lines : {&row_lines_, &column_lines_})
            for (Line& line : *lines) line.connections.forget();
    }
    int steps() const { return std::max(study_.rows, columns_); }

    void multiply(RankPart& row_part, Contender& of_row, RankPart& column_part, Contender& of_column) {
        for (int step = 0; step < steps(); ++step) {
            if (step < columns_) broadcast(row_part, of_row, step);
            if (step < study_.rows) broadcast(column_part, of_column, step);
            smpi_execute(study_.multiply_us * 1e-6);
            if (study_.step_barrier) start_->wait();
        }
    }
    void broadcast(RankPart& part, Contender& contender, int root) const {
        const Call call{algorithms::Collective::bcast, study_.block_bytes, root};
        part.prepare(call);
        if (part.perform(contender, call) != MPI_SUCCESS) throw std::runtime_error("a broadcast failed");
    }

    const SummaStudy& study_;
    const Machine& machine_;
    int columns_;
    s4u::BarrierPtr start_;
    std::deque<Line> row_lines_;
    std::deque<Line> column_lines_;
    std::vector<std::byte> shared_;
    double last_s_ = 0;
    double sum_s_ = 0;
    std::vector<SummaOutcome> outcomes_;
};

}  // namespace

std::vector<SummaOutcome> simulate_summa(const SummaStudy& study) {
    const Machine machine = read_machine(study.machine_file);
    Ranks ranks(machine, study.job);
    if (study.rows < 1 || ranks.size() % study.rows != 0) {
        throw std::invalid_argument("--rows: " + std::to_string(study.rows) + " does not divide " +
                                    std::to_string(ranks.size()) + " ranks");
    }
    insist_on_selector(study.selector);
    std::optional<SummaRun> run;
    run_job(
        machine, ranks, study.selector, [&] { run.emplace(study, machine, ranks); },
        [&](int rank, MPI_Comm comm) { run->rank_main(rank, comm); });
    std::vector<SummaOutcome> outcomes = run->take();
    const double bound_us = least_us(study, machine, ranks.hierarchy());
    for (SummaOutcome& outcome : outcomes) outcome.bound_us = bound_us;
    return outcomes;
}

}  // namespace strata::simulation
