#include "reduce_runs.h"

#include <algorithm>

#include "consecutive_shapes.h"
#include "random_shapes.h"
#include "windows.h"

namespace strata::testing {
namespace {

constexpr std::byte missing{0xEE};

std::vector<std::byte> serial_result(const ReduceCase& reduce) {
    std::vector<std::byte> sum;
    for (int place = 0; place < reduce.hierarchy.ranks(); ++place) {
        const int rank = reduce.order.empty() ? place : reduce.order[static_cast<std::size_t>(place)];
        std::vector<std::byte> right = contribution(reduce.op, reduce.elements, rank);
        if (place > 0) {
            apply(reduce.op, sum.data(), right.data(), reduce.elements);
        }
        sum = std::move(right);
    }
    return sum;
}

/// Counts calls and makes one fail.
class Fuse {
public:
    Fuse(const Mishap& mishap, Mishap::Kind kind, int rank)
        : call_(mishap.rank == rank && mishap.kind == kind ? mishap.call : 0), code_(mishap.code) {}
    int burn() { return ++calls_ == call_ ? code_ : 0; }

private:
    int call_;
    int code_;
    int calls_ = 0;
};

class CheckedReduction : public algorithms::Reduction {
public:
    CheckedReduction(Operator op, Fuse fuse) : Reduction(bytes_of(op)), op_(op), fuse_(fuse) {}

    int combine(const std::byte* left, std::byte* right, std::size_t bytes) override {
        if (const int code = fuse_.burn(); code != 0) {
            return code;
        }
        if (bytes == 0 || bytes % element_bytes() != 0) {
            fault_ = "combine of " + std::to_string(bytes) + " bytes";
            return 0;
        }
        if (left < right + bytes && right < left + bytes) {
            fault_ = "operands overlap";
        }
        apply(op_, left, right, bytes / element_bytes());
        return 0;
    }
    const std::string& verdict() const { return fault_; }

private:
    Operator op_;
    Fuse fuse_;
    std::string fault_;
};

/// The rank's own contribution, copied from `elements` when the engine asks for it.
class OwnBuffer : public algorithms::PackedBuffer {
public:
    OwnBuffer(std::vector<std::byte>& memory, const std::vector<std::byte>& elements, Fuse fuse)
        : PackedBuffer(memory.data(), memory.size()), elements_(elements), fuse_(fuse) {}

    int produce(std::size_t end) override {
        if (const int code = fuse_.burn(); code != 0) {
            return code;
        }
        if (end <= announced_ || end > bytes()) {
            fault_ = "produce(" + std::to_string(end) + ") after " + std::to_string(announced_);
            return 0;
        }
        std::copy(elements_.begin() + static_cast<std::ptrdiff_t>(announced_),
                  elements_.begin() + static_cast<std::ptrdiff_t>(end), data_ + announced_);
        announced_ = end;
        return 0;
    }
    std::string verdict() const {
        if (fault_.empty() && announced_ != bytes()) {
            return std::to_string(announced_) + " of " + std::to_string(bytes()) + " bytes were produced";
        }
        return fault_;
    }

private:
    const std::vector<std::byte>& elements_;
    Fuse fuse_;
    std::size_t announced_ = 0;
    std::string fault_;
};

/// The result, copied to `elements` when it arrives; `expected` empty: unknown.
class ResultBuffer : public algorithms::PackedBuffer {
public:
    ResultBuffer(std::vector<std::byte>& memory, std::vector<std::byte>& elements,
                 const std::vector<std::byte>& expected, Fuse fuse)
        : PackedBuffer(memory.data(), memory.size()), elements_(elements), expected_(expected), fuse_(fuse) {}

