#pragma once
#include <memory>
#include <span>

#include "component/openmpi/ompi_compat.h"

namespace strata::component {

/// A wait sync that outlives its wait. With several threads in Open MPI it lets one wait for one of several
/// requests, while one of the waiting threads drives progress.
///
/// ompi_request_wait_any() of 4.1 and 5.0 puts its ompi_wait_sync_t on the stack. It may return before
/// another thread, which completed a second one of the requests, has written to that object, and so the write
/// corrupts the stack. A WaitSync lives until the component closes; a late write only ends a later wait
/// early.
class WaitSync {
public:
    WaitSync();
    WaitSync(const WaitSync&) = delete;
    WaitSync& operator=(const WaitSync&) = delete;
    ~WaitSync();
    /// Returns when a request is complete, or spuriously. Frees no request.
    void until_one(std::span<ompi_request_t* const> requests);

private:
    ompi_wait_sync_t sync_;
};

/// Deleter that returns a WaitSync to the pool.
struct ReturnToPool {
    void operator()(WaitSync* wait_sync) const noexcept;
};
using PooledWaitSync = std::unique_ptr<WaitSync, ReturnToPool>;

/// Takes a WaitSync from the pool. Throws std::bad_alloc.
PooledWaitSync take_wait_sync();

/// Deletes the pool. No thread may be in Open MPI any more.
void release_wait_syncs() noexcept;

}  // namespace strata::component
