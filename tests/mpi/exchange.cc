#include "exchange.h"

#include <algorithm>
#include <numeric>

namespace strata::testing {

namespace {

constexpr std::uint64_t poison = 0xa5a5a5a5a5a5a5a5u;
constexpr std::uint64_t step = 0x9e3779b97f4a7c15u;

}  // namespace

Exchange::Exchange(Collective collective, std::size_t bytes, int root, MPI_Comm comm)
    : collective_(collective), comm_(comm) {
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &size_);
    root_ = root % size_;
    const int words = std::max(size_, static_cast<int>(bytes / sizeof(Word)));
    const bool whole = collective == Collective::bcast || reduces(collective);
    words_ = whole ? words : words / size_;
    for (int rank = 0; rank < size_; ++rank) {
        counts_.push_back(has_counts(collective) ? 1 + words_ * (rank + 1) / (size_ + 1) : words_);
    }
    displacements_.resize(counts_.size());
    std::exclusive_scan(counts_.begin(), counts_.end(), displacements_.begin(), 0);
    const auto all = static_cast<std::size_t>(whole ? words_ : displacements_.back() + counts_.back());
    in_.resize(all);
    out_.resize(all);
}

void Exchange::prepare(int iteration) {
    iteration_ = iteration;
    std::fill(in_.begin(), in_.end(), poison);
    std::fill(out_.begin(), out_.end(), poison);
    switch (collective_) {
        case Collective::barrier: return;
        case Collective::bcast:
            if (rank_ == root_) {
                put(out_, {0, words_, key(root_), step});
            }
            return;
        case Collective::scatter:
        case Collective::scatterv:
            for (int rank = 0; rank < size_ && rank_ == root_; ++rank) {
                put(in_, {displacement(rank), count(rank), key(rank), step});
            }
            return;
        default: put(in_, {0, count(rank_), key(rank_), step});
    }
}

int Exchange::call() {
    void* const in = in_.data();
    void* const out = out_.data();
    const int* const counts = counts_.data();
    const int* const places = displacements_.data();
    const int own = count(rank_);
    const MPI_Datatype type = MPI_UINT64_T;
    const MPI_Comm comm = comm_;
    switch (collective_) {
        case Collective::bcast: return MPI_Bcast(out, words_, type, root_, comm);
        case Collective::reduce: return MPI_Reduce(in, out, words_, type, MPI_SUM, root_, comm);
        case Collective::allreduce: return MPI_Allreduce(in, out, words_, type, MPI_SUM, comm);
        case Collective::allgather: return MPI_Allgather(in, own, type, out, own, type, comm);
        case Collective::allgatherv: return MPI_Allgatherv(in, own, type, out, counts, places, type, comm);
        case Collective::gather: return MPI_Gather(in, own, type, out, own, type, root_, comm);
        case Collective::gatherv: return MPI_Gatherv(in, own, type, out, counts, places, type, root_, comm);
        case Collective::scatter: return MPI_Scatter(in, own, type, out, own, type, root_, comm);
        case Collective::scatterv: return MPI_Scatterv(in, counts, places, type, out, own, type, root_, comm);
        case Collective::barrier: return MPI_Barrier(comm);
    }
    return MPI_ERR_OTHER;
}

int Exchange::first_difference() const {
    for (const Block& block : expected()) {
        for (int i = 0; i < block.count; ++i) {
            const int place = block.offset + i;
            if (out_[static_cast<std::size_t>(place)] != block.first + static_cast<Word>(i) * block.growth) {
                return place;
            }
        }
    }
    return -1;
}

void Exchange::put(std::vector<Word>& where, const Block& block) {
    for (int i = 0; i < block.count; ++i) {
        where[static_cast<std::size_t>(block.offset + i)] = block.first + static_cast<Word>(i) * block.growth;
    }
}

std::vector<Exchange::Block> Exchange::expected() const {
    if (collective_ == Collective::barrier ||
        (rank_ != root_ && (collective_ == Collective::reduce || collective_ == Collective::gather ||
                            collective_ == Collective::gatherv))) {
        return {};
    }
    std::vector<Block> blocks;
    if (collective_ == Collective::bcast) {
        blocks.push_back({0, words_, key(root_), step});
    } else if (reduces(collective_)) {
        Word sum = 0;
        for (int rank = 0; rank < size_; ++rank) {
            sum += key(rank);
        }
        blocks.push_back({0, words_, sum, static_cast<Word>(size_) * step});
    } else if (collective_ == Collective::scatter || collective_ == Collective::scatterv) {
        blocks.push_back({0, count(rank_), key(rank_), step});
    } else {
        for (int rank = 0; rank < size_; ++rank) {
            blocks.push_back({displacement(rank), count(rank), key(rank), step});
        }
    }
    return blocks;
}

}  // namespace strata::testing
