#include "component/openmpi/set_up.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "component/base/cancellation.h"
#include "component/openmpi/point_to_point.h"

namespace strata::component {

SetUp::SetUp(SetUps& all) : all_(all) {
    SetUp** end = &all.first_;
    while (*end != nullptr) end = &(*end)->next_;
    *end = this;
}

SetUp::~SetUp() {
    task_.reset();
    SetUp** place = &all_.first_;
    while (*place != this) place = &(*place)->next_;
    *place = next_;
}

void SetUp::start(algorithms::Task task) {
    task_.emplace(std::move(task));
    started_ = false;
    progress();
}

void SetUp::progress() {
    if (!is_next()) return;
    std::optional<HoldCancellation> hold;
    if (all_are_here_) hold.emplace();
    if (std::exchange(started_, true)) {
        task_->progress();
    } else {
        task_->start();
    }
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
        progress();
    }
    return outcome();
}

int SetUp::wait_with_pauses(algorithms::Task task) {
    constexpr std::chrono::microseconds longest_pause{1000};
    std::chrono::microseconds pause{1};
    start(std::move(task));
    while (!done()) {
        const unsigned ended = ended_;
        opal_progress();
        progress();
        if (ended_ != ended) {
            pause = std::chrono::microseconds{1};
        } else if (!done()) {
            std::this_thread::sleep_for(pause);
            pause = std::min(2 * pause, longest_pause);
        }
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
