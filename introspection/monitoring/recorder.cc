#include "recorder.h"

namespace strata::introspection {

bool Recorder::open() {
    const std::lock_guard guard(lock_);
    int processes = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    own_ = frozen_ = scratch_ = TrafficRows(static_cast<std::size_t>(processes));
    hiding_ = 0;
    broken_ = false;
    return counters_.open();
}

void Recorder::close() {
    const std::lock_guard guard(lock_);
    counters_.close();
}

bool Recorder::read_seen(TrafficRows& rows) {
    if (!counters_.read(rows)) {
        return false;
    }
    for (std::size_t i = 0; i < rows.words().size(); ++i) {
        rows.words()[i] -= own_.words()[i];
    }
    return true;
}

bool Recorder::read(TrafficRows& rows) {
    const std::lock_guard guard(lock_);
    if (broken_) {
        return false;
    }
    if (hiding_ > 0) {
        rows = frozen_;  // where it will go on
        return true;
    }
    return read_seen(rows);
}

void Recorder::hide() {
    const std::lock_guard guard(lock_);
    if (hiding_++ == 0 && !read_seen(frozen_)) {
        broken_ = true;
    }
}

void Recorder::unhide() {
    const std::lock_guard guard(lock_);
    if (--hiding_ != 0) {
        return;
    }
    if (!read_seen(scratch_)) {
        broken_ = true;
    } else {
        for (std::size_t i = 0; i < own_.words().size(); ++i) {
            own_.words()[i] += scratch_.words()[i] - frozen_.words()[i];
        }
    }
}

}  // namespace strata::introspection