    int consume(std::size_t end) override {
        if (const int code = fuse_.burn(); code != 0) {
            return code;
        }
        if (end <= announced_ || end > bytes()) {
            fault_ = "consume(" + std::to_string(end) + ") after " + std::to_string(announced_);
            return 0;
        }
        for (; announced_ < end; ++announced_) {
            elements_[announced_] = data_[announced_];
            if (!expected_.empty() && data_[announced_] != expected_[announced_]) {
                fault_ = "byte " + std::to_string(announced_) + " was announced but is wrong";
            }
        }
        return 0;
    }
    std::string verdict() const {
        if (!fault_.empty()) {
            return fault_;
        }
        if (announced_ != bytes()) {
            return std::to_string(announced_) + " of " + std::to_string(bytes()) + " bytes were consumed";
        }
        return std::equal(elements_.begin(), elements_.end(), data_) ? "" : "the result changed at the end";
    }

private:
    std::vector<std::byte>& elements_;
    const std::vector<std::byte>& expected_;
    Fuse fuse_;
    std::size_t announced_ = 0;
    std::string fault_;
};

/// One rank's call: its memory, the engine, and the errors found afterwards.
struct RankCall {
    const ReduceCase& reduce;
    const std::vector<std::byte>& expected;
    int rank;
    bool has_result;

