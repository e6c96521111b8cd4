#include "component/agreement/min_allreduce.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "component/openmpi/point_to_point.h"

namespace strata::component {

namespace {

/// Allreduce, too, leaves no message behind. Barrier tags do not fit: a barrier may receive from any source
/// (OMPI: barrier_intra_basic_linear).
constexpr int tag = MCA_COLL_BASE_TAG_ALLREDUCE;

// The first word of a message, combined like the others.
constexpr std::uint64_t bad_word = 0;
constexpr std::uint64_t good_word = std::numeric_limits<std::uint64_t>::max();

}  // namespace

/// Ranks grouped by node; nodes ordered by their lowest ranks.
struct MinAllreduce::Nodes {
    std::array<std::uint8_t, most_grouped_ranks> node_of;
    std::array<int, most_nodes> lowest;
    std::array<std::uint64_t, most_nodes> id;
    int count = 0;
    int ranks = 0;

    /// The `index`-th rank of a node.
    int member(int node, int index) const {
        int rank = lowest[static_cast<std::size_t>(node)];
        while (index > 0) {
            index -= node_of[static_cast<std::size_t>(++rank)] == node ? 1 : 0;
        }
        return rank;
    }
    int members_below(int node, int rank) const {
        return static_cast<int>(std::count(node_of.begin(), node_of.begin() + rank, node));
    }
};

/// Fills `nodes`. Returns false if every rank counts as a node of its own.
bool MinAllreduce::group(Nodes& nodes) const {
    nodes.ranks = ompi_comm_size(comm_);
    if (nodes.ranks > limit_ranks_) {
        return false;
    }
    for (int rank = 0; rank < nodes.ranks; ++rank) {
        const std::uint64_t id = node_of_(comm_, rank);
        const auto end = nodes.id.begin() + nodes.count;
        const auto place = std::find(nodes.id.begin(), end, id);
        if (place == end) {
            if (nodes.count == limit_nodes_) {
                return false;
            }
            nodes.lowest[static_cast<std::size_t>(nodes.count)] = rank;
            nodes.id[static_cast<std::size_t>(nodes.count++)] = id;
        }
        nodes.node_of[static_cast<std::size_t>(rank)] = static_cast<std::uint8_t>(place - nodes.id.begin());
    }
    return true;
}

void MinAllreduce::note(int rc) {
    if (rc == OMPI_SUCCESS || failed()) {
        return;
    }
    error_ = rc;
    known_.front() = bad_word;
}

/// Dissemination: every participant sends and receives in every round.
template <class RankAt>
void MinAllreduce::disseminate(int own, int count, RankAt&& rank_at) {
    for (int distance = 1; distance < count; distance *= 2) {
        add({rank_at((own - distance + count) % count), rank_at((own + distance) % count)});
    }
}

/// Up a binomial tree: the first participant gets the minimum.
template <class RankAt>
void MinAllreduce::gather(int own, int count, RankAt&& rank_at) {
    for (int bit = 1; bit < count; bit *= 2) {
        if ((own & bit) != 0) {
            return add({no_rank, rank_at(own - bit)});
        }
        if (own + bit < count) {
            add({rank_at(own + bit), no_rank});
        }
    }
}

/// Down the same tree.
template <class RankAt>
void MinAllreduce::release(int own, int count, RankAt&& rank_at) {
    int bit = 1;
    while (bit < count && (own & bit) == 0) {
        bit *= 2;
    }
    if (own != 0) {
        add({rank_at(own - bit), no_rank});
    }
    for (bit /= 2; bit > 0; bit /= 2) {
        if (own + bit < count) {
            add({no_rank, rank_at(own + bit)});
        }
    }
}

void MinAllreduce::plan_steps() {
    const int rank = ompi_comm_rank(comm_);
    Nodes nodes;
    if (!group(nodes)) {
        return disseminate(rank, nodes.ranks, [](int index) { return index; });
    }
    const int node = nodes.node_of[static_cast<std::size_t>(rank)];
    const auto begin = nodes.node_of.begin();
    const int members = static_cast<int>(std::count(begin, begin + nodes.ranks, node));
    const int own = nodes.members_below(node, rank);
    const auto member = [&](int index) { return nodes.member(node, index); };
    gather(own, members, member);
    if (own == 0) {
        disseminate(node, nodes.count,
                    [&](int index) { return nodes.lowest[static_cast<std::size_t>(index)]; });
    }
    release(own, members, member);
}

/// After an error it starts no receive.
void MinAllreduce::begin_step() {
    const Step step = steps_[static_cast<std::size_t>(step_)];
    in_step_ = true;
    if (step.from != no_rank && !failed()) {
        note(pml::irecv(received_.data(), bytes_, step.from, tag, comm_, receiving_));
        receiving_ = failed() ? nullptr : receiving_;
    }
    if (step.to != no_rank) {
        const int rc = pml::isend(known_.data(), bytes_, step.to, tag, comm_, sending_);
        sending_ = rc == OMPI_SUCCESS ? sending_ : nullptr;
        note(rc);
    }
}

/// Waits for both messages, then combines the received words into the known ones.
int MinAllreduce::end_step(SetUp& set_up) {
    if (sending_ != nullptr) {
        const int rc = set_up.test(sending_);
        if (rc == algorithms::under_way) return rc;
        note(rc);
    }
    if (failed()) stop_receiving();
    if (receiving_ != nullptr) {
        const int rc = set_up.test(receiving_);
        if (rc == algorithms::under_way) return rc;
        note(rc);
        if (!failed()) {
            std::ranges::transform(
                known_, received_, known_.begin(),
                [](std::uint64_t mine, std::uint64_t theirs) { return std::min(mine, theirs); });
        }
    }
    in_step_ = false;
    return OMPI_SUCCESS;
}

void MinAllreduce::stop_receiving() {
    if (receiving_ == nullptr) return;
    if (compat::cancels_receives()) {
        ompi_request_cancel(receiving_);  // or it would match another collective's message
    }
    pml::release(receiving_);
}

void MinAllreduce::begin(std::span<const std::uint64_t> words) {
    known_.fill(good_word);
    known_.front() = failed() ? bad_word : good_word;
    std::ranges::copy(words, known_.begin() + 1);
    bytes_ = message_bytes(words.size());
    if (step_count_ == 0) plan_steps();
    step_ = 0;
    in_step_ = false;
    sending_ = nullptr;
    receiving_ = nullptr;
}

int MinAllreduce::go_on(SetUp& set_up) {
    for (; step_ < step_count_; ++step_) {
        if (!in_step_) begin_step();
        if (const int rc = end_step(set_up); rc == algorithms::under_way) return rc;
    }
    return OMPI_SUCCESS;
}

int MinAllreduce::end(std::span<std::uint64_t> words) const {
    std::copy_n(known_.begin() + 1, words.size(), words.begin());
    return failed() ? error_ : known_.front() == good_word ? OMPI_SUCCESS : OMPI_ERROR;
}

MinAllreduce::Exchange::~Exchange() {
    if (under_way_) all_.note(OMPI_ERROR);
}

int MinAllreduce::Exchange::poll() {
    if (!std::exchange(under_way_, true)) all_.begin(words_);
    if (const int rc = all_.go_on(set_up_); rc == algorithms::under_way) return rc;
    under_way_ = false;
    return all_.end(words_);
}

}  // namespace strata::component
