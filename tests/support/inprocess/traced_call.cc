#include "traced_call.h"

#include <utility>

#include "algorithms/base/level_tasks.h"
#include "double_tree_runs.h"
#include "random_shapes.h"

namespace strata::testing {
namespace {

using algorithms::Collective;

bool moves_blocks(Collective collective) {
    return collective == Collective::gather || collective == Collective::scatter ||
           collective == Collective::allgather;
}

}  // namespace

TracedCall random_traced_call(std::uint64_t seed, Collective collective) {
    Random random(seed * 100 + static_cast<std::uint64_t>(collective));
    return random_traced_call(random, random_hierarchy(random, {24, 5}), collective);
}

TracedCall random_traced_call(Random& random, topology::Hierarchy hierarchy, Collective collective) {
    TracedCall one;
    one.hierarchy = std::move(hierarchy);
    one.bytes = 8 * (1 + random.below(2000));
    const bool ring = collective == Collective::allgather && random.percent(50);
    one.plan = ring ? random_ring_plan(random, one.hierarchy, one.bytes)
                    : random_tree_plan(random, one.hierarchy, one.bytes);
    one.plan.engine = ring ? algorithms::Engine::ring : algorithms::Engine::tree;
    one.operation = {collective, one.bytes, random.between(0, one.hierarchy.ranks() - 1)};
    const bool vector = supports_double_trees(algorithms::traits_of(collective));
    if (vector && random.percent(40)) give_double_tree(random, one.hierarchy, one.plan);
    return one;
}

int PartInCall::Xor::combine(const std::byte* left, std::byte* right, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i) right[i] ^= left[i];
    return 0;
}

PartInCall::PartInCall(const TracedCall& call, int rank)
    : call_(call),
      rank_(rank),
      routing_(call.hierarchy, rails_, rank),
      memory_(call.bytes * static_cast<std::size_t>(call.hierarchy.ranks() + 1)),
      own_(memory_.data(), call.bytes),
      result_(memory_.data() + call.bytes, call.bytes) {
    const Collective collective = call.operation.collective;
    const auto fill = [&](int index, int source) {
        for (std::size_t place = 0; place < call.bytes; ++place) block(index)[place] = byte_of(source, place);
    };
    if (!moves_blocks(collective)) {
        if (collective != Collective::bcast || at_root()) fill(0, rank);
        return;
    }
    const bool all = collective == Collective::allgather;
    for (int i = 0; i < call.hierarchy.ranks(); ++i) {
        const bool has_memory = all || at_root() || i == rank;
        blocks_.push_back({has_memory ? block(i).data() : nullptr, call.bytes});
        if (collective == Collective::scatter ? at_root() : i == rank) fill(i, i);
    }
}

algorithms::Task PartInCall::task(algorithms::Transport& transport, algorithms::Arena& arena) {
    const algorithms::Performer performer{transport, arena, routing_, call_.plan, kept_};
    const algorithms::Operation& operation = call_.operation;
    switch (operation.collective) {
        case Collective::bcast: return perform_bcast(performer, operation.root, own_);
        case Collective::reduce:
            return perform_reduce(performer, operation, {own_, at_root() ? &result_ : nullptr}, reduction_);
        case Collective::allreduce:
            return perform_allreduce(performer, operation, {own_, &result_}, reduction_);
        case Collective::barrier: return perform_barrier(performer, operation.root);
        case Collective::gather:
            return perform_blocks(performer, operation, algorithms::ChunkDirection::to_root, blocks_);
        case Collective::scatter:
            return perform_blocks(performer, operation, algorithms::ChunkDirection::from_root, blocks_);
        default: return perform_blocks(performer, operation, algorithms::ChunkDirection::all, blocks_);
    }
}

bool PartInCall::is_result(int index) const {
    switch (call_.operation.collective) {
        case Collective::bcast: return index == 0;
        case Collective::reduce: return index == 1 && at_root();
        case Collective::allreduce: return index == 1;
        case Collective::gather: return at_root();
        case Collective::scatter: return index == rank_;
        case Collective::allgather: return true;
        default: return false;
    }
}

std::byte PartInCall::expected(int index, std::size_t place) const {
    const Collective collective = call_.operation.collective;
    if (collective == Collective::bcast) return byte_of(call_.operation.root, place);
    if (moves_blocks(collective)) return byte_of(index, place);
    std::byte all{};
    for (int rank = 0; rank < call_.hierarchy.ranks(); ++rank) all ^= byte_of(rank, place);
    return all;
}

std::string PartInCall::verdict() const {
    const int places = moves_blocks(call_.operation.collective) ? call_.hierarchy.ranks() : 2;
    for (int index = 0; index < places; ++index) {
        if (!is_result(index)) continue;
        for (std::size_t place = 0; place < call_.bytes; ++place) {
            if (memory_[start_of(index) + place] != expected(index, place)) {
                return std::string(algorithms::name_of(call_.operation.collective)) + ", rank " +
                       std::to_string(rank_) + ": wrong byte " + std::to_string(place) + " of " +
                       std::to_string(index);
            }
        }
    }
    return {};
}

int perform(const TracedCall& call, int rank, algorithms::Transport& transport) {
    algorithms::Arena arena;
    PartInCall one(call, rank);
    return complete(transport, one.task(transport, arena));
}

Streams streams_of(const std::vector<SentMessage>& messages) {
    Streams streams;
    for (const SentMessage& message : messages) {
        streams[{message.from, message.to, message.rail}].push_back(message.bytes);
    }
    return streams;
}

Streams in_process_streams(const TracedCall& call, std::uint64_t seed, std::string& problem) {
    const RunReport report =
        run_ranks(call.hierarchy.ranks(), options_for(seed, 512),
                  [&](int rank, algorithms::Transport& transport) { return perform(call, rank, transport); });
    problem = report.text();
    return streams_of(report.messages);
}

}  // namespace strata::testing
