#pragma once
#include <memory>
#include <span>

#include "component/openmpi/ompi_compat.h"

namespace strata::component {

/// Lets a thread of several in Open MPI wait for one of several requests, and leaves the processor, and the
/// progress, to one of those that wait.
///
/// ompi_request_wait_any() of 4.1 and 5.0 may return while another thread, which has completed a second one
/// of the requests, is yet to write into the ompi_wait_sync_t for which the waiting thread has come back: on
/// the stack, where it spoils what is there next, a later wait for instance. This one stays where it is until
/// the component is closed; what is written late ends a later wait with nothing completed.
class WaitSync {
public:
    WaitSync();
    WaitSync(const WaitSync&) = delete;
    WaitSync& operator=(const WaitSync&) = delete;
    ~WaitSync();
    /// Returns when one of the requests is complete, or for no reason. Frees none.
    void until_one(std::span<ompi_request_t* const> requests);

private:
    ompi_wait_sync_t sync_;
};

/// Gives back, and does not delete.
struct GivesBack {
    void operator()(WaitSync* wait_sync) const noexcept;
};
using KeptWaitSync = std::unique_ptr<WaitSync, GivesBack>;

/// One that nobody has. Throws std::bad_alloc.
KeptWaitSync take_wait_sync();

/// Deletes those that nobody has: when no thread is in Open MPI any more.
void release_wait_syncs() noexcept;

}  // namespace strata::component
