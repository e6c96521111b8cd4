#include "component/openmpi/set_up.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <new>
#include <thread>
#include <utility>

#include "component/openmpi/last_resort.h"
#include "component/openmpi/point_to_point.h"

namespace strata::component {

SetUp::~SetUp() {
    task_.reset();
    leave();
}

/// Leaves the queue, if it is there.
void SetUp::leave() {
    SetUp** place = &all_.first_;
    while (*place != nullptr && *place != this) place = &(*place)->next_;
    if (*place != nullptr) *place = std::exchange(next_, nullptr);
}

void SetUp::start(algorithms::Task task) {
    task_.emplace(std::move(task));
    started_ = false;
    SetUp** end = &all_.first_;
    while (*end != nullptr) end = &(*end)->next_;
    *end = this;
    progress();
}

void SetUp::progress() {
    if (!is_next() || running_) return;
    struct Running {
        explicit Running(SetUp& own) : set_up(own) { set_up.running_ = true; }
        ~Running() {
            set_up.running_ = false;
            set_up.hold_.reset();
        }
        SetUp& set_up;
    };
    const Running running(*this);
    if (all_are_here_) hold_.emplace();
    if (std::exchange(started_, true)) {
        task_->progress();
    } else {
        task_->start();
    }
    if (done()) leave();
}

void SetUp::wait() const {
    std::optional<HoldCancellation> hold;
    if (all_are_here_) hold.emplace();
    if (awaited_ != nullptr) {
        ompi_request_wait_completion(awaited_);
    } else {
        opal_progress();
    }
}

int SetUp::wait_for(algorithms::Task task) {
    start(std::move(task));
    while (!done()) {
        wait();
        all_.first_->progress();
    }
    return outcome();
}

int SetUp::wait_with_pauses(algorithms::Task task, ompi_communicator_t* comm) {
    constexpr std::chrono::microseconds longest_pause{1000};
    std::chrono::microseconds pause{1};
    try {
        start(std::move(task));
        while (!done()) {
            const unsigned ended = ended_;
            opal_progress();
            all_.first_->progress();
            if (ended_ != ended) {
                pause = std::chrono::microseconds{1};
            } else if (!done()) {
                std::this_thread::sleep_for(pause);
                pause = std::min(2 * pause, longest_pause);
            }
        }
    } catch (const std::bad_alloc&) {
        end_job(comm, "it lacks memory for the records of the other processes");
    } catch (const std::exception&) {
        end_job(comm, "it lacks records of the other processes");
    }
    return outcome();
}

int SetUp::test(ompi_request_t*& request) {
    if (!pml::is_complete(request)) {
        awaited_ = request;
        return algorithms::under_way;
    }
    awaited_ = nullptr;
    ++ended_;
    return pml::end(request);
}

}  // namespace strata::component
