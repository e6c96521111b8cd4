// Tests a thread that waits for two requests, each completed by another thread. One of these is late: it
// marks its request as complete, but signals the waiting thread only while that already waits for a third
// request. This must neither end that wait nor corrupt it.
//
//   late_wakeup
//
// --sabotage any: waits with ompi_request_wait_any(), which this crashes (see component/openmpi/wait_sync.h).
#include "component/openmpi/wait_sync.h"  // Open MPI's own headers come before mpi.h

#include <array>
#include <atomic>
#include <functional>
#include <thread>
#include <type_traits>
#include <vector>

#include "check.h"

using namespace strata::testing;
using namespace strata::component;

namespace {

/// A request that is not complete yet.
class Request {
public:
    Request() : request_(OBJ_NEW(ompi_request_t)) {
        OMPI_REQUEST_INIT(request_, false);
        request_->req_state = OMPI_REQUEST_ACTIVE;
        request_->req_status.MPI_ERROR = MPI_SUCCESS;
    }
    Request(const Request&) = delete;
    Request& operator=(const Request&) = delete;
    ~Request() { OBJ_RELEASE(request_); }

    ompi_request_t* get() const { return request_; }
    bool is_complete() const { return REQUEST_COMPLETE(request_); }
    /// The sync object through which a thread waits for the request, if any.
    ompi_wait_sync_t* waited_for() const {
        while (mark().load() == REQUEST_PENDING) std::this_thread::yield();
        return as_sync(mark().load());
    }
    /// The first half of completing it. The second half signals the returned sync object.
    ompi_wait_sync_t* complete_silently() {
        void* const completed = REQUEST_COMPLETED;
        return as_sync(mark().exchange(static_cast<Mark>(completed)));
    }

private:
    using Mark = std::remove_volatile_t<decltype(ompi_request_t::req_complete)>;
    std::atomic_ref<Mark> mark() const { return std::atomic_ref(const_cast<Mark&>(request_->req_complete)); }
    static ompi_wait_sync_t* as_sync(Mark mark) {
        return static_cast<ompi_wait_sync_t*>(const_cast<void*>(mark));
    }
    ompi_request_t* request_;
};

void tell(ompi_wait_sync_t* sync) { wait_sync_update(sync, 1, OMPI_SUCCESS); }

using Wait = std::function<void(std::vector<ompi_request_t*>)>;

void test(Session& session, const Wait& wait) {
    Request first;
    Request late;
    Request other;
    std::atomic<int> wakes = 0;
    std::thread waiting([&] {
        wait({first.get(), late.get()});
        while (!other.is_complete()) {
            wait({other.get()});
            ++wakes;
        }
    });
    session.at("the first wait");
    first.waited_for();
    late.waited_for();
    ompi_wait_sync_t* const reported_late = late.complete_silently();
    tell(first.complete_silently());
    session.at("the second wait");
    other.waited_for();
    tell(reported_late);
    session.at("the second wait, again");
    while (wakes == 0) std::this_thread::yield();
    ompi_wait_sync_t* const sync = other.waited_for();
    session.expect(!other.is_complete(), "complete without a completion");
    session.expect(other.complete_silently() == sync, "no thread waits any more");
    tell(sync);
    waiting.join();
    session.expect(wakes >= 2, "not woken twice");
}

}  // namespace

int main(int argc, char** argv) {
    Session session(argc, argv, MPI_THREAD_MULTIPLE);
    session.reject_other_arguments();
    if (session.sabotage_is("any")) {
        test(session, [](std::vector<ompi_request_t*> requests) {
            int index = MPI_UNDEFINED;
            ompi_request_wait_any(requests.size(), requests.data(), &index, MPI_STATUS_IGNORE);
        });
        return session.finish();
    }
    for (int i = 0; i < 1000; ++i) {
        const PooledWaitSync sleep = take_wait_sync();
        test(session, [&](const std::vector<ompi_request_t*>& requests) { sleep->until_one(requests); });
    }
    release_wait_syncs();
    return session.finish();
}