    int run(algorithms::Transport& transport, const ReduceEngine& engine, algorithms::Arena& arena,
            std::vector<std::byte>& outcome, std::string& fault) const {
        const Placement placement = has_result ? reduce.placement : Placement::separate;
        const std::vector<std::byte> input = contribution(reduce.op, reduce.elements, rank);
        std::vector<std::byte> user = input;
        std::vector<std::byte> own_memory(reduce.bytes(), missing);
        std::vector<std::byte> other_memory(reduce.bytes(), missing);
        std::vector<std::byte>& result_memory = placement == Placement::in_place ? own_memory : other_memory;
        CheckedReduction reduction(reduce.op, {reduce.mishap, Mishap::Kind::combine, rank});
        OwnBuffer own(own_memory, placement == Placement::packed_in_place ? user : input,
                      {reduce.mishap, Mishap::Kind::produce, rank});
        ResultBuffer result(result_memory, user, expected, {reduce.mishap, Mishap::Kind::consume, rank});
        const int code = engine(rank, transport, {own, has_result ? &result : nullptr}, reduction, arena);
        if (code != 0) {
            return code;
        }
        fault = reduction.verdict();
        if (fault.empty()) {
            fault = own.verdict();
        }
        if (fault.empty() && placement != Placement::in_place && own_memory != input) {
            fault = "the rank's own data changed";
        }
        if (has_result) {
            fault = fault.empty() ? result.verdict() : fault;
            outcome = user;
        } else if (user != input || (reduce.bytes() > 0 && other_memory.front() != missing)) {
            fault = "a result on a rank that gets none";
        }
        return 0;
    }
};

}  // namespace

std::size_t ReduceCase::segment_bytes() const {
    const std::size_t wanted = plan.levels.front().segment_bytes;
    const std::size_t element = bytes_of(op);
    if (wanted == 0 || wanted >= bytes()) {
        return 0;
    }
    return wanted < element ? element : wanted - wanted % element;
}

ReduceRun run_reduction(const ReduceCase& reduce, const FabricOptions& options, bool everywhere,
                        const ReduceEngine& engine, Arenas* arenas) {
    const auto ranks = static_cast<std::size_t>(reduce.hierarchy.ranks());
    const std::vector<std::byte> expected =
        associates(reduce.op) ? serial_result(reduce) : std::vector<std::byte>{};
    Arenas own_arenas(arenas != nullptr ? 0 : ranks);
    Arenas& memory = arenas != nullptr ? *arenas : own_arenas;
    std::vector<std::string> faults(ranks);
    ReduceRun run;
    run.results.resize(ranks);
    run.report =
        run_ranks(reduce.hierarchy.ranks(), options, [&](int rank, algorithms::Transport& transport) {
            const RankCall call{reduce, expected, rank, everywhere || rank == reduce.root};
            algorithms::Arena& arena = memory[static_cast<std::size_t>(rank)];
            const int code = call.run(transport, engine, arena, run.results[static_cast<std::size_t>(rank)],
                                      faults[static_cast<std::size_t>(rank)]);
            arena.reset();  // abandoned messages no longer write: the fabric has withdrawn them
            return code;
        });
    for (std::size_t rank = 0; rank < ranks; ++rank) {
        if (!faults[rank].empty()) {
            run.report.problems.push_back("rank " + std::to_string(rank) + ": " + faults[rank]);
        }
    }
    return run;
}

namespace {

ReduceRun run_tree(const ReduceCase& reduce, const FabricOptions& options, bool everywhere, Arenas* arenas) {
    const auto engine = everywhere ? algorithms::allreduce_tree : algorithms::reduce_tree;
    return run_reduction(
        reduce, options, everywhere,
        [&](int rank, auto& transport, auto buffers, auto& reduction, auto& arena) {
            const auto links = algorithms::reduction_links(reduce.hierarchy, reduce.plan, reduce.root, rank,
                                                           reduce.rank_order);
            return algorithms::complete(
                transport, engine(transport, links, buffers, reduction, arena, reduce.plan.window));
        },
        arenas);
}

}  // namespace

ReduceRun run_reduce(const ReduceCase& reduce, const FabricOptions& options, Arenas* arenas) {
    return run_tree(reduce, options, false, arenas);
}

ReduceRun run_allreduce(const ReduceCase& reduce, const FabricOptions& options, Arenas* arenas) {
    return run_tree(reduce, options, true, arenas);
}

ReduceRun run_exchange(const ReduceCase& reduce, const FabricOptions& options, Arenas* arenas) {
    return run_reduction(
        reduce, options, true,
        [&](int rank, auto& transport, auto buffers, auto& reduction, auto& arena) {
            return algorithms::complete(
                transport,
                algorithms::allreduce_exchange(
                    transport,
                    algorithms::exchange_links(reduce.hierarchy, reduce.plan, rank, reduce.rank_order),
                    buffers, reduction, arena));
        },
        arenas);
}

ReduceRun run_halving(const ReduceCase& reduce, const FabricOptions& options, Arenas* arenas) {
    return run_reduction(
        reduce, options, true,
        [&](int rank, auto& transport, auto buffers, auto& reduction, auto& arena) {
            return algorithms::complete(
                transport, algorithms::allreduce_halving(
                               transport, algorithms::halving_links(reduce.hierarchy, reduce.plan, rank),
                               buffers, reduction, arena));
        },
        arenas);
}

ReduceRun run_ring(const ReduceCase& reduce, const FabricOptions& options, Arenas* arenas) {
    return run_reduction(
        reduce, options, true,
        [&](int rank, auto& transport, auto buffers, auto& reduction, auto& arena) {
            return algorithms::complete(
                transport, algorithms::allreduce_ring(
                               transport, algorithms::ring_links(reduce.hierarchy, reduce.plan, rank),
                               buffers, reduction, arena, reduce.plan.window));
        },
        arenas);
}

std::vector<std::string> check_contained(const RunReport& run, int rank, int code) {
    std::vector<std::string> faults = run.problems;
    if (run.codes[rank] != code) {
        faults.push_back("the rank that failed returned " + std::to_string(run.codes[rank]));
    }
    for (std::size_t other = 0; other < run.codes.size(); ++other) {
        const bool failed = run.codes[other] != 0;
        if (run.abandons[other] != (failed ? 1 : 0)) {
            faults.push_back("rank " + std::to_string(other) + " gave up " +
                             std::to_string(run.abandons[other]) + " times");
        }
        if (static_cast<int>(other) != rank && failed && run.codes[other] != code_peer_aborted) {
            faults.push_back("rank " + std::to_string(other) + " returned " +
                             std::to_string(run.codes[other]));
        }
    }
    return faults;
}

std::vector<std::string> check_every_failure(const ReduceCase& reduce, FabricOptions options,
                                             const Runner& runner, int per_rank, int& failures) {
    constexpr int injected = 4242;
    const ReduceRun whole = runner(reduce, options);
    std::vector<std::string> faults = whole.report.problems;
    for (int rank = 0; rank < reduce.hierarchy.ranks(); ++rank) {
        const int operations = whole.report.operations[rank];
        for (int operation = 1; operation <= operations; operation += std::max(1, operations / per_rank)) {
            options.failure = {rank, operation, injected};
            const RunReport run = runner(reduce, options).report;
            // Another interleaving may need fewer waits: then the failure does not occur.
            if (run.operations[rank] < operation) {
                continue;
            }
            ++failures;
            for (const std::string& fault : check_contained(run, rank, injected)) {
                faults.push_back("rank " + std::to_string(rank) + ", call " + std::to_string(operation) +
                                 ": " + fault);
            }
        }
    }
    return faults;
}

ReduceCase random_reduction(Random& random, int ranks, std::size_t elements) {
    ReduceCase reduce;
    reduce.op = all_operators[random.below(std::size(all_operators))];
    reduce.hierarchy = random_hierarchy(random, {ranks, 5});
    reduce.rank_order = !commutes(reduce.op) || random.percent(30);
    if (!commutes(reduce.op)) {
        reduce.hierarchy = consecutive(random, reduce.hierarchy);
    }
    reduce.placement = static_cast<Placement>(random.below(3));
    reduce.elements = random.percent(25) ? 1 + random.below(3) : 1 + random.below(elements);
    reduce.plan = random_tree_plan(random, reduce.hierarchy, reduce.bytes());
    reduce.root = random.between(0, reduce.hierarchy.ranks() - 1);
    return reduce;
}

ReduceCase random_ring_reduction(Random& random, int ranks, std::size_t elements, std::size_t members) {
    const auto parts = [](const ReduceCase& reduce) {
        const topology::Group& top = reduce.hierarchy.groups.front();
        return top.children.size() + top.direct.size();
    };
    ReduceCase reduce = random_reduction(random, ranks, elements);
    while (!commutes(reduce.op) || parts(reduce) < members) {
        reduce = random_reduction(random, ranks, elements);
    }
    if (random.percent(30)) {
        reduce.hierarchy = consecutive(random, reduce.hierarchy);
    } else if (random.percent(30)) {
        const auto nodes = static_cast<int>(std::max<std::size_t>(members, 2) + random.below(5));
        reduce.hierarchy = dealt_out(nodes, std::max(2, ranks / nodes));
    }
    reduce.plan = random_tree_plan(random, reduce.hierarchy, reduce.bytes());
    reduce.root = reduce.hierarchy.groups.front().leader;
    reduce.rank_order = false;
    return reduce;
}

std::string describe(const ReduceCase& reduce) {
    std::string text =
        std::to_string(reduce.hierarchy.ranks()) + " ranks, " +
        std::to_string(reduce.hierarchy.groups.size()) + " groups, root " + std::to_string(reduce.root) +
        ", " + std::to_string(reduce.elements) + " elements of " + name_of(reduce.op) + ", placement " +
        std::to_string(static_cast<int>(reduce.placement)) + (reduce.rank_order ? ", rank order" : "") +
        ", window " + window_text(reduce.plan) + ";";
    for (const algorithms::LevelPlan& level : reduce.plan.levels) {
        text += " [algorithm " + std::to_string(static_cast<int>(level.method.algorithm)) + " radix " +
                std::to_string(level.method.radix) + " segment " + std::to_string(level.segment_bytes) + "]";
    }
    return text;
}

std::string faults_of(const ReduceCase& reduce, const ReduceRun& run) {
    std::string faults = run.report.text();
    for (std::size_t rank = 0; rank < run.report.codes.size(); ++rank) {
        if (run.report.codes[rank] != 0 || run.report.abandons[rank] != 0) {
            faults +=
                "rank " + std::to_string(rank) + " returned " + std::to_string(run.report.codes[rank]) + "\n";
        }
    }
    faults += window_faults(reduce.hierarchy, reduce.plan, Cut::as_top, run.report);
    return faults.empty() ? "" : faults + describe(reduce);
}

}  // namespace strata::testing
