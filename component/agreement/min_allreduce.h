#pragma once
#include <array>
#include <cstdint>
#include <span>

#include "component/openmpi/set_up.h"

namespace strata::component {

/// Lets all ranks of a communicator know the least of what they bring: how they agree, and tell each other
/// why not. Straight through Open MPI's point-to-point layer: in every node along a binomial tree to its
/// lowest rank and back, and between these in as many rounds as their number has bits: in each a node sends
/// what it knows to one that is twice as far as in the round before, and receives from one as far on the
/// other side (dissemination; Hensgen, Finkel and Manber 1988). A minimum may be received twice, so any
/// number of nodes will do. Of N nodes with R ranks 2 (R - N) messages stay inside nodes, and N log2 N leave
/// them. The collectives in the slots are not asked: which these are, and what memory they need, may differ
/// from rank to rank. Needs no memory of ours.
///
/// A rank on which a message fails waits for nobody any more, now or later, but still sends what others wait
/// for, marked: an error there, too, for it is not the least of all. Only those who need nothing of it miss
/// that.
class MinAllreduce {
public:
    static constexpr std::size_t most_words = 7;
    /// Bytes of a message with so many words.
    static constexpr std::size_t message_bytes(std::size_t words) {
        return (words + 1) * sizeof(std::uint64_t);
    }
    /// Beyond, every rank counts as a node of its own.
    static constexpr int most_grouped_ranks = 1024;
    static constexpr int most_nodes = 256;

    /// The number of a rank's node; every rank tells the same. Must neither need memory nor throw.
    using NodeOf = std::uint64_t (*)(ompi_communicator_t* comm, int rank);

    /// `limit_ranks`, `limit_nodes`: of the above, or less.
    MinAllreduce(ompi_communicator_t* comm, NodeOf node_of, int limit_ranks = most_grouped_ranks,
                 int limit_nodes = most_nodes)
        : comm_(comm), node_of_(node_of), limit_ranks_(limit_ranks), limit_nodes_(limit_nodes) {}

    /// `co_await exchange(...)`: word by word, in place; at most `most_words`. Collective, one at a time.
    /// Open MPI's error code; after an error the words are not to be used.
    class Exchange : public algorithms::Awaitable<Exchange> {
    public:
        Exchange(MinAllreduce& all, SetUp& set_up, std::span<std::uint64_t> words)
            : all_(all), set_up_(set_up), words_(words) {}
        /// Given up on the way it has failed: a message may be under way.
        ~Exchange();
        int poll();

    private:
        MinAllreduce& all_;
        SetUp& set_up_;
        std::span<std::uint64_t> words_;
        bool under_way_ = false;
    };
    Exchange exchange(SetUp& set_up, std::span<std::uint64_t> words) { return {*this, set_up, words}; }

    /// True once a message has failed: another one may still arrive in this object's memory.
    bool failed() const { return error_ != 0; }

private:
    struct Nodes;
    static constexpr int nobody = -1;
    /// Sends to one rank and receives from another at once; `nobody`: not that.
    struct Step {
        int from;
        int to;
    };
    static constexpr int most_steps = 32;  // of one word of ranks, or of a tree up and down and of the nodes

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
    void stop_hearing();
    void note(int rc);

    ompi_communicator_t* comm_;
    NodeOf node_of_;
    int limit_ranks_;
    int limit_nodes_;
    std::array<Step, most_steps> steps_;  ///< this rank's, in every exchange
    int step_count_ = 0;
    int step_ = 0;  ///< that is under way, or comes next
    bool in_step_ = false;
    ompi_request_t* sending_ = nullptr;
    ompi_request_t* hearing_ = nullptr;
    using Message = std::array<std::uint64_t, most_words + 1>;
    Message known_{};  ///< what this rank says, `bytes_` of it: the mark, then words
    std::size_t bytes_ = 0;
    Message received_{};
    int error_ = 0;  ///< Open MPI's, the first one
};

}  // namespace strata::component
