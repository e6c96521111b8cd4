#include "failing_call.h"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <utility>

namespace strata::testing {

FailingCall::FailingCall(Session& session, std::string collective, int items)
    : session_(session), collective_(std::move(collective)), items_(items) {
    static const std::set<std::string> known{"allgather", "allgatherv", "allreduce", "barrier", "bcast",
                                             "gather",    "gatherv",    "reduce",    "scatter", "scatterv"};
    if (!known.contains(collective_)) {
        throw std::invalid_argument("no collective '" + collective_ + "'");
    }
    MPI_Datatype gapped = MPI_DATATYPE_NULL;
    MPI_Type_vector(items, 1, 2, MPI_INT, &gapped);
    MPI_Type_create_resized(gapped, 0, static_cast<MPI_Aint>(2 * items) * static_cast<MPI_Aint>(sizeof(int)),
                            &block_);
    MPI_Type_commit(&block_);
    MPI_Type_free(&gapped);
    int blocks = 0;
    for (int rank = 0; rank < session_.size(); ++rank) {
        counts_.push_back(collective_.ends_with('v') ? 1 + rank % 2 : 1);
        begins_.push_back(blocks);
        blocks += counts_.back();
    }
    const std::size_t ints = static_cast<std::size_t>(blocks) * static_cast<std::size_t>(2 * items);
    in_.resize(ints);
    out_.resize(ints);
}

FailingCall::~FailingCall() { MPI_Type_free(&block_); }

int FailingCall::run(MPI_Comm comm, int number) {
    std::fill(out_.begin(), out_.end(), -1);
    std::fill(in_.begin(), in_.end(), number + session_.rank());
    for (int rank = 0; rank < session_.size() && collective_.starts_with("scatter"); ++rank) {
        const auto begin = in_.begin() + std::ptrdiff_t{2} * items_ * begins_[static_cast<std::size_t>(rank)];
        std::fill(begin, begin + std::ptrdiff_t{2} * items_ * counts_[static_cast<std::size_t>(rank)],
                  number + rank);
    }
    return with_failures([&] { return call(comm, root(number)); });
}

int FailingCall::call(MPI_Comm comm, int root) {
    int* const in = in_.data();
    int* const out = out_.data();
    const int* const counts = counts_.data();
    const int* const begins = begins_.data();
    const int own = counts_[static_cast<std::size_t>(session_.rank())];
    if (collective_ == "allgather") return MPI_Allgather(in, 1, block_, out, 1, block_, comm);
    if (collective_ == "allgatherv") {
        return MPI_Allgatherv(in, own, block_, out, counts, begins, block_, comm);
    }
    if (collective_ == "gather") return MPI_Gather(in, 1, block_, out, 1, block_, root, comm);
    if (collective_ == "gatherv") {
        return MPI_Gatherv(in, own, block_, out, counts, begins, block_, root, comm);
    }
    if (collective_ == "scatter") return MPI_Scatter(in, 1, block_, out, 1, block_, root, comm);
    if (collective_ == "scatterv") {
        return MPI_Scatterv(in, counts, begins, block_, out, own, block_, root, comm);
    }
    if (collective_ == "allreduce") return MPI_Allreduce(in, out, items_, MPI_INT, MPI_SUM, comm);
    if (collective_ == "reduce") return MPI_Reduce(in, out, items_, MPI_INT, MPI_SUM, root, comm);
    if (collective_ == "barrier") return MPI_Barrier(comm);
    return MPI_Bcast(in, 1, block_, root, comm);
}

/// The expected blocks of `rank` in call `number`, from place `first` of the result on.
void FailingCall::expect_blocks(int first, int number, int rank) const {
    for (int block = first; block < first + counts_[static_cast<std::size_t>(rank)]; ++block) {
        const auto begin =
            std::size_t{2} * static_cast<std::size_t>(items_) * static_cast<std::size_t>(block);
        const std::size_t last = begin + 2 * static_cast<std::size_t>(items_ - 1);
        session_.expect(out_[begin] == number + rank && out_[last] == number + rank, "a wrong block");
    }
}

void FailingCall::expect_result(int number) {
    const int ranks = session_.size();
    const bool receives = collective_.starts_with("all") || session_.rank() == root(number);
    const bool has_result = receives || collective_ == "bcast" || collective_.starts_with("scatter");
    if (has_result && session_.sabotages("data")) {
        (collective_ == "bcast" ? in_.at(static_cast<std::size_t>(2 * items_ - 2)) : out_[0]) = -1;
    }
    if (collective_.find("gather") != std::string::npos && receives) {
        for (int rank = 0; rank < ranks; ++rank) {
            expect_blocks(begins_[static_cast<std::size_t>(rank)], number, rank);
        }
    }
    if (collective_.starts_with("scatter")) {
        expect_blocks(0, number, session_.rank());
    }
    if (collective_.ends_with("reduce") && receives) {
        session_.expect(
            out_[static_cast<std::size_t>(items_ - 1)] == ranks * number + ranks * (ranks - 1) / 2,
            "a wrong sum");
    }
    if (collective_ == "bcast") {
        session_.expect(in_[static_cast<std::size_t>(2 * items_ - 2)] == number, "a wrong item");
    }
}

std::vector<long> sample_of(long all, long most) {
    std::vector<long> sample;
    const long some = std::min(all, most);
    for (long i = 0; i < some; ++i) {
        sample.push_back(some == 1 ? 0 : i * (all - 1) / (some - 1));
    }
    return sample;
}

}  // namespace strata::testing
