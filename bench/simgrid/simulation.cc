#include "simulation.h"

#include <simgrid/s4u.hpp>

#include <algorithm>
#include <deque>
#include <optional>
#include <stdexcept>
#include <utility>

#include "algorithms/cost/bound.h"
#include "rank_part.h"
#include "simulated_job.h"

namespace strata::simulation {
namespace {

namespace s4u = simgrid::s4u;

/// State that all ranks of a running simulation share.
class Run {
public:
    Run(const Study& study, const std::vector<Call>& asked, const Machine& machine, Ranks& ranks,
        const Progress& progress)
        : study_(study),
          asked_(asked),
          machine_(machine),
          ranks_(ranks),
          progress_(progress),
          start_(s4u::Barrier::create(size())),
          traffic_(ranks.hierarchy()) {
        for (unsigned rank = 0; rank < size(); ++rank) turns_.push_back(s4u::Semaphore::create(0));
        for (const std::string& name : study.contenders) {
            contenders_.emplace_back(name, machine, ranks);
            for (const Call& call : study.calls) contenders_.back().insist_on(call);
        }
        if (study.check) return;
        const int all = ranks.size();
        std::size_t most =
            memory_of({algorithms::Collective::bcast, static_cast<std::size_t>(all) * sizeof(double), 0},
                      all);  // to warm up
        for (const Call& call : study.calls) most = std::max(most, memory_of(call, all));
        shared_.resize(2 * most);
    }

    /// Runs one simulated process.
    void rank_main(int rank, MPI_Comm comm) {
        RankPart part(comm, machine_, shared_, traffic_);
        if (std::any_of(contenders_.begin(), contenders_.end(),
                        [](const Contender& c) { return c.is_mpi() && !c.gathers(); }))
            part.warm_up();
        for (const Contender& contender : contenders_)
            if (contender.gathers()) part.make_levels(contender.hierarchy());
        for (std::size_t call = 0; call < study_.calls.size(); ++call) {
            for (std::size_t contender = 0; contender < contenders_.size(); ++contender) {
                perform(part, rank, contender, call);
            }
        }
    }
    std::vector<Outcome> take() { return std::move(outcomes_); }

private:
    unsigned size() const { return static_cast<unsigned>(ranks_.size()); }

