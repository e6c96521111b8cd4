// Two requests for which a thread waits are completed by two others, of which one is late: it has marked its
// request as complete, and tells the waiting thread of it only when that waits for something else. That must
// neither end the other wait nor spoil it.
//
//   late_wakeup
//
// --sabotage any: waits by ompi_request_wait_any(), which crashes of it (see component/openmpi/sleep.h).
#include "component/openmpi/sleep.h"  // Open MPI's own headers come before mpi.h

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

/// One that nobody has completed yet.
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
    /// The object by which a thread waits for it, once one does.
    ompi_wait_sync_t* waited_for() const {
        while (mark().load() == REQUEST_PENDING) std::this_thread::yield();
        return as_sync(mark().load());
    }
    /// The first half of completing it. The other is to tell the object that is returned.
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
    session.expect(!other.is_complete(), "complete, though nobody has completed it");
    session.expect(other.complete_silently() == sync, "nobody waits any more");
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
