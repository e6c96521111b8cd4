#include "component/communicator/background_transport.h"

#include <numeric>

#include "component/openmpi/point_to_point.h"

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
    const int rc = pml::isend(data, bytes, peer, tags_[0], comm_, single_);
    return rc == OMPI_SUCCESS ? test() : noticed(rc);
}

int BackgroundTransport::recv(std::byte* data, std::size_t bytes, int peer) {
    has_begun_ = true;
    const int rc = pml::irecv(data, bytes, peer, tags_[0], comm_, single_);
    return rc == OMPI_SUCCESS ? test() : noticed(rc);
}

int BackgroundTransport::test() {
    return pml::is_complete(single_) ? unless_too_long(noticed(pml::end(single_))) : under_way;
}

void BackgroundTransport::abandon() noexcept {
    PmlTransport::abandon();
    if (single_ != nullptr) give_up(single_);
}

}  // namespace strata::component
