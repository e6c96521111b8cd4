#include "smpi_transport.h"

#include <algorithm>

namespace strata::simulation {

SmpiTransport::SmpiTransport(MPI_Comm comm, std::size_t eager_bytes, Traffic& traffic)
    : comm_(comm), eager_bytes_(eager_bytes), traffic_(traffic) {
    MPI_Comm_rank(comm, &rank_);
}

void SmpiTransport::count(int peer, int rail, std::size_t bytes) {
    if (connections_ != nullptr) connections_->before_message(rank_, peer);
    if (trace_ != nullptr) trace_->push_back({peer, rail, bytes});
    traffic_.add(rank_, peer, bytes);
}

int SmpiTransport::begin(int slots) {
    requests_.assign(static_cast<std::size_t>(slots), MPI_REQUEST_NULL);
    in_turn_.resize(requests_.size());
    next_ = 0;
    return MPI_SUCCESS;
}

int SmpiTransport::isend(int slot, const std::byte* data, std::size_t bytes, int peer, int rail,
                         Completion completion) {
    count(peer, rail, bytes);
    MPI_Request& request = requests_[static_cast<std::size_t>(slot)];
    const auto start = completion == Completion::matched ? MPI_Issend : MPI_Isend;
    return start(data, static_cast<int>(bytes), MPI_BYTE, peer, tag_of(rail, bytes, eager_bytes_), comm_,
                 &request);
}

int SmpiTransport::irecv(int slot, std::byte* data, std::size_t bytes, int peer, int rail) {
    return MPI_Irecv(data, static_cast<int>(bytes), MPI_BYTE, peer, tag_of(rail, bytes, eager_bytes_), comm_,
                     &requests_[static_cast<std::size_t>(slot)]);
}

/// Completes one request at a time, because SMPI's MPI_Waitsome tests all requests again for each completed
/// one. MPI_Waitany prefers the first one in the array, so the slots take turns: the plugin, too, handles all
/// that has arrived before it looks again, and no stream waits for the end of another.
int SmpiTransport::wait_some(std::span<int> done, int& count) {
    count = 0;
    int index = MPI_UNDEFINED;
    std::rotate_copy(requests_.begin(), requests_.begin() + next_, requests_.end(), in_turn_.begin());
    const auto slots = static_cast<int>(requests_.size());
    const int rc = MPI_Waitany(slots, in_turn_.data(), &index, MPI_STATUS_IGNORE);
    if (rc == MPI_SUCCESS && index != MPI_UNDEFINED) {
        const int slot = (next_ + index) % slots;
        next_ = (slot + 1) % slots;
        requests_[static_cast<std::size_t>(slot)] = MPI_REQUEST_NULL;
        done[static_cast<std::size_t>(count++)] = slot;
    }
    return rc;
}

int SmpiTransport::send(const std::byte* data, std::size_t bytes, int peer) {
    count(peer, 0, bytes);
    MPI_Request request = MPI_REQUEST_NULL;  // SMPI's MPI_Send of a long message costs the sender no time
    const int rc = MPI_Isend(data, static_cast<int>(bytes), MPI_BYTE, peer, tag_of(0, bytes, eager_bytes_),
                             comm_, &request);
    return rc != MPI_SUCCESS ? rc : MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int SmpiTransport::recv(std::byte* data, std::size_t bytes, int peer) {
    return MPI_Recv(data, static_cast<int>(bytes), MPI_BYTE, peer, tag_of(0, bytes, eager_bytes_), comm_,
                    MPI_STATUS_IGNORE);
}

/// Simulated messages do not fail; an allocation may.
void SmpiTransport::abandon() noexcept {
    for (MPI_Request& request : requests_) {
        if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
    }
}

}  // namespace strata::simulation
