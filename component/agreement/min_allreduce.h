#pragma once
#include <array>
#include <cstdint>
#include <span>

#include "component/openmpi/set_up.h"

namespace strata::component {

/// Min-allreduce of a few words over a communicator, directly on Open MPI's point-to-point layer: binomial
/// tree to the lowest rank of each node, dissemination between these, and the tree back. Ranks agree, and
/// explain a disagreement, with it. Pattern and error rule: docs/design/agreement.md.
///
/// Cost: R ranks on N nodes, at most M per node: (2 log2 M + ceil(log2 N)) alpha; 2 (R - N) messages inside
/// nodes, N ceil(log2 N) between them. Allocates no memory.
///
/// After a message fails, a rank receives no more, now or later, but still sends what others wait for, marked
/// as bad. Every rank that depends on it then gets an error.
class MinAllreduce {
public:
    static constexpr std::size_t most_words = 11;
    /// Returns the bytes of a message with `words` words.
    static constexpr std::size_t message_bytes(std::size_t words) {
        return (words + 1) * sizeof(std::uint64_t);
    }
    /// Communicators with more ranks or nodes treat every rank as a node of its own.
    static constexpr int most_grouped_ranks = 1024;
    static constexpr int most_nodes = 256;

    /// Returns the number of a rank's node, equal on every rank. Must neither allocate nor throw.
    using NodeOf = std::uint64_t (*)(ompi_communicator_t* comm, int rank);

    /// `limit_ranks`, `limit_nodes`: at most the limits above.
    MinAllreduce(ompi_communicator_t* comm, NodeOf node_of, int limit_ranks = most_grouped_ranks,
                 int limit_nodes = most_nodes)
        : comm_(comm), node_of_(node_of), limit_ranks_(limit_ranks), limit_nodes_(limit_nodes) {}

    /// `co_await exchange(...)` replaces each word by its minimum; at most `most_words`. Collective, one at a
    /// time. Returns Open MPI's error code; after an error the words are undefined.
    class Exchange : public algorithms::Awaitable<Exchange> {
    public:
        Exchange(MinAllreduce& all, SetUp& set_up, std::span<std::uint64_t> words)
            : all_(all), set_up_(set_up), words_(words) {}
        /// An unfinished exchange counts as failed: one of its messages may be in flight.
        ~Exchange();
        int poll();

    private:
        MinAllreduce& all_;
        SetUp& set_up_;
        std::span<std::uint64_t> words_;
        bool under_way_ = false;
    };
    Exchange exchange(SetUp& set_up, std::span<std::uint64_t> words) { return {*this, set_up, words}; }

    /// Returns true after a failed message: a late message may still arrive in this object's memory.
    bool failed() const { return error_ != 0; }

private:
    struct Nodes;
    static constexpr int no_rank = -1;
    /// Sends to one rank and receives from another at the same time; `no_rank`: omits that part.
    struct Step {
        int from;
        int to;
    };
    static constexpr int most_steps = 32;  // dissemination over 2^31 ranks; trees and nodes take 10 + 10 + 8

    bool group(Nodes& nodes) const;
    void plan_steps();
    void add(Step step) { steps_[static_cast<std::size_t>(step_count_++)] = step; }
    template <class RankAt>
    void disseminate(int own, int count, RankAt&& rank_at);
    template <class RankAt>
    void gather(int own, int count, RankAt&& rank_at);
    template <class RankAt>
    void release(int own, int count, RankAt&& rank_at);

    void begin(std::span<const std::uint64_t> words);
    int go_on(SetUp& set_up);
    int end(std::span<std::uint64_t> words) const;
    void begin_step();
    int end_step(SetUp& set_up);
    void stop_receiving();
    void note(int rc);

    ompi_communicator_t* comm_;
    NodeOf node_of_;
    int limit_ranks_;
    int limit_nodes_;
    std::array<Step, most_steps> steps_;  ///< of this rank, the same in every exchange
    int step_count_ = 0;
    int step_ = 0;  ///< running, or next
    bool in_step_ = false;
    ompi_request_t* sending_ = nullptr;
    ompi_request_t* receiving_ = nullptr;
    using Message = std::array<std::uint64_t, most_words + 1>;
    Message known_{};  ///< what this rank sends, `bytes_` of it: the mark, then words
    std::size_t bytes_ = 0;
    Message received_{};
    int error_ = 0;  ///< Open MPI's first error
};

}  // namespace strata::component
