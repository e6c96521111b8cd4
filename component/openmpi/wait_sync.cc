#include "component/openmpi/wait_sync.h"

#include <atomic>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

#include "component/base/process_wide.h"

namespace strata::component {

namespace {

std::mutex guard;
std::size_t made = 0;

/// The pool; its capacity covers all WaitSyncs, so that returning one allocates nothing.
std::vector<std::unique_ptr<WaitSync>>& idle() {
    static ProcessWide<std::vector<std::unique_ptr<WaitSync>>> all;
    return all.get();
}

/// Replaces a request's completion mark by `wanted` if it is `expected`; returns true if it did.
bool replace(ompi_request_t* request, void* expected, void* wanted) {
    using Mark = std::remove_volatile_t<decltype(request->req_complete)>;
    auto value = static_cast<Mark>(expected);
    return std::atomic_ref(const_cast<Mark&>(request->req_complete)).compare_exchange_strong(value, wanted);
}

}  // namespace

WaitSync::WaitSync() { WAIT_SYNC_INIT(&sync_, 1); }

WaitSync::~WaitSync() { WAIT_SYNC_RELEASE_NOWAIT(&sync_); }

void WaitSync::until_one(std::span<ompi_request_t* const> requests) {
    sync_.signaling = true;
    // The first completion wakes this thread; later ones may come late.
    std::atomic_ref(const_cast<std::int32_t&>(sync_.count)).store(1);
    std::size_t tied = 0;
    while (tied < requests.size() && replace(requests[tied], REQUEST_PENDING, &sync_)) ++tied;
    if (tied == requests.size()) SYNC_WAIT(&sync_);
    bool completed = false;
    for (std::size_t i = 0; i < tied; ++i) completed |= !replace(requests[i], &sync_, REQUEST_PENDING);
    // As in Open MPI's own waits: the thread that completed a message reads the communicator once more, and
    // the waiting thread might free it.
    while (completed && sync_.signaling) std::this_thread::yield();
}

void ReturnToPool::operator()(WaitSync* wait_sync) const noexcept {
    const std::lock_guard lock(guard);
    idle().emplace_back(wait_sync);
}

PooledWaitSync take_wait_sync() {
    const std::lock_guard lock(guard);
    if (idle().empty()) {
        idle().reserve(made + 1);
        PooledWaitSync another(new WaitSync);
        ++made;
        return another;
    }
    PooledWaitSync kept(idle().back().release());
    idle().pop_back();
    return kept;
}

void release_wait_syncs() noexcept {
    const std::lock_guard lock(guard);
    made -= idle().size();
    idle().clear();
}

}  // namespace strata::component
