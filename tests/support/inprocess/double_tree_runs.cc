#include "double_tree_runs.h"

#include <algorithm>
#include <map>
#include <utility>

#include "algorithms/engines/perform.h"
#include "byte_oracle.h"
#include "rail_oracle.h"
#include "random_shapes.h"
#include "reduce_oracle.h"
#include "skipped_levels.h"

namespace strata::testing {
namespace {

using algorithms::Algorithm;
using algorithms::Collective;
using algorithms::Half;

constexpr Half halves[] = {Half::first, Half::second};

std::size_t random_length(Random& random, std::size_t most) {
    return random.percent(30) ? random.below(4) : 1 + random.below(most);
}

/// The same case over the hierarchy without the skipped levels.
template <class Case>
Case reduced(const Case& whole) {
    Case result = whole;
    result.hierarchy = without(whole.hierarchy, whole.plan.skipped);
    result.plan.skipped.clear();
    return result;
}

using Edges = std::map<std::pair<int, int>, std::size_t>;  ///< (from, to) -> bytes

std::string compare(const char* what, const Edges& seen, const Edges& expected) {
    if (seen == expected) return {};
    std::string text = std::string(what) + " half:";
    for (const auto& [edge, bytes] : seen) {
        const auto found = expected.find(edge);
        if (found != expected.end() && found->second == bytes) continue;
        text += " " + std::to_string(edge.first) + " -> " + std::to_string(edge.second) + " carries " +
                std::to_string(bytes);
    }
    for (const auto& [edge, bytes] : expected) {
        if (!seen.contains(edge)) {
            text += " " + std::to_string(edge.first) + " -> " + std::to_string(edge.second) + " is missing";
        }
    }
    return text;
}

/// Every edge of the two trees carries its half away from the root (`down`) or towards it (`up`), and no
/// other message is sent.
std::string edge_faults(const topology::Hierarchy& hierarchy, const algorithms::Plan& plan, int root,
                        algorithms::Flow flow, bool up, bool down, const std::vector<std::size_t>& shares,
                        const std::vector<SentMessage>& messages) {
    std::string faults;
    for (int half = 0; half < 2; ++half) {
        const std::size_t bytes = shares[static_cast<std::size_t>(half)];
        Edges expected;
        for (int rank = 0; bytes > 0 && rank < hierarchy.ranks(); ++rank) {
            const auto links = tree_links(hierarchy, plan, root, rank, flow, halves[half]);
            for (const algorithms::TreeLinks::Edge& edge : links.children) {
                if (down) expected[{rank, edge.peer}] += bytes;
                if (up) expected[{edge.peer, rank}] += bytes;
            }
        }
        Edges seen;
        for (const SentMessage& message : messages_of(half, messages)) {
            seen[{message.from, message.to}] += message.bytes;
        }
        faults += compare(half == 0 ? "first" : "second", seen, expected);
    }
    return faults;
}

std::string joined(const std::vector<std::string>& faults) {
    std::string all;
    for (const std::string& fault : faults) all += fault + "\n";
    return all;
}

/// State that one rank keeps for its calls.
struct Rank {
    Rank(const topology::Hierarchy& hierarchy, int rank) : routing(hierarchy, rails, rank) {}
    topology::NicRails rails;
    algorithms::Routing routing;
    algorithms::RouteCache kept;
};

}  // namespace

void give_double_tree(Random& random, const topology::Hierarchy& hierarchy, algorithms::Plan& plan) {
    if (random.percent(60)) skip_some(random, hierarchy, plan);
    const int share = random.percent(50) ? 100 : 40;
    do {
        for (algorithms::LevelPlan& level : plan.levels) {
            if (!random.percent(share)) continue;
            level.method = {random.percent(70) ? Algorithm::double_binary : Algorithm::split_binary, 0, {}};
        }
    } while (!has_double_tree(plan));
}

BcastCase random_bcast_with_double_tree(Random& random, int ranks, std::size_t bytes) {
    BcastCase bcast;
    bcast.hierarchy = random_hierarchy(random, {ranks, 5});
    bcast.bytes = random_length(random, bytes);
    bcast.plan = random_tree_plan(random, bcast.hierarchy, bcast.bytes);
    give_double_tree(random, bcast.hierarchy, bcast.plan);
    bcast.root = random.between(0, bcast.hierarchy.ranks() - 1);
    return bcast;
}

ReduceCase random_reduction_with_double_tree(Random& random, int ranks, std::size_t elements) {
    ReduceCase reduce;
    do {
        reduce = random_reduction(random, ranks, elements);
    } while (!commutes(reduce.op));
    reduce.rank_order = false;
    reduce.elements = random_length(random, elements);
    reduce.plan = random_tree_plan(random, reduce.hierarchy, reduce.bytes());
    give_double_tree(random, reduce.hierarchy, reduce.plan);
    return reduce;
}

RunReport run_double_tree(const BcastCase& bcast, const FabricOptions& options) {
    return run_engine(
        bcast, options, [&](int rank, algorithms::Transport& transport, algorithms::PackedBuffer& buffer) {
            Rank own(bcast.hierarchy, rank);
            algorithms::Arena arena;
            return complete(transport, perform_bcast({transport, arena, own.routing, bcast.plan, own.kept},
                                                     bcast.root, buffer));
        });
}

ReduceRun run_double_tree(const ReduceCase& reduce, bool everywhere, const FabricOptions& options,
                          Arenas* arenas) {
    const Collective collective = everywhere ? Collective::allreduce : Collective::reduce;
    const algorithms::Operation operation{collective, reduce.bytes(), reduce.root};
    return run_reduction(
        reduce, options, everywhere,
        [&](int rank, auto& transport, auto buffers, auto& reduction, auto& arena) {
            Rank own(reduce.hierarchy, rank);
            const algorithms::Performer performer{transport, arena, own.routing, reduce.plan, own.kept};
            return everywhere ? complete(performer.transport,
                                         perform_allreduce(performer, operation, buffers, reduction))
                              : complete(performer.transport,
                                         perform_reduce(performer, operation, buffers, reduction));
        },
        arenas);
}

std::string double_tree_faults(const BcastCase& bcast, const std::vector<SentMessage>& messages) {
    const std::vector<std::size_t> shares = share_bytes(bcast.bytes, 1, 2);
    std::string faults = edge_faults(bcast.hierarchy, bcast.plan, bcast.root, algorithms::Flow::from_root,
                                     false, true, shares, messages);
    const BcastCase less = reduced(bcast);
    for (int half = 0; half < 2; ++half) {
        faults += joined(check_bcast_bytes(less.hierarchy, less.root, shares[static_cast<std::size_t>(half)],
                                           segments_by_group(less), messages_of(half, messages)));
    }
    return faults;
}

std::string double_tree_faults(const ReduceCase& reduce, bool everywhere,
                               const std::vector<SentMessage>& messages) {
    const std::size_t element = bytes_of(reduce.op);
    const std::vector<std::size_t> shares = share_bytes(reduce.bytes(), element, 2);
    std::string faults = edge_faults(reduce.hierarchy, reduce.plan, reduce.root, algorithms::Flow::to_root,
                                     true, everywhere, shares, messages);
    ReduceCase less = reduced(reduce);
    for (int half = 0; half < 2; ++half) {
        const std::size_t bytes = shares[static_cast<std::size_t>(half)];
        const std::vector<SentMessage> own = messages_of(half, messages);
        less.elements = bytes / element;
        if (bytes == 0 || reduce.hierarchy.ranks() == 1) {
            if (!own.empty()) faults += "empty messages\n";
            continue;
        }
        const auto check = everywhere ? check_allreduce_bytes : check_reduce_bytes;
        faults += joined(check(less.hierarchy, less.root, bytes, less.segment_bytes(), own));
    }
    return faults;
}

}  // namespace strata::testing
