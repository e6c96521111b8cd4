#include "recorder.h"

namespace strata::introspection {

bool Recorder::open() {
    const std::lock_guard guard(lock_);
    int processes = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    last_ = own_ = frozen_ = scratch_ = TrafficRows(static_cast<std::size_t>(processes));
    resets_ = 0;
    hiding_ = 0;
    broken_ = false;
    return counters_.open();
}

void Recorder::close() {
    const std::lock_guard guard(lock_);
    counters_.close();
}

bool Recorder::read_recorded(TrafficRows& rows) {
    if (!counters_.read(rows)) {
        return false;
    }
    bool smaller = false;
    for (std::size_t i = 0; i < rows.words().size(); ++i) {
        smaller |= rows.words()[i] < last_.words()[i];
        last_.words()[i] = rows.words()[i];
        rows.words()[i] -= own_.words()[i];
    }
    resets_ += smaller ? 1 : 0;
    return true;
}

bool Recorder::read(Reading& reading) {
    const std::lock_guard guard(lock_);
    if (broken_) {
        return false;
    }
    bool good = true;
    if (hiding_ > 0) {
        reading.sent = frozen_;  // recording continues from here
    } else {
        good = read_recorded(reading.sent);
    }
    reading.resets = resets_;
    return good;
}

void Recorder::hide() {
    const std::lock_guard guard(lock_);
    if (hiding_++ == 0 && !read_recorded(frozen_)) {
        broken_ = true;
    }
}

void Recorder::unhide() {
    const std::lock_guard guard(lock_);
    if (--hiding_ != 0) {
        return;
    }
    if (!read_recorded(scratch_)) {
        broken_ = true;
    } else {
        for (std::size_t i = 0; i < own_.words().size(); ++i) {
            own_.words()[i] += scratch_.words()[i] - frozen_.words()[i];
        }
    }
}

}  // namespace strata::introspection
