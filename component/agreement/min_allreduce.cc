#include "component/agreement/min_allreduce.h"

#include <algorithm>
#include <limits>

#include "component/base/cancellation.h"

namespace strata::component {

namespace {

/// That of a collective which leaves no message behind it either; those of barriers may be taken from any
/// source (OMPI: barrier_intra_basic_linear).
constexpr int tag = MCA_COLL_BASE_TAG_ALLREDUCE;

// The mark of a message, of which the least holds, too.
constexpr std::uint64_t bad_word = 0;
constexpr std::uint64_t good_word = std::numeric_limits<std::uint64_t>::max();

/// The end of a request, and of its object.
int wait(ompi_request_t*& request) {
    const int rc = ompi_request_wait(&request, MPI_STATUS_IGNORE);
    if (rc != OMPI_SUCCESS && request != MPI_REQUEST_NULL) {
        ompi_request_free(&request);  // which the wait leaves to us
    }
    return rc;
}

}  // namespace

/// Ranks by node, nodes by their lowest ranks.
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

/// False where every rank counts as a node of its own.
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

void MinAllreduce::send(int to) {
    note(MCA_PML_CALL(
        send(known_.data(), bytes_, &ompi_mpi_byte.dt, to, tag, MCA_PML_BASE_SEND_STANDARD, comm_)));
}

/// Null after an error.
ompi_request_t* MinAllreduce::begin_receive(int from) {
    if (failed()) {
        return nullptr;
    }
    ompi_request_t* request = nullptr;
    note(MCA_PML_CALL(irecv(received_.data(), bytes_, &ompi_mpi_byte.dt, from, tag, comm_, &request)));
    return failed() ? nullptr : request;
}

/// The least of both is what this rank knows now.
void MinAllreduce::receive(ompi_request_t* request) {
    if (request == nullptr) {
        return;
    }
    if (failed()) {
        if (compat::cancels_receives()) {
            ompi_request_cancel(request);  // or it takes another collective's message
        }
        ompi_request_free(&request);
        return;
    }
    note(wait(request));
    if (!failed()) {
        std::transform(known_.begin(), known_.end(), received_.begin(), known_.begin(),
                       [](std::uint64_t mine, std::uint64_t theirs) { return std::min(mine, theirs); });
    }
}

template <class RankAt>
void MinAllreduce::disseminate(int own, int count, RankAt&& rank_at) {
    for (int distance = 1; distance < count; distance *= 2) {
        ompi_request_t* request = begin_receive(rank_at((own - distance + count) % count));
        send(rank_at((own + distance) % count));
        receive(request);
    }
}

/// Up a binomial tree: of everybody's words the first learns the least.
template <class RankAt>
void MinAllreduce::gather(int own, int count, RankAt&& rank_at) {
    for (int bit = 1; bit < count; bit *= 2) {
        if ((own & bit) != 0) {
            return send(rank_at(own - bit));
        }
        if (own + bit < count) {
            receive(begin_receive(rank_at(own + bit)));
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
        receive(begin_receive(rank_at(own - bit)));
    }
    for (bit /= 2; bit > 0; bit /= 2) {
        if (own + bit < count) {
            send(rank_at(own + bit));
        }
    }
}

int MinAllreduce::exchange(std::span<std::uint64_t> words) {
    known_.fill(good_word);
    known_.front() = failed() ? bad_word : good_word;
    std::copy(words.begin(), words.end(), known_.begin() + 1);
    bytes_ = message_bytes(words.size());
    WhenUnwound unwound([this] { note(OMPI_ERROR); });  // a message may be under way
    const int rank = ompi_comm_rank(comm_);
    Nodes nodes;
    if (!group(nodes)) {
        disseminate(rank, nodes.ranks, [](int index) { return index; });
    } else {
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
    unwound.dismiss();
    std::copy_n(known_.begin() + 1, words.size(), words.begin());
    return failed() ? error_ : known_.front() == good_word ? OMPI_SUCCESS : OMPI_ERROR;
}

}  // namespace strata::component
