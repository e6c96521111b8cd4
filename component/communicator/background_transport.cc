#include "component/communicator/background_transport.h"

#include <numeric>

namespace strata::component {

using algorithms::under_way;

BackgroundTransport::BackgroundTransport(ompi_communicator_t* comm, CommunicatorCounters& own)
    : PmlTransport(comm, own), first_tag_(ompi_coll_base_nbc_reserve_tags(comm, most_rails)) {}

void BackgroundTransport::begin_call(Collective collective, std::span<const algorithms::PeerLevel> levels) {
    PmlTransport::begin_call(collective, levels);
    std::iota(tags_.rbegin(), tags_.rend(), first_tag_ - most_rails + 1);
}

int BackgroundTransport::wait_some(std::span<int> done, int& count) {
    count = 0;
    if (is_idle() || done.empty()) {
        return OMPI_SUCCESS;
    }
    const int rc = harvest(done, count);
    return rc == OMPI_SUCCESS && count == 0 ? under_way : rc;
}

int BackgroundTransport::send(const std::byte* data, std::size_t bytes, int peer) {
    has_begun_ = true;
    count_message(peer, bytes);
    const int rc = MCA_PML_CALL(
        isend(data, bytes, &ompi_mpi_byte.dt, peer, tags_[0], MCA_PML_BASE_SEND_STANDARD, comm_, &single_));
    return rc == OMPI_SUCCESS ? test() : noticed(rc);
}

int BackgroundTransport::recv(std::byte* data, std::size_t bytes, int peer) {
    has_begun_ = true;
    const int rc = MCA_PML_CALL(irecv(data, bytes, &ompi_mpi_byte.dt, peer, tags_[0], comm_, &single_));
    return rc == OMPI_SUCCESS ? test() : noticed(rc);
}

int BackgroundTransport::test() {
    if (!REQUEST_COMPLETE(single_) && !compat::fail_if_peer_lost(single_)) {
        return under_way;
    }
    return unless_too_long(noticed(end(single_)));
}

void BackgroundTransport::abandon() noexcept {
    PmlTransport::abandon();
    if (single_ != nullptr) {
        left_messages_ = true;
        ompi_request_free(&single_);
        single_ = nullptr;
    }
}

}  // namespace strata::component