    void perform(RankPart& part, int rank, std::size_t contender, std::size_t number) {
        const Call& call = study_.calls[number];
        if (call.root != rotating_root) part.prepare(call);
        if (rank == 0) begin(contender, number);
        start_->wait();
        if (study_.traces) part.transport().record(&sent_[static_cast<std::size_t>(rank)]);
        start_->wait();  // all ranks leave it at the same simulated time
        line_up(rank);
        const double begin_s = s4u::Engine::get_clock();
        const int code = call.root == rotating_root ? rotate(part, contender, call)
                                                    : part.perform(contenders_[contender], call);
        last_s_ = std::max(last_s_, s4u::Engine::get_clock() - begin_s);
        if (code != MPI_SUCCESS)
            faults_.push_back("rank " + std::to_string(rank) + " returned " + std::to_string(code));
        if (const std::string wrong = call.root == rotating_root ? std::string() : part.verdict(call);
            !wrong.empty())
            faults_.push_back(wrong);
        start_->wait();
        if (rank == 0) end();
        start_->wait();
    }
    /// Every rank is the root in turn, with an acknowledged barrier after each call (seed paper on multilevel
    /// collectives, section 4).
    int rotate(RankPart& part, std::size_t contender, Call call) {
        int code = MPI_SUCCESS;
        for (call.root = 0; call.root < ranks_.size() && code == MPI_SUCCESS; ++call.root) {
            part.prepare(call);
            code = part.perform(contenders_[contender], call);
            if (const std::string wrong = part.verdict(call); !wrong.empty()) faults_.push_back(wrong);
            if (code == MPI_SUCCESS) code = part.acknowledged_barrier();
        }
        return code;
    }
    /// Resumes ranks one after the other at the same simulated time. A barrier wakes them in another order
    /// each time, which decides between messages of the same moment: the same call would vary by some per
    /// cent with its place in a study.
    void line_up(int rank) {
        const auto own = static_cast<std::size_t>(rank);
        if (rank > 0) turns_[own]->acquire();
        if (own + 1 < turns_.size()) turns_[own + 1]->release();
    }
    void begin(std::size_t contender, std::size_t number) {
        last_s_ = 0;
        traffic_.clear();
        sent_.assign(study_.traces ? size() : 0, {});
        faults_.clear();
        current_ = {};
        current_.contender = contender;
        current_.call = asked_[number];
        const Call& call = study_.calls[number];
        current_.plan = "mpi";
        if (call.root == rotating_root) current_.plan = "plans of all roots";
        if (call.root != rotating_root) {
            current_.bound_us =
                least_us(ranks_.hierarchy(), links_, {call.collective, call.bytes, call.root});
        }
        if (contenders_[contender].is_mpi() || call.root == rotating_root) return;
        const algorithms::Plan& plan = contenders_[contender].plan(call);
        current_.plan = describe(plan);
        current_.reason = plan.reason;
        current_.predicted_us = plan.predicted_us;
        current_.forward_us = plan.forward_us;
    }
    void end() {
        current_.us = last_s_ * 1e6;
        current_.traffic = traffic_.by_level();
        current_.sent = std::move(sent_);
        current_.faults = std::move(faults_);
        outcomes_.push_back(std::move(current_));
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
    const std::vector<Call>& asked_;  // before sizes were rounded up
    const Machine& machine_;
    Ranks& ranks_;
    const algorithms::LinkTable links_ = machine_.table(ranks_.hierarchy());
    const Progress& progress_;
    s4u::BarrierPtr start_;
    std::vector<s4u::SemaphorePtr> turns_;  // by rank
    std::deque<Contender> contenders_;
    std::vector<std::byte> shared_;
    // State of the current call.
    double last_s_ = 0;
    Traffic traffic_;
    Outcome current_;
    std::vector<std::vector<SentTo>> sent_;
    std::vector<std::string> faults_;
    std::vector<Outcome> outcomes_;
};

void insist_on_known(const Study& study, int ranks) {
    insist_on_selector(study.selector);
    for (const Call& call : study.calls) {
        if (call.root != rotating_root && (call.root < 0 || call.root >= ranks)) {
            throw std::invalid_argument("root " + std::to_string(call.root) + " is no rank from 0 to " +
                                        std::to_string(ranks - 1));
        }
    }
}

std::size_t rounded_up(std::size_t bytes, std::size_t whole) { return (bytes + whole - 1) / whole * whole; }

std::vector<Call> with_roots(const std::vector<Call>& calls, int ranks) {
    std::vector<Call> all;
    for (Call call : calls) {
        const bool rooted = algorithms::traits_of(call.collective).rooted;
        if (call.root == rotating_root && !rooted) {
            throw std::invalid_argument(std::string(algorithms::name_of(call.collective)) +
                                        " has no root to rotate");
        }
        const bool each = call.root == every_root && rooted;
        if (call.root == every_root) call.root = 0;
        for (int left = each ? ranks : 1; left > 0; --left, ++call.root) all.push_back(call);
    }
    return all;
}

std::vector<Call> with_whole_sizes(std::vector<Call> calls, int ranks) {
    for (Call& call : calls) {
        const algorithms::CollectiveTraits traits = algorithms::traits_of(call.collective);
        if (traits.blocks)
            call.bytes = rounded_up(std::max<std::size_t>(call.bytes, 1), static_cast<std::size_t>(ranks));
        if (traits.combines) call.bytes = rounded_up(std::max<std::size_t>(call.bytes, 1), sizeof(double));
    }
    return calls;
}

}  // namespace

std::vector<Outcome> simulate(const Study& wanted, const Progress& progress) {
    const Machine machine = read_machine(wanted.machine_file, wanted.changes);
    Ranks ranks(machine, wanted.job);
    const std::vector<Call> asked = with_roots(wanted.calls, ranks.size());
    Study study = wanted;
    study.calls = with_whole_sizes(asked, ranks.size());
    insist_on_known(study, ranks.size());
    std::optional<Run> run;
    run_job(
        machine, ranks, study.selector, [&] { run.emplace(study, asked, machine, ranks, progress); },
        [&](int rank, MPI_Comm comm) { run->rank_main(rank, comm); });
    return run->take();
}

}  // namespace strata::simulation
