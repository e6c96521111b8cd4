#pragma once
#include "component/communicator/pml_transport.h"

namespace strata::component {

/// A PmlTransport for calls that run beside others on the communicator. It never waits before abandon(): its
/// caller lets Open MPI progress and polls again. Its messages have their own tags, reserved as those of
/// non-blocking collectives are. So make it when the call starts, in the order of the calls.
class BackgroundTransport final : public PmlTransport {
public:
    BackgroundTransport(ompi_communicator_t* comm, CommunicatorCounters& own);

    void begin_call(Collective collective, std::span<const algorithms::PeerLevel> levels) override;
    int wait_some(std::span<int> done, int& count) override;
    int send(const std::byte* data, std::size_t bytes, int peer) override;
    int recv(std::byte* data, std::size_t bytes, int peer) override;
    int test() override;
    void abandon() noexcept override;

private:
    int first_tag_;
    ompi_request_t* single_ = nullptr;  ///< the message outside the slots
};

}  // namespace strata::component
