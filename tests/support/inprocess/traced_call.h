#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "algorithms/engines/perform.h"
#include "fabric.h"
#include "random.h"
#include "topology/nic_rails.h"
#include "topology/hierarchy.h"

namespace strata::testing {

/// A call of a collective by a plan.
struct TracedCall {
    topology::Hierarchy hierarchy;
    algorithms::Plan plan;
    algorithms::Operation operation;
    std::size_t bytes = 0;  ///< size of the vector, or of every block
};

/// Collectives whose calls can be traced.
inline constexpr algorithms::Collective traced_collectives[] = {
    algorithms::Collective::bcast,  algorithms::Collective::reduce,  algorithms::Collective::allreduce,
    algorithms::Collective::gather, algorithms::Collective::scatter, algorithms::Collective::allgather,
    algorithms::Collective::barrier};

/// A random plan on a random shape of up to 24 ranks, sometimes with double trees.
TracedCall random_traced_call(std::uint64_t seed, algorithms::Collective collective);
TracedCall random_traced_call(Random& random, topology::Hierarchy hierarchy,
                              algorithms::Collective collective);

/// One rank's part, with its own memory. A byte of a rank's data is byte_of() its place; reductions use
/// exclusive or.
class PartInCall {
public:
    PartInCall(const TracedCall& call, int rank);
    PartInCall(const PartInCall&) = delete;
    PartInCall& operator=(const PartInCall&) = delete;

    algorithms::Task task(algorithms::Transport& transport, algorithms::Arena& arena);
    /// Returns the errors found after a task that returned 0; empty when there are none.
    std::string verdict() const;
    static std::byte byte_of(int rank, std::size_t place) {
        return static_cast<std::byte>(37 * static_cast<std::size_t>(rank) + 11 * place + place / 256);
    }

private:
    class Xor final : public algorithms::Reduction {
    public:
        Xor() : Reduction(8) {}
        int combine(const std::byte* left, std::byte* right, std::size_t bytes) override;
    };
    bool at_root() const { return rank_ == call_.operation.root; }
    std::span<std::byte> block(int index) { return std::span(memory_).subspan(start_of(index), call_.bytes); }
    std::size_t start_of(int index) const { return static_cast<std::size_t>(index) * call_.bytes; }
    std::byte expected(int index, std::size_t place) const;
    bool is_result(int index) const;

    const TracedCall& call_;
    int rank_;
    topology::NicRails rails_;
    algorithms::Routing routing_;
    algorithms::RouteCache kept_;
    std::vector<std::byte> memory_;  ///< blocks by rank, or the vector and the result
    algorithms::PackedBuffer own_;
    algorithms::PackedBuffer result_;
    Xor reduction_;
    std::vector<algorithms::Block> blocks_;
};

/// The same run to its end. Returns the engine's code.
int perform(const TracedCall& call, int rank, algorithms::Transport& transport);

/// Message sizes from rank to rank in a rail, in the order sent.
using Streams = std::map<std::tuple<int, int, int>, std::vector<std::size_t>>;

Streams streams_of(const std::vector<SentMessage>& messages);
/// Runs all ranks over the in-process transport; `problem` describes the error and is empty when there is
/// none.
Streams in_process_streams(const TracedCall& call, std::uint64_t seed, std::string& problem);

}  // namespace strata::testing
