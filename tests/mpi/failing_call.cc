#include "failing_call.h"

#include <algorithm>
#include <utility>

namespace strata::testing {

FailingCall::FailingCall(Session& session, std::string collective, int items)
    : session_(session), collective_(std::move(collective)), items_(items) {
    MPI_Type_vector(items, 1, 2, MPI_INT, &gapped_);
    MPI_Type_commit(&gapped_);
}

int FailingCall::run(MPI_Comm comm, int number) {
    const int ranks = session_.size();
    const int block = 2 * items_;
    in_.assign(static_cast<std::size_t>(block), number + session_.rank());
    out_.assign(static_cast<std::size_t>(block) * static_cast<std::size_t>(ranks), -1);
    if (collective_ == "allgather") {
        MPI_Aint lower = 0;
        MPI_Datatype block_type = MPI_DATATYPE_NULL;
        MPI_Type_create_resized(gapped_, lower, static_cast<MPI_Aint>(block * sizeof(int)), &block_type);
        MPI_Type_commit(&block_type);
        const int code = with_failures(
            [&] { return MPI_Allgather(in_.data(), 1, gapped_, out_.data(), 1, block_type, comm); });
        MPI_Type_free(&block_type);
        return code;
    }
    if (collective_ == "barrier") {
        return with_failures([&] { return MPI_Barrier(comm); });
    }
    if (collective_ == "allreduce") {
        return with_failures(
            [&] { return MPI_Allreduce(in_.data(), out_.data(), items_, MPI_INT, MPI_SUM, comm); });
    }
    return with_failures([&] { return MPI_Bcast(in_.data(), 1, gapped_, 0, comm); });
}
void FailingCall::expect_result(int number) {
    const int ranks = session_.size();
    if (session_.sabotages("data")) {
        out_[0] = -1;
    }
    for (int rank = 0; rank < ranks && collective_ == "allgather"; ++rank) {
        session_.expect(out_[static_cast<std::size_t>(rank * 2 * items_)] == number + rank, "a wrong block");
    }
    if (collective_ == "allreduce") {
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
