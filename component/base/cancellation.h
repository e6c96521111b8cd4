#pragma once
#include <pthread.h>

namespace strata::component {

/// Defers cancellation of this thread during its lifetime. Used around steps that must not be left halfway
/// and around noexcept functions, if the step waits for no other process or all processes take part in it.
///
/// All other code in the path of a call lets forced unwinding pass (pthread_cancel(), or pthread_exit() in a
/// program's callback): no noexcept, and no catch (...) without throw.
class HoldCancellation {
public:
    HoldCancellation() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
    HoldCancellation(const HoldCancellation&) = delete;
    HoldCancellation& operator=(const HoldCancellation&) = delete;
    ~HoldCancellation() { pthread_setcancelstate(before_, nullptr); }

private:
    int before_ = PTHREAD_CANCEL_ENABLE;
};

/// Runs `leave` when a thread is unwound; dismiss() on every normal path.
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
