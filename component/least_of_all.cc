#include "least_of_all.h"

#include <algorithm>

namespace strata::component {

namespace {

/// That of a collective which leaves no message behind it either; those of barriers may be taken from any
/// source (OMPI: barrier_intra_basic_linear).
constexpr int tag = MCA_COLL_BASE_TAG_ALLREDUCE;

void take_least(std::span<std::uint64_t> words, std::span<const std::uint64_t> heard) {
    std::transform(words.begin(), words.end(), heard.begin(), words.begin(),
                   [](std::uint64_t mine, std::uint64_t theirs) { return std::min(mine, theirs); });
}

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
struct LeastOfAll::Nodes {
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
bool LeastOfAll::group(Nodes& nodes) const {
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

int LeastOfAll::send(std::span<const std::uint64_t> words, int to) {
    return MCA_PML_CALL(send(words.data(), words.size_bytes(), &ompi_mpi_byte.dt, to, tag,
                             MCA_PML_BASE_SEND_STANDARD, comm_));
}

/// Into `heard_`, then the least of both.
int LeastOfAll::receive(std::span<std::uint64_t> words, int from) {
    ompi_request_t* request = nullptr;
    int rc =
        MCA_PML_CALL(irecv(heard_.data(), words.size_bytes(), &ompi_mpi_byte.dt, from, tag, comm_, &request));
    if (rc == OMPI_SUCCESS) {
        rc = wait(request);
    }
    if (rc == OMPI_SUCCESS) {
        take_least(words, heard_);
    }
    return rc;
}

template <class RankAt>
int LeastOfAll::disseminate(std::span<std::uint64_t> words, int own, int count, RankAt&& rank_at) {
    for (int distance = 1; distance < count; distance *= 2) {
        ompi_request_t* request = nullptr;
        const int from = rank_at((own - distance + count) % count);
        int rc = MCA_PML_CALL(
            irecv(heard_.data(), words.size_bytes(), &ompi_mpi_byte.dt, from, tag, comm_, &request));
        if (rc != OMPI_SUCCESS) {
            return rc;
        }
        rc = send(words, rank_at((own + distance) % count));
        if (rc != OMPI_SUCCESS) {
            ompi_request_cancel(request);  // or it takes another collective's message
            ompi_request_free(&request);
            return rc;
        }
        rc = wait(request);
        if (rc != OMPI_SUCCESS) {
            return rc;
        }
        take_least(words, heard_);
    }
    return OMPI_SUCCESS;
}

/// Up a binomial tree: of everybody's words the first learns the least.
template <class RankAt>
int LeastOfAll::gather(std::span<std::uint64_t> words, int own, int count, RankAt&& rank_at) {
    for (int bit = 1; bit < count; bit *= 2) {
        if ((own & bit) != 0) {
            return send(words, rank_at(own - bit));
        }
        if (own + bit < count) {
            if (const int rc = receive(words, rank_at(own + bit)); rc != OMPI_SUCCESS) {
                return rc;
            }
        }
    }
    return OMPI_SUCCESS;
}

/// Down the same tree.
template <class RankAt>
int LeastOfAll::release(std::span<std::uint64_t> words, int own, int count, RankAt&& rank_at) {
    int bit = 1;
    while (bit < count && (own & bit) == 0) {
        bit *= 2;
    }
    if (own != 0) {
        if (const int rc = receive(words, rank_at(own - bit)); rc != OMPI_SUCCESS) {
            return rc;
        }
    }
    for (bit /= 2; bit > 0; bit /= 2) {
        if (own + bit < count) {
            if (const int rc = send(words, rank_at(own + bit)); rc != OMPI_SUCCESS) {
                return rc;
            }
        }
    }
    return OMPI_SUCCESS;
}

int LeastOfAll::exchange(std::span<std::uint64_t> words) {
    const int rank = ompi_comm_rank(comm_);
    Nodes nodes;
    if (!group(nodes)) {
        return disseminate(words, rank, nodes.ranks, [](int index) { return index; });
    }
    const int node = nodes.node_of[static_cast<std::size_t>(rank)];
    const auto begin = nodes.node_of.begin();
    const int members = static_cast<int>(std::count(begin, begin + nodes.ranks, node));
    const int own = nodes.members_below(node, rank);
    const auto member = [&](int index) { return nodes.member(node, index); };
    int rc = gather(words, own, members, member);
    if (rc == OMPI_SUCCESS && own == 0) {
        rc = disseminate(words, node, nodes.count,
                         [&](int index) { return nodes.lowest[static_cast<std::size_t>(index)]; });
    }
    return rc == OMPI_SUCCESS ? release(words, own, members, member) : rc;
}

}  // namespace strata::component
