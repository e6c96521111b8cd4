#include "component/communicator/pml_transport.h"

#include <algorithm>

#include "component/base/cancellation.h"
#include "component/openmpi/point_to_point.h"

namespace strata::component {

using algorithms::PeerLevel;

namespace {

/// Uses the tags of Open MPI's blocking collectives. Calls on a communicator have the same order on all
/// ranks, messages of a pair arrive in order, and each call receives all messages sent to it.
constexpr std::array<int, algorithms::collective_count> tags = {
#define STRATA_COLLECTIVE(op, tag, ...) MCA_COLL_BASE_TAG_##tag,
#include "algorithms/base/collectives.def"
#undef STRATA_COLLECTIVE
};

}  // namespace

void PmlTransport::start_call() {
    has_begun_ = false;
    left_messages_ = false;
    process_failed_ = false;
    noted_error_ = OMPI_SUCCESS;
}

void PmlTransport::begin_call(Collective collective, std::span<const PeerLevel> levels) {
    // Each rail of a call has its own tag. Further rails borrow tags from collectives that cannot run at the
    // same time; non-blocking collectives own all tags below -27.
    tags_ = {tags[static_cast<std::size_t>(collective)], MCA_COLL_BASE_TAG_ALLTOALL,
             MCA_COLL_BASE_TAG_ALLTOALLV, MCA_COLL_BASE_TAG_ALLTOALLW};
    levels_ = levels;
    reserve(levels.size());
    // A sleeping thread cannot detect the failure of a peer.
    if (wait_sync_ == nullptr && opal_using_threads() && !compat::survives_failures()) {
        wait_sync_ = take_wait_sync();
    }
}

void PmlTransport::grow(std::size_t slots) {
    busy_.reserve(slots);
    waiting_.reserve(slots);
    requests_.resize(slots);
}

int PmlTransport::noticed(int rc) {
    process_failed_ = process_failed_ || compat::is_failed_process(rc);
    return rc;
}

int PmlTransport::unless_too_long(int rc) {
    if (rc != MPI_ERR_TRUNCATE) {
        return rc;
    }
    noted_error_ = rc;
    return OMPI_SUCCESS;
}

int PmlTransport::begin(int slots) {
    reserve(static_cast<std::size_t>(slots));
    busy_.clear();
    return OMPI_SUCCESS;
}

const PeerLevel* PmlTransport::count_message(int peer, std::size_t bytes) {
    const auto at = std::lower_bound(levels_.begin(), levels_.end(), peer,
                                     [](const PeerLevel& level, int rank) { return level.peer < rank; });
    if (at == levels_.end() || at->peer != peer) {
        return nullptr;
    }
    const auto kind = static_cast<std::size_t>(at->kind);
    counters().messages[kind].add();
    counters().bytes[kind].add(bytes);
    own_.messages[kind].add();
    own_.bytes[kind].add(bytes);
    return &*at;
}

int PmlTransport::isend(int slot, const std::byte* data, std::size_t bytes, int peer, int rail,
                        Completion completion) {
    const PeerLevel* const level = count_message(peer, bytes);
    // Messages in shared memory are not queued on a link: an acknowledgement would only cost time.
    const bool matched = completion == Completion::matched && level != nullptr && level->network;
    const int rc =
        pml::isend(data, bytes, peer, tags_[static_cast<std::size_t>(rail)], comm_, requests_[slot], matched);
    if (rc == OMPI_SUCCESS) {
        has_begun_ = true;
        busy_.push_back(slot);
    }
    return noticed(rc);
}

int PmlTransport::irecv(int slot, std::byte* data, std::size_t bytes, int peer, int rail) {
    const int rc =
        pml::irecv(data, bytes, peer, tags_[static_cast<std::size_t>(rail)], comm_, requests_[slot]);
    if (rc == OMPI_SUCCESS) {
        has_begun_ = true;
        busy_.push_back(slot);
    }
    return noticed(rc);
}

/// Removes completed requests from the busy list, in the order of their start.
int PmlTransport::harvest(std::span<int> done, int& count) {
    int rc = OMPI_SUCCESS;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < busy_.size(); ++i) {
        const int slot = busy_[i];
        ompi_request_t*& request = requests_[slot];
        const bool room = count < static_cast<int>(done.size());
        if (!room || !pml::is_complete(request)) {
            busy_[kept++] = slot;
            continue;
        }
        if (const int code = unless_too_long(pml::end(request)); rc == OMPI_SUCCESS) {
            rc = code;
        }
        done[count++] = slot;
    }
    busy_.resize(kept);
    return noticed(rc);
}

void PmlTransport::sleep_until_one() {
    waiting_.clear();
    for (const int slot : busy_) {
        waiting_.push_back(requests_[slot]);
    }
    // An unwound thread leaves the object in Open MPI's list for good, so it must not be freed.
    WhenUnwound unwound([this] { static_cast<void>(wait_sync_.release()); });
    wait_sync_->until_one(waiting_);
    unwound.dismiss();
}

int PmlTransport::wait_some(std::span<int> done, int& count) {
    count = 0;
    if (busy_.empty() || done.empty()) {
        return OMPI_SUCCESS;
    }
    for (;;) {
        const int rc = harvest(done, count);
        if (rc != OMPI_SUCCESS || count > 0) {
            return rc;
        }
        if (wait_sync_ != nullptr) {
            sleep_until_one();
        } else {
            opal_progress();
        }
    }
}

int PmlTransport::send(const std::byte* data, std::size_t bytes, int peer) {
    has_begun_ = true;
    count_message(peer, bytes);
    WhenUnwound unwound([this] { left_messages_ = true; });
    const int rc = pml::send(data, bytes, peer, tags_[0], comm_);
    unwound.dismiss();
    return noticed(rc);
}

int PmlTransport::recv(std::byte* data, std::size_t bytes, int peer) {
    has_begun_ = true;
    WhenUnwound unwound([this] { left_messages_ = true; });
    const int rc = pml::recv(data, bytes, peer, tags_[0], comm_);
    unwound.dismiss();
    return unless_too_long(noticed(rc));
}

/// Frees a request that is not complete. Receives are not cancelled, as in Open MPI's own algorithms, unless
/// a process has died: then the program may continue and reuse the memory, and no later call waits for these
/// messages.
void PmlTransport::give_up(ompi_request_t*& request) noexcept {
    if (process_failed_ && compat::cancels_receives()) {
        ompi_request_cancel(request);
        ompi_request_wait_completion(request);
    } else {
        left_messages_ = true;
    }
    pml::release(request);
}

void PmlTransport::abandon() noexcept {
    for (const int slot : busy_) give_up(requests_[slot]);
    busy_.clear();
}

}  // namespace strata::component
