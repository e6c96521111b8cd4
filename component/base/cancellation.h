#pragma once
#include <pthread.h>

namespace strata::component {

/// While it lives, this thread is not cancelled: a request to do so waits for its end. Around what must not
/// be left halfway (and around functions that are noexcept), as long as it waits for no other process, or all
/// others are in it, too.
///
/// Everything else on the way of a call lets forced unwinding pass, as it comes of pthread_cancel() and of
/// pthread_exit() in a callback of the program's: no noexcept, and no catch (...) without throw.
class HoldCancellation {
public:
    HoldCancellation() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
    HoldCancellation(const HoldCancellation&) = delete;
    HoldCancellation& operator=(const HoldCancellation&) = delete;
    ~HoldCancellation() { pthread_setcancelstate(before_, nullptr); }

private:
    int before_ = PTHREAD_CANCEL_ENABLE;
};

/// Runs `leave` unless this is dismissed: where a thread is unwound.
template <class Leave>
class WhenUnwound {
public:
    explicit WhenUnwound(Leave leave) : leave_(leave) {}
    WhenUnwound(const WhenUnwound&) = delete;
    WhenUnwound& operator=(const WhenUnwound&) = delete;
    ~WhenUnwound() {
        if (!dismissed_) {
            leave_();
        }
    }
    void dismiss() { dismissed_ = true; }

private:
    Leave leave_;
    bool dismissed_ = false;
};

}  // namespace strata::component
