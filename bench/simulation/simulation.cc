#include "simulation.h"

#include <simgrid/s4u.hpp>

#include <algorithm>
#include <deque>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "rank_part.h"
#include "simulated_job.h"

namespace strata::simulation {
namespace {

namespace s4u = simgrid::s4u;

/// What all ranks of a running simulation share.
class Run {
public:
    Run(const Study& study, const Machine& machine, const Ranks& ranks, const Progress& progress)
        : study_(study),
          machine_(machine),
          ranks_(ranks),
          progress_(progress),
          start_(s4u::Barrier::create(size())) {
        for (const std::string& name : study.contenders) {
            contenders_.emplace_back(name, machine, ranks);
            for (const Call& call : study.calls) contenders_.back().insist_on(call.collective);
        }
        if (study.check) return;
        const int all = ranks.hierarchy.ranks();
        std::size_t most =
            memory_of({algorithms::Collective::bcast, static_cast<std::size_t>(all) * sizeof(double), 0},
                      all);  // to warm up
        for (const Call& call : study.calls) most = std::max(most, memory_of(call, all));
        shared_.resize(2 * most);
    }

    /// One simulated process.
    void rank_main(int rank) {
        RankPart part(MPI_COMM_WORLD, machine_, ranks_, shared_, traffic_);
        part.warm_up();
        for (std::size_t call = 0; call < study_.calls.size(); ++call) {
            for (std::size_t contender = 0; contender < contenders_.size(); ++contender) {
                perform(part, rank, contender, call);
            }
        }
    }
    std::vector<Outcome> take() { return std::move(outcomes_); }

private:
    unsigned size() const { return static_cast<unsigned>(ranks_.hierarchy.ranks()); }

    void perform(RankPart& part, int rank, std::size_t contender, std::size_t number) {
        const Call& call = study_.calls[number];
        part.prepare(call);
        if (rank == 0) begin(contender, number);
        start_->wait();
        if (study_.traces) part.transport().record(&sent_[static_cast<std::size_t>(rank)]);
        start_->wait();  // all leave it at the same simulated time
        const double begin_s = s4u::Engine::get_clock();
        const int code = part.perform(contenders_[contender], call);
        last_s_ = std::max(last_s_, s4u::Engine::get_clock() - begin_s);
        if (code != MPI_SUCCESS)
            faults_.push_back("rank " + std::to_string(rank) + " returned " + std::to_string(code));
        if (const std::string wrong = part.verdict(call); !wrong.empty()) faults_.push_back(wrong);
        start_->wait();
        if (rank == 0) end(contender, number);
        start_->wait();
    }
    void begin(std::size_t contender, std::size_t number) {
        last_s_ = 0;
        traffic_ = {};
        sent_.assign(study_.traces ? size() : 0, {});
        faults_.clear();
        const Contender& one = contenders_[contender];
        plan_ = one.is_mpi() ? "mpi" : describe(contenders_[contender].plan(study_.calls[number]));
    }
    void end(std::size_t contender, std::size_t number) {
        outcomes_.push_back(
            {contender, number, last_s_ * 1e6, traffic_, plan_, std::move(sent_), std::move(faults_)});
        if (progress_)
            progress_(outcomes_.back(), outcomes_.size(), study_.calls.size() * contenders_.size());
    }
    static std::string describe(const algorithms::Plan& plan) {
        std::string text(algorithms::name_of(plan.engine));
        for (const algorithms::LevelPlan& level : plan.levels) {
            if (plan.engine == algorithms::Engine::forward) break;
            text += " " + topology::name_of(level.level) + "=" + algorithms::name_of(level.method) + "/" +
                    std::to_string(level.segment_bytes);
        }
        return text;
    }

    const Study& study_;
    const Machine& machine_;
    const Ranks& ranks_;
    const Progress& progress_;
    s4u::BarrierPtr start_;
    std::deque<Contender> contenders_;
    std::vector<std::byte> shared_;
    // Of the call that is being made.
    double last_s_ = 0;
    Traffic traffic_;
    std::string plan_;
    std::vector<std::vector<SentTo>> sent_;
    std::vector<std::string> faults_;
    std::vector<Outcome> outcomes_;
};

void insist_on_known(const Study& study, std::size_t ranks) {
    constexpr std::string_view known[] = {"ompi", "mpich"};
    if (std::find(std::begin(known), std::end(known), study.selector) == std::end(known)) {
        throw std::invalid_argument("selector '" + study.selector + "': known: ompi, mpich");
    }
    for (const Call& call : study.calls) {
        if (call.root < 0 || static_cast<std::size_t>(call.root) >= ranks) {
            throw std::invalid_argument("root " + std::to_string(call.root) + " is no rank from 0 to " +
                                        std::to_string(ranks - 1));
        }
    }
}

std::size_t rounded_up(std::size_t bytes, std::size_t whole) { return (bytes + whole - 1) / whole * whole; }

Study with_whole_calls(Study study, std::size_t ranks) {
    for (Call& call : study.calls) {
        const algorithms::CollectiveTraits traits = algorithms::traits_of(call.collective);
        if (traits.blocks) call.bytes = rounded_up(std::max<std::size_t>(call.bytes, 1), ranks);
        if (traits.folds) call.bytes = rounded_up(std::max<std::size_t>(call.bytes, 1), sizeof(double));
    }
    return study;
}

}  // namespace

std::vector<Outcome> simulate(const Study& wanted, const Progress& progress) {
    const Machine machine = read_machine(wanted.machine_file);
    const Ranks ranks = make_ranks(machine, wanted.job);
    insist_on_known(wanted, ranks.records.size());
    const Study study = with_whole_calls(wanted, ranks.records.size());
    std::optional<Run> run;
    run_job(
        machine, ranks, study.selector, [&] { run.emplace(study, machine, ranks, progress); },
        [&](int rank) { run->rank_main(rank); });
    return run->take();
}

}  // namespace strata::simulation
