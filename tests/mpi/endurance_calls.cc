#include "endurance_calls.h"

#include <cstdlib>

namespace strata::testing {
namespace {

// In doubles: rarely 256 KiB, sometimes 8 KiB, mostly 512 B.
constexpr int longest = 32768, seldom = 512;
constexpr int longer = 1024, sometimes = 32;
constexpr int usual = 64;

/// Returns every length up to the longest of its kind.
int length_of(std::uint64_t drawn) {
    const int most = drawn % seldom == 0 ? longest : drawn % sometimes == 0 ? longer : usual;
    return 1 + static_cast<int>((drawn >> 32U) % static_cast<std::uint64_t>(most));
}

}  // namespace

Calls::Calls(Session& session, MPI_Comm comm, std::uint64_t different)
    : session_(session), different_(different), own_(longest), all_(longest) {
    use(comm);
    // Allocate at once: buffers that grow later look like a leak.
    blocks_.resize(static_cast<std::size_t>(longest) * static_cast<std::size_t>(size_));
}

void Calls::use(MPI_Comm comm) {
    comm_ = comm;
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &size_);
}

void Calls::one(std::uint64_t number) {
    const std::uint64_t drawn = mix(session_.seed(), number % different_);
    const int root = static_cast<int>((drawn >> 20U) % static_cast<std::uint64_t>(size_));
    const int length = length_of(drawn);
    told_ = static_cast<double>(number % 1000);
    if (session_.sabotage_is("bytes")) {
        [[maybe_unused]] static void* volatile lost = nullptr;
        lost = std::malloc(16);
    }
    switch (number % 7) {
        case 0: return broadcast(length, root);
        case 1: return allreduce(length);
        case 2: return reduce(length, root);
        case 3: return allgather(length);
        case 4: MPI_Barrier(comm_); return;
        case 5: return gather(length, root);
        default: return scatter(length, root);
    }
}

void Calls::give(int length) { own_[0] = own_[static_cast<std::size_t>(length - 1)] = of(rank_); }

void Calls::broadcast(int length, int root) {
    give(length);
    MPI_Bcast(own_.data(), length, MPI_DOUBLE, root, comm_);
    expect(own_[0] == of(root) && own_[static_cast<std::size_t>(length - 1)] == of(root));
}

void Calls::allreduce(int length) {
    give(length);
    MPI_Allreduce(own_.data(), all_.data(), length, MPI_DOUBLE, MPI_SUM, comm_);
    expect(all_[0] == sum() && all_[static_cast<std::size_t>(length - 1)] == sum());
}

void Calls::reduce(int length, int root) {
    give(length);
    MPI_Reduce(own_.data(), all_.data(), length, MPI_DOUBLE, MPI_SUM, root, comm_);
    expect(rank_ != root || (all_[0] == sum() && all_[static_cast<std::size_t>(length - 1)] == sum()));
}

void Calls::allgather(int length) {
    give(length);
    MPI_Allgather(own_.data(), length, MPI_DOUBLE, blocks_.data(), length, MPI_DOUBLE, comm_);
    expect(has_last_block(length));
}

void Calls::gather(int length, int root) {
    give(length);
    MPI_Gather(own_.data(), length, MPI_DOUBLE, blocks_.data(), length, MPI_DOUBLE, root, comm_);
    expect(rank_ != root || has_last_block(length));
}

void Calls::scatter(int length, int root) {
    const auto last = static_cast<std::size_t>(length - 1);
    for (int i = 0; i < size_; ++i) {
        const auto first = static_cast<std::size_t>(i * length);
        blocks_[first] = blocks_[first + last] = of(i);
    }
    MPI_Scatter(blocks_.data(), length, MPI_DOUBLE, own_.data(), length, MPI_DOUBLE, root, comm_);
    expect(own_[0] == of(rank_) && own_[last] == of(rank_));
}

bool Calls::has_last_block(int length) const {
    const auto first = static_cast<std::size_t>((size_ - 1) * length);
    return blocks_[first] == of(size_ - 1) &&
           blocks_[first + static_cast<std::size_t>(length - 1)] == of(size_ - 1);
}

}  // namespace strata::testing
